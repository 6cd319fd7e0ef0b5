"""Consent and guidelines: Markdown, in versions that are added and never edited."""

from __future__ import annotations

from typing import Any

from django import forms

from annotate.models import Study, StudyText
from annotate.queries import current_text
from tasks_admin.studies.change import Change
from tasks_admin.studies.fields import StudyForm, Text

LONGEST = 100_000
KINDS = {
    "consent": (
        "Consent text",
        "Everybody reads it and decides before anything else; a new version is asked for again.",
    ),
    "guidelines": ("Guidelines", "How to work; one click away at any time."),
}


class TextsForm(StudyForm):
    """Both texts as they are now."""

    consent = Text(most=LONGEST, required=False, label=KINDS["consent"][0], help_text=KINDS["consent"][1])
    guidelines = Text(most=LONGEST, required=False, label=KINDS["guidelines"][0], help_text=KINDS["guidelines"][1])

    def __init__(self, study: Study, data: Any = None, *, owns: bool = False) -> None:
        super().__init__(study, data, owns=owns)
        for kind in KINDS:
            self.fields[kind].widget = forms.Textarea(attrs={"rows": 14, "dir": "auto", "spellcheck": "true"})

    def present(self, study: Study) -> dict[str, Any]:
        return {kind: body_of(study, kind) for kind in KINDS}

    def clean(self) -> None:
        """A text that was given out is changed, not taken away."""
        for kind in KINDS:
            if not self.cleaned_data.get(kind, "").strip() and body_of(self.study, kind) and not self.errors.get(kind):
                self.add_error(kind, "This study has such a text already. Change it, but leave something to read.")

    def write(self, change: Change) -> None:
        """Add a version of each text that is another one."""
        for kind, (title, _) in KINDS.items():
            body = self.cleaned_data[kind].replace("\r\n", "\n").strip()
            newest = current_text(change.study.pk, kind)
            if body == (newest.body.strip() if newest else ""):
                continue
            version = newest.version + 1 if newest else 1
            StudyText.objects.create(study=change.study, kind=kind, version=version, body=body)
            change.note(
                "text",
                title.lower(),
                before={"version": newest.version} if newest else None,
                after={"version": version},
            )


def body_of(study: Study, kind: str) -> str:
    """The newest version's text; '' where there is none."""
    newest = current_text(study.pk, kind)
    return newest.body if newest else ""
