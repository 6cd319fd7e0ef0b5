"""Cart and checkout."""

from __future__ import annotations

from datetime import datetime

from aiohttp import web

from tasks_admin.benchmark.engine.tables import Row, Tables
from tasks_admin.benchmark.engine.web import SESSION
from tasks_admin.benchmark.shop.pages import go, missing, number_sent, page, row_or_none, sent, sku_line, tables_of
from tasks_admin.benchmark.shop.seed import place_order

ROUTES = web.RouteTableDef()
MOST = 20  # pieces of one thing


@ROUTES.get("/cart")
async def show(request: web.Request) -> web.StreamResponse:
    """The cart."""
    lines = cart_lines(tables_of(request))
    return page(request, "cart.html", lines=lines, goods=goods_total(lines))


@ROUTES.post("/cart")
async def add(request: web.Request) -> web.StreamResponse:
    """Put ``qty`` of ``sku`` into the cart; JSON for the page's script, a redirect for a plain form."""
    tables = tables_of(request)
    sku_id, qty = number_sent(request, "sku", 1, 10**6), number_sent(request, "qty", 1, MOST)
    sku = tables.find("skus", lambda row: row["id"] == sku_id)
    if sku is None or qty is None:
        return _said(request, False, f"Please choose an option and a quantity from 1 to {MOST}.")
    problem = put(tables, sku, qty)
    if problem:
        return _said(request, False, problem)
    return _said(request, True, f"{sku_line(tables, sku['id'])['product']['name']} was added to your cart.")


def put(tables: Tables, sku: Row, qty: int) -> str:
    """Add to the cart; a sentence if that cannot be."""
    line = tables.find("cart", lambda row: row["sku"] == sku["id"])
    wanted = qty + (line["qty"] if line else 0)
    if wanted > sku["stock"]:
        return "Sold out." if not sku["stock"] else f"Only {sku['stock']} left in stock."
    if wanted > MOST:
        return f"{MOST} of one thing is the most we send."
    if line:
        line["qty"] = wanted
    else:
        tables.insert("cart", sku=sku["id"], qty=qty)
    return ""


def _said(request: web.Request, ok: bool, message: str) -> web.Response:
    if request.headers.get("Accept", "").startswith("application/json"):
        count = sum(row["qty"] for row in tables_of(request).all("cart"))
        return web.json_response({"ok": ok, "message": message, "count": count}, status=200 if ok else 409)
    return go("/cart", message)


@ROUTES.post("/cart/{id}/quantity")
async def quantity(request: web.Request) -> web.StreamResponse:
    """Change how many of one line."""
    line, qty = row_or_none(request, "cart"), number_sent(request, "qty", 1, MOST)
    if line is None:
        return go("/cart", "That is no longer in your cart.")
    if qty is None:
        return go("/cart", f"Please give a quantity from 1 to {MOST}.")
    stock = tables_of(request).get("skus", line["sku"])["stock"]
    if qty > stock:
        return go("/cart", f"Only {stock} left in stock.")
    line["qty"] = qty
    return go("/cart", "Quantity saved.")


@ROUTES.post("/cart/{id}/remove")
async def remove(request: web.Request) -> web.StreamResponse:
    """Take one line out."""
    tables_of(request).delete("cart", lambda row: str(row["id"]) == request.match_info["id"])
    return go("/cart", "Removed from your cart.")


@ROUTES.get("/checkout")
async def checkout(request: web.Request) -> web.StreamResponse:
    """Address, shipping, payment, note."""
    lines = cart_lines(tables_of(request))
    if not lines:
        return go("/cart", "Your cart is empty.")
    return page(request, "checkout.html", lines=lines, goods=goods_total(lines), error="")


@ROUTES.post("/checkout")
async def place(request: web.Request) -> web.StreamResponse:
    """Order what is in the cart."""
    tables = tables_of(request)
    lines = cart_lines(tables)
    if not lines:
        return go("/cart", "Your cart is empty.")
    address = tables.find("addresses", lambda row: str(row["id"]) == sent(request, "address"))
    shipping = tables.find("shipping", lambda row: row["code"] == sent(request, "shipping"))
    payment = tables.find("payments", lambda row: str(row["id"]) == sent(request, "payment"))
    if not (address and shipping and payment):
        error = "Please choose an address, a way of shipping and a way to pay."
        return page(request, "checkout.html", status=422, lines=lines, goods=goods_total(lines), error=error)
    _sell_to_somebody_else(request, lines)
    short = [line for line in lines if line["qty"] > line["sku"]["stock"]]
    if short:
        return go("/cart", f"Sorry, {short[0]['product']['name']} ({short[0]['sku']['option']}) has just sold out.")
    order = _order(tables, lines, address, shipping, payment, sent(request, "note")[:200])
    return go(f"/orders/{order['number']}", "Thank you. Your order has been placed.")


def _order(tables: Tables, lines: list[Row], address: Row, shipping: Row, payment: Row, note: str) -> Row:
    for line in lines:
        line["sku"]["stock"] -= line["qty"]
    bought = [{"sku": line["sku"]["id"], "qty": line["qty"]} for line in lines]
    tables.delete("cart", lambda row: True)
    moment = datetime.fromisoformat(tables.get("account", 1)["now"])
    return place_order(tables, bought, address, shipping["code"], payment["id"], note, moment)


def _sell_to_somebody_else(request: web.Request, lines: list[Row]) -> None:
    """The rule ``sell_out_at_checkout``: that often, the dearest thing in the cart is gone when the order is placed."""
    session = request[SESSION]
    if session.counters.get("sold_out", 0) < (session.rule("sell_out_at_checkout") or 0):
        session.count("sold_out")
        max(lines, key=lambda line: int(line["product"]["price"]))["sku"]["stock"] = 0


def cart_lines(tables: Tables) -> list[Row]:
    """The cart's rows with their products."""
    return [{**row, **sku_line(tables, row["sku"])} for row in tables.all("cart")]


def goods_total(lines: list[Row]) -> int:
    """Cents without shipping."""
    return sum(line["product"]["price"] * line["qty"] for line in lines)


@ROUTES.post("/orders/{number}/again")
async def again(request: web.Request) -> web.StreamResponse:
    """Put what an order held into the cart."""
    tables = tables_of(request)
    order = tables.find("orders", lambda row: row["number"] == request.match_info["number"])
    if order is None:
        return missing(request, "order")
    problems = [p for p in (put(tables, tables.get("skus", i["sku"]), i["qty"]) for i in order["items"]) if p]
    return go("/cart", "Some things could not be added. " + problems[0] if problems else "Added to your cart.")
