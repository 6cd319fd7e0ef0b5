"""What may leave the house, and the bundles that were made."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models import Participation, Person, Study


class Clearance(models.Model):
    """A lead's word on whether somebody's text, a picture or a capture may leave the house. What has none stays withheld."""

    class Kind(models.TextChoices):
        COMMENT = "comment"  # of a rating
        REASON = "reason"  # why an annotator abandoned a round
        REVIEW = "review"  # why a lead decided so
        AMENDMENT = "amendment"  # why a lead changed a running study
        OVERRULED = "overruled"  # why a lead chose another reference than the policy
        PICTURE = "picture"  # of a replay
        CAPTURE = "capture"  # an attempt's pages as the person saw them

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="clearances")
    kind = models.CharField(max_length=10, choices=Kind)
    item = (
        models.PositiveBigIntegerField()
    )  # pk of the rating, round, review, amendment, reference, picture or attempt: rows whose content never changes
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
    clearances = models.ManyToManyField(Clearance, related_name="exports")  # of what in it was withheld until then
    people = models.ManyToManyField(Participation, related_name="+")  # whose rounds are in it
    masks = models.JSONField(default=dict)  # that were applied: the study's `masks` option as it was
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
