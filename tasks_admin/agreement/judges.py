"""How far automatic judges agree with people, per judge and model: the environments' checkers, agents' own words, imported judges.

Pure: over what `labels.judged` reads. A judge is anybody whose word is no person's; people are the leads who labelled blind and the
people whose labels were imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from tasks_admin.comparison import pair_intervals
from tasks_admin.comparison.agreement import as_judge, passes

THIN = 30  # with fewer labelled things a line is marked as thin
EVERY = "all models"
PEOPLE = "people"  # stands for the model where somebody did it by hand
CELLS = ("both", "judge", "people", "neither", "unsure", "split")
COLUMNS = (
    "judge", "model", "n", "agreement", "agreement_low", "agreement_high", "kappa", "kappa_low", "kappa_high", "ac1", "ac1_low",
    "ac1_high", "precision", "precision_low", "precision_high", "recall", "recall_low", "recall_high", "mcnemar_p", "both_pass",
    "judge_only", "people_only", "neither", "labelled", "unsure", "split", "thin",
)  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """A run or an attempt that people labelled: their last words by name, and each judge's word (None: unsure)."""

    of: str  # run or attempt
    pk: int
    model: str
    words: Mapping[str, bool]
    says: Mapping[str, bool | None] = field(default_factory=dict)

    @property
    def people(self) -> bool | None:
        """What most people said; None where they are split."""
        yes = sum(self.words.values())
        no = len(self.words) - yes
        return None if yes == no else yes > no

    def cell(self, judge: str) -> str | None:
        """Where it stands in the judge's table, one of CELLS; None where the judge did not speak of it."""
        if judge not in self.says:
            return None
        said = self.says[judge]
        if self.people is None:
            return "split"
        if said is None:
            return "unsure"
        return {(True, True): "both", (True, False): "judge", (False, True): "people"}.get(
            (said, self.people), "neither"
        )


def figures(found: Iterable[Judged]) -> list[dict[str, Any]]:
    """Per judge a line over all models, where there are several, one per model by name, and one for what people did by hand."""
    listed = list(found)
    told = []
    for judge in sorted({name for one in listed for name in one.says}):
        spoken = [one for one in listed if judge in one.says]
        runs, attempts = ([one for one in spoken if one.of == of] for of in ("run", "attempt"))
        models = sorted({one.model for one in runs})
        groups = [(EVERY, runs)] if len(models) > 1 else []
        groups += [(model, [one for one in runs if one.model == model]) for model in models]
        groups += [(PEOPLE, attempts)] if attempts else []
        told += [{"judge": judge, "model": model} | of_group(judge, group) for model, group in groups]
    return told


def of_group(judge: str, group: list[Judged]) -> dict[str, Any]:
    """The figures of one judge on some things. Where people are split or the judge is unsure it is told and not counted."""
    cells = [one.cell(judge) for one in group]
    number = {name: cells.count(name) for name in CELLS}
    said = [name in ("both", "judge") for name in cells if name in CELLS[:4]]
    people = [name in ("both", "people") for name in cells if name in CELLS[:4]]
    told = passes(np.array(said, dtype=bool), np.array(people, dtype=bool))
    also = as_judge(told["table"])
    undefined = told.pop("undefined", {}) | also.pop("undefined", {})
    intervals = pair_intervals.of_passes(told["table"]) | pair_intervals.of_judge(told["table"])
    return {
        "n": len(said),
        "labelled": len(group),
        "unsure": number["unsure"],
        "split": number["split"],
        "thin": len(said) < THIN,
        **told,
        **also,
        "cells": number,
        "intervals": intervals,
        "undefined": undefined,
    }


def between_people(found: Iterable[Judged]) -> dict[str, Any]:
    """Agreement of people with each other, over all pairs who labelled the same thing, in the order of their names."""
    pairs = [
        (one.words[first], one.words[second]) for one in found for first, second in combinations(sorted(one.words), 2)
    ]
    firsts, seconds = (np.array([pair[side] for pair in pairs], dtype=bool) for side in (0, 1))
    told = passes(firsts, seconds)
    return {"pairs": len(pairs)} | told | {"intervals": pair_intervals.of_passes(told["table"])}


def rows(told: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    """The lines of `figures` as flat rows for a table."""
    for line in told:
        flat: dict[str, Any] = {name: line[name] for name in COLUMNS if name in line}
        for name, ends in line["intervals"].items():
            flat[f"{name}_low"], flat[f"{name}_high"] = ends or (None, None)
        cells = line["cells"]
        yield flat | {
            "both_pass": cells["both"],
            "judge_only": cells["judge"],
            "people_only": cells["people"],
            "neither": cells["neither"],
        }
