"""What freezing checks, each in words and with the page that mends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db.models import Count, Q

from annotate import designs
from annotate.actions import plans
from annotate.designs import primary_first
from annotate.models import Assignment, Study
from annotate.queries import current_text
from recorder.errors import FootpathError


@dataclass(frozen=True)
class Check:
    """`ok` is False where it stands in the way of freezing, None where it is only worth knowing."""

    ok: bool | None
    words: str
    section: str  # of the editor, or "plan"


Rule = Callable[[Study], Iterator[Check]]
RULES: list[Rule] = []


def rule(function: Rule) -> Rule:
    """Register a rule."""
    RULES.append(function)
    return function


def checks(study: Study) -> list[Check]:
    """Every check of a draft."""
    return [found for one in RULES for found in one(study)]


def in_the_way(study: Study) -> list[Check]:
    """What keeps the study from being frozen."""
    return [found for found in checks(study) if found.ok is False]


@rule
def texts(study: Study) -> Iterator[Check]:
    """Both texts are there."""
    for kind, name in (("consent", "consent text"), ("guidelines", "guidelines")):
        there = current_text(study.pk, kind) is not None
        yield Check(
            there, f"The {name} {'is' if kind == 'consent' else 'are'} {'there' if there else 'missing'}.", "texts"
        )


@rule
def plan(study: Study) -> Iterator[Check]:
    """There are assignments, and they are those of the present design."""
    counted = Assignment.objects.filter(participation__study=study).exclude(role="practice")
    number = counted.count()
    if not number:
        yield Check(False, "No plan is applied: nobody has anything to do.", "plan")
        return
    applied = study.plans.filter(applied_at__isnull=False).order_by("-applied_at").first()
    if applied is None:
        yield Check(True, f"{number} assignments were imported from a ready-made plan.", "plan")
        return
    applied.study = study
    try:
        current = plans.is_current(applied)
    except FootpathError as error:
        yield Check(False, f"The design can't be planned: {error.message}", "design")
        return
    words = f"Plan {applied.number} is applied: {number} assignments."
    yield Check(
        current, words if current else f"{words} The design has changed since: find and apply a plan again.", "plan"
    )


@rule
def people(study: Study) -> Iterator[Check]:
    """Everybody has something to do, and can sign in."""
    mine = Count("assignments", filter=~Q(assignments__role="practice"))
    active = primary_first(study.participations.filter(is_active=True).annotate(number=mine))
    if not active:
        yield Check(False, "Nobody takes part.", "people")
        return
    idle = [one.code for one in active if not one.number]  # type: ignore[attr-defined]
    if len(idle) == len(active):
        return  # the rule about the plan says so
    if idle:
        verb = "has" if len(idle) == 1 else "have"
        words = f"{', '.join(idle)} {verb} nothing to do: raise the capacity, or let {'them'} leave the study."
        yield Check(False, words, "people")
    else:
        yield Check(True, f"Everybody has something to do: {len(active)} people.", "people")
    without = [one.code for one in active if one.person_id is None]
    if without:
        words = (
            f"{', '.join(without)} {'is' if len(without) == 1 else 'are'} nobody yet. They can be invited later, too."
        )
        yield Check(None, words, "people")


@rule
def rating(study: Study) -> Iterator[Check]:
    """Without questions nobody is asked how it was."""
    if study.instrument:
        yield Check(True, f"The rating has {len(study.instrument)} questions.", "rating")
    else:
        yield Check(None, "The rating has no question: annotators may only leave a comment.", "rating")


@rule
def practice(study: Study) -> Iterator[Check]:
    """Without a practice task people begin at once."""
    try:
        kept = designs.kept_of(study)
    except FootpathError:
        return  # said by the rule about the plan
    if not kept.practice and not Assignment.objects.filter(participation__study=study, role="practice").exists():
        yield Check(None, "There is no practice task: the first assignment counts.", "design")
