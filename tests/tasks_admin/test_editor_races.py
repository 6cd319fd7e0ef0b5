"""Two leads at the same moment: one of them is told, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from annotate.models import AuditEntry, Study
from tests.annotate.test_races import at_once
from tests.cast import Cast
from tests.designed import draft_study, planned, running

pytestmark = pytest.mark.django_db


def posts(cast: Cast, path: str, form: dict[str, str]) -> Callable[[], int]:
    """Sends a form as the lead; its answer's status."""

    def send() -> int:
        made = Client()
        made.force_login(cast.lead)
        return int(made.post(path, form).status_code)

    return send


def test_two_choose_one_short_name(cast: Cast) -> None:
    create = posts(cast, "/studies/new/", {"preset": "blank", "name": "A", "slug": "same"})
    assert sorted(at_once(create, create)) == [302, 400]
    assert Study.objects.filter(slug="same").count() == 1


def test_two_save_one_part(cast: Cast) -> None:
    study = draft_study(cast.lead)
    path, form = f"/studies/{study.slug}/edit/about/", {"version": "1", "slug": study.slug}
    acts = [posts(cast, path, {**form, "name": name}) for name in ("One", "Two")]
    assert sorted(at_once(*acts)) == [302, 409]


@pytest.mark.parametrize("act", ["freeze", "close"])
def test_two_freeze_or_close(cast: Cast, act: str) -> None:
    study = planned(cast) if act == "freeze" else running(cast)
    move = posts(
        cast, f"/studies/{study.slug}/state/", {"act": act, "version": str(study.version), "confirm": study.slug}
    )
    assert sorted(at_once(move, move)) == [302, 409]
    assert AuditEntry.objects.filter(study=study, action=f"{act} study").count() == 1


def test_one_freezes_while_another_saves(cast: Cast) -> None:
    study = planned(cast)
    freeze = posts(cast, f"/studies/{study.slug}/state/", {"act": "freeze", "version": str(study.version)})
    form = {"version": str(study.version), "slug": study.slug, "name": "Other"}
    save = posts(cast, f"/studies/{study.slug}/edit/about/", form)
    assert sorted(at_once(freeze, save)) == [302, 409]
    study.refresh_from_db()
    assert (study.state, study.name) in [("frozen", "Plan me"), ("draft", "Other")]


def test_two_apply_one_plan(cast: Cast) -> None:
    study = planned(cast)
    find = posts(cast, f"/studies/{study.slug}/plan/", {})
    assert find() == 302
    cast.work.run()
    number = study.plans.count()
    apply = posts(cast, f"/studies/{study.slug}/plan/{number}/apply/", {})
    assert sorted(at_once(apply, apply)) == [302, 409]
    assert AuditEntry.objects.filter(study=study, action="apply plan").count() == 2
