"""A report whose worker is gone: seen at once, taken up again, given up in the end. One that is being made is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, Thread

import pytest
from django.db import connection, transaction
from django.utils import timezone

from tasks_admin import tasks
from tasks_admin.models import ComparisonReport
from tasks_admin.report import job
from tests.cast import Cast


class Maker:
    """A worker with a connection of its own that began a report and never ends it; `killed` closes the connection under it."""

    def __init__(self, report_id: int) -> None:
        self.report_id, self.holds, self.dies = report_id, Event(), Event()
        self.thread = Thread(target=self._make)
        self.thread.start()
        assert self.holds.wait(30)

    def _make(self) -> None:
        try:
            assert job.count_try(self.report_id)
            with transaction.atomic():
                assert job.held(self.report_id)
                self.holds.set()
                self.dies.wait()
                connection.close()
        finally:
            connection.close()

    def killed(self) -> None:
        self.dies.set()
        self.thread.join()


@pytest.fixture
def report(cast: Cast) -> ComparisonReport:
    """One that was asked for, and whose message is gone."""
    asked = job.ask_for(cast.study, cast.lead)
    cast.work.queue.clear()
    return asked


@pytest.fixture
def maker(report: ComparisonReport) -> Iterator[Maker]:
    found = Maker(report.pk)
    yield found
    found.killed()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the sweep sends to the worker."""
    numbers: list[int] = []
    monkeypatch.setattr(tasks.make_report, "delay", numbers.append)
    return numbers


def state(report: ComparisonReport) -> str:
    report.refresh_from_db()
    return report.state


def test_one_that_is_being_made_is_left_alone(
    cast: Cast, report: ComparisonReport, maker: Maker, sent: list[int]
) -> None:
    tasks.resume_reports()
    job.make(report.pk)
    assert job.ask_for(cast.study, cast.lead) == report
    assert (sent, cast.work.queue, state(report), report.tries) == ([], [], "waiting", 1)


def test_one_whose_maker_is_gone_is_taken_up_at_once_by_the_sweep(
    report: ComparisonReport, maker: Maker, sent: list[int]
) -> None:
    maker.killed()
    tasks.resume_reports()
    assert sent == [report.pk]
    tasks.make_report(report.pk)
    assert (state(report), report.tries) == ("done", 2)


def test_one_whose_maker_is_gone_is_taken_up_at_once_by_who_asks(
    cast: Cast, report: ComparisonReport, maker: Maker
) -> None:
    maker.killed()
    assert job.ask_for(cast.study, cast.lead) == report
    cast.work.run()
    assert (state(report), ComparisonReport.objects.count()) == ("done", 1)


def test_one_whose_message_was_lost_is_sent_again(report: ComparisonReport, sent: list[int]) -> None:
    tasks.resume_reports()
    assert sent == []
    ComparisonReport.objects.update(asked_at=timezone.now() - 2 * job.SENT_AGAIN_AFTER)
    tasks.resume_reports()
    assert sent == [report.pk]


def test_one_that_stops_every_worker_is_given_up(report: ComparisonReport) -> None:
    ComparisonReport.objects.update(tries=job.MOST_TRIES)
    job.make(report.pk)
    assert (state(report), report.error) == ("failed", job.WORKER_STOPS)
