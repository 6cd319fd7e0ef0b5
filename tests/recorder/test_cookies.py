"""Cookies for the parent of all recordings' hosts end with the recording in which a script set them."""

from __future__ import annotations

import pytest

from recorder.gateway import cookies
from recorder.gateway.headers import MARK, without_mark
from recorder.models import Document, Recording
from tests.recorder.conftest import Browser
from tests.recorder.toy import ToySite

PAGE = "<!doctype html><html><head></head><body>x</body></html>"
HERE = f"{MARK.decode()}=1"


def test_names_and_paths() -> None:
    assert cookies.names([(b"cookie", b"a=1; b=2=3;c"), (b"cookie", b"a=4")]) == [b"a", b"b"]
    assert cookies.folders("/a/b?c/d") == ["/", "/a", "/a/", "/a/b", "/a/b/"]
    assert cookies.parents("env.example.org") == ["env.example.org", "example.org"]
    assert cookies.parents("env.localhost") == ["env.localhost"]
    assert without_mark(f"a=1; {HERE}; b=2".encode()) == b"a=1; b=2"
    assert without_mark(HERE.encode()) == b""


def test_what_a_browser_brings_along_is_kept_from_the_site_and_ended(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", PAGE)
    got = browser.get(Cookie="stray=1; __Secure-x=2")
    ended = [value for value in got.all("set-cookie") if "Max-Age=0" in value]
    assert "stray=; Domain=env.localhost; Path=/; Max-Age=0" in ended
    assert "__Secure-x=; Domain=env.localhost; Path=/; Max-Age=0; Secure" in ended
    assert got.all("set-cookie")[0].startswith(HERE)
    assert site.asked[0].header("cookie") is None


def test_a_sites_own_cookies_go_through_from_then_on(browser: Browser, site: ToySite) -> None:
    site.answer("/page.html", "", status=302, Location="/next", Set_Cookie="own=1")
    site.answer("/next", PAGE)
    assert browser.get().all("set-cookie")[-1].startswith(HERE)
    got = browser.get("/next", Cookie=f"own=1; {HERE}")
    assert got.all("set-cookie") == []
    assert site.asked[1].header("cookie") == "own=1"


def test_a_site_that_clears_its_cookies_loses_none_it_sets_after(
    browser: Browser, site: ToySite, recording: Recording
) -> None:
    Document.objects.create(
        recording=recording, doc="d1", tab=1, opened_at=recording.created_at, seen_at=recording.created_at
    )
    site.answer("/page.html", PAGE)
    got = browser.get(Cookie="own=2")
    assert site.asked[0].header("cookie") == "own=2"
    assert [value for value in got.all("set-cookie") if "Max-Age" in value] == []


@pytest.mark.parametrize("destination", ["empty", "image"])
def test_other_requests_are_no_visit(browser: Browser, site: ToySite, destination: str) -> None:
    site.answer("/data", "{}", kind="application/json")
    got = browser.get("/data", **{"Sec-Fetch-Dest": destination, "Cookie": "own=1"})
    assert got.all("set-cookie") == []
    assert site.asked[0].header("cookie") == "own=1"
