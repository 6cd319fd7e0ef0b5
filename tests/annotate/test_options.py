"""Options: each value is checked in one place, and amendments are recorded with their reason."""

from __future__ import annotations

from typing import Any

import pytest

from annotate import options
from annotate.actions import amendments
from annotate.errors import BadInput
from annotate.models import Amendment, AuditEntry
from tests.cast import Cast

GOOD: list[tuple[str, Any]] = [
    ("hide_condition", False),
    ("time_limit_seconds", None),
    ("time_limit_seconds", 600),
    ("viewport", [1280, 720]),
    ("grace_seconds", 10),
]
BAD: list[tuple[str, Any, str]] = [
    ("hide_condition", 1, "Hide the condition: yes or no."),
    ("time_limit_seconds", 9, "Time limit: a whole number from 10 to 14400, or nothing."),
    ("time_limit_seconds", True, "Time limit: a whole number"),
    ("viewport", [1280], "Least window: whole numbers from 300 to 4096."),
    ("viewport", [1280, 10], "Least window"),
    ("grace_seconds", None, "Grace period: a whole number from 10 to 3600."),
    ("countdown_seconds", "5", "Countdown: a whole number"),
]


@pytest.mark.parametrize(("name", "value"), GOOD)
def test_right_values_are_kept(name: str, value: Any) -> None:
    assert options.check(name, value) == value


@pytest.mark.parametrize(("name", "value", "words"), BAD)
def test_wrong_values_are_refused_in_words(name: str, value: Any, words: str) -> None:
    with pytest.raises(BadInput) as refused:
        options.check(name, value)
    assert refused.value.message.startswith(words)
    assert refused.value.data["field"] == name


def test_every_default_is_right_and_nobody_shares_it() -> None:
    for name, value in options.defaults().items():
        assert options.check(name, value) == value
    options.defaults()["viewport"].append(3)
    assert options.defaults()["viewport"] == [1024, 600]


@pytest.mark.django_db
def test_amendments_are_numbered_and_audited(cast: Cast) -> None:
    amendments.record(cast.study, cast.lead, "option", "grace_seconds", " slow trains ", before=90, after=300)
    amendments.record(cast.study, cast.lead, "left", "P2", "moved away")
    found = list(Amendment.objects.values_list("number", "kind", "subject", "reason"))
    assert found == [(1, "option", "grace_seconds", "slow trains"), (2, "left", "P2", "moved away")]
    entry = AuditEntry.objects.order_by("pk")[0]
    assert (entry.action, entry.subject, entry.before, entry.after) == ("amend option", "grace_seconds", 90, 300)


@pytest.mark.django_db
@pytest.mark.parametrize(("reason", "words"), [("  ", "say why"), ("x" * 2001, "longer than 2000")])
def test_an_amendment_needs_a_reason(cast: Cast, reason: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        amendments.record(cast.study, cast.lead, "left", "P2", reason)
    assert not Amendment.objects.exists()
