"""What a cleaner made of an attempt's raw events. One row per attempt and cleaner version; rows are added, never changed."""

from __future__ import annotations

from django.db import models

from annotate.models.rounds import Attempt


class Cleaning(models.Model):
    """The result of one version of one cleaner: its counts, and cleaned events and steps as gzipped JSON."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="cleanings")
    cleaner = models.CharField(max_length=40)  # name/version
    raw_events = models.PositiveIntegerField()
    cleaned_events = models.PositiveIntegerField()
    steps = models.PositiveIntegerField()
    result = models.BinaryField()  # gzipped {"cleaned": […], "steps": […]}
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at"]
        constraints = [models.UniqueConstraint(fields=["attempt", "cleaner"], name="one_cleaning_per_version")]

    def __str__(self) -> str:
        return f"{self.attempt_id} by {self.cleaner}"
