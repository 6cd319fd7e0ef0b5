"""What each task asks of the shop's state. The answers follow from the initial tables, and so from the seed."""

from __future__ import annotations

from tasks_admin.benchmark.engine.predicates import one_of, same_set, same_text, satisfies
from tasks_admin.benchmark.engine.scoring import Create, Delete, Free, Protect, Spec, Update
from tasks_admin.benchmark.engine.tables import Row, Tables
from tasks_admin.benchmark.shop.seed import WELL_LIKED, average, product_named

STOCK = Free("skus", ("stock",))
OLD_ORDERS = Protect("Earlier orders are as they were", "orders")
BOOK = Protect("The other addresses are as they were", "addresses")
BUDGET = 9000
THREE_ROOMS = ("lighting", "kitchen", "garden")


def sku_of(tables: Tables, name: str, option: str) -> int:
    """The id of a product's option."""
    product = product_named(tables, name)["id"]
    return next(int(s["id"]) for s in tables.all("skus") if s["product"] == product and s["option"] == option)


def address_id(tables: Tables, label: str) -> int:
    """The id of the first address of this label."""
    return next(int(a["id"]) for a in tables.all("addresses") if a["label"] == label)


def payment_id(tables: Tables, start: str) -> int:
    """The id of the payment method whose label starts so."""
    return next(int(p["id"]) for p in tables.all("payments") if p["label"].startswith(start))


def latest_order(tables: Tables, name: str) -> Row:
    """The youngest order with this product."""
    orders = tables.all("orders", lambda o: any(i["name"] == name for i in o["items"]))
    return max(orders, key=lambda o: o["placed"])


def kettle(tables: Tables) -> Spec:
    sku = sku_of(tables, "Halden stovetop kettle", "Sage green")
    return Spec((Create("One sage green kettle is in the cart", "cart", ({"sku": sku, "qty": 1},)),))


def parents_default(tables: Tables) -> Spec:
    changes = (
        ({"city": "Westbrook"}, {"is_default": True}),
        ({"is_default": True}, {"is_default": False}),
    )
    return Spec((Update("The address in Westbrook is the default", "addresses", changes),), (BOOK,))


def fennel_lamp(tables: Tables) -> Spec:
    order = {
        "items": same_set({"sku": sku_of(tables, "Fennel desk lamp", "Brass"), "qty": 1}),
        "address": address_id(tables, "Office"),
        "shipping": "standard",
        "payment": payment_id(tables, "Visa"),
    }
    return Spec((Create("One brass lamp is ordered as asked", "orders", (order,)),), (OLD_ORDERS,), (STOCK,))


def cancel_napkins(tables: Tables) -> Spec:
    which = latest_order(tables, "Tarn linen napkins, pair")
    then = {"status": "cancelled", "cancel_reason": "mistake"}
    return Spec(
        (Update("The order with the napkins is cancelled", "orders", (({"number": which["number"]}, then),)),),
        (Protect("The other orders are as they were", "orders"),),
        (STOCK, Free("account", ("email_confirmed",))),
    )


def workshop(tables: Tables) -> Spec:
    address = {
        "label": same_text("Workshop"),
        "name": same_text("Mara Lindqvist"),
        "street": same_text("28 Cooper Street"),
        "postcode": same_text("4417"),
        "city": same_text("Eastwick"),
        "phone": satisfies("555 0142", lambda value: "".join(str(value).split()) == "5550142"),
        "is_default": False,
    }
    return Spec((Create("The workshop's address is saved once", "addresses", (address,)),), (BOOK,))


def warm_blanket(tables: Tables) -> Spec:
    wool = tables.all("products", lambda p: p["material"] == "Wool")
    best = min((p for p in wool if is_liked(tables, p)), key=lambda p: int(p["price"]))
    skus = [s["id"] for s in tables.all("skus") if s["product"] == best["id"] and s["stock"]]
    wanted = {"sku": one_of(skus), "qty": 1}
    return Spec((Create("The cheapest well-liked wool blanket is in the cart", "cart", (wanted,)),))


def broken_tumblers(tables: Tables) -> Spec:
    order = latest_order(tables, "Orrin tumblers, single")
    item = next(i for i in order["items"] if i["name"] == "Orrin tumblers, single")
    wanted = {"order": order["id"], "sku": item["sku"], "qty": 2, "reason": "damaged", "refund": "original"}
    return Spec((Create("Two tumblers are registered for return", "returns", (wanted,)),), (OLD_ORDERS,))


def wishes_to_cart(tables: Tables) -> Spec:
    rows = [w for w in tables.all("wishlist") if _affordable(tables, w["sku"])]
    return Spec(
        (
            Create("What fits is in the cart", "cart", tuple({"sku": w["sku"], "qty": 1} for w in rows)),
            Delete("What fits has left the wish list", "wishlist", tuple({"sku": w["sku"]} for w in rows)),
        ),
        (Protect("The rest stays on the wish list", "wishlist"),),
    )


def _affordable(tables: Tables, sku_id: int) -> bool:
    sku = tables.get("skus", sku_id)
    return bool(sku["stock"] and tables.get("products", sku["product"])["price"] < 4000)


def breakfast_again(tables: Tables) -> Spec:
    before = next(o for o in tables.all("orders") if o["note"] == "Breakfast set")
    items = [{"sku": i["sku"], "qty": i["qty"] * (2 if "mug" in i["name"] else 1)} for i in before["items"]]
    order = {
        "items": same_set(*items),
        "address": address_id(tables, "Parents"),
        "shipping": "express",
        "payment": payment_id(tables, "Invoice"),
        "note": same_text("Happy anniversary"),
    }
    return Spec((Create("The set is ordered again as asked", "orders", (order,)),), (OLD_ORDERS,), (STOCK,))


def moved_house(tables: Tables) -> Spec:
    home = {"street": same_text("5 Juniper Court"), "postcode": same_text("2093"), "city": same_text("Northam")}
    changes = (
        ({"label": "Home"}, {**home, "is_default": False}),
        ({"label": "Office"}, {"is_default": True}),
    )
    return Spec(
        (
            Update("Home has moved, and Office is the default", "addresses", changes),
            Delete("The old studio is gone", "addresses", ({"label": "Old studio"},), weight=0.5),
        ),
        (BOOK,),
    )


def three_rooms(tables: Tables) -> Spec:
    order = {
        "items": same_set(*({"product": one_of(_liked(tables, c)), "qty": 1} for c in THREE_ROOMS)),
        "goods": satisfies(f"at most {BUDGET}", lambda value: value <= BUDGET),
        "address": address_id(tables, "Home"),
        "shipping": "standard",
        "payment": payment_id(tables, "Visa"),
    }
    return Spec((Create("Three fitting things are ordered", "orders", (order,)),), (OLD_ORDERS,), (STOCK,))


def _liked(tables: Tables, category: str) -> list[int]:
    products = tables.all("products", lambda p: p["category"] == category)
    return [p["id"] for p in products if is_liked(tables, p)]


def is_liked(tables: Tables, product: Row) -> bool:
    """True if its average rating, as shown, is at least 4.5."""
    return average(tables, product["id"])[0] >= WELL_LIKED


def swap_lamp(tables: Tables) -> Spec:
    name = "Vesper table lamp"
    before = latest_order(tables, name)
    sku, product = before["items"][0]["sku"], before["items"][0]["product"]
    others = [s["id"] for s in tables.all("skus") if s["product"] == product and s["id"] != sku and s["stock"]]
    wanted = {"order": before["id"], "sku": sku, "qty": 1, "reason": "faulty", "refund": "credit"}
    order = {
        "items": same_set({"sku": one_of(others), "qty": 1}),
        "address": before["address"],
        "shipping": "express",
        "payment": payment_id(tables, "Mastercard"),
    }
    return Spec(
        (
            Create("The lamp is registered for return", "returns", (wanted,)),
            Create("The same lamp in another colour is ordered", "orders", (order,)),
            Delete("The lamp has left the wish list", "wishlist", ({"sku": sku},), weight=0.5),
        ),
        (OLD_ORDERS,),
        (STOCK,),
    )
