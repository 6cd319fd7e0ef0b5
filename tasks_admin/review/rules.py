"""The rules of a study's flags as its leads see and set them: on or off, and the thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotate import jobs
from annotate.actions import audit
from annotate.errors import BadInput
from annotate.flags import RULES, Rule, limits_of
from annotate.models import Person, Study


@dataclass(frozen=True)
class Setting:
    """A rule with whether it is on in the study, and its thresholds: (field, words, value, default), as texts."""

    rule: Rule
    on: bool
    limits: list[tuple[str, str, str, str]]


def settings_of(study: Study) -> list[Setting]:
    """Every rule as the study has it."""
    return [setting_of(study, rule) for rule in RULES.values()]


def setting_of(study: Study, rule: Rule) -> Setting:
    own = (study.options.get("flags") or {}).get(rule.name) or {}
    values = {name: float(own.get(name, default)) for name, default in rule.limits.items()}
    limits = [
        (f"{rule.name}.{name}", name.replace("_", " "), f"{values[name]:g}", f"{default:g}")
        for name, default in rule.limits.items()
    ]
    return Setting(rule, limits_of(rule, study.options) is not None, limits)


def change(study: Study, person: Person, form: Mapping[str, str]) -> bool:
    """Keep what the form says of rules, and have every attempt looked at anew; True where anything changed.

    Raises BadInput on a threshold that is no number over 0.
    """
    flags = {rule.name: read(rule, form) for rule in RULES.values()}
    kept = {name: values for name, values in flags.items() if values}
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        before, after = {"flags": study.options.get("flags") or {}}, {"flags": kept}
        if before == after:
            return False
        Study.objects.filter(pk=study.pk).update(options=study.options | after)
        audit.note(study, person, "set flag rules", "study", before=before, after=after)
        jobs.flag_study(study.pk)
    return True


def read(rule: Rule, form: Mapping[str, str]) -> dict[str, Any]:
    """What differs from the rule's defaults."""
    own: dict[str, Any] = {} if form.get(f"{rule.name}.on") == "1" else {"on": False}
    for name, default in rule.limits.items():
        text = form.get(f"{rule.name}.{name}", "").strip().replace(",", ".")
        value = number(text, f"{rule.name.replace('_', ' ')}, {name.replace('_', ' ')}") if text else default
        if value != default:
            own[name] = value
    return own


def number(text: str, words: str) -> float:
    """A threshold. Raises BadInput."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1e6:
        raise BadInput(f"{words.capitalize()}: a number over 0 and up to a million, not {text[:20]!r}.", words)
    return value
