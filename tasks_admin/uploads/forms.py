"""What is said of a file that is brought in, and asked again where it was not enough. Nothing here is guessed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from tasks_admin.labels.files import NAMES as LABEL_NAMES
from tasks_admin.labels.files import SaidOfLabels
from tasks_admin.models import Upload
from tasks_admin.runs.formats.table import NAMES as RUN_NAMES
from tasks_admin.runs.registry import AUTO, FORMATS
from tasks_admin.runs.shape import CONDITIONS, STEP_UNITS, Given
from tasks_admin.studies.fields import Text

MOST_GB = 4
AS_TOLD = ("", "as the files tell")


def choices(*names: str) -> list[tuple[str, str]]:
    return [AS_TOLD, *((name, name.replace("_", " ")) for name in names)]


class Columns(Text):
    """A column map, OURS=THEIRS a line, as a dictionary."""

    def __init__(self, names: dict[str, tuple[str, ...]]) -> None:
        super().__init__(
            most=4000,
            required=False,
            widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "mono"}),
            label="Columns",
            help_text=f"For a table whose columns are called otherwise: ours=theirs, one a line. Ours are {', '.join(names)}.",
        )
        self.names = names

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(f"{ours}={theirs}" for ours, theirs in value.items()) if isinstance(value, dict) else value

    def clean(self, value: Any) -> Any:
        told: dict[str, str] = {}
        for line in str(super().clean(value)).splitlines():
            ours, sign, theirs = (part.strip() for part in line.partition("="))
            if not line.strip():
                continue
            if not sign or not theirs or ours not in self.names:
                raise ValidationError(f"{line[:60]!r}: write ours=theirs; ours are {', '.join(self.names)}.")
            if ours in told:
                raise ValidationError(f"{line[:60]!r}: {ours} is said to be {told[ours]!r} already; leave one of them.")
            told[ours] = theirs
        return told


class SaidForm(forms.Form):
    """What may be said of a file."""

    def __init__(self, data: Any = None, files: Any = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, files, initial=initial, auto_id="%s")

    def said(self) -> dict[str, Any]:
        """What was said, as it is kept; nothing for what was left empty."""
        return {
            name: value for name, value in self.cleaned_data.items() if name != "file" and value not in ("", None, {})
        }


class RunsForm(SaidForm):
    """Of agents' runs."""

    format = forms.ChoiceField(
        required=False,
        label="Format",
        choices=[("", "found by the files"), *((name, name) for name in FORMATS)],
    )
    model = Text(most=200, required=False, label="Model", help_text="Also for a set of runs of its own.")
    harness = Text(most=200, required=False, label="Harness")
    condition = forms.ChoiceField(required=False, label="Condition", choices=choices(*CONDITIONS))
    step_unit = forms.ChoiceField(required=False, label="A step is", choices=choices(*STEP_UNITS))
    elapsed = forms.ChoiceField(
        required=False,
        label="A step's elapsed time is",
        choices=[AS_TOLD, ("duration", "the step's own"), ("cumulative", "since the start")],
    )
    task = Text(most=400, required=False, label="Task", help_text="Of a single run whose files do not name it.")
    columns = Columns(RUN_NAMES)


class LabelsForm(SaidForm):
    """Of labels."""

    judge = Text(most=200, required=False, label="Judge", help_text="Whose labels these are.")
    by = forms.ChoiceField(
        required=False,
        label="That is",
        choices=[("", "as the file tells, else a judge"), ("judge", "an automatic judge"), ("person", "a person")],
    )
    condition = forms.ChoiceField(required=False, label="Condition", choices=choices(*CONDITIONS))
    columns = Columns(LABEL_NAMES)


FORMS: dict[str, type[SaidForm]] = {Upload.Kind.RUNS: RunsForm, Upload.Kind.LABELS: LabelsForm}


def given_of(said: dict[str, Any]) -> Given:
    return Given(**{name: value for name, value in said.items() if name != "format"})


def format_of(said: dict[str, Any]) -> str:
    return str(said.get("format", AUTO))


def labels_of(said: dict[str, Any]) -> SaidOfLabels:
    return SaidOfLabels(**said)


def check_size(file: UploadedFile[Any]) -> None:
    """Raises ValidationError for a file that is too large or empty."""
    if not file.size:
        raise ValidationError("The file is empty.")
    if file.size > MOST_GB * 1024**3:
        raise ValidationError(f"The file is larger than {MOST_GB} GB. Bring it in by parts, or by ./run import_runs.")


def bringing(kind: str, data: Any = None, files: Any = None) -> SaidForm:
    """The form that brings a file of the kind in."""
    form = FORMS[kind](data, files)
    file = forms.FileField(label="File", validators=[check_size], error_messages={"required": "Choose a file."})
    form.fields = {"file": file, **form.fields}
    return form
