"""The seven-site benchmark as an annotator's browser meets it, through the gateway."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from recorder import recordings
from recorder.environments.base import TaskRef
from recorder.environments.http import from_options
from recorder.environments.mapping import Mapping, with_ready
from recorder.models import Recording
from tests.e2e.conftest import until
from tests.e2e.server import Live
from tests.environments.conftest import Asking, record
from tests.environments.seven_sites import ETAG, SECRET_PAGE, SevenSites

BROWSE = TaskRef("amazon", "amazon_browse_category", None, 42)
DECOY = TaskRef("amazon", BROWSE.task, "decoy", 42, {}, {"file": "amazon_browse_category__cheapest_decoy.yaml"})
FOREIGN = {"foreign": {"allow": ["cdn.example"], "stub": ["fonts.example"]}}


@pytest.fixture
def recording(fake: SevenSites, live: Live) -> Recording:
    return record(from_options(fake.options()), DECOY)


@pytest.fixture
def asking(recording: Recording, live: Live, settings) -> Asking:
    return Asking(live.port, f"{recording.key}.{settings.ENV_HOST}:{live.port}")


HARNESS = [
    "/task/amazon_browse_category",
    "/task",
    "/variant/decoy",
    "/manifest",
    "/manifest/",
    "/launch",
    "/launch?task=1",
    "/api/human/assignments",
    "/api/control/reset",
    "/control/anything/below",
    "/api/env/amazon/session",
    "/api/env/amazon/session/amz~1.Ab:c/reset",
    "/api/env/amazon/evaluate",
    "/api/env/amazon/variants",
]


@pytest.mark.parametrize("path", HARNESS)
def test_the_harness_is_out_of_reach(fake: SevenSites, asking: Asking, path: str) -> None:
    before = len(fake.asked)
    encoded = "".join(f"%{ord(sign):02x}" if sign.isalpha() else sign for sign in path)
    for written in (path, path.upper(), "/." + path, "/x/.." + path, "/" + path, encoded, path.replace("/", "\\")):
        for method in ("GET", "POST"):
            got = asking.ask(method, written)
            assert got.status in (400, 404), written
            assert SECRET_PAGE not in got.body
    assert fake.asked[before:] == []


def test_its_pages_and_their_root_absolute_paths_are_reached(fake: SevenSites, asking: Asking) -> None:
    got = asking.get("/env/amazon/whatever/deep?session=x")
    assert (got.status, b"<h1>Amazon</h1>" in got.body) == (200, True)
    assert got.header("last-modified")
    assert asking.get("/env/amazon/whatever/deep?session=x", If_None_Match=got.header("etag") or "").status == 304
    assert got.header("etag") != ETAG
    assert asking.get("/assets/site.css", Sec_Fetch_Dest="style").status == 200


def test_a_person_works_there_and_each_request_goes_out_once(
    fake: SevenSites, recording: Recording, page: Page
) -> None:
    page.goto(recordings.recording_url(recording))
    assert page.url.endswith(f"/env/amazon/s?k=cable&session={recording.session}&agent_mode=1")
    page.click("#buy")
    expect(page.locator("#said")).to_have_text("added 503")
    page.click("#buy")
    expect(page.locator("#said")).to_have_text("added 200")
    kept = fake.sessions[recording.session]
    assert (kept.adds, kept.done, kept.audit) == (2, True, [])
    until(lambda: recording.requests.filter(path__startswith="/api/env/amazon/cart/add").count() == 2)
    assert from_options(fake.options()).evaluate(recording.session).passed
    assert kept.audit == ["evaluate"]


def test_foreign_hosts_are_stubbed_or_blocked(fake: SevenSites, live: Live, page: Page) -> None:
    recording = record(from_options(fake.options(**FOREIGN)), BROWSE)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(recordings.recording_url(recording))
    page.wait_for_load_state("networkidle")
    assert "fonts.example" in page.content()
    assert [url for url in asked if re.match(r"https?://fonts\.example", url)] == []
    assert sum("/__footpath__/stub/fonts.example/" in url for url in asked) >= 2, asked
    blocked = page.evaluate("fetch('https://tracker.example/x').then(() => 'through', (error) => error.name)")
    assert blocked == "TypeError"
    violated = page.evaluate(
        """() => new Promise((resolve) => {
          addEventListener("securitypolicyviolation", (e) => resolve(e.blockedURI));
          document.body.append(Object.assign(new Image(), { src: "https://tracker.example/dot.png" }));
        })"""
    )
    assert violated.startswith("https://tracker.example")
    page.click("#buy")
    expect(page.locator("#said")).to_have_text("added 200")
    recordings.begin_closing(recording)
    until(lambda: recordings.is_drained(recording))
    assert recordings.close_recording(recording).complete


def test_without_a_word_on_foreign_hosts_pages_stay_as_they_are(asking: Asking) -> None:
    got = asking.get("/env/amazon/")
    assert got.all("content-security-policy") == []
    assert b"https://fonts.example/css" in got.body


def test_the_ready_mapping_refuses_what_the_benchmark_says() -> None:
    mapping = Mapping.model_validate(
        with_ready({"mapping": "seven-sites", "base_url": "http://127.0.0.1:1", "site": "lms"})
    )
    assert {pattern.split("/")[1] for pattern in mapping.refuse} == {
        "task",
        "variant",
        "manifest",
        "launch",
        "api",
        "control",
    }
