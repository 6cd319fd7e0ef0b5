"""Agents' runs as they were imported, and what leads said of them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models import Person, Study, TaskCondition


class RunImport(models.Model):
    """One import: which files by which format, what was taken and what was rejected and why."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="run_imports")
    actor = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")  # None: by the command
    format = models.CharField(max_length=40)
    name = models.CharField(max_length=200)  # of the file or folder
    taken = models.PositiveIntegerField(default=0)
    same = models.PositiveIntegerField(default=0)  # there already, with the same values
    rejected = models.PositiveIntegerField(default=0)
    reasons = models.JSONField(default=list)  # [[place, reason], …], the first REASONS of them
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.format}: {self.name}"


class Run(models.Model):
    """An agent's run of a task-condition. One per model, harness and task-condition: sets of runs differ by the model's name."""

    class StepUnit(models.TextChoices):
        MODEL_TURNS = "model_turns"
        EXECUTED_ACTIONS = "executed_actions"

    class VerdictSource(models.TextChoices):
        ENVIRONMENT = "environment"
        SELF = "self"
        JUDGE = "judge"
        HUMAN = "human"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="runs")
    source = models.ForeignKey(RunImport, on_delete=models.CASCADE, related_name="runs")
    task_condition = models.ForeignKey(TaskCondition, on_delete=models.PROTECT, related_name="runs")
    model = models.CharField(max_length=200)
    harness = models.CharField(max_length=200, blank=True)
    run_id = models.CharField(max_length=400, blank=True)  # the file's own name for it
    score = models.FloatField()
    passed = models.BooleanField()
    verdict_source = models.CharField(max_length=12, choices=VerdictSource)
    completed = models.BooleanField(null=True)  # the agent declared itself done
    steps = models.PositiveIntegerField(null=True)
    step_unit = models.CharField(max_length=20, choices=StepUnit, blank=True)
    elapsed_ms = models.FloatField(null=True)
    time_unit = models.CharField(max_length=12, blank=True)  # wall or sum_of_steps
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["model", "harness", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "model", "harness", "task_condition"], name="one_run_per_task_condition"
            ),
            models.CheckConstraint(condition=Q(score__gte=0, score__lte=1), name="run_score_in_unit"),
            models.CheckConstraint(condition=Q(steps__isnull=True) | ~Q(step_unit=""), name="steps_have_a_unit"),
        ]

    def __str__(self) -> str:
        return f"{self.model} on {self.task_condition_id}"


class RunTrajectory(models.Model):
    """What a run did, as its files told it: what a person looks at who says whether it worked."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="trajectory")
    task_text = models.TextField(blank=True)  # as the agent was told
    steps = models.JSONField(default=list)  # [{action, thought, url, result}], texts; what was not told is absent
    answer = models.TextField(blank=True)  # the agent's last word
    cut = models.BooleanField(default=False)  # there was more than is kept

    def __str__(self) -> str:
        return f"trajectory of {self.run_id}"


class RunLabel(models.Model):
    """What a lead thinks a run came to, given without knowing verdict or model. A changed mind is a new row; the last counts."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="labels")
    lead = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    success = models.BooleanField()
    note = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["run", "lead", "-id"], name="run_label_newest_first")]

    def __str__(self) -> str:
        return f"label of {self.run_id}"
