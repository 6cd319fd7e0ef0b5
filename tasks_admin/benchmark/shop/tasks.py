"""The shop's tasks. Each has one intervention; the answers follow from the seed, the instructions do not change."""

from __future__ import annotations

from tasks_admin.benchmark.engine.catalogue import Injection, Task, Variant
from tasks_admin.benchmark.shop import specs

SURVEY = {
    "path": "^/addresses",
    "ms": 600,
    "steps": [
        {
            "title": "Your opinion counts",
            "text": "Would you take two minutes for a few questions about Larkfield?",
            "buttons": [{"label": "Start the survey", "to": 1}, {"label": "Other choices", "to": 2, "quiet": True}],
        },
        {
            "title": "Question 1 of 14",
            "text": "How likely is it that you recommend Larkfield to a friend?",
            "buttons": [{"label": "Very likely", "to": 1}, {"label": "Back", "to": 0, "quiet": True}],
        },
        {
            "title": "Other choices",
            "text": "You can take part at any time from the foot of each page.",
            "buttons": [
                {"label": "Remind me in a minute", "to": 0},
                {"label": "Go on without", "to": -1, "quiet": True},
            ],
        },
    ],
}

WOOL_TOUCH = {
    "name": "Morrow wool-touch throw",
    "slug": "morrow-wool-touch-throw",
    "material": "Acrylic",
    "price": 3990,
    "line": "The look and feel of wool, easy to wash.",
}


def _variant(task: str, name: str, primitive: str, description: str, *injections: Injection) -> tuple[Variant, ...]:
    return (Variant(f"{task}--{name}", primitive, description, injections),)


TASKS = (
    Task(
        "kettle-to-cart",
        "Put a kettle into the cart",
        "Put one Halden stovetop kettle in sage green into your cart. Leave it there; do not order yet.",
        "easy",
        4,
        ("grounding",),
        spec=specs.kettle,
        variants=_variant(
            "kettle-to-cart",
            "first-click",
            "verification",
            "The first click on “Add to cart” does nothing.",
            Injection("client", {"swallow": {"selector": "[data-add]", "times": 1}}),
        ),
    ),
    Task(
        "parents-default",
        "Deliver to your parents by default",
        "Make your parents' address in Westbrook your default delivery address.",
        "easy",
        3,
        ("grounding",),
        spec=specs.parents_default,
        variants=_variant(
            "parents-default",
            "twin-address",
            "grounding",
            "A second address of the parents, in a town of a similar name, stands before the right one.",
            Injection(
                "seed",
                {
                    "add": {
                        "addresses": [
                            {"like": {"label": "Parents"}, "with": {"street": "4 Mill Road", "city": "Westbury"}},
                        ]
                    }
                },
            ),
        ),
    ),
    Task(
        "fennel-lamp",
        "Order a desk lamp for the office",
        "Order one Fennel desk lamp in brass. Have it delivered to the office with standard shipping, and"
        " pay with the Visa card.",
        "medium",
        9,
        ("grounding", "planning"),
        spec=specs.fennel_lamp,
        variants=_variant(
            "fennel-lamp",
            "lost-add",
            "verification",
            "The first “Add to cart” says it worked, but the cart stays empty.",
            Injection("network", {"match": "POST /cart", "fault": "ghost", "times": 1}),
        ),
    ),
    Task(
        "cancel-napkins",
        "Cancel an order",
        "You ordered linen napkins two days ago by mistake. Cancel that order and give “Ordered by "
        "mistake” as the reason.",
        "medium",
        5,
        ("grounding", "state_tracking"),
        spec=specs.cancel_napkins,
        variants=_variant(
            "cancel-napkins",
            "confirm-first",
            "planning",
            "Orders can be cancelled only once the e-mail address is confirmed on the account page.",
            Injection("server", {"rules": {"cancel_needs_email": True}}),
        ),
    ),
    Task(
        "workshop-address",
        "Save a new address",
        "Save a new delivery address. Label: Workshop. Name: Mara Lindqvist. Street: 28 Cooper Street. "
        "Postcode: 4417. City: Eastwick. Phone: 555 0142. Your default address stays as it is.",
        "medium",
        9,
        ("grounding", "verification"),
        spec=specs.workshop,
        variants=_variant(
            "workshop-address",
            "slow-save",
            "patience",
            "Saving takes seven seconds, and saving twice makes two addresses.",
            Injection("network", {"match": "POST /addresses", "fault": "slow", "ms": 7000, "times": 2}),
        ),
    ),
    Task(
        "warm-blanket",
        "Find the right blanket",
        "Put the cheapest wool blanket or throw with an average rating of at least 4.5 into your cart, "
        "one piece, in any colour. It must be made of wool.",
        "hard",
        8,
        ("exploration", "grounding"),
        spec=specs.warm_blanket,
        variants=_variant(
            "warm-blanket",
            "wool-touch",
            "grounding",
            "A cheaper, very well liked “wool-touch” throw is on offer that is made of acrylic.",
            Injection(
                "seed",
                {
                    "add": {
                        "products": [{"like": {"name": "Cloud cotton blanket"}, "with": WOOL_TOUCH}],
                        "skus": [
                            {"with": {"product": 49, "option": option, "stock": 11}} for option in ("Cream", "Brick")
                        ],
                        "reviews": [
                            {"like": {"stars": 5}, "with": {"product": 49, "author": author}}
                            for author in ("Pia K.", "Sami R.", "Tove L.", "Hugo B.", "Ines W.")
                        ],
                    }
                },
            ),
        ),
    ),
    Task(
        "broken-tumblers",
        "Return what arrived broken",
        "Two of the Orrin tumblers in your most recent order of them arrived broken. Register these two "
        "for return: reason “Arrived damaged”, refund to the original payment method.",
        "hard",
        8,
        ("state_tracking", "planning"),
        spec=specs.broken_tumblers,
        variants=_variant(
            "broken-tumblers",
            "overloaded",
            "patience",
            "The first two tries to register the return are answered by 503.",
            Injection("network", {"match": "POST /returns", "fault": "unavailable", "times": 2}),
        ),
    ),
    Task(
        "wishes-to-cart",
        "Buy from the wish list",
        "Move everything on your wish list that is in stock and costs less than €40 into your cart, one "
        "of each, so that it is no longer on the wish list. Leave the rest where it is.",
        "hard",
        7,
        ("state_tracking", "grounding"),
        spec=specs.wishes_to_cart,
        variants=_variant(
            "wishes-to-cart",
            "stays-listed",
            "state_tracking",
            "“Move to cart” puts things into the cart, but no longer takes them off the list.",
            Injection("server", {"rules": {"move_keeps_wish": True}}),
        ),
    ),
    Task(
        "breakfast-again",
        "Order the breakfast set again",
        "Order again what was in your order with the note “Breakfast set”, in the same colours, but twice"
        " as many mugs. Send it to your parents by express, pay by invoice, and write “Happy anniversary”"
        " as the note.",
        "expert",
        14,
        ("planning", "state_tracking", "exploration"),
        spec=specs.breakfast_again,
        variants=_variant(
            "breakfast-again",
            "lost-quantity",
            "verification",
            "The first change of a quantity says it was saved, but is not.",
            Injection("network", {"match": "POST /cart/*/quantity", "fault": "ghost", "times": 1}),
        ),
    ),
    Task(
        "moved-house",
        "Tidy the address book after a move",
        "You have moved. Change your address “Home” to 5 Juniper Court, 2093 Northam (name and phone "
        "stay), delete “Old studio”, and make “Office” your default address. Change nothing else.",
        "expert",
        11,
        ("planning", "state_tracking"),
        spec=specs.moved_house,
        variants=_variant(
            "moved-house",
            "survey",
            "exploration",
            "A survey covers the address book until one finds how to go on without it.",
            Injection("client", {"overlay": SURVEY}),
        ),
    ),
    Task(
        "three-rooms",
        "Fit out three rooms on a budget",
        "Order exactly three things, one piece each: one from Lighting, one from Kitchen and one from "
        "Garden. Each must have an average rating of at least 4.5, and together the goods may cost €90 at"
        " most before shipping. Standard shipping to your home, paid with the Visa card.",
        "frontier",
        18,
        ("planning", "exploration", "backtracking"),
        spec=specs.three_rooms,
        variants=_variant(
            "three-rooms",
            "sold-out",
            "backtracking",
            "When the order is placed, the dearest thing in the cart has just been sold to somebody else.",
            Injection("server", {"rules": {"sell_out_at_checkout": 1}}),
        ),
    ),
    Task(
        "swap-lamp",
        "Swap a faulty lamp",
        "The Vesper table lamp you bought is faulty. Register it for return (reason “Faulty”, refund as "
        "store credit). Then order one Vesper table lamp in another colour, to the same address the "
        "faulty one went to, by express, paid with the Mastercard. Finally take the Vesper lamp off your "
        "wish list.",
        "frontier",
        19,
        ("planning", "state_tracking", "verification"),
        spec=specs.swap_lamp,
        variants=_variant(
            "swap-lamp",
            "lost-return",
            "verification",
            "The first return is confirmed on the page, but never registered.",
            Injection("network", {"match": "POST /returns", "fault": "ghost", "times": 1}),
        ),
    ),
)
