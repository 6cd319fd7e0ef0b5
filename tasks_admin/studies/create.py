"""Who may create studies, and creating one."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from annotate import options
from annotate.actions import audit
from annotate.design.kept import read_kept
from annotate.errors import BadInput, NotFound
from annotate.models import Participation, Person, Study, StudyRole, StudyText
from tasks_admin.studies.presets import Preset

RESERVED = {"new"}  # addresses of pages
TAKEN = "There is a study with this short name already; choose another."


def may_create(person: Person) -> bool:
    """True for owners and leads of any study, and for whoever was invited as an owner (`./run invite EMAIL --role owner`)."""
    return person.may_create_studies or person.study_roles.filter(role__in=["owner", "lead"]).exists()


def require_may_create(person: Person) -> None:
    """Raises NotFound for whoever may not create studies."""
    if not may_create(person):
        raise NotFound


def create_study(person: Person, preset: Preset, name: str, slug: str, environments: list[str]) -> Study:
    """A draft with what the preset says, owned by the person. Raises BadInput where the short name is taken."""
    if slug in RESERVED:
        raise BadInput(TAKEN, "slug")
    design = read_kept({**preset.design, "environments": environments})
    try:
        with transaction.atomic():
            study = Study.objects.create(
                slug=slug,
                name=name,
                design=design.model_dump(mode="json"),
                options=options.defaults() | preset.options,
                instrument=preset.instrument,
            )
            fill(study, person, preset)
    except IntegrityError as taken:  # the race: two people choose one name at once
        raise BadInput(TAKEN, "slug") from taken
    return study


def fill(study: Study, person: Person, preset: Preset) -> None:
    StudyRole.objects.create(study=study, person=person, role=StudyRole.Role.OWNER)
    for kind, body in (("consent", preset.consent), ("guidelines", preset.guidelines)):
        if body:
            StudyText.objects.create(study=study, kind=kind, version=1, body=body)
    for code, tier in preset.people:
        Participation.objects.create(study=study, code=code, tier=tier)
    audit.note(study, person, "create study", study.slug, after={"preset": preset.name})
