"""Returns."""

from __future__ import annotations

from aiohttp import web

from tasks_admin.benchmark.engine.tables import Row, Tables
from tasks_admin.benchmark.shop.pages import REASONS, REFUNDS, go, missing, number_sent, page, sent, tables_of

ROUTES = web.RouteTableDef()


@ROUTES.get("/returns")
async def index(request: web.Request) -> web.StreamResponse:
    """What was registered, and what can be."""
    tables = tables_of(request)
    registered = [{**row, **_names(tables, row)} for row in tables.all("returns")]
    delivered = tables.all("orders", lambda row: row["status"] == "delivered")
    orders = sorted(delivered, key=lambda o: o["placed"], reverse=True)
    return page(request, "returns.html", registered=registered, orders=orders)


def _names(tables: Tables, row: Row) -> Row:
    order = tables.get("orders", row["order"])
    return {"number": order["number"], "item": next(i for i in order["items"] if i["sku"] == row["sku"])}


@ROUTES.get("/returns/new")
async def new(request: web.Request) -> web.StreamResponse:
    """The form for one thing of one order: ``?order=NUMBER&sku=ID``."""
    found = _bought(tables_of(request), request.query.get("order", ""), request.query.get("sku", ""))
    if found is None:
        return missing(request, "order that can be returned")
    order, item = found
    left = _left(tables_of(request), order, item)
    return page(request, "return_form.html", order=order, item=item, left=left, error="")


@ROUTES.post("/returns")
async def create(request: web.Request) -> web.StreamResponse:
    """Register a return."""
    tables = tables_of(request)
    found = _bought(tables, sent(request, "order"), sent(request, "sku"))
    if found is None:
        return missing(request, "order that can be returned")
    order, item = found
    left = _left(tables, order, item)
    qty, reason, refund = number_sent(request, "qty", 1, left), sent(request, "reason"), sent(request, "refund")
    if qty is None or reason not in REASONS or refund not in REFUNDS:
        error = "Please choose how many, a reason and a refund."
        return page(request, "return_form.html", status=422, order=order, item=item, left=left, error=error)
    tables.insert("returns", order=order["id"], sku=item["sku"], qty=qty, reason=reason, refund=refund)
    return go("/returns", "Your return has been registered.")


def _bought(tables: Tables, number: str, sku: str) -> tuple[Row, Row] | None:
    order = tables.find("orders", lambda row: row["number"] == number and row["status"] == "delivered")
    item = next((i for i in order["items"] if str(i["sku"]) == sku), None) if order else None
    return (order, item) if order and item else None


def _left(tables: Tables, order: Row, item: Row) -> int:
    back = tables.all("returns", lambda row: row["order"] == order["id"] and row["sku"] == item["sku"])
    return int(item["qty"] - sum(row["qty"] for row in back))
