"""Agents' runs as they were imported, what people and judges said of them, the comparisons and bundles that were made."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models import Attempt, Person, Study, TaskCondition


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


class LabelImport(models.Model):
    """One import of labels that others gave: from which file, what was taken and what was rejected and why."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="label_imports")
    actor = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")  # None: by the command
    name = models.CharField(max_length=200)  # of the file or folder
    taken = models.PositiveIntegerField(default=0)
    same = models.PositiveIntegerField(default=0)  # there already, with the same label
    rejected = models.PositiveIntegerField(default=0)
    reasons = models.JSONField(default=list)  # [[place, reason], …], the first of them
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class ImportedLabel(models.Model):
    """What an automatic judge, or a person elsewhere, said of a run or of an attempt. One per judge and run or attempt."""

    class By(models.TextChoices):
        JUDGE = "judge"
        PERSON = "person"

    class Word(models.TextChoices):
        SUCCESS = "success"
        FAILURE = "failure"
        UNSURE = "unsure"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="imported_labels")
    source = models.ForeignKey(LabelImport, on_delete=models.CASCADE, related_name="labels")
    judge = models.CharField(max_length=200)
    by = models.CharField(max_length=6, choices=By)
    run = models.ForeignKey(Run, null=True, on_delete=models.CASCADE, related_name="imported_labels")
    attempt = models.ForeignKey(Attempt, null=True, on_delete=models.CASCADE, related_name="+")
    word = models.CharField(max_length=7, choices=Word)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["judge", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "run"], condition=Q(run__isnull=False), name="one_label_per_judge_and_run"
            ),
            models.UniqueConstraint(
                fields=["judge", "attempt"], condition=Q(attempt__isnull=False), name="one_label_per_judge_and_attempt"
            ),
            models.CheckConstraint(
                condition=Q(run__isnull=True, attempt__isnull=False) | Q(run__isnull=False, attempt__isnull=True),
                name="label_of_a_run_or_an_attempt",
            ),
            models.CheckConstraint(condition=Q(word__in=["success", "failure", "unsure"]), name="imported_word_known"),
        ]

    def __str__(self) -> str:
        return f"{self.judge}: {self.word}"


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
    )  # {format, taken, same, rejected, reasons, by} once it is done; {asks: all fields}
    tries = models.PositiveSmallIntegerField(default=0)
    asked_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField()  # to the worker, the last time
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state", "sent_at"], name="uploads_left_lying")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


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
    """A lead's word on whether somebody's text, a picture or a capture may leave the house. What has none stays withheld."""

    class Kind(models.TextChoices):
        COMMENT = "comment"  # of a rating
        REASON = "reason"  # why an annotator abandoned a round
        REVIEW = "review"  # why a lead decided so
        PICTURE = "picture"  # of a replay
        CAPTURE = "capture"  # an attempt's pages as the person saw them

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="clearances")
    kind = models.CharField(max_length=10, choices=Kind)
    item = (
        models.PositiveBigIntegerField()
    )  # pk of the rating, round, review, picture or attempt: rows whose content never changes
    cleared = models.BooleanField()
    decided_by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "kind", "item"], name="cleared_once")]
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
    note = models.CharField(max_length=200, blank=True)  # what was kept where a worker had stopped
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
