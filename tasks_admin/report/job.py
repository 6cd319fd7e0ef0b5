"""Making a study's report in the worker. It can be sent twice, stopped at any moment, and is taken up again after a crash.

Whoever makes a report holds its row locked: a second worker passes it over, and with a worker that dies the lock is gone at once.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from annotate import jobs
from annotate.actions import audit
from annotate.models import Person, Study
from recorder.errors import FootpathError
from tasks_admin.models import ComparisonReport
from tasks_admin.report.build import all_figures
from tasks_admin.report.charts import all_charts
from tasks_admin.report.sheets import all_sheets
from tasks_admin.report.study_tables import tables_of

KEPT = 5  # reports per study
SENT_AGAIN_AFTER = timedelta(seconds=60)  # where no worker has begun it
MOST_TRIES = 3
WORKER_STOPS = (
    f"The worker stopped {MOST_TRIES} times while making it; its log or the machine's may say why. Then make it anew."
)
UNFORESEEN = (
    "Something went wrong that should not; the server's log has it. Make it anew, or tell whoever runs Footpath."
)


def ask_for(study: Study, person: Person) -> ComparisonReport:
    """Have a report made; the one that is being made already, if there is one, which is sent again where its worker is gone."""
    try:
        with transaction.atomic():  # the race: two leads ask at once
            report = ComparisonReport.objects.create(study=study, actor=person)
            audit.note(study, person, "make comparison", f"report {report.pk}")
    except IntegrityError:
        report = ComparisonReport.objects.get(study=study, state="waiting")
        if report.pk not in left_lying():
            return report
    transaction.on_commit(lambda: jobs.send("tasks_admin.tasks.make_report", report.pk))
    return report


def make(report_id: int) -> None:
    """Make a report that waits, unless another worker does; what goes wrong with the data is kept as its error."""
    if not count_try(report_id):
        return
    try:
        with transaction.atomic():
            report = held(report_id)
            if report is None:
                return
            end(report_id, outcome(report.study))
    except Exception:
        end(report_id, {"state": "failed", "error": UNFORESEEN})
        raise
    keep = report.study.reports.values_list("pk", flat=True)[:KEPT]
    report.study.reports.exclude(pk__in=list(keep)).delete()


def held(report_id: int) -> ComparisonReport | None:
    """The row of a report that waits, locked; None where somebody holds it or it waits no more."""
    waiting = ComparisonReport.objects.select_for_update(skip_locked=True, of=("self",)).filter(state="waiting")
    return waiting.select_related("study").filter(pk=report_id).first()


@transaction.atomic
def count_try(report_id: int) -> bool:
    """Count that a worker begins; False where another has it, or the report has stopped so many workers that it is given up."""
    report = held(report_id)
    if report is None:
        return False
    if report.tries >= MOST_TRIES:
        end(report_id, {"state": "failed", "error": WORKER_STOPS})
        return False
    ComparisonReport.objects.filter(pk=report_id).update(tries=F("tries") + 1)
    return True


def outcome(study: Study) -> dict[str, Any]:
    """The fields of its row that say what came of it."""
    try:
        tables = tables_of(study)
        figures = all_figures(tables)
        return {
            "state": "done",
            "figures": figures,
            "sheets": [one.document() for one in all_sheets(figures)],
            "plots": [one.document() for one in all_charts(figures, tables)],
        }
    except FootpathError as error:
        return {"state": "failed", "error": error.message}


def end(report_id: int, told: dict[str, Any]) -> None:
    """Write how a waiting report ended; one that has ended meanwhile stays as it is."""
    ComparisonReport.objects.filter(pk=report_id, state="waiting").update(made_at=timezone.now(), **told)


@transaction.atomic
def left_lying() -> list[int]:
    """Reports to send to the worker again: one that was begun and that nobody holds, or whose message was lost."""
    lost = Q(tries__gt=0) | Q(asked_at__lt=timezone.now() - SENT_AGAIN_AFTER)
    waiting = ComparisonReport.objects.select_for_update(skip_locked=True).filter(lost, state="waiting")
    return list(waiting.order_by("pk").values_list("pk", flat=True))
