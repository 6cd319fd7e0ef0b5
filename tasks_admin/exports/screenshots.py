"""Screenshots of replays in a bundle: those that a lead cleared, each file once, and a table that tells what they show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotate.models import Picture, ReplayStep, Study
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.files import Row, TableFile
from tasks_admin.exports.place import CannotExport
from tasks_admin.exports.privacy import Canary
from tasks_admin.exports.rows import NAMING, ORDER, attempt_id
from tasks_admin.release import items

MOMENTS = ("before", "after")


def write(study: Study, folder: Path, choice: Choice, canary: Canary) -> tuple[int, dict[str, int]]:
    """Write the cleared screenshots of what was chosen, where they were asked for. Returns the table's rows, and how many pictures
    were `written` and `withheld`. Raises Leak, and CannotExport where a picture's file is gone."""
    written: set[str] = set()
    with TableFile(folder, "screenshots", canary) as table:
        for picture, row in cleared(study, choice) if choice.screenshots else ():
            canary.let_out("picture", picture.pk, f"{row['attempt_id']}, {row['moment']} step {row['step'] + 1}")
            if picture.content_hash not in written:
                _write_file(picture, folder / row["file"])
                written.add(picture.content_hash)
            table.add([row])
    return table.rows, {
        "written": len(written),
        "withheld": items.pictures(study, choice).count() - len(written),
    }


def cleared(study: Study, choice: Choice) -> Iterator[tuple[Picture, Row]]:
    """The cleared pictures with their rows."""
    known = items.cleared_texts(study, "picture")
    steps = items.shown_steps(study, choice).select_related(
        "before", "after", *(f"replay__attempt__{path}" for path in NAMING)
    )
    for step in steps.order_by(*(f"replay__attempt__{path}" for path in ORDER), "index").iterator(500):
        for moment in MOMENTS:
            picture = getattr(step, moment)
            if picture is not None and picture.pk in known:
                yield picture, _row(step, moment, picture)


def _row(step: ReplayStep, moment: str, picture: Picture) -> Row:
    return {
        "attempt_id": attempt_id(step.replay.attempt),
        "replay": step.replay.number,
        "step": step.index,
        "moment": moment,
        "file": f"screenshots/{picture.content_hash}.{picture.media_type.partition('/')[2]}",
        "media_type": picture.media_type,
        "width": picture.width,
        "height": picture.height,
    }


def _write_file(picture: Picture, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    try:
        with picture.file.open("rb") as source:
            path.write_bytes(source.read())
    except FileNotFoundError as error:
        raise CannotExport(
            f"The file of the screenshot {picture} is not in the file storage any more. Withhold it, or replay its attempt again."
        ) from error
