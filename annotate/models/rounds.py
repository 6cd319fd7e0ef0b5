"""Rounds of an assignment, their attempts, and what is said about them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models.people import Person
from annotate.models.studies import Assignment, Participation, StudyText
from recorder.models import Recording


class Round(models.Model):
    """One go at the cold and warm pair. Atomic: it is complete as a whole or it does not count."""

    class State(models.TextChoices):
        PREPARING = "preparing"
        COLD = "cold"
        BETWEEN = "between"
        WARM = "warm"
        COMPLETE = "complete"
        ROLLED_BACK = "rolled_back"
        ABANDONED = "abandoned"
        VOID = "void"

    OPEN = ("preparing", "cold", "between", "warm")

    class SetAside(models.TextChoices):
        """Why a round does not count though it may be complete; its state and data stay as they are."""

        NOT = ""
        SUPERSEDED = "superseded"  # returned by a lead, and done again since
        WITHDRAWN = "withdrawn"  # a lead withdrew its assignment
        REMOVED = "removed"  # its person left the study and took their data back: nothing of it is left

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="rounds")
    # Kept beside the assignment's so that the database itself can hold "one open round per person".
    participation = models.ForeignKey(Participation, on_delete=models.PROTECT, related_name="rounds")
    person = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="rounds")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=State, default=State.PREPARING)
    cause = models.CharField(max_length=40, blank=True)  # why it ended early
    reason = models.TextField(blank=True)  # in the annotator's words
    consent = models.ForeignKey(StudyText, null=True, on_delete=models.PROTECT, related_name="+")
    control_tab = models.CharField(max_length=40, blank=True)  # the one tab that may act
    control_seen_at = models.DateTimeField()
    opened_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)
    set_aside = models.CharField(max_length=12, choices=SetAside, default=SetAside.NOT, blank=True)

    class Meta:
        ordering = ["number"]
        indexes = [
            models.Index(fields=["participation", "state"], name="rounds_by_state"),
            models.Index(fields=["state"], condition=~Q(state="complete"), name="rounds_not_complete"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "number"], name="round_numbered_once"),
            models.UniqueConstraint(
                fields=["person"],
                condition=Q(state__in=["preparing", "cold", "between", "warm"]),
                name="one_open_round_per_person",
            ),
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(state__in=["preparing", "cold", "between", "warm"]),
                name="one_open_round_per_assignment",
            ),
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(state="complete", set_aside=""),
                name="one_counted_round_per_assignment",
            ),
            models.CheckConstraint(
                condition=Q(set_aside__in=["", "removed"])
                | Q(set_aside__in=["superseded", "withdrawn"], state="complete"),
                name="round_set_aside_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["preparing", "cold", "between", "warm", "complete", "rolled_back", "abandoned", "void"]
                ),
                name="round_state_known",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, state__in=["preparing", "cold", "between", "warm"])
                | Q(ended_at__isnull=False, state__in=["complete", "rolled_back", "abandoned", "void"]),
                name="round_ended_has_instant",
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.assignment_id}"

    @property
    def counts(self) -> bool:
        """True where figures are made of it: complete, and not set aside."""
        return self.state == "complete" and not self.set_aside


class Attempt(models.Model):
    """Cold or warm within a round: one recording, one verdict. Every instant is the server's."""

    class Kind(models.TextChoices):
        COLD = "cold"
        WARM = "warm"

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="attempts")
    kind = models.CharField(max_length=4, choices=Kind)
    recording = models.OneToOneField(Recording, null=True, on_delete=models.PROTECT, related_name="attempt")
    instruction = models.TextField(blank=True)
    asks = models.BooleanField(default=False)  # no checker: the annotator says whether it is done
    declared = models.BooleanField(null=True)  # what they said
    error = models.TextField(blank=True)  # what went wrong last, as the annotator reads it
    fault = models.TextField(blank=True)  # the same in the environment's own words, for leads only
    created_at = models.DateTimeField(auto_now_add=True)
    prepared_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    evaluate_at = models.DateTimeField(null=True)  # Evaluate was pressed: the wall clock ends here
    evaluate_pressed = models.BooleanField(default=True)  # False: the page's success ended it
    time_up = models.BooleanField(default=False)  # the study's time limit ended it
    scoring_at = models.DateTimeField(null=True)  # a worker has claimed the one call to the environment
    asked_at = models.DateTimeField(null=True)  # the environment was asked for its verdict
    evaluated_at = models.DateTimeField(null=True)
    score = models.FloatField(null=True)
    passed = models.BooleanField(null=True)
    verdict = models.JSONField(null=True)  # {score, passed, source, checks, error}
    backend_record = models.JSONField(null=True)
    proof = models.JSONField(null=True)
    proof_complete = models.BooleanField(null=True)
    raw_events = models.PositiveIntegerField(null=True)
    cleaned_events = models.PositiveIntegerField(null=True)
    steps = models.PositiveIntegerField(null=True)
    active_ms = models.PositiveIntegerField(null=True)
    cleaner = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["kind"]
        constraints = [
            models.UniqueConstraint(fields=["round", "kind"], name="one_attempt_per_kind"),
            models.CheckConstraint(
                condition=Q(evaluated_at__isnull=True) | Q(score__isnull=False, passed__isnull=False),
                name="evaluated_has_verdict",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=0, score__lte=1), name="score_in_unit"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.round_id}"

    @property
    def ended_itself(self) -> bool:
        """True where the page's success ended the attempt, not the annotator and not the time limit."""
        return self.evaluate_at is not None and self.evaluate_pressed is False and not self.time_up

    @property
    def wall_ms(self) -> int | None:
        """Milliseconds from the recording's start to Evaluate, by the server's clock; None before both are known."""
        if self.started_at is None or self.evaluate_at is None:
            return None
        return max(
            0, round((self.evaluate_at - self.started_at).total_seconds() * 1000)
        )  # the clock may have been set back

    @property
    def reading_ms(self) -> int | None:
        """Milliseconds from the website being ready, with the instruction on the control tab, to the start; None before
        both are known. It is no part of `wall_ms`."""
        if self.prepared_at is None or self.started_at is None:
            return None
        return max(0, round((self.started_at - self.prepared_at).total_seconds() * 1000))


class Transition(models.Model):
    """A move of a round or an assignment: from, to, who, when, why. Append-only."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="transitions")
    round = models.ForeignKey(Round, null=True, on_delete=models.CASCADE, related_name="transitions")
    source = models.CharField(max_length=12)
    target = models.CharField(max_length=12)
    actor = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")  # None: the server itself
    why = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.source} → {self.target}"


class Rating(models.Model):
    """What the annotator said of a complete round. A changed answer is a new revision; the last one counts."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="ratings")
    revision = models.PositiveIntegerField()
    answers = models.JSONField()  # {item: scale point or true}
    comment = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["revision"]
        constraints = [models.UniqueConstraint(fields=["round", "revision"], name="rating_revision_once")]

    def __str__(self) -> str:
        return f"rating {self.revision} of {self.round_id}"


class Judgement(models.Model):
    """A lead's word on an attempt that no checker could judge. What the annotator declared stays; the last word counts."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="judgements")
    lead = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    passed = models.BooleanField()
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"judgement of {self.attempt_id}"


class Flag(models.Model):
    """A reason to look at a round, raised by a rule or by its annotator."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="flags")
    attempt = models.ForeignKey(Attempt, null=True, on_delete=models.CASCADE, related_name="flags")
    rule = models.CharField(max_length=40)
    reason = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)  # anew where it was lifted and holds again
    lifted_at = models.DateTimeField(null=True)  # what it told of no longer holds: another rating, replay or comparison

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["round", "attempt", "rule"], nulls_distinct=False, name="flagged_once")
        ]

    def __str__(self) -> str:
        return self.rule


class Presence(models.Model):
    """When the web server was last up, so that its own absence is never taken for a closed tab. One row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    up_since = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "presence"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_presence_row")]

    def __str__(self) -> str:
        return f"up since {self.up_since}"
