"""The design's form: catalogue, conditions, panel, duplicates, seed, practice, and the figures for expected hours."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotate.design.kept import read_kept
from annotate.designs import kept_of
from annotate.models import Study, Task
from tasks_admin.studies.change import Change
from tasks_admin.studies.fields import StudyForm, Text, environment_choices

BY = [("environment", "website"), ("difficulty", "difficulty"), ("primitive", "primitive")]
CONDITIONS = [("clean", "clean"), ("intervention", "intervention: with the task's variant")]
FIXED = "it was planned with this, and people work by it. Change people under People and plan the open rest anew"
LARGEST_SEED = 2**53 - 1
NUMBER = "Please enter a whole number from {low} to {high}."


def whole(label: str, low: int, high: int, words: str = "") -> forms.IntegerField:
    """A whole number in bounds, with one sentence for whatever is wrong."""
    told = dict.fromkeys(("invalid", "min_value", "max_value", "required"), NUMBER.format(low=low, high=high))
    return forms.IntegerField(label=label, min_value=low, max_value=high, help_text=words, error_messages=told)


def several(label: str, choices: list[tuple[str, str]], words: str = "", **more: Any) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label, choices=choices, widget=forms.CheckboxSelectMultiple, help_text=words, required=False, **more
    )


class DesignForm(StudyForm):
    """What the planner works from, but people."""

    environments = several("Websites", [], "The catalogue: every current task of these.")
    only = Text(
        most=200_000,
        required=False,
        label="Only these tasks",
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono"}),
        help_text="website/task, one in a line. Empty: all of them.",
    )
    conditions = several("Conditions", CONDITIONS)
    panel_rule = forms.ChoiceField(
        label="Which tasks",
        choices=[("all", "all tasks"), ("per_cell", "a number of each cell")],
        widget=forms.RadioSelect,
    )
    panel_n = whole("Tasks of each cell", 1, 1000)
    panel_by = several("A cell is one", BY, "Tasks are drawn by the seed, primitives spread within the cells.")
    duplicates_rule = forms.ChoiceField(
        label="What is done again",
        choices=[("none", "none"), ("per_cell", "a number of each cell, done once more by the duplicate tier")],
        widget=forms.RadioSelect,
    )
    duplicates_n = whole("Duplicates of each cell", 1, 1000)
    duplicates_by = several("A cell is one", BY)
    seed = whole("Seed", 0, LARGEST_SEED, "Draws the panel and the plan, and makes websites the same for everybody.")
    practice = Text(
        most=170,
        required=False,
        label="Practice task",
        help_text="website/task, done first by everybody and never counted; it is no part of the panel. Empty: none.",
    )
    seconds_per_step = whole("Seconds for a step", 1, 600, "For expected hours, while too little is measured.")
    overhead_seconds = whole("Seconds around an assignment", 0, 3600, "Reading, preparing, rating: for expected hours.")

    def __init__(self, study: Study, data: Any = None, *, owns: bool = False) -> None:
        super().__init__(study, data, owns=owns)
        self.fields["environments"].choices = environment_choices()  # type: ignore[attr-defined]
        for name in self.fields if self.fixed else ():
            self.fields[name].disabled = name != "version"

    @property
    def fixed(self) -> str:
        """A study that runs keeps its design."""
        return FIXED if self.is_amending else ""

    def present(self, study: Study) -> dict[str, Any]:
        kept = kept_of(study)
        duplicates = kept.duplicates or kept.panel.model_copy(update={"rule": "none", "n": 1})
        return {
            "environments": list(kept.environments),
            "only": "\n".join(kept.only),
            "conditions": list(kept.conditions),
            "panel_rule": kept.panel.rule,
            "panel_n": kept.panel.n,
            "panel_by": list(kept.panel.by),
            "duplicates_rule": duplicates.rule,
            "duplicates_n": duplicates.n,
            "duplicates_by": list(duplicates.by),
            "seed": study.seed,
            "practice": kept.practice,
            "seconds_per_step": kept.seconds_per_step,
            "overhead_seconds": kept.overhead_seconds,
        }

    def clean_conditions(self) -> list[str]:
        chosen = list(self.cleaned_data["conditions"])
        if not chosen:
            raise ValidationError("Choose at least one condition.")
        return chosen

    def clean_only(self) -> list[str]:
        named = list(dict.fromkeys(line.strip() for line in self.cleaned_data["only"].splitlines() if line.strip()))
        slugs = {name.partition("/")[2] for name in named}
        found = Task.objects.filter(is_current=True, slug__in=slugs).values_list("environment__slug", "slug")
        unknown = sorted(set(named) - {f"{environment}/{slug}" for environment, slug in found})
        if unknown:
            more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
            raise ValidationError(f"There is no such task: {', '.join(unknown[:5])}{more}. Write website/task.")
        return named

    def clean_practice(self) -> str:
        told = str(self.cleaned_data["practice"]).strip()
        environment, _, slug = told.partition("/")
        if told and not Task.objects.filter(environment__slug=environment, slug=slug, is_current=True).exists():
            raise ValidationError(
                "There is no such task. Write its website's short name, a slash and its own: shop/buy-kettle."
            )
        return told

    def clean(self) -> None:
        """A rule by cells says what makes one."""
        for rule in ("panel", "duplicates"):
            if self.cleaned_data.get(f"{rule}_rule") == "per_cell" and not self.cleaned_data.get(f"{rule}_by"):
                self.add_error(f"{rule}_by", "Say what makes a cell: tick at least one.")

    def write(self, change: Change) -> None:
        """Change design and seed."""
        data = self.cleaned_data
        kept = kept_of(change.study)
        duplicates = {"rule": "per_cell", "n": data["duplicates_n"], "by": data["duplicates_by"]}
        made = read_kept(
            {
                "environments": data["environments"],
                "only": data["only"],
                "conditions": data["conditions"],
                "passes": kept.passes,
                "panel": {"rule": data["panel_rule"], "n": data["panel_n"], "by": data["panel_by"]},
                "duplicates": duplicates if data["duplicates_rule"] == "per_cell" else None,
                "practice": data["practice"],
                "seconds_per_step": data["seconds_per_step"],
                "overhead_seconds": data["overhead_seconds"],
            }
        ).model_dump(mode="json")
        before, after = {**kept.model_dump(mode="json"), "seed": change.study.seed}, {**made, "seed": data["seed"]}
        if before != after and not change.is_amendment:
            change.note("design", "design", before=before, after=after)
            change.fields(design=made, seed=data["seed"])
