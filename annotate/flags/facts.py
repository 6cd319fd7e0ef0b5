"""What rules look at: an attempt with its events, the site's requests, the work of others, its replay and its rating.

Each is read once, and only where a rule asks for it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet

from annotate.models import Attempt, Rating, Replay, Round, TaskCondition
from annotate.queries import counted
from recorder import recordings
from recorder.models import SiteRequest

FAILED = Q(status=0) | Q(status__gte=500)


class Facts:
    """A round, and the attempt of it that is looked at (None for rules about the round)."""

    def __init__(self, round_: Round, attempt: Attempt | None) -> None:
        self.round = round_
        self._attempt = attempt

    @property
    def attempt(self) -> Attempt:
        """The attempt that is looked at; only rules about attempts ask for it."""
        assert self._attempt is not None
        return self._attempt

    @property
    def condition(self) -> TaskCondition:
        return self.round.assignment.task_condition

    @property
    def end(self) -> float:
        """Ms from the recording's start to Evaluate."""
        return float(self.attempt.wall_ms or 0)

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """Raw events in order, up to Evaluate: what closing the tabs leaves behind is not the person's."""
        if self.attempt.recording is None:
            return []
        return [event for event in recordings.raw_events(self.attempt.recording) if event["t"] <= self.end]

    @cached_property
    def first_viewports(self) -> dict[int, list[float]]:
        """The viewport of the first page of each tab, [width, height] in CSS px."""
        if self.attempt.recording is None:
            return {}
        pages = self.attempt.recording.documents.filter(frame="").order_by("-opened_at", "-pk")
        return {page.tab: page.meta["viewport"] for page in pages if page.meta.get("viewport")}

    @cached_property
    def failed_requests(self) -> list[SiteRequest]:
        """The site's replies that failed, or never came, during the attempt."""
        found = SiteRequest.objects.filter(FAILED, recording=self.attempt.recording_id, t__gte=0, t__lte=self.end)
        return list(found.order_by("t", "pk")[:200]) if self.attempt.recording_id else []

    @cached_property
    def rating(self) -> Rating | None:
        """The last word of the annotator."""
        return self.round.ratings.order_by("-revision").first()

    @cached_property
    def replay(self) -> Replay | None:
        """The newest replay that ended."""
        return self.attempt.replays.filter(state="done").order_by("-number").first()

    def others(self) -> QuerySet[Attempt]:
        """What others did on the same task, as the same kind of attempt, in complete rounds that count."""
        return (
            Attempt.objects.filter(
                counted("round__"),
                round__participation__study=self.round.participation.study_id,
                round__assignment__task_condition__task=self.condition.task_id,
                kind=self.attempt.kind,
            )
            .exclude(round__assignment=self.round.assignment_id)
            .exclude(round__assignment__role="practice")
            .select_related("round__participation", "round__assignment")
        )
