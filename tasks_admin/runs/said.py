"""What the importer says of files, checked before they are read: nothing that is said is passed over."""

from __future__ import annotations

from tasks_admin.runs import values
from tasks_admin.runs.registry import Format
from tasks_admin.runs.shape import CONDITIONS, BadRuns, Given

NAMES = ("model", "harness")  # by which people tell runs apart
UNSEEN = "which nobody sees, so that two names would look the same; take it out"
UNHEEDED = {  # why a format takes no word on it, and what to do
    "columns": "has no columns that could be named; leave the columns out, or choose the format table",
    "task": "names the task of each run itself; leave the task out",
    "step_unit": "leaves nothing open of what a step is; leave the unit of steps out",
    "elapsed": "has no times of steps that could be read in two ways; leave out what elapsed time means",
}
OF_A_TABLE = "names the task in each row; leave the task out, or name its column (task=NAME)"


def check(given: Given, found: Format) -> None:
    """Raises BadRuns for a condition that is none, a name that nobody sees, and what the format's reader cannot use."""
    if given.condition not in (None, *CONDITIONS):
        raise BadRuns(f"{given.condition!r} is no condition; say {' or '.join(CONDITIONS)}.", "condition")
    for what in NAMES:
        said = getattr(given, what)
        if said is not None and not said.strip():
            raise BadRuns(f"The name of the {what} is blank; say a name. Nothing was imported.", what)
        if unseen := values.unseen_in(said or ""):
            raise BadRuns(f"The name of the {what} holds {unseen}, {UNSEEN}. Nothing was imported.", what)
    idle = [name for name in UNHEEDED if getattr(given, name) and name not in found.heeds]
    if idle:
        reasons = UNHEEDED | ({"task": OF_A_TABLE} if "columns" in found.heeds else {})
        why = ". It ".join(reasons[name] for name in idle)
        raise BadRuns(f"The format {found.name} {why}. Nothing was imported.", *idle)
