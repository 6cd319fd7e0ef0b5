"""Whether the screenshots are those that the table names, with the pixels that were cleared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from recorder.replay.pictures import hash_of
from tasks_admin.exports.verify.reading import Manifest, lines_of, names_in


def screenshots_are_those_named(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each file is named by the table, is of the size it says, and has the pixels whose hash is its name; none was left unsaid."""
    named = {row["file"]: (row["width"], row["height"]) for _, row in lines_of(folder, "screenshots")}
    there = {f"screenshots/{name}" for name in names_in(folder / "screenshots")}
    for name in sorted(there - set(named)):
        yield f"{name}: screenshots.jsonl does not name it"
    for name in sorted(set(named) - there):
        yield f"{name}: screenshots.jsonl names it, but it is not there"
    for name in sorted(there & set(named)):
        yield from _pixels(folder / name, name, named[name])
    told = manifest.get("screenshots", {}).get("written")
    if told != len(there):
        yield f"screenshots: there are {len(there)}, the manifest says {told}"
    if there and not manifest.get("choice", {}).get("screenshots"):
        yield "screenshots: there are some, but the manifest's choice is without"


def _pixels(path: Path, name: str, size: tuple[int, int]) -> Iterator[str]:
    try:
        with Image.open(path) as image:
            found, pixels = image.size, hash_of(image)
    except (UnidentifiedImageError, OSError):
        yield f"{name}: it is no picture"
        return
    if found != size:
        yield f"{name}: it is {found[0]}×{found[1]}, screenshots.jsonl says {size[0]}×{size[1]}"
    if pixels != path.stem:
        yield f"{name}: its pixels are not those that it is named by"
