"""The worker's tasks of the lead's side; each takes an id and can run twice."""

from __future__ import annotations

import logging

from celery import shared_task

from tasks_admin.exports import job
from tasks_admin.labels import keep
from tasks_admin.report import job as making
from tasks_admin.uploads import job as reading

logger = logging.getLogger(__name__)


@shared_task
def make_report(report_id: int) -> None:
    """Make a comparison that was asked for."""
    making.make(report_id)


@shared_task(expires=30)
def resume_reports() -> None:
    """Make comparisons that a stopped worker left lying."""
    for report_id in making.left_lying():
        logger.warning("making comparison %s again", report_id)
        make_report.delay(report_id)


@shared_task
def make_export(export_id: int) -> None:
    """Make a bundle that was asked for."""
    job.make(export_id)


@shared_task(expires=30)
def resume_exports() -> None:
    """Take up exports again that a stopped worker left lying."""
    for export_id in job.left_lying():
        logger.warning("taking up export %s again", export_id)
        make_export.delay(export_id)


@shared_task
def read_upload(upload_id: int) -> None:
    """Read a file that was brought in."""
    reading.read(upload_id)


@shared_task(expires=30)
def resume_uploads() -> None:
    """Read files that a stopped worker left lying, and remove those that it had read."""
    reading.clear_read()
    for upload_id in reading.left_lying():
        logger.warning("reading upload %s again", upload_id)
        read_upload.delay(upload_id)


@shared_task(expires=60)
def forget_removed_labels() -> None:
    """Delete imported labels of attempts whose data was taken back."""
    keep.forget_removed()
