"""The people's form: code, tier, exclusions, capacity and an invitation for each; in a running study each change is amended."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.validators import RegexValidator

from annotate.designs import kept_of, primary_first
from annotate.errors import BadInput
from annotate.models import Environment, Participation, Study
from tasks_admin.operate.people import CannotInvite, Invited, bring_in
from tasks_admin.studies.change import Change
from tasks_admin.studies.fields import StudyForm, Text

CODE = RegexValidator(
    r"\A[A-Z][A-Z0-9]{0,11}\Z",
    "A capital letter, then capital letters and numbers, at most 12: P3, say. Codes are published: no name, no address.",
)
SPARE = 2  # empty rows that are offered
MOST = 100_000


class PersonForm(forms.Form):
    """A row: a participation, or one to be."""

    pk = forms.IntegerField(required=False, widget=forms.HiddenInput)
    code = Text(most=320, label="Code", validators=[CODE])
    tier = forms.ChoiceField(label="Tier", choices=Participation.Tier.choices, initial="primary")
    exclusions = forms.MultipleChoiceField(label="Excludes", required=False, widget=forms.CheckboxSelectMultiple)
    capacity = forms.IntegerField(
        label="Capacity",
        required=False,
        min_value=0,
        max_value=MOST,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), "The most assignments, as a whole number; empty for no limit."
        ),
    )
    email = forms.EmailField(label="Invite", required=False, error_messages={"invalid": "This is no e-mail address."})
    leaves = forms.BooleanField(label="Leaves", required=False)

    def __init__(self, *args: Any, environments: list[tuple[str, str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["exclusions"].choices = environments  # type: ignore[attr-defined]
        self.participation: Participation | None = None


class PeopleRows(forms.BaseFormSet):  # type: ignore[type-arg]  # a plain class when it runs
    """All rows; codes are the rows' own."""

    def clean(self) -> None:
        """No code twice, and no address."""
        for field, words in (("code", "Another row has this code."), ("email", "Another row invites this address.")):
            seen: set[str] = set()
            for form in self.forms:
                value = str(form.cleaned_data.get(field) or "").lower()
                if value and value in seen:
                    form.add_error(field, words)
                seen.add(value)


class PeopleForm(StudyForm):
    """The study's form fields, and a row for everybody."""

    def __init__(self, study: Study, data: Any = None, *, owns: bool = False) -> None:
        super().__init__(study, data, owns=owns)
        people = primary_first(study.participations.all())
        environments = exclusion_choices(study, people)
        shown: list[Participation | None] = as_posted(people, data) if data else [*people]
        rows = forms.formset_factory(PersonForm, formset=PeopleRows, extra=SPARE, max_num=1000, absolute_max=1000)
        self.rows = rows(
            data,
            initial=[row_of(one) if one else {} for one in shown],
            prefix="rows",
            form_kwargs={"environments": environments, "auto_id": "%s"},
        )
        self.invited: list[Invited] = []
        for form, one in zip(self.rows.initial_forms, shown, strict=False):
            form.participation = one
            self.fit(form)
        for form in self.rows.forms if not owns else ():
            form.fields["email"].disabled = True  # only owners know who has which code

    def fit(self, form: PersonForm) -> None:
        """Rows that are there: what may not be changed of them."""
        person = form.participation
        if self.is_amending:
            for name in ("code", "tier"):
                form.fields[name].disabled = True
        if person is not None and person.person_id is not None:
            form.fields["email"].disabled = True
            form.fields["code"].disabled = True

    def is_valid(self) -> bool:
        return bool(super().is_valid() & self.rows.is_valid())

    def write(self, change: Change) -> None:
        """Change, add and take away people. Raises BadInput where somebody can't be invited."""
        standing = {one.pk: one for one in change.study.participations.all()}
        self.free_codes(standing)
        for form in self.rows.forms:
            data = form.cleaned_data
            if not data.get("code"):
                continue
            one = standing.get(data.get("pk") or 0)
            if one is None:
                self.join(change, form)
            elif data["leaves"] == one.is_active:
                self.leave_or_return(change, one, leaves=data["leaves"])
            else:
                self.alter(change, one, data)
            if data["email"] and not data["leaves"]:
                self.invite(change, form)

    def free_codes(self, standing: dict[int, Participation]) -> None:
        """Codes that two rows exchange would meet on the way; they are put aside first."""
        for form in self.rows.forms:
            one = standing.get(form.cleaned_data.get("pk") or 0)
            if one is not None and form.cleaned_data["code"] != one.code:
                Participation.objects.filter(pk=one.pk).update(code=f"#{one.pk}"[:12])

    def join(self, change: Change, form: PersonForm) -> None:
        data = form.cleaned_data
        if data["leaves"]:
            return
        if change.study.participations.filter(code=data["code"]).exists():
            form.add_error("code", "Somebody has this code already.")
            raise BadInput("Somebody has this code already.")
        made = Participation.objects.create(
            study=change.study,
            code=data["code"],
            tier=data["tier"],
            exclusions=data["exclusions"],
            capacity=data["capacity"],
        )
        change.note("joined", made.code, after=told(made))

    def leave_or_return(self, change: Change, one: Participation, *, leaves: bool) -> None:
        """Whoever has an account is deactivated, never deleted; a code that nobody has taken goes."""
        untouched = one.person_id is None and not one.assignments.exclude(state="not_started").exists()
        if leaves and untouched and not change.is_amendment:
            one.assignments.all().delete()
            Participation.objects.filter(pk=one.pk).delete()
            change.note("left", one.code, before=told(one))
            return
        Participation.objects.filter(pk=one.pk).update(is_active=not leaves)
        change.note("left" if leaves else "returned", one.code, before=told(one))

    def alter(self, change: Change, one: Participation, data: dict[str, Any]) -> None:
        before = told(one)
        one.tier, one.exclusions, one.capacity = data["tier"], data["exclusions"], data["capacity"]
        after = told(one)
        if before == after and one.code == data["code"]:
            return
        if one.code != data["code"]:
            before, after = {"code": one.code, **before}, {"code": data["code"], **after}
        Participation.objects.filter(pk=one.pk).update(
            code=data["code"], tier=one.tier, exclusions=one.exclusions, capacity=one.capacity
        )
        change.note("person", data["code"], before=before, after=after)

    def invite(self, change: Change, form: PersonForm) -> None:
        data = form.cleaned_data
        try:
            self.invited.append(bring_in(data["email"], change.study.slug, code=data["code"], actor=change.person))
        except CannotInvite as error:
            form.add_error("email", error.message)
            raise BadInput(error.message) from error


def as_posted(people: list[Participation], data: Any) -> list[Participation | None]:
    """Who the rows of a sent form are: it may have been opened when there were others."""
    by_pk = {str(one.pk): one for one in people}
    count = str(data.get("rows-INITIAL_FORMS", ""))
    number = min(int(count), 1000) if count.isdecimal() and len(count) < 6 else 0
    return [by_pk.get(str(data.get(f"rows-{index}-pk", ""))) for index in range(number)]


def exclusion_choices(study: Study, people: list[Participation]) -> list[tuple[str, str]]:
    """The study's websites, and those that somebody excludes already."""
    slugs = {*kept_of(study).environments, *(slug for one in people for slug in one.exclusions)}
    names = dict(Environment.objects.filter(slug__in=slugs).values_list("slug", "name"))
    return [(slug, names.get(slug, slug)) for slug in sorted(slugs)]


def row_of(one: Participation) -> dict[str, Any]:
    return {"pk": one.pk, "code": one.code, **told(one), "leaves": not one.is_active}


def told(one: Participation) -> dict[str, Any]:
    """What is planned with of a person."""
    return {"tier": one.tier, "exclusions": sorted(one.exclusions), "capacity": one.capacity}
