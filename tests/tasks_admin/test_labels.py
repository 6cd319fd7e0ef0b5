"""Blind labels: what a labeller must not see, who may label, and the agreement of verdicts with people."""

from __future__ import annotations

import json
import re

import pytest

from annotate.actions import rounds
from annotate.actions.labelling import label
from annotate.errors import BadInput, NotYet
from annotate.models import Attempt, Label, Round
from tasks_admin.agreement import labels
from tasks_admin.agreement.labels import Labelled
from tests.annotate.test_rounds import attempt_of, complete, ready
from tests.cast import Cast
from tests.tasks_admin.test_review_pages import client, role

PAGE = "/studies/tea/labels/"


@pytest.fixture
def done(cast: Cast) -> Round:
    return complete(cast, cast.bob)


def test_the_page_keeps_from_a_labeller_what_would_tell(cast: Cast, done: Round) -> None:
    rounds.rate(done, {"clarity": 1}, "I gave up")
    page = client(cast.lead).get(f"{PAGE}{attempt_of(done, 'cold').pk}/").content.decode()
    told = r"passed|the order exists|score|verified|I gave up|low rating|\bP2\b|Bob|decoy|intervention|replay saw"
    assert re.findall(told, page) == []
    assert "data-frames" not in page
    assert "Do it." in page
    assert 'id="steps"' in page


def test_words_are_kept_and_a_changed_mind_is_a_row_more(cast: Cast, done: Round) -> None:
    cold = attempt_of(done, "cold")
    lead = client(cast.lead)
    assert lead.post(f"{PAGE}{cold.pk}/", {"success": "maybe"}).status_code == 400
    following = lead.post(f"{PAGE}{cold.pk}/", {"success": "yes"})
    assert following.headers["Location"] == f"{PAGE}{attempt_of(done, 'warm').pk}/"
    lead.post(f"{PAGE}{cold.pk}/", {"success": "yes"})
    lead.post(f"{PAGE}{cold.pk}/", {"success": "no", "note": "<b>not bought</b>"})
    assert [(one.success, one.note) for one in Label.objects.all()] == [(True, ""), (False, "<b>not bought</b>")]
    assert labels.labelled(cast.study)[0].words == {cast.lead.pk: False}
    last = lead.post(f"{PAGE}{attempt_of(done, 'warm').pk}/", {"success": "yes"})
    assert last.headers["Location"] == PAGE
    assert lead.post(f"{PAGE}start/").headers["Location"] == PAGE


def test_who_may_label_what(cast: Cast, done: Round) -> None:
    cold = attempt_of(done, "cold")
    with pytest.raises(BadInput, match="your own work"):
        label(cold, cast.bob, success=True)
    begun = ready(cast, cast.ann)
    rounds.start_attempt(begun, cast.ann)
    with pytest.raises(NotYet):
        label(attempt_of(begun, "cold"), cast.lead, success=True)
    viewer = client(role(cast, "vera.viewer", "viewer"))
    assert viewer.post(f"{PAGE}{cold.pk}/", {"success": "yes"}).status_code == 404
    assert viewer.post(f"{PAGE}start/").status_code == 404
    assert 'name="success"' not in viewer.get(f"{PAGE}{cold.pk}/").content.decode()
    assert client(cast.lead).get(f"{PAGE}{attempt_of(begun, 'cold').pk}/").status_code == 404


def test_agreement_of_verdicts_with_people() -> None:
    yes, no, split = {1: True}, {1: False, 2: False}, {1: True, 2: False}
    found = [Labelled(n, "shop", True, yes) for n in range(6)]
    found += [Labelled(n, "shop", False, no) for n in range(6, 9)]
    found += [Labelled(9, "mail", True, no), Labelled(10, "mail", False, yes), Labelled(11, "mail", True, split)]
    whole, mail, shop = labels.figures(found)
    assert (whole["environment"], whole["labelled"], whole["split"]) == ("all", 12, 1)
    assert whole["table"] == [[6, 1], [1, 3]]
    assert whole["agreement"] == pytest.approx(9 / 11)
    assert whole["kappa"] == pytest.approx((9 / 11 - 65 / 121) / (1 - 65 / 121))
    assert (mail["agreement"], shop["kappa"]) == (0.0, 1.0)
    assert labels.figures([]) == []


def test_the_pages_figures_and_its_file(cast: Cast, done: Round) -> None:
    assert "Nothing is labelled yet" in client(cast.lead).get(PAGE).content.decode()
    for kind, word in (("cold", True), ("warm", False)):
        label(Attempt.objects.get(round=done, kind=kind), cast.lead, success=word)
    page = client(cast.lead).get(PAGE).content.decode()
    assert "the checker says passed, people say no" in page
    told = json.loads(client(cast.lead).get(PAGE + "file/").content)
    assert told["verdict_against_people"][0]["table"] == [[1, 1], [0, 0]]
