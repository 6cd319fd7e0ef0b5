"""Plans of a study: asked for by a lead, found by the worker."""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from annotate import designs, jobs, standing
from annotate.design.model import Plan, read_design
from annotate.design.plan import make_plan
from annotate.design.replan import replan
from annotate.errors import NotYet
from annotate.models import Person, PlanDraft, Study
from recorder.errors import FootpathError

GIVEN_UP = timedelta(minutes=20)  # a search that says nothing for so long has lost its worker


def ask_for(study: Study, person: Person | None) -> PlanDraft:
    """Have the worker find a plan (of a draft) or a replan (of a study that runs). Raises BadDesign; NotYet where the study is
    closed or a search is going on."""
    if study.state == Study.State.CLOSED:
        raise NotYet("study_closed", "This study is closed; nothing is planned in it any more.")
    running = study.state == Study.State.FROZEN
    read = designs.running_design_of(study) if running else designs.design_of(study)
    read_design(read.data)  # what is none is refused before the worker sees it
    give_up_lost(study)
    try:
        with transaction.atomic():
            draft = PlanDraft.objects.create(
                study=study,
                number=(study.plans.aggregate(top=Max("number"))["top"] or 0) + 1,
                kind=PlanDraft.Kind.REPLAN if running else PlanDraft.Kind.PLAN,
                design=read.data,
                design_hash=read.hash,
                tasks=read.tasks,
                asked_by=person,
            )
            jobs.find_plan(draft.pk)
    except IntegrityError as lost:  # the race: two leads, or a double click; the database lets one search go on
        raise NotYet(
            "plan_running", "A plan is being looked for already; this page shows it once it is found."
        ) from lost
    return draft


def give_up_lost(study: Study) -> int:
    """Mark searches whose worker was lost, so that another can be asked for."""
    lost = study.plans.filter(state__in=PlanDraft.OPEN, created_at__lt=timezone.now() - GIVEN_UP)
    return lost.update(state="failed", ended_at=timezone.now(), error="The worker stopped before it found a plan.")


def run(draft_id: int) -> None:
    """Find the plan that was asked for. Delivered twice, it is found once."""
    mine = PlanDraft.objects.filter(pk=draft_id)
    # The race: a task delivered twice; one of them takes it.
    if not mine.filter(state="queued").update(state="running", started_at=timezone.now()):
        return
    draft = mine.select_related("study").get()
    try:
        keep(draft)
    except FootpathError as error:
        mine.update(state="failed", ended_at=timezone.now(), error=error.message)
    except BaseException:
        mine.update(state="failed", ended_at=timezone.now(), error="A fault of ours: the worker's log says more.")
        raise


def keep(draft: PlanDraft) -> None:
    """Search, and keep what was found."""
    mine = PlanDraft.objects.filter(pk=draft.pk)

    def told(stage: str) -> None:
        mine.update(stage=stage)

    design = read_design(draft.design)
    if draft.kind == PlanDraft.Kind.PLAN:
        plan, changes = make_plan(design, told=told), []
    else:
        now = standing.of(draft.study, {pk: name for name, pk in draft.tasks.items()})
        plan = replan(design, now.fixed, now.rest, now.met, told=told)
        changes = standing.changes(now, plan)
    mine.filter(state="running").update(
        state="done", stage="", ended_at=timezone.now(), result=plan.model_dump(mode="json"), changes=changes
    )


def plan_of(draft: PlanDraft) -> Plan | None:
    """What was found, if anything."""
    return Plan.model_validate(draft.result) if draft.result is not None else None


def is_current(draft: PlanDraft) -> bool:
    """True while the study's design is still the one that this was planned for. Raises BadDesign."""
    read = designs.design_of if draft.kind == PlanDraft.Kind.PLAN else designs.running_design_of
    return read(draft.study).hash == draft.design_hash


def present_hash(study: Study) -> tuple[str, str]:
    """(hash, "") of the design that would be planned now, or ("", why it is none)."""
    try:
        read = designs.design_of if study.state == Study.State.DRAFT else designs.running_design_of
        return read(study).hash, ""
    except FootpathError as error:
        return "", error.message
