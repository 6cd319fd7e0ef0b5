"""Comparisons that were made."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models import Person, Study


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
    tries = models.PositiveSmallIntegerField(default=0)  # workers that began it
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
