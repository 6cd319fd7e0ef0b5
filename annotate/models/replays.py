"""Replays of attempts, what each step of them gave, and the pictures taken on the way."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models.rounds import Attempt


def picture_path(picture: Picture, name: str) -> str:
    """Where a picture's file lies: by its content, in folders of 256."""
    return f"pictures/{picture.content_hash[:2]}/{name}"


class Picture(models.Model):
    """An image, stored once however often it was taken. `content_hash` is of its pixels."""

    content_hash = models.CharField(max_length=64, unique=True)
    file = models.FileField(upload_to=picture_path, max_length=200)
    media_type = models.CharField(max_length=20)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    size = models.PositiveIntegerField()  # bytes of the file
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.content_hash[:12]


class Replay(models.Model):
    """A replay of an attempt's trace in a fresh session of the same task, variant and seed. The newest one counts."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"

    class Outcome(models.TextChoices):
        VERIFIED = "verified"
        FAILS_CHECK = "fails_check"  # every step is played, but the environment's check does not pass
        BREAKS = "breaks"  # a step could not be played
        NOT_PLAYED = "not_played"  # the environment or the browser was not to be had

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="replays")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    outcome = models.CharField(max_length=12, choices=Outcome, blank=True)
    pace = models.CharField(max_length=8, blank=True)  # fast, or original where only that gave the result
    broke_at = models.PositiveIntegerField(null=True)  # number of the first step that failed, from 1
    diagnosis = models.CharField(max_length=20, blank=True)
    why = models.TextField(blank=True)
    verdict = models.JSONField(null=True)
    counts = models.JSONField(default=dict)  # steps by outcome: done, healed, failed, skipped
    notes = models.JSONField(default=list)
    ms = models.PositiveIntegerField(null=True)
    cleaner = models.CharField(max_length=40, blank=True)
    software = models.CharField(max_length=40, blank=True)
    filmstrip = models.ForeignKey(Picture, null=True, on_delete=models.PROTECT, related_name="+")
    tries = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "number"], name="replay_numbered_once"),
            models.UniqueConstraint(
                fields=["attempt"], condition=Q(state__in=["queued", "running"]), name="one_open_replay_per_attempt"
            ),
            models.CheckConstraint(
                condition=Q(state="done") & ~Q(outcome="") | ~Q(state="done") & Q(outcome=""),
                name="replay_done_has_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"replay {self.number} of {self.attempt_id}"


class ReplayStep(models.Model):
    """How one step went, with the pictures before and after it and a small one with its target marked."""

    replay = models.ForeignKey(Replay, on_delete=models.CASCADE, related_name="steps")
    index = models.PositiveIntegerField()  # place in the trace's steps, from 0
    type = models.CharField(max_length=20)
    outcome = models.CharField(max_length=8)
    why = models.TextField(blank=True)
    locator = models.CharField(max_length=40, blank=True)
    ms = models.FloatField(default=0)
    box = models.JSONField(null=True)  # of the target in the viewport, CSS px
    before = models.ForeignKey(Picture, null=True, on_delete=models.PROTECT, related_name="+")
    after = models.ForeignKey(Picture, null=True, on_delete=models.PROTECT, related_name="+")
    thumbnail = models.ForeignKey(Picture, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["index"]
        constraints = [
            models.UniqueConstraint(fields=["replay", "index"], name="one_result_per_step"),
            models.CheckConstraint(
                condition=Q(outcome__in=["done", "healed", "failed", "skipped"]), name="step_outcome_known"
            ),
        ]

    def __str__(self) -> str:
        return f"step {self.index + 1} of {self.replay_id}"
