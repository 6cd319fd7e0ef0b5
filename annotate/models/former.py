"""What stays of a name when its person leaves or takes another: enough to know it again in a text, not to tell it."""

from __future__ import annotations

from django.db import models

from annotate.models.studies import Study


class FormerName(models.Model):
    """One way in which somebody was called in a study: a keyed digest of its words, how many they are and their length."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="former_names")
    kind = models.CharField(max_length=40)  # what it tells, in words; see annotate/naming.py
    words = models.PositiveSmallIntegerField()
    letters = models.PositiveSmallIntegerField()  # and the spaces between
    digest = models.CharField(max_length=64)
    key = models.CharField(max_length=8)  # tells by which secret; another one knows it no more

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "digest"], name="one_former_name")]

    def __str__(self) -> str:
        return self.kind
