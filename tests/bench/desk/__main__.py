"""Command line of the desk benchmark: a line a page, as JSON with --json.

Pages are asked for in this process, through the whole of Django, by a signed-in lead; the network is left out. The attempt's
page is also measured cold, as a process answers that has not seen the recording before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import django
from django.core.management import call_command

from tests.bench.progress.__main__ import LEAD, command, measure

QUEUE = (
    ("queue", ""),
    ("queue, last page", "?page=99999"),
    ("queue of a website", "?environment=site-3"),
    ("queue of a rule", "?rule=unusual_pace"),
    ("queue of a person", "?person=P7"),
    ("queue of a condition", "?condition=clean"),
    ("queue of a rule, website and person", "?rule=long_idle&environment=site-3&person=P7"),
    ("claimed", "?state=claimed"),
    ("decided", "?state=decided"),
    ("excluded", "?state=exclude"),
    ("all states", "?state=all"),
)
AUDIT = (("audit log", ""), ("audit log, words", "?q=of 4711"), ("audit log, an act", "?action=judge"))


def pages(attempt: int, item: int) -> list[tuple[str, str, str]]:
    """(name, who, path) of each page."""
    study, viewed = "/studies/large", f"/studies/large/attempts/{attempt}"
    return [
        *((name, LEAD, f"{study}/review/{query}") for name, query in QUEUE),
        ("item of the queue", LEAD, f"{study}/review/{item}/"),
        *((name, LEAD, f"{study}/audit/{query}") for name, query in AUDIT),
        ("attempt of 20,000 events", LEAD, f"{viewed}/"),
        ("200 raw events from 15,000 on", LEAD, f"{viewed}/rows/raw/?from=15000&count=200"),
        ("200 steps", LEAD, f"{viewed}/rows/steps/?from=400&count=200"),
        ("what a raw event became", LEAD, f"{viewed}/rows/cleaned/?raw=15000&count=1"),
    ]


def run(times: int, only: str) -> Iterator[dict[str, Any]]:
    """Build what is not there, and measure each page."""
    django.setup()
    from django.test import Client  # noqa: PLC0415  (models need the settings)

    from annotate.models import Attempt, Person, ReviewItem, Study  # noqa: PLC0415
    from tasks_admin.viewer.trace import order_of_closed  # noqa: PLC0415
    from tests.bench.desk.build import build  # noqa: PLC0415

    call_command("migrate", verbosity=0, interactive=False)
    if not Study.objects.exists():
        build()
    attempt = Attempt.objects.get(recording__key="bench")
    item = ReviewItem.objects.filter(study__slug="large", state="open").order_by("pk")[25_000]
    client = Client(SERVER_NAME="localhost")
    client.force_login(Person.objects.get(email=LEAD))
    for page in pages(attempt.pk, item.pk):
        if only in page[0]:
            if page[0].startswith("attempt of"):
                client.get("/studies/")
                order_of_closed.cache_clear()
                began = time.perf_counter()
                client.get(page[2])
                yield {"page": f"{page[0]}, first time", "ms": round((time.perf_counter() - began) * 1000)}
            yield measure(client, page, times)


if __name__ == "__main__":
    command("python -m tests.bench.desk", __doc__, run)
