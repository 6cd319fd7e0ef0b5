"""References: the attempt that stands for a task-condition. Rows are added, never edited; the current one is marked."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models.people import Person
from annotate.models.rounds import Attempt
from annotate.models.studies import TaskCondition


class Reference(models.Model):
    """A choice: by a policy, or by a lead who overruled it. `attempt` is None where nothing may be chosen."""

    task_condition = models.ForeignKey(TaskCondition, on_delete=models.CASCADE, related_name="references")
    attempt = models.ForeignKey(Attempt, null=True, on_delete=models.PROTECT, related_name="references")
    policy = models.CharField(max_length=40)
    reason = models.TextField()
    runners_up = models.JSONField(default=list)  # attempt ids, best first
    overruled_by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    overruled = models.BooleanField(default=False)
    is_current = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["task_condition"], condition=Q(is_current=True), name="one_current_reference"
            ),
            models.CheckConstraint(
                condition=Q(overruled=False) | (Q(attempt__isnull=False) & ~Q(reason="")), name="overruled_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"reference of {self.task_condition_id}"
