"""The harness answers for its recorder alone: preflights are the site's own to answer, the browser keeps its cache, and a
password goes to the site alone that it was given for."""

from __future__ import annotations

import pytest
from aiohttp import encode_basic_auth, web
from playwright.sync_api import Browser

from recorder.harness.desk import Desk
from recorder.harness.errors import HarnessError
from recorder.harness.record import Take, read_address
from tests.recorder.toy import Handler, ToySite, running

pytestmark = pytest.mark.e2e
PUT = "fetch('{}/without-cors', {{method: 'PUT', headers: {{'x-a': '1'}}}}).then(() => 'done', (e) => e.name)"


def test_the_sites_own_requests_are_left_alone(chromium: Browser, desk: Desk) -> None:
    with running(ToySite()) as site, running(ToySite()) as other:
        for number in range(3):
            link = f"<a id=to{number + 1} href=/{number + 1}.html>Next</a>"
            site.answer(f"/{number}.html", f"<!doctype html><script src=/kept.js></script>{link}")
        site.answer("/kept.js", "1", kind="text/javascript", Cache_Control="max-age=1000")
        other.answer("/without-cors")
        actions = [
            {"do": "click", "at": "#to1"},
            {"do": "click", "at": "#to2"},
            {"do": "wait_for", "css": "#to3"},
            {"do": "expect", "js": PUT.format(other.origin), "equals": "TypeError"},
        ]
        trace = Take(chromium, desk, read_address(site.origin + "/0.html"), actions).by("harness")
    assert trace["proof"]["complete"], trace["proof"]
    assert [asked.method for asked in other.asked] == ["OPTIONS"]
    targets = [asked.target for asked in site.asked if asked.target != "/favicon.ico"]
    assert targets == ["/0.html", "/kept.js", "/1.html", "/2.html"]


def test_a_password_in_the_address_is_for_its_site(chromium: Browser, desk: Desk) -> None:
    with running(ToySite()) as site, running(ToySite()) as other:
        page = f"<!doctype html><button id=b>Go</button><iframe src={other.origin}/></iframe>"
        for one, body in ((site, page), (other, "")):
            one.handlers |= {"/": locked(body), "/more": locked("more")}
        actions = [
            {"do": "click", "at": "#b"},
            {"do": "expect", "js": "fetch('/more').then((reply) => reply.status)", "equals": 200},
            {"do": "expect", "js": "location.href", "equals": site.origin + "/"},
        ]
        address = site.origin.replace("://", "://user:p%20w@")
        trace = Take(chromium, desk, read_address(address), actions).by("harness")
        assert [step["type"] for step in trace["steps"]] == ["click"]
        assert trace["proof"]["complete"], trace["proof"]
        assert {asked.header("authorization") for asked in other.asked} == {None}
        with pytest.raises(HarnessError, match="refused the user and password"):
            Take(chromium, desk, read_address(address.replace("user", "nobody")), actions).by("harness")


def locked(body: str) -> Handler:
    """What a server answers that asks for the user and the password."""

    async def handler(request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != encode_basic_auth("user", "p w"):
            return web.Response(status=401, text="no", headers={"WWW-Authenticate": 'Basic realm="r"'})
        return web.Response(text=body, content_type="text/html")

    return handler
