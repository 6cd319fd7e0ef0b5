"""`python -m tests.bench.planning [--replans] [--json FILE]`: how long plans take and how good they are proven to be.

Each design is planned twice, and both plans must be equal. With --replans two people leave midway. Told: seconds, the plan's
status, the objective and its bound.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from annotate.design.model import Design, read_design
from annotate.design.plan import make_plan
from annotate.design.replan import replan
from tests.design.check import broken, broken_replan, place
from tests.design.test_plan import ENVIRONMENTS, human_140, people, tasks


def large() -> Design:
    """2,000 tasks, 40 people of whom most have designed one website, 8 people for duplicates."""
    listed = tasks(58)[:2000]
    crowd = people(40, 8)
    for index, person in enumerate(crowd):
        person["excludes"] = [ENVIRONMENTS[index % 9]] if index % 9 < len(ENVIRONMENTS) else []
    return read_design({"seed": 7, "people": crowd, "tasks": listed, "duplicates": {"rule": "per_cell", "n": 4}})


DESIGNS = {
    "Human-140, 4 + 4 people": human_140,
    "Human-140, designers among them": lambda: human_140(
        people=people(
            4,
            4,
            P1={"excludes": ["gmail"]},
            P2={"excludes": ["amazon"]},
            P3={"excludes": ["lms"]},
            P4={"excludes": ["booking"]},
        )
    ),
    "Human-140, two designed the same, one has half the time": lambda: human_140(
        people=people(4, 4, P1={"excludes": ["gmail"]}, P2={"excludes": ["gmail"]}, P4={"capacity": 35})
    ),
    "2,000 tasks, 40 + 8 people": large,
}


def measure_replan(design: Design) -> dict[str, Any]:
    """The open rest after everybody has begun 40 % of theirs and two of the primary people have left."""
    plan = make_plan(design)
    loads = Counter(one.code for one in plan.assignments)
    fixed = [one for one in plan.assignments if one.position <= 0.4 * loads[one.code]]
    rest = [one for one in plan.assignments if one.position > 0.4 * loads[one.code]]
    gone = {one.code for one in design.tier("primary")[:2]}
    less = design.model_copy(update={"people": tuple(one for one in design.people if one.code not in gone)})
    begin = time.perf_counter()
    found = replan(less, fixed, rest)
    seconds = time.perf_counter() - begin
    assert replan(less, fixed, rest) == found
    assert broken_replan(less, fixed, rest, [], found) == []
    holders = {place(one): one.code for one in rest}
    moved = [one for one in found.assignments if holders.get(place(one), one.code) != one.code]
    own = [found.balance["people"][one.code]["assignments"] for one in less.tier("primary")]
    return {
        "seconds": round(seconds, 1),
        "status": found.status,
        "open": len(rest),
        "of those who left": sum(1 for one in rest if one.code in gone),
        "moved": len(moved),
        "loads": f"{min(own)} to {max(own)}",
        "search": found.balance["search"],
    }


def measure(design: Design) -> dict[str, Any]:
    begin = time.perf_counter()
    plan = make_plan(design)
    seconds = time.perf_counter() - begin
    assert make_plan(design) == plan
    assert broken(design, plan) == []
    return {
        "seconds": round(seconds, 1),
        "status": plan.status,
        "assignments": len(plan.assignments),
        "search": plan.balance["search"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--replans", action="store_true", help="measure replans of the first and the last design instead"
    )
    options = parser.parse_args()
    if options.replans:
        found = {name: measure_replan(DESIGNS[name]()) for name in (next(iter(DESIGNS)), next(reversed(DESIGNS)))}
    else:
        found = {name: measure(make()) for name, make in DESIGNS.items()}
    text = json.dumps(found, indent=1)
    if options.json:
        options.json.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
