"""One solver per shop task: what a careful person does, who looks whether it worked and tries again if not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tasks_admin.benchmark.engine.tables import Row, Tables
from tasks_admin.benchmark.shop import specs
from tasks_admin.benchmark.shop.seed import average, product_named
from tests.benchmark.running import Visitor

TRIES = 4


def until_seen(act: Callable[[], Any], seen: Callable[[], bool]) -> None:
    for _ in range(TRIES):
        act()
        if seen():
            return
    raise AssertionError("it never worked")


def add(visitor: Visitor, tables: Tables, sku: int, qty: int = 1) -> None:
    slug = tables.get("products", tables.get("skus", sku)["product"])["slug"]
    assert f'value="{sku}"' in visitor.get(f"/p/{slug}").text
    until_seen(
        lambda: visitor.post("/cart", accept="application/json", sku=sku, qty=qty),
        lambda: f'href="/p/{slug}"' in visitor.get("/cart").text,
    )


def order(visitor: Visitor, address: int, shipping: str, payment: int, note: str = "") -> str:
    assert "Place order" in visitor.get("/checkout").text
    return visitor.post("/checkout", address=address, shipping=shipping, payment=payment, note=note).url


def kettle(visitor: Visitor, tables: Tables) -> None:
    add(visitor, tables, specs.sku_of(tables, "Halden stovetop kettle", "Sage green"))


def parents(visitor: Visitor, tables: Tables) -> None:
    row = tables.find("addresses", lambda a: a["city"] == "Westbrook")
    visitor.post(f"/addresses/{row['id']}/default")


def fennel(visitor: Visitor, tables: Tables) -> None:
    add(visitor, tables, specs.sku_of(tables, "Fennel desk lamp", "Brass"))
    order(visitor, specs.address_id(tables, "Office"), "standard", specs.payment_id(tables, "Visa"))


def napkins(visitor: Visitor, tables: Tables) -> None:
    number = specs.latest_order(tables, "Tarn linen napkins, pair")["number"]
    if visitor.post(f"/orders/{number}/cancel", reason="mistake").status == 403:
        visitor.post("/account/confirm-email")
        assert visitor.post(f"/orders/{number}/cancel", reason="mistake").status == 200


def workshop(visitor: Visitor, tables: Tables) -> None:
    fields = {"label": "Workshop", "name": "Mara Lindqvist", "street": "28 Cooper Street", "postcode": "4417"}
    assert "Saved: Workshop" in visitor.post("/addresses", **fields, city="Eastwick", phone="555 0142").text


def blanket(visitor: Visitor, tables: Tables) -> None:
    page = visitor.get("/c/textiles?material=Wool&rating=4.5&sort=price").text
    slug = page.split('<ul class="grid three">')[1].split('href="/p/')[1].split('"')[0]
    product = tables.find("products", lambda p: p["slug"] == slug)
    add(visitor, tables, next(s["id"] for s in tables.all("skus") if s["product"] == product["id"]))


def send_back(visitor: Visitor, name: str, found: Row, qty: int, reason: str, refund: str) -> None:
    sku = next(i["sku"] for i in found["items"] if i["name"] == name)
    form = {"order": found["number"], "sku": sku, "qty": qty, "reason": reason, "refund": refund}
    until_seen(
        lambda: visitor.post("/returns", **form),
        lambda: f"{qty} × {name}" in visitor.get("/returns").text.split("What you can send back")[0],
    )


def tumblers(visitor: Visitor, tables: Tables) -> None:
    name = "Orrin tumblers, single"
    send_back(visitor, name, specs.latest_order(tables, name), 2, "damaged", "original")


def wishes(visitor: Visitor, tables: Tables) -> None:
    for wish in tables.all("wishlist"):
        sku = tables.get("skus", wish["sku"])
        if sku["stock"] and tables.get("products", sku["product"])["price"] < 4000:
            visitor.post(f"/wishlist/{wish['id']}/move")
            if f"/wishlist/{wish['id']}/remove" in visitor.get("/wishlist").text:
                visitor.post(f"/wishlist/{wish['id']}/remove")


def breakfast(visitor: Visitor, tables: Tables) -> None:
    before = next(o for o in tables.all("orders") if o["note"] == "Breakfast set")
    visitor.post(f"/orders/{before['number']}/again")
    mugs = next(i for i in before["items"] if "mug" in i["name"])
    line = 1 + before["items"].index(mugs)
    until_seen(
        lambda: visitor.post(f"/cart/{line}/quantity", qty=2 * mugs["qty"]),
        lambda: f'name="qty" value="{2 * mugs["qty"]}"' in visitor.get("/cart").text,
    )
    invoice = specs.payment_id(tables, "Invoice")
    order(visitor, specs.address_id(tables, "Parents"), "express", invoice, "Happy anniversary")


def moved(visitor: Visitor, tables: Tables) -> None:
    home = next(a for a in tables.all("addresses") if a["label"] == "Home")
    fields = {"label": "Home", "name": home["name"], "phone": home["phone"]}
    visitor.post(f"/addresses/{home['id']}", **fields, street="5 Juniper Court", postcode="2093", city="Northam")
    visitor.post(f"/addresses/{specs.address_id(tables, 'Office')}/default")
    visitor.post(f"/addresses/{specs.address_id(tables, 'Old studio')}/delete")


def rooms(visitor: Visitor, tables: Tables) -> None:
    sold: set[int] = set()

    def fill() -> None:
        for category in specs.THREE_ROOMS:
            add(visitor, tables, cheapest(tables, category, sold))

    fill()
    pay = (specs.address_id(tables, "Home"), "standard", specs.payment_id(tables, "Visa"))
    if not order(visitor, *pay).endswith("/cart"):
        return
    page = visitor.get("/cart").text
    line = int(page.split("Sold out")[1].split('action="/cart/')[1].split("/")[0])
    skus = [cheapest(tables, category, set()) for category in specs.THREE_ROOMS]
    sold.add(skus[line - 1])
    visitor.post(f"/cart/{line}/remove")
    add(visitor, tables, cheapest(tables, specs.THREE_ROOMS[line - 1], sold))
    order(visitor, *pay)


def cheapest(tables: Tables, category: str, sold: set[int]) -> int:
    products = [p for p in tables.all("products") if p["category"] == category and average(tables, p["id"])[0] >= 4.5]
    for product in sorted(products, key=lambda p: p["price"]):
        for sku in tables.all("skus", lambda s, p=product: s["product"] == p["id"]):
            if sku["stock"] and sku["id"] not in sold:
                return int(sku["id"])
    raise AssertionError(f"nothing in {category}")


def lamp(visitor: Visitor, tables: Tables) -> None:
    name = "Vesper table lamp"
    before = specs.latest_order(tables, name)
    send_back(visitor, name, before, 1, "faulty", "credit")
    bought, product = before["items"][0]["sku"], product_named(tables, name)["id"]
    other = next(s["id"] for s in tables.all("skus") if s["product"] == product and s["id"] != bought)
    add(visitor, tables, other)
    order(visitor, before["address"], "express", specs.payment_id(tables, "Mastercard"))
    wish = next(w["id"] for w in tables.all("wishlist") if w["sku"] == bought)
    visitor.post(f"/wishlist/{wish}/remove")


SOLVERS: dict[str, Callable[[Visitor, Tables], None]] = {
    "kettle-to-cart": kettle,
    "parents-default": parents,
    "fennel-lamp": fennel,
    "cancel-napkins": napkins,
    "workshop-address": workshop,
    "warm-blanket": blanket,
    "broken-tumblers": tumblers,
    "wishes-to-cart": wishes,
    "breakfast-again": breakfast,
    "moved-house": moved,
    "three-rooms": rooms,
    "swap-lamp": lamp,
}
