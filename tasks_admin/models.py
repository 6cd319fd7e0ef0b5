"""Agents' runs, as they were imported into a study, and the comparisons that were made of them."""

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


class ComparisonReport(models.Model):
    """The comparison of people and agents as it was made once: its figures, tables and plots. The newest one done is shown."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reports")
    actor = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    error = models.TextField(blank=True)
    figures = models.JSONField(null=True)
    sheets = models.JSONField(default=list)
    plots = models.JSONField(default=list)  # [{name, title, words, svg, columns, data}]
    asked_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"], condition=Q(state="waiting"), name="one_report_in_the_making_per_study"
            )
        ]

    def __str__(self) -> str:
        return f"report {self.pk} of {self.study_id}"


class Clearance(models.Model):
    """A lead's word on whether a text of an annotator or a lead may leave the house. What has none stays withheld."""

    class Kind(models.TextChoices):
        COMMENT = "comment"  # of a rating
        REASON = "reason"  # why an annotator abandoned a round
        REVIEW = "review"  # why a lead decided so

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="clearances")
    kind = models.CharField(max_length=10, choices=Kind)
    item = models.PositiveBigIntegerField()  # pk of the rating, round or review: rows whose texts never change
    cleared = models.BooleanField()
    decided_by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "item"], name="cleared_once")]
        indexes = [models.Index(fields=["study", "kind", "cleared"], name="clearances_of_study")]

    def __str__(self) -> str:
        return f"{self.kind} {self.item}: {'cleared' if self.cleared else 'withheld'}"


class Export(models.Model):
    """A bundle that was asked for: what of the study, how far it is, and the archive that came of it."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    OPEN = (State.WAITING, State.RUNNING)

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exports")
    actor = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    contents = models.JSONField(default=dict)  # the choice (tasks_admin.exports.choice.Choice)
    done = models.PositiveIntegerField(default=0)  # attempts written
    total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    size = models.PositiveBigIntegerField(null=True)  # bytes of the archive
    sha256 = models.CharField(max_length=64, blank=True)  # of the archive, hex
    taken_back = models.PositiveIntegerField(default=0)  # attempts of the study that people had taken back by then
    worker = models.CharField(max_length=32, blank=True)  # who makes it: a new name each time it is taken up
    tries = models.PositiveSmallIntegerField(default=0)
    heard_at = models.DateTimeField(null=True)  # when the worker last gave a sign of life
    asked_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                condition=Q(state__in=["waiting", "running"]),
                name="one_export_in_the_making_per_study",
            ),
            models.CheckConstraint(condition=~Q(state="done") | ~Q(sha256=""), name="export_done_has_a_checksum"),
        ]

    def __str__(self) -> str:
        return f"export {self.pk} of {self.study_id}"
