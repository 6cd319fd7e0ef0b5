"""The shop as a site of the benchmark."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tasks_admin.benchmark.engine.catalogue import Task
from tasks_admin.benchmark.engine.sessions import Session, Store
from tasks_admin.benchmark.engine.site import state_verdict
from tasks_admin.benchmark.engine.tables import Tables
from tasks_admin.benchmark.engine.web import site_app
from tasks_admin.benchmark.shop import account, addresses, cart, catalogue, orders, returns, wishlist
from tasks_admin.benchmark.shop.pages import STATIC, not_found
from tasks_admin.benchmark.shop.seed import initial
from tasks_admin.benchmark.shop.tasks import TASKS


class Shop:
    """Larkfield."""

    name = "shop"
    tasks = TASKS
    refuse: tuple[str, ...] = ()

    def initial(self, seed: int) -> Tables:
        return initial(seed)

    def app(self, store: Store) -> web.Application:
        app = site_app(store, self.name)
        for part in (catalogue, cart, orders, returns, addresses, wishlist, account):
            app.router.add_routes(part.ROUTES)
        app.router.add_static("/assets/shop", STATIC)
        app.router.add_route("*", "/{path:.*}", not_found)
        return app

    def instruction(self, session: Session, task: Task) -> str | None:
        return task.instruction

    def verdict(self, session: Session, task: Task) -> dict[str, Any]:
        return state_verdict(session, task)
