"""The attempts of a bundle: their rows, and stretch by stretch their traces, as far as an export that was stopped has not made them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

from annotate.models import Study
from tasks_admin.exports import rows, stretches, traces
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.draft import Draft
from tasks_admin.exports.files import TableFile
from tasks_admin.exports.place import CannotExport

Progress = Callable[[int, int], None]


@dataclass
class Progressing:
    """Tells how many attempts of the total are done, one by one."""

    tell: Progress
    total: int
    done: int = 0

    def on(self, many: int) -> None:
        for _ in range(many):
            self.done += 1
            self.again()

    def again(self) -> None:
        """Tell it once more, for what is told may say that enough is done."""
        self.tell(self.done, self.total)


@dataclass
class Attempts:
    """What was written of attempts: rows per table, attempts by status, {file: SHA-256} of traces and parts."""

    progress: Progressing
    rows: dict[str, int] = field(default_factory=lambda: {"events": 0, "steps": 0})
    by_status: Counter[str] = field(default_factory=Counter)
    files: dict[str, str] = field(default_factory=dict)

    def add(self, made: traces.Made) -> None:
        """Count what was made of a stretch."""
        self.files |= made.files
        self.rows["events"] += made.events
        self.rows["steps"] += made.steps


def write_attempts(study: Study, draft: Draft, choice: Choice, rules: traces.Rules, progress: Progress) -> Attempts:
    """Write the tables `attempts` and `verdict_checks`, and the traces and parts of all stretches that the draft does not have yet.
    Raises CannotExport, Leak, and what `progress` raises."""
    found = rows.attempts_to_export(study, choice)
    told = Attempts(Progressing(progress, found.count()))
    for name in ("traces", "events", "steps"):
        (draft.folder / name).mkdir(exist_ok=True)
    with (
        TableFile(draft.folder, "attempts", rules.canary) as table,
        TableFile(draft.folder, "verdict_checks", rules.canary) as checks,
    ):
        tabled = _tabled(stretches.stretches(found.only(*rows.WRITTEN).iterator(200)), table, checks, rules, told)
        # Closed before what is left of the draft is: threads write to it.
        with closing(traces.write(_not_kept(tabled, draft, rules, told), draft.folder, rules)) as pieces:
            for done in pieces:
                told.progress.on(done.place.many)
                if done.made:
                    draft.note(done.place.inputs, done.made)
                    told.add(done.made)
    told.rows |= {"attempts": table.rows, "verdict_checks": checks.rows}
    return told


def _tabled(
    found: Iterable[stretches.Stretch], table: TableFile, checks: TableFile, rules: traces.Rules, told: Attempts
) -> Iterator[stretches.Stretch]:
    """The stretches, each once the rows of its attempts are written."""
    names: set[str] = set()
    for stretch in found:
        for attempt in stretch.attempts:
            row = rows.attempt_row(attempt)
            require_own_name(row["attempt_id"], names)
            table.add([row])
            checks.add(rows.check_rows(attempt, rules.masks.text))
            told.by_status[row["status"]] += 1
        told.progress.again()
        yield stretch


def _not_kept(
    found: Iterable[stretches.Stretch], draft: Draft, rules: traces.Rules, told: Attempts
) -> Iterator[stretches.Stretch]:
    """The stretches but for those whose files are there already, which all come first."""
    for stretch in found:
        made = draft.finished(stretch.number, stretch.inputs())
        if not made:
            yield stretch
            continue
        draft.kept += len(stretch.attempts)
        rules.canary.used.update(made.relied)
        told.add(made)
        told.progress.on(len(stretch.attempts))


def require_own_name(name: str, names: set[str]) -> None:
    """Add the name of an attempt to those that are taken; capitals make no other name, for many file systems do not tell them
    apart. Raises CannotExport."""
    if name.casefold() in names:
        raise CannotExport(
            f"Two attempts would be called {name} in the bundle: the slugs of their websites and tasks, joined by hyphens, read the "
            "same, capitals aside. Choose people or conditions so that only one of them is in it; nothing was exported."
        )
    names.add(name.casefold())
