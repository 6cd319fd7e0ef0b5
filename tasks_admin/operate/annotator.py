"""A scripted annotator: does rounds of the sample study in a real browser by mouse and keyboard, as a person would."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect

Solve = Callable[[Page], None]
PATIENCE_MS = 20_000


@dataclass(frozen=True)
class Seen:
    """What the control tab said after an attempt."""

    kind: str
    passed: bool
    words: str


def sign_in(page: Page, link: str) -> None:
    """Come in by a sample person's link."""
    page.goto(link)
    page.get_by_role("button", name=re.compile("^Sign in as")).click()
    page.wait_for_url(re.compile("/(work|studies)/$"))


def accept_terms(page: Page) -> None:
    """Accept the consent text and read the guidelines, where the dashboard asks for it."""
    page.get_by_role("link", name=re.compile("^Read the consent text")).click()
    page.get_by_role("button", name=re.compile("^I have read this and agree")).click()
    page.get_by_role("button", name=re.compile("^I have read the guidelines")).click()
    page.wait_for_url("**/work/")


def do_round(page: Page, solve: Solve, *, rating: dict[str, int] | None = None, comment: str = "") -> list[Seen]:
    """Start what the dashboard offers next, do it cold and warm, rate it, and go back to the dashboard."""
    page.get_by_role("button", name=re.compile("^Start (the practice|next)")).click()
    page.wait_for_url("**/rounds/*/")
    solve(start_attempt(page))
    seen = [evaluate(page, "Cold")]
    page.get_by_role("button", name=re.compile("^Start warm")).click()
    solve(start_attempt(page))
    seen.append(evaluate(page, "Warm"))
    if rating is not None:
        rate(page, rating, comment)
    page.get_by_role("link", name=re.compile("^Back to my work")).click()
    page.wait_for_url("**/work/")
    return seen


def start_attempt(page: Page) -> Page:
    """Pass the pre-flight, press Start and Start now; returns the website's tab, loaded."""
    button = page.locator("#start")
    expect(button).to_be_enabled(timeout=PATIENCE_MS)
    with page.context.expect_page() as opened:
        button.click()
    site = opened.value
    site.get_by_role("button", name="Start now").click()
    site.wait_for_url(re.compile("^http"), timeout=PATIENCE_MS, wait_until="load")
    return site


def evaluate(page: Page, kind: str) -> Seen:
    """Press Evaluate and wait for what the control tab says."""
    page.bring_to_front()
    page.get_by_role("button", name=re.compile("^Evaluate")).click()
    verdict = page.locator("#verdicts .verdict", has_text=f"{kind}:")
    expect(verdict).to_be_visible(timeout=PATIENCE_MS)
    words = (verdict.text_content() or "").strip("✓✗• \n")
    return Seen(kind.lower(), f"{kind}: Passed" in words, words)


def rate(page: Page, points: dict[str, int], comment: str) -> None:
    """Fill in the rating and save it."""
    for item, value in points.items():
        page.locator(f"#rating input[name={item}][value='{value}']").check(
            force=True
        )  # the face over it is what people see
    page.get_by_label("Anything odd?").fill(comment)
    page.get_by_role("button", name=re.compile("^Save the rating")).click()
    expect(page.get_by_text("Saved. Thank you!")).to_be_visible()


def put_kettle_into_cart(site: Page) -> None:
    """The practice task of the sample study."""
    search = site.get_by_role("searchbox", name="Search the shop")
    search.click()
    search.press_sequentially("kettle", delay=30)
    search.press("Enter")
    site.get_by_role("link", name="Halden stovetop kettle").click()
    site.get_by_role("radio", name="Sage green").check()
    site.get_by_role("button", name="Add to cart").click()
    expect(site.locator("#cart-count")).to_have_text("1")


def make_parents_address_default(site: Page) -> None:
    """P1's first counted task: the address in Westbrook becomes the default."""
    site.get_by_role("navigation", name="Your account").get_by_role("link").first.click()
    site.get_by_role("link", name="Address book").first.click()
    site.get_by_role("button", name=re.compile("Make default: .*, Westbrook$")).click()
    expect(site.get_by_role("listitem", name=re.compile("Westbrook$")).get_by_text("Default")).to_be_visible()
