"""What a lead expects of a study: asked in a form that begins with what the study itself tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotate import designs
from annotate.design.model import BadDesign
from annotate.design.panel import cell_of, choose_panel
from annotate.models import Participation, Study
from tasks_admin.simulation.planned import BadExpectation, Expected, Planned
from tasks_admin.simulation.truth import Truth

USUAL = Expected.of(Truth())
SPREADS = {"task": "between tasks", "person": "between people", "pair": "of a person with a task"}
USUAL_TASKS, USUAL_PEOPLE, LEAST = 140, 4, 2


class PowerForm(forms.Form):
    """Rates in %, drop and target in percentage points, spreads as SD of log odds."""

    target = forms.FloatField(
        min_value=0.5, max_value=50, label="Wanted: ± points", help_text="Half the width of the 95 % interval."
    )
    pass_rate = forms.FloatField(min_value=1, max_value=99, label="Pass rate, clean, %", help_text="Of people, warm.")
    drop = forms.FloatField(min_value=-98, max_value=98, label="Drop, points", help_text="Clean less intervention.")
    tasks = forms.IntegerField(label="Tasks in the panel", help_text="Each is done under both conditions.")
    people = forms.IntegerField(label="People", help_text="Of the primary tier.")
    each = forms.IntegerField(label="Assignments each, at most", help_text="A task under one condition, cold and warm.")
    duplicates = forms.IntegerField(label="Duplicates", help_text="Assignments of the duplicate tier, altogether.")
    task_sd = forms.FloatField(
        min_value=0,
        max_value=5,
        label="Tasks differ, SD",
        help_text="Log odds; 0 all alike, 0.8 usual, 2 very different.",
    )
    person_sd = forms.FloatField(
        min_value=0,
        max_value=5,
        label="People differ, SD",
        help_text="Log odds; 0 all alike, 0.3 usual, 1 very different.",
    )
    pair_sd = forms.FloatField(
        min_value=0,
        max_value=5,
        label="A person with a task, SD",
        help_text="Log odds; what suits one and not another.",
    )

    def __init__(self, told: Mapping[str, Any]) -> None:
        super().__init__(told, auto_id="%s")
        for field in self.fields.values():
            field.widget.attrs["step"] = "1" if isinstance(field, forms.IntegerField) else "any"

    def clean(self) -> dict[str, Any]:
        """Also what the values are together: `expected` and `planned`, where they can be."""
        told: dict[str, Any] = super().clean() or {}
        if not self.errors:
            try:
                rate, drop = told["pass_rate"] / 100, told["drop"] / 100
                self.expected = Expected(rate, drop, told["task_sd"], told["person_sd"], told["pair_sd"])
                self.planned = Planned(told["tasks"], told["people"], told["each"], told["duplicates"])
            except BadExpectation as error:
                raise ValidationError(error.message) from error
        return told


def begin(study: Study) -> tuple[dict[str, Any], list[str]]:
    """What the form begins with, and in words where it is from."""
    size, of_size = size_of(study)
    seen, of_seen = seen_in(study)
    return {"target": 5, **size, **seen}, [of_size, of_seen]


def size_of(study: Study) -> tuple[dict[str, int], str]:
    """What was planned; of a study without an applied plan, what its design asks for; usual numbers for what is not known yet."""
    try:
        tasks, duplicates, told = panel_of(study) or design_of(study)
    except BadDesign as error:
        tasks, duplicates, told = 0, 0, f"The design can't be read yet: {error.message}"
    if tasks < LEAST:
        tasks, duplicates, told = USUAL_TASKS, 0, f"{told} With fewer than two tasks, the panel is a usual one.".strip()
    people = study.participations.filter(is_active=True, tier=Participation.Tier.PRIMARY).count()
    if people < LEAST:
        people, told = (
            USUAL_PEOPLE,
            f"{told} Fewer than two people of the primary tier take part yet; their number is a usual one.",
        )
    each = min(tasks, -(-2 * tasks // people))
    return {"tasks": tasks, "people": people, "each": each, "duplicates": min(duplicates, 2 * tasks)}, told


def panel_of(study: Study) -> tuple[int, int, str] | None:
    """Tasks and duplicates that were planned, and that they were; None where nothing was."""
    conditions = designs.counted_conditions(study)
    tasks = conditions.values("task").distinct().count()
    if not tasks:
        return None
    duplicates = conditions.filter(assignments__role="duplicate").values("assignments").count()
    kinds = set(conditions.values_list("condition", flat=True))
    return tasks, duplicates, "The size is that of the panel and of the people who take part." + alone(kinds)


def design_of(study: Study) -> tuple[int, int, str]:
    """Tasks and duplicates that the design asks for. Raises BadDesign."""
    design = designs.design_of(study).design
    panel, _ = choose_panel(design.tasks, design.panel, design.seed)
    again = design.duplicates
    cells = {cell_of(task, again.by) for task in panel} if again else set()
    told = "The size is that of the design, which has no plan applied yet." + alone(set(design.conditions))
    return len(panel), len(cells) * again.n if again else 0, told


def alone(kinds: set[str]) -> str:
    """What to say where the study has one condition only; '' where it has both."""
    return "" if len(kinds) > 1 else f" It has the condition {''.join(kinds)} only; a drop needs both."


def seen_in(study: Study) -> tuple[dict[str, float], str]:
    """Rates and spreads that the newest comparison found, where they can be planned with; else usual ones."""
    usual = {
        "pass_rate": round(100 * USUAL.clean, 1), "drop": round(100 * USUAL.drop, 1), "task_sd": USUAL.task_sd,
        "person_sd": USUAL.person_sd, "pair_sd": USUAL.pair_sd,
    }  # fmt: skip
    report = study.reports.filter(state="done").only("figures", "made_at").first()
    if report is None or report.figures is None:
        return usual, "Rates and spreads are usual ones: no comparison was made yet that would tell the study's own."
    made = f"the comparison of {report.made_at:%d %b %Y}"
    rates = [report.figures["human_panel"][name]["warm"]["pass_rate"] for name in ("clean", "intervention")]
    spreads = report.figures.get("mixed_model", {}).get("passed", {}).get("sd")
    told = []
    if None not in rates:
        clean, under = (round(100 * min(max(rate, 0.01), 0.99), 1) for rate in rates)
        usual |= {"pass_rate": clean, "drop": round(clean - under, 1)}
        told.append(f"Rates are those of {made}.")
    if not spreads:
        told.append("Spreads are usual ones: no mixed model could be fitted yet.")
        return usual, " ".join(told)
    shown = {name: round(min(spreads.get(name, 0), 5), 2) for name in SPREADS}
    usual |= {f"{name}_sd": one for name, one in shown.items() if one}
    told.append(f"Spreads are those that the mixed model of {made} found.")
    if unseen := [words for name, words in SPREADS.items() if not shown[name]]:
        told.append(
            f"None showed {' and '.join(unseen)}, which is not to say that there is none: a usual one stands there."
        )
    return usual, " ".join(told)
