"""Files that leads brought in."""

from __future__ import annotations

from django.db import models

from annotate.models import Person, Study


class Upload(models.Model):
    """A file that a lead brought in by the browser, with what was said of it, and what came of it. The worker reads it."""

    class Kind(models.TextChoices):
        RUNS = "runs"
        LABELS = "labels"

    class State(models.TextChoices):
        WAITING = "waiting"
        ASKS = "asks"  # something must be said first
        DONE = "done"
        FAILED = "failed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="uploads")
    actor = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    kind = models.CharField(max_length=6, choices=Kind)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    name = models.CharField(max_length=200)  # as the browser told it
    size = models.PositiveBigIntegerField()  # bytes
    given = models.JSONField(default=dict)  # what was said of it (tasks_admin.uploads.said.Said)
    error = models.TextField(blank=True)
    asks = models.CharField(max_length=20, blank=True)  # the first field of the form that must be filled in
    told = models.JSONField(
        default=dict
    )  # {format, taken, same, import, rejected, reasons, by} once it is done; {asks: all fields}
    tries = models.PositiveSmallIntegerField(default=0)
    asked_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField()  # to the worker, the last time
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state", "sent_at"], name="uploads_left_lying")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"
