"""What the editor's forms share: texts without what no database holds, and their bounds in words."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotate.actions.amendments import LONGEST
from annotate.models import Environment, Study
from recorder.wire import storable
from tasks_admin.studies.change import Change


class Text(forms.CharField):
    """A text that PostgreSQL can hold, with a sentence where it is too long."""

    def __init__(self, *, most: int, **more: Any) -> None:
        super().__init__(**more)
        self.most = most
        if not isinstance(self.widget, forms.HiddenInput | forms.Textarea):
            self.widget.attrs["maxlength"] = most

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(storable(value) if isinstance(value, str) else value) or "")
        if len(text) > self.most:
            raise ValidationError(f"This is {len(text):,} characters long; at most {self.most:,} are kept.")
        return text


class StudyForm(forms.Form):
    """A form of the editor. `version` is the one of the study that its page showed; `owns` is True for the study's owner."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    reason = Text(
        most=LONGEST,
        required=False,
        label="Why",
        help_text="The study is running: the change is recorded as an amendment, and the reason is exported with it.",
    )

    def __init__(self, study: Study, data: Any = None, *, owns: bool = False) -> None:
        super().__init__(data, initial={"version": study.version, **self.present(study)}, auto_id="%s")
        self.study, self.owns = study, owns
        if not self.is_amending:
            del self.fields["reason"]

    @property
    def is_amending(self) -> bool:
        """True where a change is an amendment."""
        return self.study.state == Study.State.FROZEN

    @property
    def fixed(self) -> str:
        """Why nothing of the part can be changed now; '' where something can."""
        return ""

    def present(self, study: Study) -> dict[str, Any]:
        """The study's values."""
        return {}

    def write(self, change: Change) -> None:
        """Make the change that was entered."""
        raise NotImplementedError

    def keep_fixed(self, names: list[str], why: str) -> None:
        """Fields that a running study keeps, and why."""
        for name in names:
            self.fields[name].disabled = True
            self.fields[name].help_text = f"Fixed while the study runs: {why}."


def environment_choices() -> list[tuple[str, str]]:
    """Every environment by slug, with how many current tasks it has."""
    counted: dict[str, int] = {}
    for slug, is_current in Environment.objects.order_by("name").values_list("slug", "tasks__is_current"):
        counted[slug] = counted.get(slug, 0) + bool(is_current)
    names = dict(Environment.objects.values_list("slug", "name"))
    return [(slug, f"{names[slug]} ({count} task{'s' * (count != 1)})") for slug, count in counted.items()]
