"""What leads did in a study, for ever: rows are added, and the database refuses to change or delete one."""

from __future__ import annotations

from django.db import models

from annotate.models.people import Person
from annotate.models.studies import Study


class AuditEntry(models.Model):
    """Who did what to what in a study, when and why, with the values before and after."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="audit")
    actor = models.ForeignKey(Person, null=True, on_delete=models.PROTECT, related_name="+")  # None: a command
    action = models.CharField(max_length=60)  # a verb with its object: "overrule reference"
    subject = models.CharField(max_length=200)  # what it was done to, by code and slug: "attempt 31", "P3"
    why = models.TextField(blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-pk"]
        indexes = [models.Index(fields=["study", "-id"], name="audit_newest_first")]

    def __str__(self) -> str:
        return f"{self.action}: {self.subject}"
