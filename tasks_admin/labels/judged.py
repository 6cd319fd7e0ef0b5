"""What people labelled, with every judge's word on it: the study's rows for `agreement.judges`."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import QuerySet

from annotate.models import Attempt, Label, Study
from tasks_admin.agreement.judges import PEOPLE, Judged
from tasks_admin.agreement.labels import open_to_labels as open_attempts
from tasks_admin.models import ImportedLabel, Run, RunLabel

VERDICTS = {
    "environment": "environment's verdict",
    "self": "agent's own word",
    "judge": "judge in the results",
}  # a verdict that a person gave is no judge's
WORDS: dict[str, bool | None] = {"success": True, "failure": False, "unsure": None}


def judged(study: Study) -> list[Judged]:
    """Every run and every attempt that counts on which people have a word, runs first."""
    return [*judged_runs(study), *judged_attempts(study)]


def judged_runs(study: Study) -> list[Judged]:
    imported = study.imported_labels.filter(run__isnull=False)
    people = people_of(imported, "run")
    words = RunLabel.objects.filter(run__study=study).order_by("pk").values_list("run_id", "lead_id", "success")
    for run, lead, success in words:
        people[run][f"lead {lead or 0}"] = success
    says = judges_of(imported, "run", people)
    rows = Run.objects.filter(pk__in=people).order_by("pk").values_list("pk", "model", "verdict_source", "passed")
    for pk, _, source, passed in rows:
        if source in VERDICTS:
            says[pk][VERDICTS[source]] = passed
    return [Judged("run", pk, model, people[pk], says[pk]) for pk, model, _, _ in rows]


def judged_attempts(study: Study) -> list[Judged]:
    counted = open_attempts(study)
    imported = study.imported_labels.filter(attempt__in=counted)
    people = people_of(imported, "attempt")
    words = Label.objects.filter(attempt__in=counted).order_by("pk").values_list("attempt", "lead", "success")
    for attempt, lead, success in words:
        people[attempt][f"lead {lead or 0}"] = success
    says = judges_of(imported, "attempt", people)
    for pk, passed in Attempt.objects.filter(pk__in=people).values_list("pk", "passed"):
        says[pk][VERDICTS["environment"]] = bool(passed)
    return [Judged("attempt", pk, PEOPLE, people[pk], says[pk]) for pk in sorted(people)]


def people_of(imported: QuerySet[ImportedLabel], of: str) -> defaultdict[int, dict[str, bool]]:
    """The clear words of people elsewhere, by what they are about and the person's name."""
    people: defaultdict[int, dict[str, bool]] = defaultdict(dict)
    rows = imported.filter(by="person").exclude(word="unsure").values_list(of, "judge", "word")
    for pk, name, word in rows:
        people[pk][f"imported {name}"] = word == "success"
    return people


def judges_of(
    imported: QuerySet[ImportedLabel], of: str, people: dict[int, dict[str, bool]]
) -> defaultdict[int, dict[str, bool | None]]:
    """Imported judges' words on what people labelled."""
    says: defaultdict[int, dict[str, bool | None]] = defaultdict(dict)
    for pk, name, word in imported.filter(by="judge", **{f"{of}__in": list(people)}).values_list(of, "judge", "word"):
        says[pk][name] = WORDS[word]
    return says
