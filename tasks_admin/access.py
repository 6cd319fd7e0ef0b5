"""The lead's side of access: studies by role, and everything else through its study. Deny by default."""

from __future__ import annotations

from django.db.models import QuerySet

from annotate.errors import NotFound
from annotate.models import Assignment, Attempt, Participation, Person, Study, StudyRole
from tasks_admin.models import LabelImport, Run, RunImport, Upload


def studies_of(person: Person) -> QuerySet[Study]:
    """The studies in which the person has a role (owner, lead or viewer)."""
    return Study.objects.filter(roles__person=person).order_by("name")


def load_study(person: Person, slug: str) -> Study:
    """One of the person's studies. Raises NotFound."""
    study = studies_of(person).filter(slug=slug).first()
    if study is None:
        raise NotFound
    return study


def load_study_to_change(person: Person, slug: str) -> Study:
    """One of the studies in which the person is an owner or a lead; viewers change nothing. Raises NotFound."""
    study = load_study(person, slug)
    if not study.roles.filter(person=person, role__in=["owner", "lead"]).exists():
        raise NotFound
    return study


def load_own_study(person: Person, slug: str) -> Study:
    """One of the studies that the person owns: only owners may know who is behind a code. Raises NotFound."""
    study = load_study(person, slug)
    if not study.roles.filter(person=person, role="owner").exists():
        raise NotFound
    return study


def load_participation(person: Person, slug: str, participation_id: int) -> Participation:
    """A participation in one of the person's studies. Raises NotFound."""
    found = (
        Participation.objects.filter(pk=participation_id, study=load_study(person, slug))
        .select_related("study", "person")
        .first()
    )
    if found is None:
        raise NotFound
    return found


def may_decide(person: Person, study: Study) -> bool:
    """True for owners and leads; viewers only look."""
    return StudyRole.objects.filter(study=study, person=person, role__in=["owner", "lead"]).exists()


def attempts_of(study: Study) -> QuerySet[Attempt]:
    """Every attempt of the study with what lists show of it."""
    return Attempt.objects.filter(round__participation__study=study).select_related(
        "round__participation__study",
        "round__assignment__task_condition__task__environment",
        "round__assignment__task_condition__variant",
        "recording",
    )


def load_attempt(person: Person, slug: str, attempt_id: int) -> Attempt:
    """An attempt of one of the person's studies. Raises NotFound."""
    attempt = attempts_of(load_study(person, slug)).filter(pk=attempt_id).first()
    if attempt is None:
        raise NotFound
    return attempt


def load_assignment(person: Person, slug: str, assignment_id: int) -> Assignment:
    """An assignment of one of the person's studies. Raises NotFound."""
    study = load_study(person, slug)
    found = (
        Assignment.objects.filter(pk=assignment_id, participation__study=study)
        .select_related(
            "participation__study",
            "participation__person",
            "task_condition__task__environment",
            "task_condition__variant",
        )
        .first()
    )
    if found is None:
        raise NotFound
    return found


def load_run(person: Person, slug: str, run_id: int) -> Run:
    """An agent's run in one of the person's studies. Raises NotFound."""
    runs = Run.objects.filter(study=load_study(person, slug), pk=run_id)
    found = runs.select_related("study", "task_condition__task__environment", "task_condition__variant").first()
    if found is None:
        raise NotFound
    return found


def load_upload(person: Person, slug: str, upload_id: int) -> Upload:
    """A file that was brought into one of the person's studies. Raises NotFound."""
    found = Upload.objects.filter(study=load_study(person, slug), pk=upload_id).select_related("study").first()
    if found is None:
        raise NotFound
    return found


def load_import(person: Person, slug: str, kind: str, import_id: int) -> RunImport | LabelImport:
    """An import of runs or of labels in a study that the person may change. Raises NotFound."""
    study = load_study_to_change(person, slug)
    imports: type[RunImport | LabelImport] = RunImport if kind == Upload.Kind.RUNS else LabelImport
    found = imports.objects.filter(study=study, pk=import_id).select_related("study").first()
    if found is None:
        raise NotFound
    return found
