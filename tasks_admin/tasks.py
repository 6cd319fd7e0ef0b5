"""The worker's tasks of the lead's side; each takes an id and can run twice."""

from __future__ import annotations

from celery import shared_task

from tasks_admin.report import build


@shared_task
def make_report(report_id: int) -> None:
    """Make a comparison that was asked for."""
    build.make(report_id)
