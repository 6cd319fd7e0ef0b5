"""What a new study begins with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from annotate.instrument import HUMAN_140

CONSENT = """# Taking part

This study looks at how people do tasks on websites, so that computer programs can be compared with them.

**What is recorded.** While you work in the website's tab: what you click, type, scroll and open there, with times. Passwords,
one-time codes and card numbers never leave the page. Nothing outside that tab is recorded, no camera, no microphone.

**What becomes of it.** Recordings are kept under a code, not under your name. Comments stay inside the group until a lead has
cleared them for release.

**Your choice.** Taking part is voluntary. You may stop at any time, abandon any task, and give no reason.
"""
GUIDELINES = """# Guidelines

1. Press **Start**. The website opens in a new tab after a short countdown; the instruction stays in the first tab.
2. Do what the instruction asks, as you would for yourself. Websites misbehave at times: cope with it as you would at home.
3. Back in the first tab, press **Evaluate**.
4. Do it once more, at once, as directly as you can (**Start warm**).
5. Say how it was, if you like.

Please do one task at a time and stay in the two tabs until both goes are evaluated.
"""


@dataclass(frozen=True)
class Preset:
    """`design` is of annotate.design.kept.Kept, `options` differ from the defaults, `people` are (code, tier)."""

    name: str
    title: str
    words: str
    design: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    instrument: list[dict[str, Any]] = field(default_factory=list)
    people: tuple[tuple[str, str], ...] = ()
    consent: str = ""
    guidelines: str = ""


def crowd(primary: int, duplicate: int) -> tuple[tuple[str, str], ...]:
    """P1, P2, … and D1, D2, …"""
    return (
        *((f"P{number}", "primary") for number in range(1, primary + 1)),
        *((f"D{number}", "duplicate") for number in range(1, duplicate + 1)),
    )


CELLS = ["environment", "difficulty"]
PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "human-140",
            "Human-140",
            "Four tasks of each website and difficulty, clean and under intervention by different people, one task-condition of "
            "each cell once more by somebody else. Four people and four for the duplicates.",
            {
                "conditions": ["clean", "intervention"],
                "panel": {"rule": "per_cell", "n": 4, "by": CELLS},
                "duplicates": {"rule": "per_cell", "n": 1, "by": CELLS},
            },
            instrument=HUMAN_140,
            people=crowd(4, 4),
            consent=CONSENT,
            guidelines=GUIDELINES,
        ),
        Preset(
            "two-pass",
            "Two-pass reference",
            "Every task twice by one person; the shorter of the passes that succeed is the reference. One task of each website and "
            "difficulty is done by somebody else as well, to validate.",
            {
                "conditions": ["clean"],
                "panel": {"rule": "all", "n": 1, "by": CELLS},
                "duplicates": {"rule": "per_cell", "n": 1, "by": CELLS},
            },
            {"reference_policy": "best_of_two"},
            people=crowd(2, 1),
            consent=CONSENT,
            guidelines=GUIDELINES,
        ),
        Preset("blank", "Blank", "Nothing is filled in: texts, people, rating and rules are yours to say."),
    )
}
