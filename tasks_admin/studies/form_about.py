"""The forms of a study's name: when it is created, and afterwards."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import slugify

from annotate.models import Study
from tasks_admin.studies.change import Change
from tasks_admin.studies.create import RESERVED, TAKEN
from tasks_admin.studies.fields import StudyForm, Text, environment_choices
from tasks_admin.studies.presets import PRESETS

SLUG_HELP = "For addresses, commands and file names: small letters, numbers and hyphens."


class Slug(forms.SlugField):
    """A short name."""

    default_error_messages = {"invalid": "Small letters, numbers and hyphens only, at most 50: tea-2026, say."}

    def clean(self, value: Any) -> str:
        found = str(super().clean(value))
        if found and slugify(found) != found:
            raise ValidationError(self.error_messages["invalid"])
        if found in RESERVED:
            raise ValidationError(TAKEN)
        return found


class NewForm(forms.Form):
    """A study to be."""

    preset = forms.ChoiceField(
        label="Begin with",
        choices=[(name, preset.title) for name, preset in PRESETS.items()],
        widget=forms.RadioSelect,
        initial="human-140",
    )
    name = Text(most=120, label="Name")
    slug = Slug(max_length=50, label="Short name", help_text=SLUG_HELP)
    environments = forms.MultipleChoiceField(label="Websites", required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id="%s")
        self.fields["environments"].choices = environment_choices()  # type: ignore[attr-defined]

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if Study.objects.filter(slug=slug).exists():
            raise ValidationError(TAKEN)
        return slug


class AboutForm(StudyForm):
    """Name and short name; the latter is in addresses and stays once the study runs."""

    name = Text(most=120, label="Name")
    slug = Slug(max_length=50, label="Short name", help_text=SLUG_HELP)

    def __init__(self, study: Study, data: Any = None, *, owns: bool = False) -> None:
        super().__init__(study, data, owns=owns)
        if self.is_amending:
            self.keep_fixed(["slug"], "people have its address")

    def present(self, study: Study) -> dict[str, Any]:
        return {"name": study.name, "slug": study.slug}

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if Study.objects.filter(slug=slug).exclude(pk=self.study.pk).exists():
            raise ValidationError(TAKEN)
        return slug

    def write(self, change: Change) -> None:
        """Change the names."""
        for field in ("name", "slug"):
            before, after = getattr(change.study, field), self.cleaned_data[field]
            if before != after:
                change.note("name", field, before=before, after=after)
        change.fields(name=self.cleaned_data["name"], slug=self.cleaned_data["slug"])
