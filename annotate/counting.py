"""Which rounds reviews leave out of figures and references. Derived from the decisions that stand, so that a later one undoes it."""

from __future__ import annotations

from django.db.models import Case, CharField, Exists, OuterRef, Q, QuerySet, Value, When

from annotate.models import Review, Study, Task
from annotate.queries import counted

LEFT_OUT = {"excluded": "a review excluded it", "task_faulty": "its task was found faulty"}


def excluded(path: str = "") -> Exists:
    """Rows whose round a standing decision excludes; `path` leads from the row to its round ("round__")."""
    return Exists(Review.objects.filter(round=OuterRef(f"{path}pk"), is_current=True, decision="exclude"))


def of_faulty_task(path: str = "") -> Exists:
    """Rows whose task a standing decision on any of its rounds in the study calls faulty."""
    return Exists(
        Review.objects.filter(
            study=OuterRef(f"{path}participation__study"),
            round__assignment__task_condition__task=OuterRef(f"{path}assignment__task_condition__task"),
            is_current=True,
            decision="task_faulty",
        )
    )


def in_figures(path: str = "") -> Q:
    """The rounds that figures are made of: counted ones that no review leaves out. Practice is left to the caller."""
    return counted(path) & ~Q(excluded(path)) & ~Q(of_faulty_task(path))


def left_out(path: str = "") -> Case:
    """Why reviews leave a row out, a key of LEFT_OUT; "" where they do not."""
    return Case(
        When(of_faulty_task(path), then=Value("task_faulty")),
        When(excluded(path), then=Value("excluded")),
        default=Value(""),
        output_field=CharField(),
    )


def faulty_tasks(study: Study) -> QuerySet[Task]:
    """The tasks of the study that a standing decision calls faulty."""
    standing = Review.objects.filter(study=study, is_current=True, decision="task_faulty")
    tasks = standing.values("round__assignment__task_condition__task")
    return Task.objects.filter(pk__in=tasks).select_related("environment").order_by("environment__slug", "slug")
