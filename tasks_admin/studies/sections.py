"""The parts of the editor, in the order in which a study is made."""

from __future__ import annotations

from dataclasses import dataclass

from tasks_admin.studies.fields import StudyForm
from tasks_admin.studies.form_about import AboutForm
from tasks_admin.studies.form_design import DesignForm
from tasks_admin.studies.form_options import OptionsForm
from tasks_admin.studies.form_people import PeopleForm
from tasks_admin.studies.form_rating import RatingForm
from tasks_admin.studies.form_texts import TextsForm


@dataclass(frozen=True)
class Section:
    """A page of the editor: its name in addresses, its title, and its form."""

    name: str
    title: str
    form: type[StudyForm]

    @property
    def template(self) -> str:
        """Its page."""
        return f"tasks_admin/editor/{self.name}.html"


SECTIONS = {
    section.name: section
    for section in (
        Section("about", "Name", AboutForm),
        Section("texts", "Texts", TextsForm),
        Section("design", "Tasks", DesignForm),
        Section("people", "People", PeopleForm),
        Section("rating", "Rating", RatingForm),
        Section("options", "Options", OptionsForm),
    )
}
