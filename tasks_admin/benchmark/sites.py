"""The sites of the benchmark. A new one is added here and nowhere else."""

from __future__ import annotations

from typing import Any

from tasks_admin.benchmark.engine.catalogue import Variant, described
from tasks_admin.benchmark.engine.site import Site
from tasks_admin.benchmark.miniwob.site import Miniwob
from tasks_admin.benchmark.shop.site import Shop

ALL: tuple[Site, ...] = (Shop(), Miniwob())
SITES: dict[str, Site] = {site.name: site for site in ALL}


def catalogue() -> list[dict[str, Any]]:
    """Every task of every site, as ``GET /control/{site}/tasks`` shows it; needs no running server."""
    return [described(task) | {"environment": site.name} for site in ALL for task in site.tasks]


def find_variant(site: str, task_id: str, variant_id: str | None) -> Variant | None:
    """The variant by its ids; None for the clean condition. Raises KeyError."""
    return {task.id: task for task in SITES[site].tasks}[task_id].variant(variant_id)
