"""What leads look at and what they decide: the queue's items, decisions, and blind labels. Decisions never change data."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from annotate.models.people import Person
from annotate.models.rounds import Attempt, Round
from annotate.models.studies import Study


class ReviewItem(models.Model):
    """A complete round that was flagged, as it stands in the queue. A flag that comes after a decision opens it again."""

    class State(models.TextChoices):
        OPEN = "open"
        DECIDED = "decided"

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="review_item")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="review_items")
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    claimed_by = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    claimed_until = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(auto_now_add=True)
    stages = models.JSONField(default=list)  # names of those still to come, the present one first; none without stages

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["study", "state", "id"], name="review_queue")]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["open", "decided"]), name="review_item_state_known"),
            models.CheckConstraint(
                condition=Q(claimed_by__isnull=True) | Q(claimed_until__isnull=False), name="review_claim_ends"
            ),
        ]

    def __str__(self) -> str:
        return f"review of {self.round_id}"


class Review(models.Model):
    """A lead's decision on a round. Rows are added, never edited; the newest of a round is marked as the current one."""

    class Decision(models.TextChoices):
        ACCEPT = "accept"
        ACCEPT_ALTERNATE = "accept_alternate"  # solved in another way than intended; counts like an accepted one
        RETURN = "return"  # for a new round; this one stays
        EXCLUDE = "exclude"  # figures and references leave the round out
        TASK_FAULTY = "task_faulty"  # figures and references leave out every round of the task in the study

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="reviews")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="reviews")
    lead = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    decision = models.CharField(max_length=16, choices=Decision)
    reason = models.TextField(blank=True)  # to the group; of a return, what the annotator is told
    flags = models.JSONField(default=list)  # [{rule, attempt, reason}] that were open when it was decided
    stage = models.CharField(max_length=20, blank=True)  # which one it was decided in, where the study has stages
    is_current = models.BooleanField(default=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(
                fields=["study"],
                condition=Q(is_current=True, decision__in=["exclude", "task_faulty"]),
                name="review_leaves_out",
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["round"], condition=Q(is_current=True), name="one_current_review"),
            models.CheckConstraint(
                condition=Q(decision__in=["accept", "accept_alternate", "return", "exclude", "task_faulty"]),
                name="review_decision_known",
            ),
            models.CheckConstraint(
                condition=Q(decision__in=["accept", "accept_alternate"]) | ~Q(reason=""), name="review_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision} of {self.round_id}"


class Label(models.Model):
    """What a lead thinks an attempt came to, given without knowing the verdict. A changed mind is a new row; the last counts."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="labels")
    lead = models.ForeignKey(Person, null=True, on_delete=models.SET_NULL, related_name="+")
    success = models.BooleanField()
    note = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["attempt", "lead", "-id"], name="label_newest_first")]

    def __str__(self) -> str:
        return f"label of {self.attempt_id}"
