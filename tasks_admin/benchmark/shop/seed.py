"""The state a shop session begins with: a function of the seed alone."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

from tasks_admin.benchmark.engine.tables import Row, Tables, now_of
from tasks_admin.benchmark.shop.goods import GOODS, Good

PERSON = "Mara Lindqvist"
EMAIL = "mara.lindqvist@example.org"
TABLES = (
    "account", "products", "skus", "reviews", "wishlist", "cart",
    "addresses", "payments", "shipping", "orders", "returns",
)  # fmt: skip
WELL_LIKED = 4.5
IN_STOCK = ("Halden stovetop kettle", "Fennel desk lamp", "Vesper table lamp", "Brew teapot")
LIKED = (
    "Pip night light", "Tallow LED bulb, pack of 3", "Maren stoneware mug", "Maren stoneware bowl",
    "Root hand trowel", "Alma plant pot",
)  # fmt: skip

FIRST = ("Ana", "Björn", "Chiara", "Dev", "Edda", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kaya", "Liv", "Milan",
         "Nora", "Otis", "Pia", "Rosa", "Sami", "Tove", "Uwe", "Vera", "Wim", "Yara", "Zoë")  # fmt: skip
PRAISE = (
    ("Exactly right", "Looks like the picture and feels well made."),
    ("Would buy again", "Second one in this house. No complaints so far."),
    ("Lovely thing", "A present that turned out so well that I ordered one for myself."),
    ("Does its job", "Arrived well packed, and it has been in use every day since."),
    ("Good value", "I had expected less at this price."),
    ("Beautiful in the flat", "It stands by the window now and everybody asks where it is from."),
    ("Solid work", "No wobble, no rough edges, and it wipes clean in a moment."),
    ("Quick and well packed", "Two days from order to door, all paper and no plastic."),
)
SO_SO = (
    ("Fine, with a snag", "Good in itself, but the colour is a little darker than shown."),
    ("All right", "Does what it should. Nothing more, nothing less."),
    ("Decent", "It took a while to arrive. The thing itself is decent."),
    ("Nearly", "I like the shape, I do not love the finish."),
)
BLAME = (
    ("Not for me", "Smaller than I had thought. I sent it back."),
    ("Disappointed", "A scratch on the first day. The refund was quick at least."),
)


def initial(seed: int) -> Tables:
    """All tables of a new session."""
    rng = random.Random(seed)  # noqa: S311 (reproducible, not secret)
    tables = Tables({name: [] for name in TABLES})
    now = now_of(seed)
    tables.insert("account", name=PERSON, email=EMAIL, email_confirmed=False, now=now.isoformat())
    _stock_shelves(tables, rng, now)
    _people_and_payment(tables, rng)
    _past_orders(tables, rng, now)
    _wish_list(tables, rng)
    return tables


def _stock_shelves(tables: Tables, rng: random.Random, now: datetime) -> None:
    for good in GOODS:
        product = tables.insert("products", **_product(good, rng))
        for option in good.options:
            stock = 0 if rng.random() < 0.12 else rng.randint(2, 24)
            tables.insert("skus", product=product["id"], option=option, stock=stock)
        for stars in _stars(rng, rng.uniform(3.4, 5.0), rng.randint(5, 12)):
            _review(tables, rng, product, stars, now)
    _keep_promises(tables, rng)


def _product(good: Good, rng: random.Random) -> Row:
    price = round(good.price * rng.uniform(0.9, 1.1) / 50) * 50 - 10
    return {
        "slug": "-".join(good.name.lower().replace(",", "").split()),
        "name": good.name,
        "category": good.category,
        "material": good.material,
        "price": price,
        "shape": good.shape,
        "line": good.line,
        "days": rng.randint(1, 6),
    }


def _stars(rng: random.Random, mean: float, count: int) -> list[int]:
    return [max(1, min(5, round(rng.gauss(mean, 0.8)))) for _ in range(count)]


def _review(tables: Tables, rng: random.Random, product: Row, stars: int, now: datetime) -> None:
    title, text = rng.choice(PRAISE if stars > 3 else SO_SO if stars == 3 else BLAME)
    day = (now - timedelta(days=rng.randint(3, 400))).date().isoformat()
    author = f"{rng.choice(FIRST)} {rng.choice('ABDEFGHKLMNPRSTVW')}."
    tables.insert("reviews", product=product["id"], author=author, stars=stars, title=title, text=text, date=day)


def _keep_promises(tables: Tables, rng: random.Random) -> None:
    """What tasks rely on, whatever the seed: some products are well liked, some are not, and some are in stock."""
    for name in IN_STOCK:
        _fill(tables, product_named(tables, name)["id"], rng)
    wool = sorted((p for p in tables.all("products") if p["material"] == "Wool"), key=lambda p: p["price"])
    for place, product in enumerate(wool):
        product["price"] = 5940 + 1100 * place + rng.randint(0, 8) * 50
        _rate(tables, product["id"], liked=place in (1, 3))
        _fill(tables, product["id"], rng)
    for name in LIKED:
        product = product_named(tables, name)
        _rate(tables, product["id"], liked=True)
        _fill(tables, product["id"], rng)


def _rate(tables: Tables, product: int, liked: bool) -> None:
    """Make the average clearly at least 4.5, or clearly below."""
    reviews = tables.all("reviews", lambda row: row["product"] == product)
    for number, review in enumerate(reviews):
        stars = (5 if number % 3 else 4) if liked else (4, 5, 3)[number % 3]
        if stars != review["stars"]:
            title, text = (PRAISE if stars > 3 else SO_SO)[number % 3]
            review.update(stars=stars, title=title, text=text)


def _fill(tables: Tables, product: int, rng: random.Random) -> None:
    for sku in tables.all("skus", lambda row: row["product"] == product):
        sku["stock"] = rng.randint(8, 24)


def _people_and_payment(tables: Tables, rng: random.Random) -> None:
    def address(label: str, street: str, city: str, is_default: bool = False) -> None:
        tables.insert(
            "addresses",
            label=label,
            name="Ilse and Karl Lindqvist" if label == "Parents" else PERSON,
            street=f"{rng.randint(2, 89)} {street}",
            postcode=str(rng.randint(1000, 9899)),
            city=city,
            phone=f"555 {rng.randint(1000, 9999)}",
            is_default=is_default,
        )

    address("Home", "Alder Lane", "Eastwick", is_default=True)
    address("Office", "Harbour Street", "Eastwick")
    address("Parents", "Mill Road", "Westbrook")
    address("Old studio", "Foundry Yard", "Eastwick")
    tables.insert("payments", label="Visa ending in 4821", is_default=True)
    tables.insert("payments", label="Mastercard ending in 0937", is_default=False)
    tables.insert("payments", label="Invoice, 14 days", is_default=False)
    tables.insert("shipping", code="standard", name="Standard, 3 to 5 days", price=490)
    tables.insert("shipping", code="express", name="Express, next working day", price=990)
    tables.insert("shipping", code="pickup", name="Collect from a parcel shop", price=290)


def _past_orders(tables: Tables, rng: random.Random, now: datetime) -> None:
    def order(days: int, status: str, lines: list[tuple[str, int]], note: str = "", address: str = "") -> None:
        bought = [_line(tables, rng, name, qty) for name, qty in lines]
        label = address or rng.choice(("Home", "Office", "Parents"))
        where = tables.find("addresses", lambda row: row["label"] == label)
        moment = now - timedelta(days=days, hours=rng.randint(0, 7), minutes=rng.randint(0, 59))
        shipping, payment = rng.choice(("standard", "express")), rng.randint(1, 3)
        place_order(tables, bought, where or {}, shipping, payment, note, moment, status)

    order(rng.randint(200, 240), "delivered", [("Orrin tumblers, single", 2), ("Ledger notebook", 1)])
    order(rng.randint(150, 180), "delivered", [("Tarn linen napkins, pair", 1), ("Birk chopping board", 1)])
    order(
        rng.randint(90, 120),
        "delivered",
        [("Maren stoneware mug", rng.randint(2, 3)), ("Maren stoneware bowl", rng.randint(1, 2)), ("Brew teapot", 1)],
        note="Breakfast set",
    )
    order(rng.randint(40, 60), "delivered", [("Orrin tumblers, single", 4), ("Solveig frying pan", 1)])
    order(rng.randint(12, 20), "delivered", [("Vesper table lamp", 1)], address=rng.choice(("Office", "Parents")))
    order(rng.randint(4, 6), "shipped", [("Noon desk clock", 1)])
    order(2, "processing", [("Tarn linen napkins, pair", 2), ("Dune bath towel", rng.randint(1, 3))])
    order(1, "processing", [("Folio paper tray", 2)])


def _line(tables: Tables, rng: random.Random, name: str, qty: int) -> Row:
    product = product_named(tables, name)
    sku = rng.choice(tables.all("skus", lambda row: row["product"] == product["id"]))
    return {"sku": sku["id"], "qty": qty}


def place_order(
    tables: Tables,
    lines: list[Row],
    address: Row,
    shipping: str,
    payment: int,
    note: str,
    moment: datetime,
    status: str = "processing",
) -> Row:
    """Add an order for lines of {sku, qty}. Stock and cart are the caller's business."""
    items = [_item(tables, line) for line in lines]
    fee = next(row["price"] for row in tables.all("shipping") if row["code"] == shipping)
    goods = sum(item["price"] * item["qty"] for item in items)
    return tables.insert(
        "orders",
        number=f"LF-{20417 + 13 * (len(tables.all('orders')) + 1)}",
        placed=moment.isoformat(timespec="minutes"),
        status=status,
        cancel_reason="",
        items=items,
        address=address["id"],
        ship_to={field: address[field] for field in ("label", "name", "street", "postcode", "city")},
        shipping=shipping,
        payment=payment,
        note=note,
        goods=goods,
        total=goods + fee,
    )


def _item(tables: Tables, line: Row) -> dict[str, Any]:
    sku = tables.get("skus", line["sku"])
    product = tables.get("products", sku["product"])
    return {
        "sku": sku["id"],
        "product": product["id"],
        "name": product["name"],
        "option": sku["option"],
        "qty": line["qty"],
        "price": product["price"],
    }


def _wish_list(tables: Tables, rng: random.Random) -> None:
    """Six things: two or three that are in stock below 40, some that are dearer or sold out."""

    def wish(name: str, stock: int, price: int) -> None:
        product = product_named(tables, name)
        product["price"] = price
        sku = rng.choice(tables.all("skus", lambda row: row["product"] == product["id"]))
        sku["stock"] = stock
        wishes.append(sku["id"])

    wishes: list[int] = []
    wish("Thicket secateurs", rng.randint(3, 9), rng.choice((3490, 3790, 3990)))
    wish("Wren nesting box", rng.choice((0, 5)), 2490)
    wish("Hatch seagrass basket", rng.randint(2, 6), rng.choice((3190, 3590)))
    wish("Noon desk clock", 0, rng.choice((3690, 3890)))
    wish("Crate on wheels", rng.randint(2, 8), rng.choice((4290, 5590)))
    lamp = product_named(tables, "Vesper table lamp")
    past = next(i for o in tables.all("orders") for i in o["items"] if i["product"] == lamp["id"])
    wishes.append(past["sku"])
    rng.shuffle(wishes)
    for sku in wishes:
        tables.insert("wishlist", sku=sku)


def product_named(tables: Tables, name: str) -> Row:
    """The product of this name. Raises LookupError."""
    product = tables.find("products", lambda row: row["name"] == name)
    if product is None:
        raise LookupError(name)
    return product


def average(tables: Tables, product: int) -> tuple[float, int]:
    """Average stars to one decimal, as the shop shows it, and how many reviews."""
    stars = [row["stars"] for row in tables.all("reviews", lambda row: row["product"] == product)]
    return (round(sum(stars) / len(stars), 1) if stars else 0.0), len(stars)
