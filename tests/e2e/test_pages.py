"""Every page as people meet it: no accessibility fault, nothing that overflows, no script error, nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Response

from annotate import health
from annotate.models import Attempt, Environment
from tasks_admin.operate import annotator
from tests.e2e.conftest import Site

pytestmark = pytest.mark.e2e
HEAVY = 300_000  # bytes a page may weigh


class Watch:
    """Collects what a page must not do."""

    def __init__(self, page: Page, own: str) -> None:
        self.own, self.faults, self.bytes = own, [], 0
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        page.on("response", self.heard)

    def heard(self, response: Response) -> None:
        host = urlsplit(response.url).hostname or ""
        if response.url.startswith("http") and not (host == "localhost" or host.endswith(".localhost")):
            self.faults.append(f"asks another server: {response.url}")
        self.bytes += int(response.headers.get("content-length", 0))


def look_at(page: Page, name: str) -> list[str]:
    """axe in light and dark, and the width on a telephone."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        violations = Axe().run(page).response["violations"]
        found += [f"{name} {scheme}: {one['id']} ({one['nodes'][0]['html'][:80]})" for one in violations]
    wide = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 800})
    if page.evaluate("document.documentElement.scrollWidth") > 390:
        found.append(f"{name}: overflows at 390 px")
    assert wide is not None
    page.set_viewport_size(wide)
    return found


@pytest.fixture
def lead_page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


def test_pages_are_sound(site: Site, context: BrowserContext, page: Page, lead_page: Page) -> None:
    watch, found = Watch(page, site.url), []

    def visit(name: str, path: str, by: Page = page) -> None:
        before = watch.bytes
        by.goto(site.url + path)
        found.extend(look_at(by, name))
        assert watch.bytes - before < HEAVY, name

    visit("sign in", "/sign-in/")
    visit("unknown", "/nothing-here/")
    annotator.sign_in(page, site.link(site.p1))
    found.extend(look_at(page, "dashboard"))
    visit("consent", "/work/sample/consent/")
    visit("dashboard", "/work/")
    annotator.accept_terms(page)
    visit("guidelines", "/work/sample/guidelines/")
    visit("own assignments", "/work/sample/assignments/")
    visit("leaving", "/work/sample/leave/")
    visit("profile", "/profile/")
    visit("dashboard", "/work/")
    page.get_by_role("button", name=re.compile("^Start the practice")).click()
    page.wait_for_url("**/rounds/*/")
    page.locator("#start:not([disabled])").wait_for()
    found.extend(look_at(page, "pre-flight"))
    shop = annotator.start_attempt(page)
    found.extend(look_at(page, "recording"))
    annotator.put_kettle_into_cart(shop)
    annotator.evaluate(page, "Cold")
    found.extend(look_at(page, "between"))
    page.get_by_role("button", name=re.compile("^Start warm")).click()
    annotator.put_kettle_into_cart(annotator.start_attempt(page))
    annotator.evaluate(page, "Warm")
    found.extend(look_at(page, "rating"))
    page.locator("#help-open").click()
    found.extend(look_at(page, "help"))
    annotator.sign_in(lead_page, site.link(site.lead))
    attempt = Attempt.objects.get(kind="cold")
    assignment = f"sample/assignments/{attempt.round.assignment_id}/"
    for name, path in (
        ("studies", ""),
        ("study", "sample/"),
        ("assignments", "sample/assignments/"),
        ("assignment", assignment),
        ("people", "sample/people/"),
        ("attempts", "sample/attempts/"),
        ("references", "sample/references/"),
        ("comparison", "sample/comparison/"),
        ("export", "sample/export/"),
    ):
        visit(name, f"/studies/{path}", lead_page)
    visit("environments, up", "/studies/sample/environments/", lead_page)
    health.note_fault(Environment.objects.get(slug="shop"), "The environment answered 502.")
    visit("environments, down", "/studies/sample/environments/", lead_page)
    visit("study with one down", "/studies/sample/", lead_page)
    visit("dashboard with one down", "/work/")
    visit("attempt", f"/studies/sample/attempts/{attempt.pk}/", lead_page)
    assert found == []
    assert watch.faults == []
