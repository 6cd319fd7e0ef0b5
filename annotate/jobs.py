"""Hand slow work to the worker, by name and id, once the present transaction is committed."""

from __future__ import annotations

from celery import current_app
from django.db import transaction


def send(name: str, pk: int, *more: str) -> None:
    """Queue `annotate.tasks.<name>`, or the task of that full name, for one row. Tests put a worker of their own here."""
    current_app.send_task(name if "." in name else f"annotate.tasks.{name}", args=[pk, *more])


def prepare_attempt(pk: int) -> None:
    """Have the website of an attempt prepared."""
    transaction.on_commit(lambda: send("prepare_attempt", pk))


def read_instruction(pk: int) -> None:
    """Have the instruction asked for that only the running page knows."""
    transaction.on_commit(lambda: send("read_instruction", pk))


def finish_attempt(pk: int) -> None:
    """Have an attempt closed, scored and counted."""
    transaction.on_commit(lambda: send("finish_attempt", pk))


def tidy_round(pk: int) -> None:
    """Have what an ended round left open closed."""
    transaction.on_commit(lambda: send("tidy_round", pk))


def clean_study(pk: int, cleaner: str) -> None:
    """Have every attempt of a study cleaned by `cleaner`."""
    transaction.on_commit(lambda: send("clean_study", pk, cleaner))


def find_plan(pk: int) -> None:
    """Have a plan looked for."""
    transaction.on_commit(lambda: send("find_plan", pk))


def replay_attempt(pk: int) -> None:
    """Have a queued replay played."""
    transaction.on_commit(lambda: send("replay_attempt", pk))


def replay_unverified(pk: int) -> None:
    """Have a replay queued of each attempt of a study that passed and is not verified."""
    transaction.on_commit(lambda: send("replay_unverified", pk))


def raise_flags(pk: int) -> None:
    """Have every rule run over an attempt that was scored."""
    transaction.on_commit(lambda: send("raise_flags", pk))


def flag_round(pk: int, occasion: str) -> None:
    """Have the rules asked anew that the occasion concerns: rating, replay, judgement."""
    transaction.on_commit(lambda: send("flag_round", pk, occasion))


def flag_study(pk: int) -> None:
    """Have every rule run over a whole study."""
    transaction.on_commit(lambda: send("flag_study", pk))


def remove_data(pk: int) -> None:
    """Have what a participation took back removed."""
    transaction.on_commit(lambda: send("remove_data", pk))


def count_study(pk: int) -> None:
    """Have a large study counted anew."""
    transaction.on_commit(lambda: send("count_study", pk))
