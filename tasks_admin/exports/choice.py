"""What of a study goes into a bundle: which conditions, which people, whether only what counts, with screenshots, with captures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Q

from annotate.counting import in_figures
from annotate.errors import BadInput
from annotate.models import Study


@dataclass(frozen=True)
class Choice:
    """Conditions and people's codes, none meaning all; `only_complete` leaves out every attempt that no figure counts;
    `screenshots` and `captures` take in those that were cleared."""

    conditions: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    only_complete: bool = False
    screenshots: bool = False
    captures: bool = False

    def document(self) -> dict[str, Any]:
        """The choice as JSON has it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def of(cls, told: dict[str, Any]) -> Choice:
        """The choice that `document` told."""
        extras = (told.get(name, False) for name in ("screenshots", "captures"))
        return cls(tuple(told["conditions"]), tuple(told["people"]), told["only_complete"], *extras)

    def words(self) -> str:
        """The choice in a line."""
        conditions = f"only {', '.join(self.conditions)}" if self.conditions else "all conditions"
        people = f"only {', '.join(self.people)}" if self.people else "everybody"
        rounds = "only what counts" if self.only_complete else "every ended round"
        extras = "".join(f"; with cleared {name}" for name in ("screenshots", "captures") if getattr(self, name))
        return f"{conditions}; {people}; {rounds}{extras}"

    def within(self, path: str = "") -> Q:
        """The rows whose round was chosen; `path` leads from the row to its round ("round__")."""
        found = Q()
        if self.conditions:
            found &= Q(**{f"{path}assignment__task_condition__condition__in": self.conditions})
        if self.people:
            found &= Q(**{f"{path}participation__code__in": self.people})
        if self.only_complete:
            found &= in_figures(path) & ~Q(**{f"{path}assignment__role": "practice"})
        return found


ALL = Choice()


def conditions_of(study: Study) -> list[str]:
    """The conditions that the study has tasks under."""
    return sorted(set(study.task_conditions.order_by().values_list("condition", flat=True)))


def codes_of(study: Study) -> list[str]:
    """The codes of everybody in the study, P2 before P10."""
    codes = study.participations.values_list("code", flat=True)
    return sorted(codes, key=lambda code: (code.rstrip("0123456789"), len(code), code))


def chosen(
    study: Study,
    conditions: Sequence[str],
    people: Sequence[str],
    *,
    only_complete: bool,
    screenshots: bool = False,
    captures: bool = False,
) -> Choice:
    """The choice of these; all of them is the same as none named. Raises BadInput for what the study does not have."""
    known = _known("condition", conditions, conditions_of(study)), _known("person", people, codes_of(study))
    return Choice(*known, only_complete, screenshots, captures)


def _known(what: str, asked: Sequence[str], there: list[str]) -> tuple[str, ...]:
    if unknown := sorted(set(asked) - set(there)):
        raise BadInput(f"The study has no {what} {unknown[0]!r}; it has: {', '.join(there) or 'none yet'}.", what)
    return () if set(asked) == set(there) else tuple(sorted(set(asked)))
