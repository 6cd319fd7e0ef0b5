"""The account page and the help page."""

from __future__ import annotations

from aiohttp import web

from tasks_admin.benchmark.shop.pages import go, page, tables_of

ROUTES = web.RouteTableDef()


@ROUTES.get("/account")
async def show(request: web.Request) -> web.StreamResponse:
    """Name, e-mail, and the way to everything else."""
    return page(request, "account.html")


@ROUTES.post("/account/confirm-email")
async def confirm(request: web.Request) -> web.StreamResponse:
    """Confirm the e-mail address (this shop sends no mail)."""
    tables_of(request).get("account", 1)["email_confirmed"] = True
    return go("/account", "Thank you. Your e-mail address is confirmed.")


@ROUTES.get("/help")
async def help_page(request: web.Request) -> web.StreamResponse:
    """Shipping, returns, changes to orders."""
    return page(request, "help.html")
