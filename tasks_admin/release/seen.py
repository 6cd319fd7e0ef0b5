"""The pictures of replays, a piece at a time, for whoever clears them; and what is known of what they show.

Nobody looks into the picture: what is known are the texts that were typed on the page before it was taken, the names of the elements
that were used, and the page's address and title. What the website itself shows (a name it had greeted, an address from its own data)
is not among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import Q, QuerySet

from annotate.actions.cleanings import cleaner_of, full_name, unpacked
from annotate.models import Attempt, Cleaning, Picture, ReplayStep, Study
from recorder.models import Document
from tasks_admin.exports.rows import NAMING, ORDER, attempt_id
from tasks_admin.exports.screenshots import MOMENTS
from tasks_admin.filmstrip import target_of
from tasks_admin.release import items
from tasks_admin.release.detector import suspicions


@dataclass
class Shown:
    """A picture as it is shown for clearing: a small one of it if there is, when it was taken, and what it may show."""

    picture: Picture
    thumbnail: Picture | None
    when: str
    state: str
    suspicions: list[str]


@dataclass
class OfAttempt:
    """The pictures of an attempt that are on a page, each once, in the order in which they were taken."""

    attempt: Attempt
    name: str
    pictures: list[Shown] = field(default_factory=list)


def steps_in(study: Study, state: str) -> QuerySet[ReplayStep]:
    """The steps with a picture in this state, in the bundle's order."""
    wanted = items.rows(study, "picture", state).order_by().values("pk")
    found = items.shown_steps(study).filter(Q(before__in=wanted) | Q(after__in=wanted))
    named = found.select_related("before", "after", "thumbnail", *(f"replay__attempt__{path}" for path in NAMING))
    named = named.select_related("replay__attempt__recording")
    return named.order_by(*(f"replay__attempt__{path}" for path in ORDER), "index")


def shown(study: Study, steps: Sequence[ReplayStep], state: str) -> list[OfAttempt]:
    """The pictures of these steps that are in the state, by attempt."""
    names = items.names_in(study)
    pks = {pk for step in steps for pk in (step.before_id, step.after_id) if pk}
    states = {row.pk: items.state_of(row) for row in items.rows(study, "picture", state).filter(pk__in=pks)}
    grouped = [(attempt, list(own)) for attempt, own in groupby(steps, key=lambda step: step.replay.attempt)]
    known = known_of(study, [attempt for attempt, _ in grouped])
    return [
        OfAttempt(attempt, attempt_id(attempt), list(_pictures(known[attempt.pk], own, states, names)))
        for attempt, own in grouped
    ]


def _pictures(known: Known, steps: list[ReplayStep], states: dict[int, str], names: list[str]) -> Iterator[Shown]:
    told: set[int] = set()
    for step in steps:
        for moment in MOMENTS:
            picture = getattr(step, moment)
            if picture is None or picture.pk not in states or picture.pk in told:
                continue
            told.add(picture.pk)
            thumbnail = step.thumbnail if moment == "before" else None
            when = f"{moment} step {step.index + 1}, {known.words(step)}"
            text = "\n".join(known.texts(step.index, moment))
            yield Shown(picture, thumbnail, when, states[picture.pk], suspicions(text, names))


def known_of(study: Study, attempts: Sequence[Attempt]) -> dict[int, Known]:
    """{attempt: what is known of its pages}, in a fixed number of queries."""
    recordings = [attempt.recording_id for attempt in attempts if attempt.recording_id]
    pages: dict[int, dict[str, Document]] = {}
    for page in Document.objects.filter(recording__in=recordings):
        pages.setdefault(page.recording_id, {})[page.doc] = page
    stored = Cleaning.objects.filter(attempt__in=attempts, cleaner=full_name(cleaner_of(study)))
    steps = {cleaning.attempt_id: unpacked(cleaning)["steps"] for cleaning in stored}
    return {
        attempt.pk: Known(steps.get(attempt.pk, []), pages.get(attempt.recording_id or 0, {})) for attempt in attempts
    }


@dataclass(frozen=True)
class Known:
    """What is known of an attempt's pages: its steps, as the study's cleaner made them, and {doc: document}."""

    steps: list[dict[str, Any]]
    pages: dict[str, Document]

    def words(self, step: ReplayStep) -> str:
        """A step in a few words."""
        target = target_of(self.steps[step.index]) if step.index < len(self.steps) else ""
        return f"{step.type.replace('_', ' ')} {target}".strip()

    def texts(self, index: int, moment: str) -> Iterator[str]:
        """What may be seen before or after the step: texts typed on its page so far, names of what was used, address and title."""
        if index >= len(self.steps):
            return
        doc = str(self.steps[index].get("doc"))
        if page := self.pages.get(doc):
            yield from (str(page.meta.get(name) or "") for name in ("url", "title"))
        until = index + (moment == "after")
        yield from texts_in(step for step in self.steps[:until] if step.get("doc") == doc)
        yield from texts_in([{name: self.steps[index].get(name) for name in ("target", "from", "to")}])


def texts_in(steps: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Texts that steps entered, and the names and texts of their targets."""
    for step in steps:
        yield from (str(step[name]) for name in ("value", "label", "text", "answer", "url") if step.get(name))
        for place in ("target", "from", "to"):
            target = step.get(place) or {}
            yield from (str(target[name]) for name in ("name", "text") if target.get(name))


def cleared_pictures(study: Study) -> Iterator[tuple[str, str]]:
    """(where, text known of the page) of the cleared pictures, for the audit."""
    steps = steps_in(study, "cleared")
    for attempt, own in groupby(steps.iterator(200), key=lambda step: step.replay.attempt):
        known = known_of(study, [attempt])[attempt.pk]
        for step in own:
            yield (
                f"{attempt_id(attempt)}, screenshots of step {step.index + 1}",
                "\n".join(known.texts(step.index, "after")),
            )
