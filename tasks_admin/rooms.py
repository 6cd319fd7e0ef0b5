"""The rooms of a study by what a lead does in them: set up, watch, decide, compare, publish; with what waits there, where cheap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Sum
from django.urls import reverse

from annotate.models import Study
from tasks_admin.models import Upload


@dataclass(frozen=True)
class Room:
    """A page: its name, its route with the arguments after the study's, its key, whether only owners and leads may enter."""

    name: str
    route: str
    key: str = ""
    arguments: tuple[str, ...] = ()
    changes: bool = False


ROOMS: tuple[tuple[str, tuple[Room, ...]], ...] = (
    (
        "Set up",
        (
            Room("Design", "study_edit", "d", ("about",), changes=True),
            Room("Plan", "plan", "l"),
            Room("Power", "power", "o"),
            Room("People", "people", "p"),
            Room("Environments", "environments", "e"),
            Room("Cleaning", "cleaning", "c"),
        ),
    ),
    ("Watch", (Room("Assignments", "assignments", "s"), Room("All attempts", "attempts", "a"))),
    (
        "Decide",
        (
            Room("Review", "review", "v"),
            Room("References", "references", "r"),
            Room("Labels", "labels", "b"),
            Room("Duplicates", "duplicates", "t"),
            Room("Between people", "between_people", "w"),
        ),
    ),
    ("Compare", (Room("Runs", "runs", "u"), Room("Comparison", "comparison", "m"))),
    ("Publish", (Room("Release", "release", "i"), Room("Export", "export", "x"), Room("Audit log", "audit", "g"))),
)


def rooms_of(study: Study, body: Mapping[str, Any], people: int, *, may_decide: bool) -> list[dict[str, Any]]:
    """[{title, rooms: [{name, key, url, state, waits}]}]; `state` in a few words, `waits` True where somebody must act.

    `body` is the study's tally, `people` how many take part.
    """
    states = states_of(study, body, people)
    return [
        {
            "title": title,
            "rooms": [
                {"name": room.name, "key": room.key, "url": reverse(room.route, args=[study.slug, *room.arguments])}
                | dict(zip(("state", "waits"), states.get(room.name, ("", False)), strict=True))
                for room in rooms
                if may_decide or not room.changes
            ],
        }
        for title, rooms in ROOMS
    ]


def states_of(study: Study, body: Mapping[str, Any], people: int) -> dict[str, tuple[str, bool]]:
    """What is told of a room, and whether it waits for somebody. Nothing here counts what grows with the study."""
    runs = study.run_imports.aggregate(number=Sum("taken"))["number"] or 0
    not_imported = study.uploads.filter(state__in=(Upload.State.ASKS, Upload.State.FAILED))
    asking = dict(not_imported.order_by().values_list("kind").annotate(number=Count("pk")))
    export = study.exports.order_by("-pk").values_list("state", flat=True).first()
    states = {
        "Design": (study.state, study.state == Study.State.DRAFT),
        "People": (f"{people}", False),
        "Assignments": (f"{body['done']} of {body['total']}", False),
        "Review": (f"{body['flags']} flag{'s' * (body['flags'] != 1)}", bool(body["flags"])),
        "Runs": (f"{runs:,}", False),
    }
    for name, kind in (("Runs", Upload.Kind.RUNS), ("Labels", Upload.Kind.LABELS)):
        if kind in asking:
            states[name] = (f"{asking[kind]} not imported", True)
    if export is not None:
        states["Export"] = (f"last one {export}", export == "failed")
    return states
