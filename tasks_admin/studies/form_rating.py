"""The rating's form: a row for each question, in the order of their places."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.validators import RegexValidator

from annotate.instrument import check_instrument
from annotate.models import Study
from tasks_admin.studies.change import Change
from tasks_admin.studies.fields import StudyForm, Text
from tasks_admin.studies.form_design import whole

ID = RegexValidator(
    r"\A[a-z][a-z0-9_]*\Z", "A small letter, then small letters, numbers and underscores: clarity, say."
)
FIXED = "answers to other questions could not be compared"
SPARE = 2  # empty rows that are offered


class ItemForm(forms.Form):
    """A question."""

    place = whole("Place", 1, 999)
    id = Text(most=40, label="Id", validators=[ID])
    label = Text(most=200, label="Question")
    kind = forms.ChoiceField(label="Kind", choices=[("scale", "scale"), ("box", "box to tick")], initial="scale")
    points = whole("Points", 2, 11)
    low = Text(most=60, label="Lowest means", required=False)
    high = Text(most=60, label="Highest means", required=False)
    only = forms.ChoiceField(
        label="Asked",
        required=False,
        choices=[("", "always"), ("clean", "clean only"), ("intervention", "intervention only")],
    )
    DELETE = forms.BooleanField(label="Remove", required=False)


class ItemRows(forms.BaseFormSet):  # type: ignore[type-arg]  # a plain class when it runs
    """All questions; ids are the rows' own."""

    def clean(self) -> None:
        """No id twice."""
        seen: set[str] = set()
        for form in self.forms:
            name = form.cleaned_data.get("id")
            if not name or form.cleaned_data.get("DELETE"):
                continue
            if name in seen:
                form.add_error("id", "Another question has this id.")
            seen.add(name)


class RatingForm(StudyForm):
    """The study's form fields, and a set of rows beside them."""

    def __init__(self, study: Study, data: Any = None, *, owns: bool = False) -> None:
        super().__init__(study, data, owns=owns)
        initial = [
            {"place": place, "points": 5, **item, "only": item.get("only") or ""}
            for place, item in enumerate(study.instrument, 1)
        ]
        rows = forms.formset_factory(ItemForm, formset=ItemRows, extra=0 if self.is_amending else SPARE)
        spare = [{"place": len(initial) + number, "points": 5} for number in range(1, SPARE + 1)]
        self.rows = rows(data, initial=initial, prefix="rows", form_kwargs={"auto_id": "%s"})
        for form, values in zip(self.rows.extra_forms, spare, strict=False):
            form.initial = values
        if self.is_amending:
            for form in self.rows.forms:
                for field in form.fields.values():
                    field.disabled = True

    @property
    def fixed(self) -> str:
        """A study that runs keeps its questions."""
        return FIXED if self.is_amending else ""

    def is_valid(self) -> bool:
        return bool(super().is_valid() & self.rows.is_valid())

    def items(self) -> list[dict[str, Any]]:
        """The questions as the study keeps them."""
        kept = [
            form.cleaned_data
            for form in self.rows.forms
            if form.cleaned_data.get("id") and not form.cleaned_data.get("DELETE")
        ]
        kept.sort(key=lambda data: int(data["place"]))
        return [item_of(data) for data in kept]

    def write(self, change: Change) -> None:
        """Change the instrument."""
        made = self.items()
        check_instrument(made)
        if made != change.study.instrument and not change.is_amendment:
            change.note("rating", "rating", before=change.study.instrument, after=made)
            change.fields(instrument=made)


def item_of(data: dict[str, Any]) -> dict[str, Any]:
    """A question of a row; what a box has no use for is left out."""
    item = {"id": data["id"], "label": data["label"], "kind": data["kind"]}
    if data["kind"] == "scale":
        item |= {"low": data["low"], "high": data["high"], "points": data["points"]}
    return item | ({"only": data["only"]} if data["only"] else {})
