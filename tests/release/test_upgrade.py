"""Exports made before they told by whose word they may leave: the upgrade finds it in the audit log."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from annotate.actions import audit
from annotate.models import Participation, Round, Study
from tasks_admin.exports import released
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.models import Clearance, Export
from tasks_admin.release import actions
from tests.annotate.test_rounds import complete
from tests.cast import Cast

BEFORE, AFTER = ("tasks_admin", "0006_release_of_pictures"), ("tasks_admin", "0007_export_released")


def migrate(target: tuple[str, str]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate([target])
    return executor.loader.project_state([target]).apps


def clearance(cast: Cast, kind: str, item: int, *, cleared: bool) -> int:
    """A clearance and its entry in the audit log, as `decide` writes them."""
    act = "clear for release" if cleared else "withhold from release"
    audit.note(cast.study, cast.lead, act, f"1 × {kind}", after={"kind": kind, "rows": [item]})
    told = {"cleared": cleared, "decided_by": cast.lead}
    return Clearance.objects.update_or_create(study=cast.study, kind=kind, item=item, defaults=told)[0].pk


def earlier(old: Any, cast: Cast, made_at: datetime, choice: Choice = ALL, taken_back: int = 0) -> int:
    """A finished export as the version before kept it."""
    told = {"state": "done", "sha256": "0" * 64, "made_at": made_at, "contents": choice.document()}
    export = old.get_model("tasks_admin", "Export").objects.create(
        study_id=cast.study.pk, taken_back=taken_back, **told
    )
    type(export).objects.filter(pk=export.pk).update(asked_at=made_at)
    pk: int = export.pk
    return pk


@pytest.fixture
def back_and_forth(cast: Cast) -> Iterator[Cast]:
    yield cast
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes("tasks_admin"))


def test_what_earlier_exports_rely_on(back_and_forth: Cast) -> None:
    cast = back_and_forth
    for who in (cast.ann, cast.bob):
        complete(cast, who)
    long_ago = timezone.now() - timedelta(days=1)
    old = migrate(BEFORE)
    none = earlier(old, cast, long_ago)
    then_withheld, then_cleared = (clearance(cast, kind, 7, cleared=True) for kind in ("comment", "picture"))
    actions.set_masks(cast.study, cast.lead, ["odd"], [])
    texts = earlier(old, cast, timezone.now())
    pictures = earlier(old, cast, timezone.now(), Choice(people=("P1",), screenshots=True))
    clearance(cast, "comment", 7, cleared=False)
    clearance(cast, "comment", 8, cleared=True)
    Round.objects.filter(participation__code="P2").update(set_aside="removed")
    since = earlier(old, cast, timezone.now(), taken_back=2)
    migrate(AFTER)

    def held(pk: int) -> set[int]:
        return set(Export.objects.get(pk=pk).clearances.values_list("pk", flat=True))

    assert held(none) == set()
    assert held(texts) == {then_withheld}
    assert held(pictures) == {then_withheld, then_cleared}
    assert Export.objects.get(pk=none).masks == {}
    assert Export.objects.get(pk=texts).masks == {"texts": ["odd"], "parameters": []}
    assert people(none) == people(texts) == {"P1", "P2"}
    assert people(pictures) == people(since) == {"P1"}
    recalled = released.recalled(Study.objects.get(pk=cast.study.pk), Export.objects.all())
    assert recalled[none] == [released.TAKEN_BACK, released.MASKED]
    assert released.TAKEN_BACK in recalled[texts]
    assert recalled[since] == ["A lead has since withheld what is in it: 1 comment."]


def people(pk: int) -> set[str]:
    return set(
        Participation.objects.filter(pk__in=Export.objects.get(pk=pk).people.all()).values_list("code", flat=True)
    )
