"""What leads tell annotators, and what annotators ask of a study when they leave it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models.people import Person
from annotate.models.studies import Assignment, Participation


class Note(models.Model):
    """A message of a lead to a participation, about one of its assignments where it has one. Shown until it is read."""

    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="notes")
    assignment = models.ForeignKey(Assignment, null=True, on_delete=models.CASCADE, related_name="notes")
    author = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["participation"], condition=Q(read_at=None), name="unread_notes")]

    def __str__(self) -> str:
        return f"note to {self.participation_id}"


class Withdrawal(models.Model):
    """A person's wish to leave a study, with the policy as they read it. Taken back by them, or carried out by the owner."""

    class Policy(models.TextChoices):
        KEEP_DATA = "keep_data"
        REMOVE_DATA = "remove_data"

    participation = models.ForeignKey(Participation, on_delete=models.CASCADE, related_name="withdrawals")
    policy = models.CharField(max_length=12, choices=Policy)
    words = models.TextField(blank=True)  # in the person's words, if they want to say any
    asked_at = models.DateTimeField(auto_now_add=True)
    taken_back_at = models.DateTimeField(null=True)
    carried_out_at = models.DateTimeField(null=True)
    carried_out_by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["participation"],
                condition=Q(taken_back_at=None, carried_out_at=None),
                name="one_open_withdrawal",
            ),
            models.CheckConstraint(
                condition=Q(taken_back_at=None) | Q(carried_out_at=None), name="withdrawal_ends_one_way"
            ),
        ]

    def __str__(self) -> str:
        return f"withdrawal of {self.participation_id}"
