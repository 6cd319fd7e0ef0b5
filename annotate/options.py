"""The options of a study: the one place that knows each, its words, its bounds, and whether a running study may change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from annotate.errors import BadInput

MEASURED = "what was recorded before and after the change could not be compared"


@dataclass(frozen=True)
class Option:
    """`kind`: yes_no; number from `low` to `high` of `unit` (None allowed where `optional`); size: [width, height], each in
    bounds; choice: one of `choices`, {value: words}. `fixed` says why a frozen study keeps it; empty where it may be amended."""

    name: str
    label: str
    words: str
    kind: Literal["yes_no", "number", "size", "choice"]
    default: Any
    low: int = 0
    high: int = 0
    unit: str = ""
    optional: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    fixed: str = ""


OPTIONS: tuple[Option, ...] = (
    Option(
        "hide_condition",
        "Hide the condition",
        "Annotators do not see whether a task is clean or under intervention until they have rated it.",
        "yes_no",
        True,
        fixed=MEASURED,
    ),
    Option(
        "show_verdict",
        "Show the verdict",
        "After Evaluate annotators see whether the attempt passed.",
        "yes_no",
        True,
        fixed=MEASURED,
    ),
    Option(
        "end_on_success",
        "End on success",
        "An attempt ends by itself once its page shows success (pages that show it only), and the clock stops there.",
        "yes_no",
        False,
        fixed=MEASURED,
    ),
    Option(
        "time_limit_seconds",
        "Time limit",
        "An attempt whose time is up is evaluated by itself, by the server's clock. Empty: no limit.",
        "number",
        None,
        low=10,
        high=14_400,
        unit="seconds for an attempt",
        optional=True,
        fixed=MEASURED,
    ),
    Option(
        "viewport",
        "Least window",
        "A round starts only in a window at least this wide and high.",
        "size",
        [1024, 600],
        low=300,
        high=4096,
        unit="CSS px, width and height",
        fixed=MEASURED,
    ),
    Option(
        "grace_seconds",
        "Grace period",
        "How long a closed or lost tab may stay away before its round is rolled back.",
        "number",
        90,
        low=10,
        high=3600,
        unit="seconds",
    ),
    Option(
        "countdown_seconds",
        "Countdown",
        "Between Start and the opening of the website; the clock starts after it.",
        "number",
        5,
        low=0,
        high=60,
        unit="seconds",
        fixed=MEASURED,
    ),
    Option(
        "withdrawal",
        "Who withdraws",
        "What becomes of the recordings of somebody who withdraws; account data goes in any case. Say it in the consent text.",
        "choice",
        "keep_data",
        choices=(("keep_data", "recordings stay, under the code"), ("remove_data", "recordings are removed")),
        fixed="people agreed to it with the consent text",
    ),
    Option(
        "capture",
        "As the person saw it",
        "Pages are also kept as the annotator saw them, without what secret fields hold, so that leads can watch. It costs the "
        "website's pages some time and the server some space. Annotators read it on their pages; say it in the consent text too.",
        "yes_no",
        False,
        fixed="people agreed to what is recorded with the consent text",
    ),
    Option(
        "review_hide_code",
        "Hide codes from reviewers",
        "Leads who review do not see whose round it is, not even by code.",
        "yes_no",
        False,
    ),
    Option(
        "review_hide_condition",
        "Hide the condition from reviewers",
        "Leads who review do not see whether a round is clean or under intervention.",
        "yes_no",
        False,
    ),
    Option(
        "review_stages",
        "Review in stages",
        "How often a round is looked at, each time by somebody else; rounds that are complete already stay as they are.",
        "choice",
        "none",
        choices=(
            ("none", "flagged rounds only, once"),
            ("two", "every round: cross-validation, final verification"),
            ("three", "every round: cross-validation, quality review, final verification"),
        ),
    ),
)
BY_NAME = {option.name: option for option in OPTIONS}


def defaults() -> dict[str, Any]:
    """Every option's default."""
    return {option.name: list(option.default) if option.kind == "size" else option.default for option in OPTIONS}


def check(name: str, value: Any) -> Any:
    """The value as it is kept. Raises BadInput with a sentence about the option."""
    option = BY_NAME[name]
    if option.kind == "yes_no":
        right = isinstance(value, bool)
    elif option.kind == "choice":
        right = value in dict(option.choices)
    elif option.kind == "size":
        right = isinstance(value, list) and len(value) == 2 and all(_within(one, option) for one in value)
    else:
        right = (value is None and option.optional) or _within(value, option)
    if not right:
        raise BadInput(f"{option.label}: {wanted(option)}.", name)
    return value


def _within(value: Any, option: Option) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and option.low <= value <= option.high


def wanted(option: Option) -> str:
    """What a value must be, in words."""
    if option.kind == "yes_no":
        return "yes or no"
    if option.kind == "choice":
        return "one of: " + ", ".join(name for name, _ in option.choices)
    empty = ", or nothing" if option.optional else ""
    return f"{'whole numbers' if option.kind == 'size' else 'a whole number'} from {option.low} to {option.high}{empty}"
