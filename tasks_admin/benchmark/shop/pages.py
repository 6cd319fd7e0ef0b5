"""Rendering: templates, money, dates, notices."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tasks_admin.benchmark.engine.tables import Row, Tables
from tasks_admin.benchmark.engine.web import FORM, SESSION
from tasks_admin.benchmark.shop.goods import CATEGORIES
from tasks_admin.benchmark.shop.pictures import picture
from tasks_admin.benchmark.shop.seed import average

HERE = Path(__file__).parent
STATIC = HERE / "static"
NOTICE = "notice"

REASONS = {"damaged": "Arrived damaged", "faulty": "Faulty", "wrong": "Wrong thing sent", "unwanted": "Changed my mind"}
REFUNDS = {"original": "Original payment method", "credit": "Store credit"}
CANCEL_REASONS = {
    "mistake": "Ordered by mistake",
    "late": "Takes too long",
    "cheaper": "Found it cheaper",
    "other": "Other",
}
STATUS = {"processing": "Being prepared", "shipped": "On its way", "delivered": "Delivered", "cancelled": "Cancelled"}


def money(cents: int) -> str:
    """``€12.90``."""
    return f"€{cents / 100:.2f}"


def day(iso: str) -> str:
    """``3 March 2025``."""
    moment = datetime.fromisoformat(iso)
    return f"{moment.day} {moment:%B %Y}"


def stars(value: float) -> str:
    """Percentage of the five stars that are filled, for the style sheet."""
    return f"{value / 5 * 100:.0f}%"


TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters.update(money=money, day=day, stars=stars)
TEMPLATES.globals.update(
    CATEGORIES=CATEGORIES,
    REASONS=REASONS,
    REFUNDS=REFUNDS,
    CANCEL_REASONS=CANCEL_REASONS,
    STATUS=STATUS,
    picture=picture,
)


def tables_of(request: web.Request) -> Tables:
    """The tables of the visitor's session."""
    return request[SESSION].tables


def page(request: web.Request, template: str, status: int = 200, **data: Any) -> web.Response:
    """Render a template with what every page shows."""
    tables = tables_of(request)
    text = TEMPLATES.get_template(template).render(
        tables=tables,
        account=tables.get("account", 1),
        cart_count=sum(row["qty"] for row in tables.all("cart")),
        notice=unquote(request.cookies.get(NOTICE, "")),
        path=request.path,
        query=request.query.get("q", ""),
        **data,
    )
    answer = web.Response(text=text, status=status, content_type="text/html")
    if NOTICE in request.cookies:
        answer.del_cookie(NOTICE, path="/")
    return answer


def go(path: str, notice: str = "") -> web.Response:
    """Redirect after a form. Not raised, so that what the form changed is kept."""
    answer = web.Response(status=303, headers={"Location": path})
    if notice:
        answer.set_cookie(NOTICE, quote(notice), path="/", samesite="Lax", max_age=60)
    return answer


async def not_found(request: web.Request) -> web.StreamResponse:
    """The shop's own 404."""
    return missing(request)


def missing(request: web.Request, what: str = "page") -> web.Response:
    """The page for something that is not there."""
    return page(request, "missing.html", status=404, what=what)


def row_or_none(request: web.Request, table: str, key: str = "id") -> Row | None:
    """The row that the path names by id."""
    text = request.match_info[key]
    return tables_of(request).find(table, lambda row: str(row["id"]) == text)


def sent(request: web.Request, field: str) -> str:
    """A form field, trimmed; empty if absent."""
    return str(request[FORM].get(field, "")).strip()


def number_sent(request: web.Request, field: str, low: int, high: int) -> int | None:
    """A form field as a whole number within bounds, or None."""
    text = sent(request, field)
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        return None
    value = int(text)
    return value if low <= value <= high else None


def card(tables: Tables, product: Row) -> Row:
    """A product with what its card shows: options, stock and rating."""
    skus = tables.all("skus", lambda sku: sku["product"] == product["id"])
    rating, count = average(tables, product["id"])
    in_stock = sum(sku["stock"] for sku in skus)
    return {**product, "skus": skus, "rating": rating, "count": count, "in_stock": in_stock}


def sku_line(tables: Tables, sku_id: int) -> Row:
    """A product's option with its product: what a cart or wish list shows in one line."""
    sku = tables.get("skus", sku_id)
    return {"sku": sku, "product": tables.get("products", sku["product"])}
