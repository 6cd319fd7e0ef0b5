"""The words of the study side, by subject."""

from annotate.models.audit import AuditEntry
from annotate.models.catalogue import Environment, Probe, Task, Variant
from annotate.models.cleanings import Cleaning
from annotate.models.former import FormerName
from annotate.models.notes import Note, Withdrawal
from annotate.models.people import Invitation, Person
from annotate.models.plans import Amendment, PlanDraft
from annotate.models.references import Reference
from annotate.models.replays import Picture, Replay, ReplayStep
from annotate.models.reviews import Label, Review, ReviewItem
from annotate.models.rounds import Attempt, Flag, Judgement, Presence, Rating, Round, Transition
from annotate.models.studies import Assignment, Participation, Study, StudyRole, StudyText, TaskCondition
from annotate.models.tallies import Tally

__all__ = [
    "Amendment",
    "Assignment",
    "Attempt",
    "AuditEntry",
    "Cleaning",
    "Environment",
    "Flag",
    "FormerName",
    "Invitation",
    "Judgement",
    "Label",
    "Note",
    "Participation",
    "Person",
    "Picture",
    "PlanDraft",
    "Presence",
    "Probe",
    "Rating",
    "Reference",
    "Replay",
    "ReplayStep",
    "Review",
    "ReviewItem",
    "Round",
    "Study",
    "StudyRole",
    "StudyText",
    "Tally",
    "Task",
    "TaskCondition",
    "Transition",
    "Variant",
    "Withdrawal",
]
