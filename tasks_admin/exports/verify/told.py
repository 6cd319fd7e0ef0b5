"""Whether what is told beside the tables is what an export tells: the card, the Croissant metadata, the policy, what is withheld."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from annotate.references import POLICIES
from tasks_admin.exports.card import card
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.croissant import croissant
from tasks_admin.exports.tables import SPLIT, TABLES
from tasks_admin.exports.told import policy_entry, withheld
from tasks_admin.exports.verify.reading import Manifest

KNOWN = re.compile(
    r"README\.md|croissant\.json|traces/[^/]+\.json|screenshots/[^/]+\.(png|webp)|captures/[^/]+|schema/trace\.json|"
    + "|".join(
        rf"schema/{table}\.json|" + (rf"{table}/[^/]+" if table in SPLIT else rf"{table}\.(parquet|jsonl)")
        for table in TABLES
    )
)


def files_are_a_bundles(folder: Path, manifest: Manifest) -> Iterator[str]:
    """There is no file that no export writes."""
    for name in sorted(manifest["files"]):
        if not KNOWN.fullmatch(name):
            yield f"{name}: no export writes such a file"


def card_and_metadata_are_those(folder: Path, manifest: Manifest) -> Iterator[str]:
    """The card and the Croissant metadata are those of this manifest."""
    told = {"README.md": card(manifest), "croissant.json": croissant(manifest["study"], manifest["files"])}
    for name, text in told.items():
        if not (folder / name).is_file():
            yield f"{name}: a bundle must have it"
        elif (folder / name).read_text(encoding="utf-8", errors="replace") != text:
            yield f"{name}: it is not what an export writes of this manifest"


def rules_are_those_named(folder: Path, manifest: Manifest) -> Iterator[str]:
    """The reference policy is the one of its name, and what is withheld is what the choice leaves out."""
    policy = POLICIES.get(manifest["policy"]["name"])
    if policy is None:
        yield f"manifest.json: there is no policy {manifest['policy']['name']!r}"
    elif manifest["policy"] != policy_entry(policy):
        yield f"manifest.json: its policy is not what {policy.name!r} is"
    if manifest["withheld"] != withheld(Choice.of(manifest["choice"])):
        yield "manifest.json: what it calls withheld is not what its choice leaves out"
