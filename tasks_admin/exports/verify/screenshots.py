"""Whether the screenshots are those that the table names, with the pixels that were cleared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from recorder.replay.pictures import hash_of
from tasks_admin.exports.verify.reading import Manifest, lines_of, names_in
from tasks_admin.exports.verify.references import played_of

PNG_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"  # the last chunk of a PNG file


def screenshots_are_those_named(folder: Path, manifest: Manifest) -> Iterator[str]:
    """Each file is named by the table, is of the size it says, and has the pixels whose hash is its name; none was left unsaid."""
    named = {}
    newest = {row["attempt_id"]: (row["replay"], played_of(row)) for _, row in lines_of(folder, "replays")}
    for number, row in lines_of(folder, "screenshots"):
        replay, steps = newest.get(row["attempt_id"], (None, 0))
        if row["replay"] != replay or row["step"] >= steps:
            yield f"screenshots.jsonl line {number}: the newest replay of {row['attempt_id']} has no such step"
        if row["file"].rpartition(".")[2] != row["media_type"].partition("/")[2]:
            yield f"screenshots.jsonl line {number}: {row['file']} is called {row['media_type']}"
        named[row["file"]] = (row["width"], row["height"])
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
            found, pixels, kind = image.size, hash_of(image), (image.format or "").lower()
    except (UnidentifiedImageError, OSError):
        yield f"{name}: it is no picture"
        return
    if found != size:
        yield f"{name}: it is {found[0]}×{found[1]}, screenshots.jsonl says {size[0]}×{size[1]}"
    if kind != path.suffix[1:] or not _ends_there(path, kind):
        yield f"{name}: it is no {path.suffix[1:]} and nothing else"
    if pixels != path.stem:
        yield f"{name}: its pixels are not those that it is named by"


def _ends_there(path: Path, kind: str) -> bool:
    """Whether a PNG or WebP file ends where its picture does."""
    data = path.read_bytes()
    if kind == "webp":
        return len(data) == 8 + int.from_bytes(data[4:8], "little")
    return data.endswith(PNG_END) and data.count(PNG_END) == 1
