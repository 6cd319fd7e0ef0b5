"""Review in stages: which a round goes through where its study wants it, and what each stage corrected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from annotate.models import Person, Review, Study

CROSS, QUALITY, FINAL = "cross-validation", "quality review", "final verification"
STAGES: dict[str, tuple[str, ...]] = {"none": (), "two": (CROSS, FINAL), "three": (CROSS, QUALITY, FINAL)}
ACCEPTS = ("accept", "accept_alternate")


def stages_of(options: Mapping[str, Any]) -> list[str]:
    """The stages after annotation that every round of a study with these options goes through."""
    return list(STAGES[options.get("review_stages", "none")])


def not_seen_by(person: Person) -> Q:
    """Items that the person may take: in stages, none that they decided on in an earlier one or did themselves."""
    decided = Exists(Review.objects.filter(round=OuterRef("round"), lead=person).exclude(stage=""))
    return Q(stages=[]) | ~Q(decided)


def corrections(study: Study) -> list[dict[str, Any]]:
    """Per stage, in their order: {stage, n, corrected, rate}; corrected is every decision that did not accept."""
    counted = {
        row["stage"]: row
        for row in Review.objects.filter(study=study)
        .exclude(stage="")
        .order_by()
        .values("stage")
        .annotate(n=Count("pk"), corrected=Count("pk", filter=~Q(decision__in=ACCEPTS)))
    }
    rows = [counted[name] for name in (CROSS, QUALITY, FINAL) if name in counted]
    return [{**row, "rate": row["corrected"] / row["n"]} for row in rows]
