"""What a large study's pages show of the whole of it, counted by the worker so that no request has to."""

from __future__ import annotations

from django.db import models

from annotate.models.studies import Study


class Tally(models.Model):
    """The last count of a study; see annotate/tallies.py for its shape. Small studies have none: they are counted at once."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="tally")
    body = models.JSONField()
    at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True)  # the worker was asked for the next one

    class Meta:
        verbose_name_plural = "tallies"

    def __str__(self) -> str:
        return f"tally of {self.study_id}"
