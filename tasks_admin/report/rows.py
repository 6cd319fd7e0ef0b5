"""Which rows a line of the report was made of: as ids for the file, as a query for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from django.db.models import Count, Q, QuerySet, TextField, Value
from django.db.models.functions import Concat

from annotate.errors import BadInput
from annotate.models import Study
from tasks_admin.comparison.frames import counting
from tasks_admin.comparison.names import agent_names
from tasks_admin.comparison.tables import Tables
from tasks_admin.exports.rows import counted
from tasks_admin.models import Run
from tasks_admin.report.study_tables import primitives_of

TASK = "round__assignment__task_condition__task__"
ATTEMPT_FIELDS = {
    "condition": "round__assignment__task_condition__condition",
    "attempt": "kind",
    "role": "round__assignment__role",
    "person": "round__participation__code",
    "environment": TASK + "environment__slug",
    "difficulty": TASK + "difficulty",
    "family": TASK + "params__family",
}
RUN_FIELDS = {
    "condition": "task_condition__condition",
    "environment": "task_condition__task__environment__slug",
    "difficulty": "task_condition__task__difficulty",
    "family": "task_condition__task__params__family",
}
AGENT = Concat("model", Value("\n"), "harness")  # no name holds a line break
COLUMNS = {"person": "annotator"}
PLACES = {"attempts": ("task", "condition", "attempt"), "runs": ("task", "condition", "model")}
MODELS = ("model", "or_model")  # of a line that compares two, the runs of both


def ids_of(made_of: Mapping[str, str], tables: Tables) -> list[str]:
    """Ids of the rows that a line was made of, in order; [] where the line says none."""
    if not made_of:
        return []
    fields = {COLUMNS.get(name, name): value for name, value in made_of.items() if name != "of"}
    if made_of["of"] == "attempts":
        tasks = tables.tasks.select("task", "primitive", "family")
        frame, key = counting(tables).drop("primitive").join(tasks, on="task"), "attempt_id"
    else:
        panel = tables.tasks.filter("in_panel").select("task", "environment", "difficulty", "primitive", "family")
        frame, key = tables.runs.join(panel, on="task"), "run_id"
    models = [fields.pop(name) for name in MODELS if name in fields]
    if models:
        frame = frame.filter(pl.col("model").is_in(models))
    by = fields.pop("paired", "")
    paired = COLUMNS.get(by, by)
    one_person = (
        fields.pop("annotator", "") if paired == "annotator" else ""
    )  # among the others, whose rows are needed to know
    for name, value in fields.items():
        frame = frame.filter(condition_of(name, value))
    if paired:
        place = [name for name in PLACES[made_of["of"]] if name != paired]
        frame = frame.filter(pl.col(paired).n_unique().over(place) > 1)
    if one_person:
        frame = frame.filter(pl.col("annotator") == one_person)
    return [str(one) for one in frame[key].to_list()]


def condition_of(name: str, value: str) -> pl.Expr:
    """Which rows a field of a line asks for; `has` asks for those that have one or more of a count."""
    if name == "has":
        return pl.col(value) > 0
    return pl.col(name) == (value == "true") if name == "passed" else pl.col(name) == value


def of_primitive(study: Study, prefix: str, value: str) -> Q:
    """As the figures have it: in both conditions that of the task."""
    return Q(**{f"{prefix}task__in": [pk for pk, one in primitives_of(study).items() if one == value]})


def of_agents(study: Study, called: list[str]) -> Q:
    """By the names that figures have for the study's agents."""
    agents = [(model, harness or None) for model, harness in study.runs.values_list("model", "harness").distinct()]
    found = Q(pk__in=[])
    for (model, harness), name in agent_names(agents).items():
        if name in called:
            found |= Q(model=model, harness=harness or "")
    return found


def of_task(prefix: str, value: str) -> Q:
    """By the task's name, or as figures call one whose name several environments have: `environment/task`."""
    environment, _, slug = value.partition("/")
    return Q(**{f"{prefix}task__slug": value}) | Q(
        **{f"{prefix}task__environment__slug": environment, f"{prefix}task__slug": slug}
    )


def rows_of(study: Study, asked: Mapping[str, str]) -> tuple[str, QuerySet[Any]]:
    """("attempts" or "runs", their rows) for a line's fields. Raises BadInput for fields it does not know."""
    told = {name: value for name, value in asked.items() if name not in ("of", "page", "paired")}
    paired = asked.get("paired", "")
    if any("\x00" in value for value in told.values()):
        raise BadInput("A filter holds a character that no text can hold.")
    if asked.get("of", "attempts") == "attempts":
        condition = "round__assignment__task_condition__"
        one_person = {"person": told.pop("person")} if paired == "person" and "person" in told else {}
        found = filtered(study, counted(study), told, ATTEMPT_FIELDS, condition)
        pairs = in_pairs(found, paired, "attempts", ATTEMPT_FIELDS, condition)
        return "attempts", filtered(study, pairs, one_person, ATTEMPT_FIELDS, condition)
    if asked.get("of") == "runs":
        rows = Run.objects.filter(study=study).select_related("task_condition__task__environment")
        models = [told.pop(name) for name in MODELS if name in told]
        if models:
            rows = rows.filter(of_agents(study, models))
        found = filtered(study, rows, told, RUN_FIELDS, "task_condition__")
        return "runs", in_pairs(found, paired, "runs", RUN_FIELDS | {"model": "agent"}, "task_condition__")
    raise BadInput("Say whether attempts or runs are meant (of=attempts or of=runs).")


def in_pairs(rows: QuerySet[Any], by: str, of: str, fields: Mapping[str, str], prefix: str) -> QuerySet[Any]:
    """Those that have another beside them which differs by a field, in all else at the same place: of the other condition, attempt or
    role, by another model or person. Raises BadInput."""
    if not by:
        return rows
    if by not in ("condition", "attempt", "role", "person", "model") or by not in fields:
        raise BadInput(f"There are no pairs by {by[:40]!r}.")
    others = [fields[name] for name in PLACES[of] if name not in ("task", by)]
    parts = [f"{prefix}task__environment__slug", f"{prefix}task__slug", *others]
    between = [part for one in parts for part in (Value("\n"), one)]  # no name holds a line break
    placed: QuerySet[Any] = rows.annotate(agent=AGENT) if of == "runs" else rows
    placed = placed.annotate(place=Concat(*between, output_field=TextField()))
    both = placed.order_by().values("place").annotate(kinds=Count(fields[by], distinct=True)).filter(kinds__gt=1)
    return placed.filter(place__in=both.values("place"))


def filtered(
    study: Study, rows: QuerySet[Any], told: Mapping[str, str], fields: Mapping[str, str], prefix: str
) -> QuerySet[Any]:
    for name, value in told.items():
        if name == "primitive":
            rows = rows.filter(of_primitive(study, prefix, value))
        elif name == "task":
            rows = rows.filter(of_task(prefix, value))
        elif name == "passed":
            rows = rows.filter(passed=value == "true")
        elif name == "has" and value == "steps":
            rows = rows.filter(steps__gt=0)
        elif name in fields:
            rows = rows.filter(**{fields[name]: value})
        else:
            raise BadInput(f"There is no field {name[:40]!r} to filter by.")
    return rows
