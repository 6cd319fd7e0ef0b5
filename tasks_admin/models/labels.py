"""Labels of runs and attempts that others gave."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models import Attempt, Person, Study
from tasks_admin.models.runs import Run


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
