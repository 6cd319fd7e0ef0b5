"""Catalogues and plans of every shape, written into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

SITES = ("amazon", "booking", "gmail", "lms", "patient_portal", "reddit", "robinhood")
LEVELS = ("easy", "medium", "hard", "expert", "frontier")
OWN = """environment:
  slug: teashop
  name: Tea shop
  adapter: static
  options: {folder: site, success: {selector: "#done"}}
tasks:
  - task: buy-tea
    title: Buy tea
    instruction: Buy green tea.
    difficulty: easy
    expected_steps: 3
    primitives: [planning]
    start_path: /tea.html
    variants:
      - {variant: buy-tea--decoy, primitive: grounding, layer: seed, description: Two green teas.}
  - {task: buy-mug, title: Buy a mug, instruction: Buy a mug., difficulty: hard}
"""


def own(folder: Path, text: str = OWN) -> Path:
    """Our own shape, with its site."""
    (folder / "site").mkdir(parents=True, exist_ok=True)
    (folder / "site" / "tea.html").write_text("<p id=done>Done</p>")
    file = folder / "teashop.yaml"
    file.write_text(text)
    return file


def write(file: Path, data: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False))


def task_of(site: str, level: str, number: int) -> dict[str, Any]:
    name = f"{site}_{level}_{number}"
    return {
        "task_id": name,
        "env_id": site,
        "title": f"Title of {name}",
        "instruction_template": 'Send it to "{target.city}".\n' if number == 1 else f"Do {name}.\n",
        "difficulty": level,
        "time_limit_seconds": 150,
        "expected_steps": 10,
        "primary_primitives": ["grounding"],
        "start_path": "/",
        "seed": {"steps": [{"use": "featured_product"}], "targets": {"city": "CANARY-TARGET"}},
        "canonical_diff": {"create": [{"entity": "CartItem", "desc": "CANARY-CHECK", "properties": {"n": {"eq": 1}}}]},
    }


def variant_of(task: dict[str, Any], kind: str = "decoy") -> dict[str, Any]:
    return {
        "variant_id": f"{task['task_id']}__{kind}",
        "base_task_id": task["task_id"],
        "target_primitive": "grounding",
        "description": "CANARY-VARIANT",
        "injections": [{"layer": "seed", "params": {"action": "add_decoys"}}, {"layer": "network", "params": {}}],
    }


def seven_sites(root: Path, per_cell: int = 4) -> Path:
    """The whole benchmark in small: every cell with tasks, a variant each whose file has another name."""
    for site in SITES:
        for level in LEVELS:
            for number in range(1, per_cell + 1):
                task = task_of(site, level, number)
                write(root / "tasks" / site / f"{task['task_id']}.yaml", task)
                write(root / "variants" / f"{task['task_id']}__v1.yaml", variant_of(task))
    return root


def plan(per_cell: int = 4) -> dict[str, Any]:
    """A plan over `seven_sites` that deviates from nothing: four primary people, four duplicate ones."""
    primary = ["Ada", "Ben", "Cleo", "Dan"]
    second = ["Eve", "Fay", "Gus", "Hal"]
    rows, doubles = [], []
    for place, site in enumerate(SITES):
        # Two people share a site's tasks, and change sides from task to task; pairs go round, so loads come out equal.
        for level_place, level in enumerate(LEVELS):
            for number in range(1, per_cell + 1):
                turn = (place * len(LEVELS) + level_place) * per_cell + number
                people = (primary[turn % 4], primary[(turn + 1) % 4])
                rows += [
                    row(site, level, number, cond, who, "primary") for cond, who in zip(CONDITIONS, people, strict=True)
                ]
            double = row(site, level, 1, CONDITIONS[place % 2], second[(place + level_place) % 4], "duplicate")
            first = next(one for one in rows if one["base"] == double["base"] and one["cond"] == double["cond"])
            doubles.append(double | {"original_primary_annotator": first["annotator"]})
    load = {name: sum(one["annotator"] == name for one in rows + doubles) for name in primary + second}
    return {
        "seed_for_human_runs": 42,
        "annotators": {
            name: {
                "role": "full_load_primary_annotator" if name in primary else "limited_load_duplicate_annotator",
                "num_task_conditions": load[name],
                "num_attempts": 2 * load[name],
            }
            for name in primary + second
        },
        "condition_assignments": rows,
        "duplicate_condition_assignments": doubles,
    }


CONDITIONS = ("clean", "intervention")


def row(site: str, level: str, number: int, cond: str, who: str, role: str) -> dict[str, Any]:
    name = f"{site}_{level}_{number}"
    found = {
        "aid": f"{role}::{name}::{cond}",
        "role": role,
        "annotator": who,
        "base": name,
        "env": site,
        "diff": level,
        "title": f"Title of {name}",
        "cond": cond,
        "yaml": f"tasks/{site}/{name}.yaml",
        "prim": "grounding",
        "steps": 10,
    }
    if cond == "intervention":
        found["variant"] = {"id": f"{name}__decoy", "yaml": f"variants/{name}__v1.yaml"}
    return found


def components(root: Path, files: int, each: int) -> Path:
    """The component-benchmark shape: lists of tasks, as long and as wordy as the public ones."""
    for number in range(files):
        kind = f"kind_{number}"
        write(root / "tasks_v1" / f"{kind}.yaml", [component(kind, place) for place in range(each)])
    return root


def component(kind: str, place: int) -> dict[str, Any]:
    axes = ("precision_requirement", "target_acquisition", "density_choice_interference", "depth_layering")
    return {
        "id": f"{kind}-antd-T{place:02}",
        "name": f"Set the {kind} of the report",
        "canonical_type": kind,
        "implementation_source": "antd",
        "implementation_variant": None,
        "task_template": "activate",
        "browsergym_goal": f"Set {kind} number {place} in the Report card. The task will finish automatically when done.",
        "setup_description": "The card holds a short paragraph and one control, enabled and of medium size.\n\n" * 4,
        "scene_context": {"theme": "light", "spacing": "compact", "layout": "isolated_card", "instances": 1},
        "difficulty": {
            "difficulty_bucket": ("easy", "mid", "hard")[place % 3],
            "tier": f"L{place % 4}",
            "axes_ratings": dict.fromkeys(axes, 2),
            "justification": "One large labelled control in an uncluttered card.",
        },
        "success_trigger": {
            "human_readable": ["The control was set exactly once.", "No other control was touched."],
            "canonical_predicate": {"predicate_type": "equals", "target_state": {"event": "set", "count": 1}},
        },
        "negative_cases": ["Setting another control.", "Setting it twice.", "Leaving it as it was."],
    }
