"""Command line of the progress benchmark: a line a page, as JSON with --json.

Pages are asked for in this process, through the whole of Django, by a signed-in client; the network is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import django
import psutil
from django.core.management import call_command

from annotate.config import embedded, laptop

LEAD, BUSY, USUAL = "p56@example.org", "p3@example.org", "p1@example.org"
PAGES = (
    ("study", LEAD, "/studies/large/"),
    ("studies", LEAD, "/studies/"),
    ("attempts", LEAD, "/studies/large/attempts/"),
    ("attempts, last page", LEAD, "/studies/large/attempts/?page=99999"),
    ("attempts of a website", LEAD, "/studies/large/attempts/?environment=site-3"),
    ("attempts of a cell", LEAD, "/studies/large/attempts/?environment=site-3&difficulty=hard&condition=clean"),
    ("attempts of a difficulty", LEAD, "/studies/large/attempts/?difficulty=hard"),
    ("attempts of a condition", LEAD, "/studies/large/attempts/?condition=clean"),
    ("attempts of a person", LEAD, "/studies/large/attempts/?person=P7"),
    ("warm attempts", LEAD, "/studies/large/attempts/?attempt=warm"),
    ("attempts of rolled-back rounds", LEAD, "/studies/large/attempts/?state=rolled_back"),
    ("attempts of complete rounds", LEAD, "/studies/large/attempts/?state=complete"),
    ("flagged attempts", LEAD, "/studies/large/attempts/?flagged=1"),
    ("who records now", LEAD, "/studies/large/now/"),
    ("assignments", LEAD, "/studies/large/assignments/"),
    ("assignments, last page", LEAD, "/studies/large/assignments/?page=99999"),
    ("assignments of a website", LEAD, "/studies/large/assignments/?environment=site-3"),
    (
        "assignments of a cell",
        LEAD,
        "/studies/large/assignments/?environment=site-3&difficulty=hard&condition=clean&role=primary",
    ),
    ("assignments of a difficulty", LEAD, "/studies/large/assignments/?difficulty=hard"),
    ("assignments of a condition", LEAD, "/studies/large/assignments/?condition=intervention"),
    ("assignments of a person", LEAD, "/studies/large/assignments/?person=P7"),
    ("duplicate assignments", LEAD, "/studies/large/assignments/?role=duplicate"),
    ("returned assignments", LEAD, "/studies/large/assignments/?state=returned"),
    ("running assignments", LEAD, "/studies/large/assignments/?state=running"),
    ("missing assignments", LEAD, "/studies/large/assignments/?state=missing"),
    ("withdrawn assignments (none)", LEAD, "/studies/large/assignments/?state=withdrawn"),
    ("dashboard, 2,000 assignments", BUSY, "/work/"),
    ("dashboard, 2,000 and 80 in two studies", USUAL, "/work/"),
)


@contextlib.contextmanager
def database(folder: Path | None) -> Iterator[None]:
    """A throw-away database, or one that is kept in `folder` and not built twice."""
    if folder is None:
        with laptop.throwaway():
            yield
        return
    os.environ["FOOTPATH_DATA"] = str(folder)
    laptop.forget_operators_settings()
    with embedded.serving(folder / "postgres") as url:
        os.environ |= {"DATABASE_URL": url, "FOOTPATH_LAPTOP": "1"}
        yield


def measure(client: Any, page: tuple[str, str, str], times: int) -> dict[str, Any]:
    """One page: the quantiles of `times` answers in ms after two to warm up, CPU time an answer, its queries and bytes."""
    name, _, path = page
    with counted_queries() as queries:
        reply = client.get(path)
    assert reply.status_code == 200, (path, reply.status_code)
    client.get(path)
    before = cpu_ms()
    took = sorted(timed(client, path) for _ in range(times))
    return {
        "page": name,
        "p50_ms": round(statistics.median(took), 1),
        "p95_ms": round(took[int(len(took) * 0.95) - 1], 1),
        "cpu_ms": round((cpu_ms() - before) / times, 1),
        "queries": len(queries),
        "kB": round(len(reply.content) / 1000),
        "load": round(os.getloadavg()[0], 1),
    }


@contextlib.contextmanager
def counted_queries() -> Iterator[list[str]]:
    """The statements that are sent within it, by whatever connection."""
    from django.db.backends.utils import CursorWrapper  # noqa: PLC0415  (needs the settings)

    sent: list[str] = []
    send = CursorWrapper.execute

    def noting(self: Any, sql: Any, params: Any = None) -> Any:
        sent.append(str(sql))
        return send(self, sql, params)

    CursorWrapper.execute = noting
    try:
        yield sent
    finally:
        CursorWrapper.execute = send


def cpu_ms() -> float:
    """CPU time that this process and its database have used: what an answer would take on a machine that does nothing else."""
    server = _server()
    family = [psutil.Process(), *(one for one in server.children() if one.is_running())]
    ended = sum(server.cpu_times()[2:4])  # of the database's processes that are no more
    return (sum(sum(one.cpu_times()[:2]) for one in family) + ended) * 1000


def _server() -> psutil.Process:
    """The database's first process, whose children serve the connections."""
    from django.db import connection  # noqa: PLC0415  (needs the settings)

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return psutil.Process(cursor.fetchone()[0]).parent()


def timed(client: Any, path: str) -> float:
    began = time.perf_counter()
    client.get(path)
    return (time.perf_counter() - began) * 1000


def run(times: int, only: str) -> Iterator[dict[str, Any]]:
    """Build what is not there, and measure each page."""
    django.setup()
    from django.test import Client  # noqa: PLC0415  (models need the settings)

    from annotate import tallies  # noqa: PLC0415
    from annotate.models import Person, Study  # noqa: PLC0415
    from tests.bench.progress.build import build  # noqa: PLC0415

    call_command("migrate", verbosity=0, interactive=False)
    if not Study.objects.exists():
        build()
    began = time.perf_counter()
    tallies.store(Study.objects.get(slug="large"))  # what the worker does, every few seconds while somebody looks
    yield {"page": "(the worker counts the study)", "ms": round((time.perf_counter() - began) * 1000)}
    for page in PAGES:
        if only in page[0]:
            client = Client(SERVER_NAME="localhost")
            client.force_login(Person.objects.get(email=page[1]))
            yield measure(client, page, times)


def command(prog: str, words: str | None, run: Callable[[int, str], Iterator[dict[str, Any]]]) -> None:
    """Parse the options of a benchmark of pages, run it on a database of its own, and print a line or JSON document a page."""
    parser = argparse.ArgumentParser(prog=prog, description=words)
    parser.add_argument("--times", type=int, default=40, help="answers a page")
    parser.add_argument("--only", default="", metavar="WORDS", help="the pages whose name has these words")
    parser.add_argument("--data", type=Path, help="keep the database here (default: throw it away)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "annotate.config.settings"
    with database(options.data):
        for row in run(options.times, options.only):
            print(json.dumps(row) if options.json else "  ".join(f"{key} {value}" for key, value in row.items()))
            sys.stdout.flush()


if __name__ == "__main__":
    command("python -m tests.bench.progress", __doc__, run)
