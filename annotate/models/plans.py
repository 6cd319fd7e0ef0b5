"""Plans that were looked for, and the recorded changes of studies that run."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models.people import Person
from annotate.models.studies import Study


class PlanDraft(models.Model):
    """A plan that a lead asked for: found by a worker, looked at, then applied or not. Kept as it was found."""

    class Kind(models.TextChoices):
        PLAN = "plan"
        REPLAN = "replan"  # of the open rest of a running study

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"  # the worker stopped, or a fault of ours: nothing was found out about the design

    OPEN = ("queued", "running")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="plans")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=6, choices=Kind, default=Kind.PLAN)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    stage = models.CharField(max_length=60, blank=True)  # what the worker is at, in words
    design = models.JSONField()  # as it was planned for: annotate.design.model.Design
    design_hash = models.CharField(max_length=64)
    tasks = models.JSONField(default=dict)  # {name in the design: id of the task}
    result = models.JSONField(null=True)  # annotate.design.model.Plan
    changes = models.JSONField(default=list)  # of a replan: what moves, comes and goes
    error = models.TextField(blank=True)
    asked_by = models.ForeignKey(Person, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    applied_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="plan_numbered_once"),
            models.UniqueConstraint(
                fields=["study"], condition=Q(state__in=["queued", "running"]), name="one_open_plan_per_study"
            ),
            models.CheckConstraint(condition=~Q(state="done") | Q(result__isnull=False), name="done_plan_has_result"),
            models.CheckConstraint(condition=Q(applied_at=None) | Q(state="done"), name="applied_plan_is_done"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of {self.study_id}"


class Amendment(models.Model):
    """A change of a running study: what, why, before and after. It is exported (why: once cleared) and names people by code."""

    class Kind(models.TextChoices):
        NAME = "name"
        TEXT = "text"
        OPTION = "option"
        PERSON = "person"  # capacity or exclusions
        JOINED = "joined"
        LEFT = "left"
        RETURNED = "returned"  # somebody who had left
        PLAN = "plan"  # the open rest was planned anew

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="amendments")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    subject = models.CharField(max_length=120)  # "P3", "consent text", "grace_seconds"
    reason = models.TextField()
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    actor = models.ForeignKey(Person, null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="amendment_numbered_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="amendment_has_reason"),
        ]

    def __str__(self) -> str:
        return f"amendment {self.number} of {self.study_id}: {self.kind} {self.subject}"
