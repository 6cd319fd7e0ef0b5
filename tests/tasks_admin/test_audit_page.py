"""The audit log's page: every act of a lead is there, searched by who, what, when and words, and kept as a file."""

from __future__ import annotations

import csv
import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.actions import audit
from annotate.models import Attempt, AuditEntry, Replay, Round
from tests.annotate.test_references import verified
from tests.annotate.test_rounds import attempt_of, complete
from tests.cast import Cast
from tests.tasks_admin.test_review_pages import client, role

LOG = "/studies/tea/audit/"


@pytest.fixture
def done(cast: Cast) -> Round:
    round_ = complete(cast, cast.ann)
    verified(round_)
    return round_


def shown(cast: Cast, query: str = "") -> list[str]:
    """The acts that the page shows."""
    return [entry.action for entry in client(cast.lead).get(LOG + query).context["page"]]


def test_every_act_of_a_lead_on_the_desk_is_noted(cast: Cast, done: Round) -> None:
    lead, warm = client(cast.lead), attempt_of(done, "warm")
    condition = done.assignment.task_condition_id
    Replay.objects.filter(attempt=warm).update(outcome="breaks", broke_at=1)
    Attempt.objects.filter(pk=warm.pk).update(asks=True)
    cold = attempt_of(done, "cold")
    acts: list[tuple[str, dict[str, Any], str]] = [
        (f"attempts/{warm.pk}/replay/", {}, "replay again"),
        (f"attempts/{warm.pk}/judge/", {"passed": "yes", "note": "seen"}, "judge"),
        ("references/policy/", {"policy": "first"}, "choose reference policy"),
        (f"references/{condition}/", {"attempt": cold.pk, "reason": "better"}, "overrule reference"),
        (f"references/{condition}/", {"attempt": "policy"}, "follow reference policy"),
        ("references/verify/", {}, "replay all unverified"),
        ("cleaning/", {"clean": "componentbench"}, "clean study again"),
        (f"rounds/{done.pk}/decide/", {"decision": "exclude", "reason": "noise"}, "review: exclude"),
        ("review/rules/", {}, "set flag rules"),
    ]
    for path, form, action in acts:
        assert lead.post(f"/studies/tea/{path}", form).status_code == 302, path
        newest = AuditEntry.objects.order_by("-pk")[0]
        assert (newest.action, newest.actor) == (action, cast.lead)
    cast.work.run()
    assert lead.post("/studies/tea/cleaning/", {"use": "componentbench"}).status_code == 302
    assert shown(cast)[:2] == ["use cleaner", "set flag rules"]


def test_it_is_searched(cast: Cast) -> None:
    other = role(cast, "lisa.lead", "lead")
    audit.note(cast.study, cast.lead, "close study", "study", why="All is done.")
    audit.note(cast.study, other, "overrule reference", "buy-tea, clean", why="It took a short cut.")
    audit.note(cast.study, None, "use cleaner", "study")
    assert shown(cast) == ["use cleaner", "overrule reference", "close study"]
    assert shown(cast, "?q=SHORT") == shown(cast, "?q=buy-tea") == ["overrule reference"]
    assert shown(cast, f"?who={other.pk}") == ["overrule reference"]
    assert shown(cast, "?who=command") == shown(cast, "?action=use cleaner") == ["use cleaner"]
    today = timezone.now().date()
    assert len(shown(cast, f"?since={today - timedelta(days=1)}&until={today}")) == 3
    assert (
        shown(cast, f"?since={today + timedelta(days=1)}") == shown(cast, f"?until={today - timedelta(days=1)}") == []
    )
    assert client(cast.lead).get(LOG + "?since=yesterday").status_code == 400
    assert client(cast.lead).get(LOG + "?q=%00").status_code == 400
    assert client(cast.other_lead).get("/studies/coffee/audit/").context["page"].paginator.count == 0


def body(cast: Cast, path: str) -> str:
    return b"".join(client(cast.lead).get(path).streaming_content).decode()  # type: ignore[arg-type]


def test_it_is_kept_as_a_file_that_no_spreadsheet_runs(cast: Cast) -> None:
    audit.note(cast.study, cast.lead, "close study", "study", why="=HYPERLINK(1)", before={"n": 1})
    audit.note(cast.study, cast.lead, "open study", "study", why="שלום \U0001f600")
    rows = list(csv.DictReader(StringIO(body(cast, LOG + "file/csv/").removeprefix("\ufeff"))))
    assert [row["why"] for row in rows] == ["'=HYPERLINK(1)", "שלום \U0001f600"]
    assert rows[0]["before"] == '{"n": 1}'
    found = json.loads(body(cast, LOG + "file/json/?q=close"))
    assert [(row["why"], row["who"]) for row in found] == [("=HYPERLINK(1)", "Lena.Lead Example")]
    assert json.loads(body(cast, LOG + "file/json/?q=nothing")) == []
    assert client(cast.lead).get(LOG + "file/xml/").status_code == 404


def test_the_page_asks_no_more_for_more_entries(cast: Cast) -> None:
    counts = []
    for number in (1, 40):
        for _ in range(number):
            audit.note(cast.study, cast.lead, "close study", "study")
        with CaptureQueriesContext(connection) as queries:
            client(cast.lead).get(LOG)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_all_unverified_are_replayed_at_once(cast: Cast, done: Round) -> None:
    other = complete(cast, cast.bob)
    Replay.objects.filter(attempt__round=other, attempt__kind="cold").update(state="done", outcome="fails_check")
    Replay.objects.filter(attempt__round=other, attempt__kind="warm").delete()
    page = client(cast.lead).get("/studies/tea/references/")
    assert page.context["verification"] == {
        "passed": 4, "verified": 2, "waiting": 0, "never": 1, "failing": 1, "unverified": 2,
    }  # fmt: skip
    Client().post("/studies/tea/references/verify/")
    assert client(cast.lead).post("/studies/tea/references/verify/").status_code == 302
    cast.work.run()
    assert Replay.objects.filter(state="queued", attempt__round=other).count() == 2
    assert client(cast.lead).get("/studies/tea/references/").context["verification"]["waiting"] == 2
