"""The main figures in a few lines for a terminal."""

from __future__ import annotations

from typing import Any


def summary(figures: dict[str, Any]) -> str:
    """Text with the people's panel, the agents and the duplicate audit."""
    tasks = figures["tasks"]
    lines = [f"{tasks['panel']} panel tasks of {tasks['all']}; {tasks['with_attempts']} with attempts", "", "people"]
    for condition, kinds in figures["human_panel"].items():
        for kind, cell in kinds.items():
            if cell["n"]:
                rate = f"{percent(cell['pass_rate'])} {ends(cell['pass_rate_interval'])}"
                seconds = number(cell["median_seconds"])
                lines.append(f"  {condition:13} {kind:5} n = {cell['n']:4}  passed {rate}  median {seconds} s")
    for kind, drop in figures["human_drop"].items():
        if drop["n"]:
            lines.append(f"  drop          {kind:5} n = {drop['n']:4}  {drop['points']:+.1f} points")
    for model, agent in figures["agents"].items():
        lines += ["", model]
        for condition in ("clean", "intervention"):
            cell, steps = agent[condition], figures["efficiency"][model][condition]
            if cell["n"]:
                within = steps.get("within_1H_of_panel")
                lines.append(
                    f"  {condition:13} n = {cell['n']:4}  passed {percent(cell['pass_rate'])} {ends(cell['pass_rate_interval'])}"
                    f"  within H {percent(within)}"
                )
        if agent["drop"]["n"]:
            lines.append(f"  drop          n = {agent['drop']['n']:4}  {agent['drop']['points']:+.1f} points")
    lines += ["", "duplicates"]
    for kind, audit in figures["duplicate_audit"].items():
        lines.append(
            f"  {kind:5} {audit['pairs']:4} pairs  agreement {percent(audit['agreement'])}  kappa {number(audit['kappa'])}"
        )
    return "\n".join(lines)


def percent(value: float | None) -> str:
    return "   –  " if value is None else f"{100 * value:5.1f}%"


def ends(interval: list[float] | None) -> str:
    return "" if interval is None else f"[{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
