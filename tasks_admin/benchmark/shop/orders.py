"""Past orders."""

from __future__ import annotations

from aiohttp import web

from tasks_admin.benchmark.engine.tables import Row
from tasks_admin.benchmark.engine.web import SESSION
from tasks_admin.benchmark.shop.pages import CANCEL_REASONS, go, missing, page, sent, tables_of

ROUTES = web.RouteTableDef()


@ROUTES.get("/orders")
async def index(request: web.Request) -> web.StreamResponse:
    """All orders, youngest first."""
    orders = sorted(tables_of(request).all("orders"), key=lambda o: o["placed"], reverse=True)
    return page(request, "orders.html", orders=orders)


def _order(request: web.Request) -> Row | None:
    return tables_of(request).find("orders", lambda row: row["number"] == request.match_info["number"])


@ROUTES.get("/orders/{number}")
async def detail(request: web.Request) -> web.StreamResponse:
    """One order."""
    order = _order(request)
    if order is None:
        return missing(request, "order")
    tables = tables_of(request)
    shipping = tables.find("shipping", lambda row: row["code"] == order["shipping"])
    payment = tables.get("payments", order["payment"])
    returned = tables.all("returns", lambda row: row["order"] == order["id"])
    return page(request, "order.html", order=order, shipping=shipping, payment=payment, returned=returned)


@ROUTES.get("/orders/{number}/cancel")
async def ask(request: web.Request) -> web.StreamResponse:
    """Why, and are you sure."""
    order = _order(request)
    if order is None or order["status"] != "processing":
        return missing(request, "order that can be cancelled")
    return page(request, "cancel.html", order=order, error="")


@ROUTES.post("/orders/{number}/cancel")
async def cancel(request: web.Request) -> web.StreamResponse:
    """Cancel an order that is still being prepared, and put its things back on the shelf."""
    order, reason = _order(request), sent(request, "reason")
    if order is None or order["status"] != "processing":
        return missing(request, "order that can be cancelled")
    if reason not in CANCEL_REASONS:
        return page(request, "cancel.html", status=422, order=order, error="Please choose a reason.")
    tables = tables_of(request)
    if request[SESSION].rule("cancel_needs_email") and not tables.get("account", 1)["email_confirmed"]:
        error = "For your safety, orders can only be changed once your e-mail address is confirmed. See your account."
        return page(request, "cancel.html", status=403, order=order, error=error)
    order.update(status="cancelled", cancel_reason=reason)
    for item in order["items"]:
        tables.get("skus", item["sku"])["stock"] += item["qty"]
    return go(f"/orders/{order['number']}", "Your order has been cancelled.")
