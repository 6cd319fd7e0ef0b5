"""`python -m tests.bench.planning [--json FILE]`: how long plans take and how good they are proven to be.

Each design is planned twice, and both plans must be equal. Told: seconds, the plan's status, the objective and its bound.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from annotate.design.model import Design, read_design
from annotate.design.plan import make_plan
from tests.design.check import broken
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
    options = parser.parse_args()
    text = json.dumps({name: measure(make()) for name, make in DESIGNS.items()}, indent=1)
    if options.json:
        options.json.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
