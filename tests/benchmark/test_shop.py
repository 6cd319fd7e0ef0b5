from __future__ import annotations

import re

import pytest

from tests.benchmark.running import RunningServer, Visitor


@pytest.fixture
def visitor(server: RunningServer) -> Visitor:
    return server.visit(server.prepare("kettle-to-cart"))


def test_the_session_leaves_the_address_and_the_rest_of_the_query_stays(server: RunningServer) -> None:
    prepared = server.prepare("kettle-to-cart")
    visitor = Visitor(prepared["upstream"])
    page = visitor.get(f"/search?q=wool&session={prepared['id']}&sort=price")
    assert page.url == prepared["upstream"] + "/search?q=wool&sort=price"
    assert page.status == 200
    assert prepared["id"] not in page.text


@pytest.mark.parametrize("path", ["/", "/?session=shop.unknown", "/cart", "/?session=../../etc/passwd", "/?session="])
def test_without_a_session_the_visit_is_over(server: RunningServer, path: str) -> None:
    page = Visitor(server.server.control.origins["shop"]).get(path)
    assert page.status == 410
    assert "This visit is over" in page.text


def test_a_path_with_two_slashes_does_not_lead_elsewhere(server: RunningServer) -> None:
    prepared = server.prepare("kettle-to-cart")
    page = Visitor(prepared["upstream"]).get(f"//example.org/?session={prepared['id']}")
    assert page.url == prepared["upstream"] + "/example.org/"
    assert page.status == 404


def test_nothing_is_asked_of_other_servers(visitor: Visitor) -> None:
    for path in (
        "/",
        "/c/garden",
        "/p/brew-teapot",
        "/assets/shop/shop.css",
        "/assets/shop/shop.js",
        "/assets/page.js",
    ):
        page = visitor.get(path)
        assert page.status == 200
        assert not re.search(r"(src|href|action)=[\"']?(https?:)?//|url\(|@import", page.text), path
        assert len(page.text) < 100_000


def test_a_clean_page_carries_no_page_options(server: RunningServer) -> None:
    clean, odd = server.prepare("moved-house"), server.prepare("moved-house", "moved-house--survey")
    assert "page-options" not in server.visit(clean).get("/addresses").text
    assert "page-options" in server.visit(odd).get("/addresses").text


def test_search_filters_sort_and_pages(visitor: Visitor) -> None:
    names = re.compile(r'<span class="name">(.*?)</span>')
    assert visitor.get("/search?q=wool+blanket").text.count('class="tile"') == 2
    wool = visitor.get("/c/textiles?material=Wool&sort=price").text
    prices = [float(p) for p in re.findall(r"€([\d.]+)", wool)]
    assert prices == sorted(prices)
    first, second = (names.findall(visitor.get(f"/search?page={n}").text) for n in (1, 2))
    assert len(first) == len(second) == 6
    assert not set(first) & set(second)
    assert visitor.get("/search?page=999&max=abc&rating=x&sort=y").status == 200
    assert "Nothing fits" in visitor.get("/search?q=%3Cscript%3E").text
    assert "<script>" not in visitor.get("/search?q=%3Cscript%3Ealert").text.split("<main")[1].split("</main")[0]


@pytest.mark.parametrize(
    "path", ["/p/nothing", "/c/nothing", "/orders/LF-1", "/addresses/99", "/orders/LF-1/cancel", "/x"]
)
def test_what_is_not_there_is_404(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 404
    assert "Not found" in page.text


def test_cart_refuses_what_cannot_be(visitor: Visitor) -> None:
    def add(**form: object) -> dict:
        return visitor.post("/cart", accept="application/json", **form).json

    assert not add(sku=99999, qty=1)["ok"]
    assert not add(sku=1, qty=0)["ok"]
    assert not add(sku=1, qty="²")["ok"]
    assert not add(qty=1)["ok"]
    assert "left in stock" in add(sku=1, qty=20)["message"] or add(sku=1, qty=20)["ok"] is False
    assert add(sku=1, qty=1)["count"] == 1
    assert "Please give a quantity" in visitor.post("/cart/1/quantity", qty="many").text
    assert "Removed" in visitor.post("/cart/1/remove").text
    assert "Your cart is empty" in visitor.post("/checkout").text


def test_checkout_wants_every_choice(visitor: Visitor) -> None:
    visitor.post("/cart", sku=1, qty=1)
    page = visitor.post("/checkout", address=1, shipping="standard")
    assert page.status == 422
    assert "Please choose an address" in page.text


def test_addresses_keep_exactly_one_default(server: RunningServer) -> None:
    prepared = server.prepare("kettle-to-cart")
    visitor = server.visit(prepared)
    fields = dict.fromkeys(("label", "name", "street", "postcode", "city", "phone"), "<b>x</b>")
    assert "Please fill in" in visitor.post("/addresses", **{**fields, "city": " "}).text
    assert "&lt;b&gt;x&lt;/b&gt;" in visitor.post("/addresses", **fields, is_default=1).text
    visitor.post("/addresses/2/default")
    assert "cannot be deleted" in visitor.post("/addresses/2/delete").text
    rows = server.session(prepared["id"]).tables.all("addresses")
    assert [row["id"] for row in rows if row["is_default"]] == [2]


def test_only_what_was_delivered_goes_back_and_not_more_than_bought(server: RunningServer) -> None:
    prepared = server.prepare("kettle-to-cart")
    visitor = server.visit(prepared)
    orders = server.session(prepared["id"]).tables.all("orders")
    old = next(o for o in orders if o["status"] == "delivered")
    young = next(o for o in orders if o["status"] == "processing")
    form = {"reason": "faulty", "refund": "credit"}
    assert visitor.post("/returns", order=young["number"], sku=young["items"][0]["sku"], qty=1, **form).status == 404
    item = old["items"][0]
    assert visitor.post("/returns", order=old["number"], sku=item["sku"], qty=item["qty"], **form).status == 200
    assert visitor.post("/returns", order=old["number"], sku=item["sku"], qty=1, **form).status == 422


def test_a_cancelled_order_gives_its_stock_back(server: RunningServer) -> None:
    prepared = server.prepare("kettle-to-cart")
    visitor = server.visit(prepared)
    tables = server.session(prepared["id"]).tables
    order = next(o for o in tables.all("orders") if o["status"] == "processing")
    sku, qty = order["items"][0]["sku"], order["items"][0]["qty"]
    before = tables.get("skus", sku)["stock"]
    assert visitor.post(f"/orders/{order['number']}/cancel").status == 422
    visitor.post(f"/orders/{order['number']}/cancel", reason="late")
    assert server.session(prepared["id"]).tables.get("skus", sku)["stock"] == before + qty
    assert visitor.post(f"/orders/{order['number']}/cancel", reason="late").status == 404
