"""The options' form, made of annotate/options.py."""

from __future__ import annotations

from typing import Any

from django import forms

from annotate import options
from annotate.models import Study
from annotate.options import Option
from tasks_admin.studies.change import Change
from tasks_admin.studies.fields import StudyForm


class OptionsForm(StudyForm):
    """Every option with its words; those that a running study keeps can't be changed in one."""

    def __init__(self, study: Study, data: Any = None, *, owns: bool = False) -> None:
        super().__init__(study, data, owns=owns)
        for option in options.OPTIONS:
            for name, field in fields_of(option).items():
                self.fields[name] = field
                if self.is_amending and option.fixed:
                    self.keep_fixed([name], option.fixed)
        if "reason" in self.fields:
            self.fields["reason"] = self.fields.pop("reason")  # last

    def present(self, study: Study) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for option in options.OPTIONS:
            value = study.options.get(option.name, option.default)
            if option.kind == "size":
                shown[f"{option.name}_width"], shown[f"{option.name}_height"] = value
            else:
                shown[option.name] = value
        return shown

    def value_of(self, option: Option) -> Any:
        """What was entered for an option, as it is kept."""
        if option.kind == "size":
            return [self.cleaned_data[f"{option.name}_width"], self.cleaned_data[f"{option.name}_height"]]
        return self.cleaned_data[option.name]

    def write(self, change: Change) -> None:
        """Change the options that differ; what others keep there stays."""
        kept = dict(change.study.options)
        for option in options.OPTIONS:
            after = options.check(option.name, self.value_of(option))
            before = kept.get(option.name, option.default)
            if before != after:
                kept[option.name] = after
                change.note("option", option.name, before=before, after=after)
        change.fields(options=kept)


def fields_of(option: Option) -> dict[str, forms.Field]:
    """The form fields of one option."""
    words = option.words
    if option.kind == "yes_no":
        return {option.name: forms.BooleanField(label=option.label, help_text=words, required=False)}
    if option.kind == "choice":
        return {option.name: forms.ChoiceField(label=option.label, help_text=words, choices=option.choices)}
    if option.kind == "size":
        return {
            f"{option.name}_{side}": number(option, f"{option.label}, {side}", words if side == "width" else "")
            for side in ("width", "height")
        }
    return {option.name: number(option, option.label, f"{words} ({option.unit}, {option.low} to {option.high})")}


def number(option: Option, label: str, words: str) -> forms.IntegerField:
    """A whole number within the option's bounds."""
    sentence = f"Please enter {options.wanted(option).removeprefix('whole numbers').strip()}."
    if option.kind == "size":
        sentence = f"Please enter a whole number from {option.low} to {option.high}."
    told = {"invalid": sentence, "min_value": sentence, "max_value": sentence, "required": sentence}
    return forms.IntegerField(
        label=label,
        help_text=words,
        required=not option.optional,
        min_value=option.low,
        max_value=option.high,
        error_messages=told,
    )
