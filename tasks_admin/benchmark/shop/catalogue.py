"""Home, categories, search and product pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from tasks_admin.benchmark.engine.tables import Row, Tables
from tasks_admin.benchmark.shop.goods import CATEGORIES
from tasks_admin.benchmark.shop.pages import card, missing, page, tables_of

ROUTES = web.RouteTableDef()
PER_PAGE = 6
SORTS: dict[str, tuple[str, Callable[[Row], Any]]] = {
    "": ("Featured", lambda p: p["id"]),
    "price": ("Price, lowest first", lambda p: p["price"]),
    "-price": ("Price, highest first", lambda p: -p["price"]),
    "rating": ("Best rated", lambda p: (-p["rating"], -p["count"])),
    "name": ("Name", lambda p: p["name"].lower()),
}


@ROUTES.get("/")
async def home(request: web.Request) -> web.StreamResponse:
    """Categories and what is liked best."""
    cards = [card(tables_of(request), p) for p in tables_of(request).all("products")]
    liked = sorted((c for c in cards if c["in_stock"]), key=lambda c: (-c["rating"], -c["count"]))[:8]
    faces = {name: next(c for c in cards if c["category"] == name) for name in CATEGORIES}
    return page(request, "home.html", liked=liked, faces=faces)


@ROUTES.get("/c/{category}")
async def category(request: web.Request) -> web.StreamResponse:
    """One category, filtered, sorted and paged."""
    name = request.match_info["category"]
    if name not in CATEGORIES:
        return missing(request)
    cards = _cards(tables_of(request), lambda p: bool(p["category"] == name))
    return _listing(request, CATEGORIES[name], cards)


@ROUTES.get("/search")
async def search(request: web.Request) -> web.StreamResponse:
    """Products that hold every word of the query."""
    words = request.query.get("q", "").casefold().split()
    cards = _cards(tables_of(request), lambda p: all(word in _text(p) for word in words))
    title = f"Results for “{request.query.get('q', '').strip()}”" if words else "Everything"
    return _listing(request, title, cards)


def _text(product: Row) -> str:
    fields = (product["name"], product["line"], product["material"], CATEGORIES[product["category"]])
    return " ".join(fields).casefold()


def _cards(tables: Tables, test: Callable[[Row], bool]) -> list[Row]:
    return [card(tables, product) for product in tables.all("products", test)]


def _listing(request: web.Request, title: str, cards: list[Row]) -> web.Response:
    chosen = {key: request.query.get(key, "") for key in ("material", "rating", "max", "stock", "sort")}
    materials = sorted({c["material"] for c in cards})
    found = sorted(filter(lambda c: _passes(c, chosen), cards), key=SORTS.get(chosen["sort"], SORTS[""])[1])
    pages = max(1, -(-len(found) // PER_PAGE))
    number = min(_whole(request.query.get("page", ""), 1), pages)
    return page(
        request,
        "listing.html",
        title=title,
        found=found[(number - 1) * PER_PAGE : number * PER_PAGE],
        total=len(found),
        materials=materials,
        chosen=chosen,
        sorts={key: label for key, (label, _) in SORTS.items()},
        number=number,
        pages=pages,
        link=lambda n: request.path + "?" + urlencode({**request.query, "page": n}),
    )


def _passes(c: Row, chosen: dict[str, str]) -> bool:
    return (
        (not chosen["material"] or c["material"] == chosen["material"])
        and (not chosen["rating"] or c["rating"] >= _number(chosen["rating"], 0))
        and (not chosen["max"] or c["price"] <= _number(chosen["max"], 1e9) * 100)
        and (not chosen["stock"] or c["in_stock"] > 0)
    )


def _number(text: str, otherwise: float) -> float:
    try:
        return float(text)
    except ValueError:
        return otherwise


def _whole(text: str, otherwise: int) -> int:
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 6 else otherwise


@ROUTES.get("/p/{slug}")
async def product(request: web.Request) -> web.StreamResponse:
    """One product with its options and reviews."""
    tables = tables_of(request)
    found = tables.find("products", lambda p: p["slug"] == request.match_info["slug"])
    if found is None:
        return missing(request, "product")
    reviews = tables.all("reviews", lambda r: r["product"] == found["id"])
    related = _cards(tables, lambda p: p["category"] == found["category"] and p["id"] != found["id"])
    shown = card(tables, found)
    wanted = request.query.get("option", "")
    option = next((s for s in shown["skus"] if s["option"] == wanted), None) or shown["skus"][0]
    newest = sorted(reviews, key=lambda r: r["date"], reverse=True)
    return page(request, "product.html", product=shown, option=option, reviews=newest, related=related[:4])
