"""One study over several kinds of environments, in a real browser; and what of it an annotator's browser is never sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Page, expect

from annotate.models import Assignment, Attempt, Environment, Participation, Person, Round, Study, Task, TaskCondition
from annotate.models.studies import default_options
from recorder.gateway.decode import small_plain
from tasks_admin.operate import annotator
from tests.e2e import conftest
from tests.e2e.conftest import Site
from tests.environments.seven_sites import SevenSites

pytestmark = pytest.mark.e2e
SEED = 918273645
STEPS = 76543
TEASHOP = f"""environment: {{slug: teashop, name: Tea shop, adapter: static, options: {{folder: site, success: {{selector: "#done"}}}}}}
tasks:
  - task: buy-tea
    title: Buy tea
    instruction: Put green tea into your basket.
    difficulty: easy
    expected_steps: {STEPS}
    primitives: [CANARY-PRIMITIVE]
    start_path: /shop/
---
"""
PAGE = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Tea</title></head><body>
<button onpointerdown="document.getElementById('done').hidden = false">Green tea</button><p id=done hidden>In the basket</p></body>"""
PARCEL = """environment: {slug: parcels, name: Parcels, adapter: manual, options: {folder: site}}
tasks: [{task: ask, title: Ask for a parcel, instruction: Ask for parcel 7., difficulty: easy, start_path: /shop/}]
"""


def catalogue(folder: Path, text: str) -> None:
    (folder / "site" / "shop").mkdir(parents=True, exist_ok=True)
    (folder / "site" / "shop" / "index.html").write_text(PAGE)
    file = folder / f"{len(list(folder.iterdir()))}.yaml"
    file.write_text(text.removesuffix("---\n"))
    call_command("import_tasks", "own", str(file), verbosity=0, stdout=(folder / "said").open("w"))


def study_of(person: Person, *conditions: tuple[Task, str], **options: object) -> Study:
    """A running study in which the person does these tasks in this order."""
    study = Study.objects.create(
        slug="kinds",
        name="Kinds",
        state="frozen",
        seed=SEED,
        options=default_options() | {"countdown_seconds": 3} | options,
    )
    participation = Participation.objects.create(
        study=study, person=person, code="P1", guidelines_read_at=study.created_at
    )
    for position, (task, condition) in enumerate(conditions, start=1):
        variant = task.variants.first() if condition == "intervention" else None
        made = TaskCondition.objects.create(study=study, task=task, condition=condition, variant=variant)
        Assignment.objects.create(task_condition=made, participation=participation, position=position)
    return study


def task(environment: str, slug: str) -> Task:
    return Task.objects.get(environment__slug=environment, slug=slug, is_current=True)


@pytest.fixture
def person(site: Site) -> Person:
    """Somebody with nothing else to do than this study."""
    return Person.objects.create_person("kim@sample.invalid", "Kim", is_sample=True)


def by_itself(page: Page, kind: str, solve: Callable[[Page], None]) -> Round:
    """An attempt that the page's success ends: nobody presses Evaluate, and the website's tab goes."""
    shop = annotator.start_attempt(page)
    with shop.expect_event("close", timeout=30_000):
        solve(shop)
    expect(page.locator("#verdicts .verdict", has_text=f"{kind}:")).to_contain_text("Passed", timeout=20_000)
    return Round.objects.latest("pk")


def take_tea(shop: Page) -> None:
    shop.get_by_role("button", name="Green tea").click()


def press_the_named_button(shop: Page) -> None:
    words = shop.locator("#query").text_content() or ""
    name = re.findall(r'"(.+)"', words)[0]
    shop.locator("#area button").filter(has_text=re.compile(f"^{re.escape(name)}$")).first.click()


def test_three_kinds_in_one_study(site: Site, person: Person, page: Page, tmp_path: Path) -> None:
    catalogue(tmp_path, TEASHOP)
    kinds = ((task("shop", "kettle-to-cart"), "clean"), (task("miniwob", "click-button"), "clean"))
    study_of(person, *kinds, (task("teashop", "buy-tea"), "clean"), end_on_success=True)
    annotator.sign_in(page, site.link(person))
    assert [one.passed for one in annotator.do_round(page, annotator.put_kettle_into_cart)] == [True, True]
    assert [one.passed for one in annotator.do_round(page, press_the_named_button)] == [True, True]
    page.get_by_role("button", name=re.compile("^Start next")).click()
    page.wait_for_url("**/rounds/*/")
    by_itself(page, "Cold", take_tea)
    page.get_by_role("button", name=re.compile("^Start warm")).click()
    round_ = by_itself(page, "Warm", take_tea)
    assert round_.state == "complete"
    sources = []
    for attempt in Attempt.objects.select_related("recording").order_by("round_id", "kind"):
        assert attempt.recording is not None
        assert attempt.proof_complete, attempt.proof
        assert attempt.steps
        assert attempt.verdict is not None
        sources.append((attempt.recording.adapter, attempt.verdict["source"], attempt.ended_itself))
    assert sources == [
        *[("sample", "server", False)] * 2,
        *[("miniwob", "page", False)] * 2,
        *[("static", "page", True)] * 2,
    ]


def test_a_person_says_what_no_checker_can(site: Site, person: Person, page: Page, tmp_path: Path) -> None:
    catalogue(tmp_path, PARCEL)
    study_of(person, (task("parcels", "ask"), "clean"))
    annotator.sign_in(page, site.link(person))
    page.get_by_role("button", name=re.compile("^Start next")).click()
    page.wait_for_url("**/rounds/*/")
    for kind, word in (("Cold", "No, it is not done"), ("Warm", "Yes, it is done")):
        annotator.start_attempt(page).get_by_role("button", name="Green tea").click()
        page.bring_to_front()
        page.get_by_role("button", name=re.compile("^Evaluate")).click()
        page.get_by_role("button", name=word).click()
        expect(page.locator("#verdicts .verdict", has_text=f"{kind}:")).to_be_visible(timeout=20_000)
        if kind == "Cold":
            page.get_by_role("button", name=re.compile("^Start warm")).click()
    assert list(Attempt.objects.order_by("kind").values_list("declared", "passed")) == [(False, False), (True, True)]


@pytest.fixture
def fake() -> Iterator[SevenSites]:
    fake = SevenSites()
    fake.start()
    yield fake
    fake.stop()


class Wire:
    """Stands before the application and keeps every byte that goes out of it: replies of all kinds, and WebSocket messages."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.sent: dict[int, tuple[str, list[bytes]]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.application, name)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        host = next((value.decode() for name, value in scope.get("headers", []) if name == b"host"), "")
        parts = self.sent.setdefault(len(self.sent), (host + str(scope.get("path", "")), []))[1]

        async def keep(message: Any) -> None:
            headers = b"".join(name + b": " + value + b"\n" for name, value in message.get("headers", []))
            text = (message.get("text") or "").encode()
            parts.append(headers + message.get("body", b"") + text + (message.get("bytes") or b""))
            await send(message)

        await self.application(scope, receive, keep)

    def everything(self) -> list[tuple[str, str]]:
        """(address, content) of all that went out, unpacked."""
        return [(address, plain(b"".join(parts)).decode("utf-8", "replace")) for address, parts in self.sent.values()]


def plain(reply: bytes) -> bytes:
    """Headers and body, the body unpacked where it is packed."""
    for coding, mark in (("gzip", b"content-encoding: gzip"), ("br", b"content-encoding: br")):
        if mark in reply.lower():
            head, _, body = reply.rpartition(b"\n")
            return head + (small_plain(body, coding, 10_000_000) or body)
    return reply


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    wire = Wire(conftest.application)
    monkeypatch.setattr(conftest, "application", wire)
    return wire


def test_what_annotators_must_not_see_is_never_sent_to_them(
    wire: Wire, site: Site, person: Person, page: Page, tmp_path: Path, fake: SevenSites
) -> None:
    amazon = Environment.objects.create(slug="amazon", name="Amazon", adapter="http", options=fake.options())
    browse = Task.objects.create(
        environment=amazon,
        slug="amazon_browse_category",
        title="Browse",
        instruction="Send it to {target.city}",
        difficulty="easy",
        expected_steps=STEPS,
        primitives=["CANARY-PRIMITIVE"],
        params={"template": True, "source_sha256": "CANARY-SOURCE"},
    )
    browse.variants.create(
        slug="CANARY-VARIANT",
        primitive="CANARY-PRIMITIVE",
        layer="CANARY-LAYER",
        description="CANARY-DESCRIPTION",
        params={"file": "CANARY-FILE.yaml", "injections": [{"layer": "seed", "params": "CANARY-INJECTION"}]},
    )
    catalogue(tmp_path, TEASHOP)
    conditions = (
        (browse, "intervention"),
        (task("miniwob", "click-button"), "clean"),
        (task("teashop", "buy-tea"), "clean"),
    )
    study_of(person, *conditions)
    annotator.sign_in(page, site.link(person))

    def buy(shop: Page) -> None:
        for status in (503, 200):  # the intervention at work: the first request fails
            shop.click("#buy")
            expect(shop.locator("#said")).to_have_text(f"added {status}")

    page.get_by_role("button", name=re.compile("^Start next")).click()
    page.wait_for_url("**/rounds/*/")
    expect(page.locator("#instruction")).to_have_text("Find the cheapest cable and add it to your cart.")
    buy(annotator.start_attempt(page))
    assert annotator.evaluate(page, "Cold").passed
    page.get_by_role("button", name=re.compile("^Start warm")).click()
    buy(annotator.start_attempt(page))
    assert annotator.evaluate(page, "Warm").passed
    page.goto(site.url + "/work/")
    annotator.do_round(page, press_the_named_button)
    annotator.do_round(page, take_tea)
    verdict = Attempt.objects.filter(recording__adapter="http").first()
    assert verdict is not None
    assert "CANARY-CHECK" in str(verdict.verdict), "the check is there, for leads"
    assert {kept.variant for kept in fake.sessions.values()} <= {"CANARY-FILE.yaml"}
    told = wire.everything()
    assert len(told) > 50
    hidden = ("CANARY", str(SEED), str(STEPS), "target.city", "ANSWER KEY")
    leaks = [(word, address) for address, content in told for word in hidden if word in content]
    assert leaks == []
    about_rounds = [(address, content) for address, content in told if "/rounds/" in address or "/work/" in address]
    before_the_rating = [content for _, content in about_rounds if '"state":"complete"' not in content.replace(" ", "")]
    assert not any("intervention" in content for content in before_the_rating)
