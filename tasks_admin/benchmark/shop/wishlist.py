"""The wish list."""

from __future__ import annotations

from aiohttp import web

from tasks_admin.benchmark.engine.web import SESSION
from tasks_admin.benchmark.shop.cart import put
from tasks_admin.benchmark.shop.pages import go, number_sent, page, row_or_none, sku_line, tables_of

ROUTES = web.RouteTableDef()


@ROUTES.get("/wishlist")
async def index(request: web.Request) -> web.StreamResponse:
    """All wishes."""
    tables = tables_of(request)
    return page(request, "wishlist.html", wishes=[{**w, **sku_line(tables, w["sku"])} for w in tables.all("wishlist")])


@ROUTES.post("/wishlist")
async def add(request: web.Request) -> web.StreamResponse:
    """Remember ``sku``; twice is once."""
    tables, sku = tables_of(request), number_sent(request, "sku", 1, 10**6)
    if tables.find("skus", lambda row: row["id"] == sku) is None:
        return go("/wishlist", "Please choose an option first.")
    if tables.find("wishlist", lambda row: row["sku"] == sku):
        return go("/wishlist", "This was on your wish list already.")
    tables.insert("wishlist", sku=sku)
    return go("/wishlist", "Added to your wish list.")


@ROUTES.post("/wishlist/{id}/remove")
async def remove(request: web.Request) -> web.StreamResponse:
    """Forget one wish."""
    tables_of(request).delete("wishlist", lambda row: str(row["id"]) == request.match_info["id"])
    return go("/wishlist", "Removed from your wish list.")


@ROUTES.post("/wishlist/{id}/move")
async def move(request: web.Request) -> web.StreamResponse:
    """Put one wish into the cart and, unless the rule ``move_keeps_wish`` says otherwise, off the list."""
    wish, tables = row_or_none(request, "wishlist"), tables_of(request)
    if wish is None:
        return go("/wishlist", "That is no longer on your wish list.")
    problem = put(tables, tables.get("skus", wish["sku"]), 1)
    if problem:
        return go("/wishlist", problem)
    if not request[SESSION].rule("move_keeps_wish"):
        tables.delete("wishlist", lambda row: bool(row["id"] == wish["id"]))
    return go("/wishlist", f"{sku_line(tables, wish['sku'])['product']['name']} is in your cart.")
