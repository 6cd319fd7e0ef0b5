"""Studies, who takes part in them and as what, and who does which task under which condition."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from annotate import options
from annotate.models.catalogue import Task, Variant
from annotate.models.people import Person


def default_options() -> dict[str, Any]:
    """Options of a new study; annotate/options.py knows them."""
    return options.defaults()


class Study(models.Model):
    """A design with its people and texts."""

    class State(models.TextChoices):
        DRAFT = "draft"
        FROZEN = "frozen"
        CLOSED = "closed"

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    seed = models.BigIntegerField(default=42)
    options = models.JSONField(default=default_options)
    design = models.JSONField(default=dict)  # panel, duplicates, …: see annotate/design/kept.py
    instrument = models.JSONField(default=list)  # the rating's questions; see annotate/instrument.py
    version = models.PositiveIntegerField(default=1)  # grows with every change; a form that saw an older one is stale
    is_sample = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.slug


class StudyText(models.Model):
    """A version of a study's consent or guidelines text, in Markdown. Versions are added, never edited."""

    class Kind(models.TextChoices):
        CONSENT = "consent"
        GUIDELINES = "guidelines"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="texts")
    kind = models.CharField(max_length=12, choices=Kind)
    version = models.PositiveIntegerField()
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "kind", "version"], name="text_version_once")]

    def __str__(self) -> str:
        return f"{self.kind} v{self.version}"


class StudyRole(models.Model):
    """What a person may do on the lead's side of a study."""

    class Role(models.TextChoices):
        OWNER = "owner"
        LEAD = "lead"
        VIEWER = "viewer"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="roles")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="study_roles")
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "person"], name="one_role_per_study")]

    def __str__(self) -> str:
        return self.role


class Participation(models.Model):
    """A person in a study, under a code. Exports know the code only."""

    class Tier(models.TextChoices):
        PRIMARY = "primary"
        DUPLICATE = "duplicate"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="participations")
    person = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="participations")
    code = models.CharField(max_length=12)
    tier = models.CharField(max_length=10, choices=Tier, default=Tier.PRIMARY)
    exclusions = models.JSONField(default=list)  # environment slugs
    capacity = models.PositiveIntegerField(null=True)
    consent = models.ForeignKey(StudyText, null=True, on_delete=models.PROTECT, related_name="+")
    consented_at = models.DateTimeField(null=True)
    declined = models.ForeignKey(StudyText, null=True, on_delete=models.PROTECT, related_name="+")  # said no to, last
    declined_at = models.DateTimeField(null=True)
    guidelines_read_at = models.DateTimeField(null=True)
    is_active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "code"], name="one_code_per_study"),
            models.UniqueConstraint(fields=["study", "person"], name="one_participation_per_study"),
        ]

    def __str__(self) -> str:
        return self.code


class TaskCondition(models.Model):
    """A task under one condition in a study; the variant is set under intervention only."""

    class Condition(models.TextChoices):
        CLEAN = "clean"
        INTERVENTION = "intervention"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="task_conditions")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="conditions")
    condition = models.CharField(max_length=12, choices=Condition)
    variant = models.ForeignKey(Variant, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "task", "condition"], name="one_task_condition"),
            models.CheckConstraint(
                condition=Q(condition="clean", variant__isnull=True)
                | Q(condition="intervention", variant__isnull=False),
                name="variant_under_intervention_only",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} {self.condition}"


class Assignment(models.Model):
    """A task-condition given to a participation. `practice` ones come first and never count."""

    class Role(models.TextChoices):
        PRIMARY = "primary"
        DUPLICATE = "duplicate"
        PRACTICE = "practice"

    class State(models.TextChoices):
        NOT_STARTED = "not_started"
        IN_ROUND = "in_round"
        COMPLETE = "complete"
        WITHDRAWN = "withdrawn"

    task_condition = models.ForeignKey(TaskCondition, on_delete=models.PROTECT, related_name="assignments")
    participation = models.ForeignKey(Participation, on_delete=models.PROTECT, related_name="assignments")
    role = models.CharField(max_length=10, choices=Role, default=Role.PRIMARY)
    position = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=State, default=State.NOT_STARTED)
    is_returned = models.BooleanField(default=False)  # a lead gave it back, and it is not complete again yet

    class Meta:
        ordering = ["position"]
        indexes = [models.Index(fields=["participation", "state"], name="assignments_by_state")]
        constraints = [
            # Withdrawn ones stay as they were, and what replaces them takes their place.
            models.UniqueConstraint(
                fields=["participation", "task_condition"], condition=~Q(state="withdrawn"), name="assigned_once"
            ),
            models.UniqueConstraint(
                fields=["participation", "position"], condition=~Q(state="withdrawn"), name="one_assignment_per_place"
            ),
            models.UniqueConstraint(
                fields=["task_condition"],
                condition=Q(role="primary") & ~Q(state="withdrawn"),
                name="one_primary_per_task_condition",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["not_started", "in_round", "complete", "withdrawn"]),
                name="assignment_state_known",
            ),
            models.CheckConstraint(
                condition=Q(is_returned=False) | Q(state__in=["not_started", "in_round"]), name="returned_is_to_be_done"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participation_id}/{self.position}"
