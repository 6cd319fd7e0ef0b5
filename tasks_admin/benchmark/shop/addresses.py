"""The address book."""

from __future__ import annotations

from aiohttp import web

from tasks_admin.benchmark.engine.tables import Row, Tables
from tasks_admin.benchmark.shop.pages import go, missing, page, row_or_none, sent, tables_of

ROUTES = web.RouteTableDef()
FIELDS = {
    "label": "Label",
    "name": "Name",
    "street": "Street and number",
    "postcode": "Postcode",
    "city": "City",
    "phone": "Phone",
}


@ROUTES.get("/addresses")
async def index(request: web.Request) -> web.StreamResponse:
    """All addresses: the default first, then by label, the newest of a label first."""
    rows = sorted(tables_of(request).all("addresses"), key=lambda a: (not a["is_default"], a["label"], -a["id"]))
    return page(request, "addresses.html", addresses=rows)


@ROUTES.get("/addresses/new")
async def new(request: web.Request) -> web.StreamResponse:
    """An empty form."""
    return _form(request, dict.fromkeys(FIELDS, ""), None)


@ROUTES.post("/addresses")
async def create(request: web.Request) -> web.StreamResponse:
    """Save a new address."""
    given = _given(request)
    if not all(given.values()):
        return _form(request, given, None, "Please fill in every field.")
    tables = tables_of(request)
    row = tables.insert("addresses", **given, is_default=False)
    if sent(request, "is_default"):
        _make_default(tables, row)
    return go("/addresses", f"Saved: {given['label']}.")


@ROUTES.get("/addresses/{id:\\d+}")
async def edit(request: web.Request) -> web.StreamResponse:
    """The form of one address."""
    row = row_or_none(request, "addresses")
    return _form(request, row, row) if row else missing(request, "address")


@ROUTES.post("/addresses/{id:\\d+}")
async def save(request: web.Request) -> web.StreamResponse:
    """Change one address."""
    row, given = row_or_none(request, "addresses"), _given(request)
    if row is None:
        return missing(request, "address")
    if not all(given.values()):
        return _form(request, given, row, "Please fill in every field.")
    row.update(given)
    if sent(request, "is_default"):
        _make_default(tables_of(request), row)
    return go("/addresses", f"Saved: {given['label']}.")


@ROUTES.post("/addresses/{id:\\d+}/default")
async def make_default(request: web.Request) -> web.StreamResponse:
    """Deliver here unless told otherwise."""
    row = row_or_none(request, "addresses")
    if row is None:
        return missing(request, "address")
    _make_default(tables_of(request), row)
    return go("/addresses", f"{row['label']} is now your default address.")


@ROUTES.post("/addresses/{id:\\d+}/delete")
async def delete(request: web.Request) -> web.StreamResponse:
    """Delete one address; the default stays."""
    row = row_or_none(request, "addresses")
    if row is None:
        return go("/addresses", "This address is already gone.")
    if row["is_default"]:
        return go("/addresses", "The default address cannot be deleted. Choose another default first.")
    tables_of(request).delete("addresses", lambda other: bool(other["id"] == row["id"]))
    return go("/addresses", f"Deleted: {row['label']}.")


def _make_default(tables: Tables, row: Row) -> None:
    for address in tables.all("addresses"):
        address["is_default"] = address["id"] == row["id"]


def _given(request: web.Request) -> dict[str, str]:
    return {field: sent(request, field)[:80] for field in FIELDS}


def _form(request: web.Request, values: Row, row: Row | None, error: str = "") -> web.Response:
    status = 422 if error else 200
    return page(request, "address_form.html", status=status, values=values, row=row, fields=FIELDS, error=error)
