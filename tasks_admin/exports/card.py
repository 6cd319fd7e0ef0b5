"""The dataset card: README.md of a bundle, with one config per table for Hugging Face `datasets`."""

from __future__ import annotations

from typing import Any

from tasks_admin.exports.choice import Choice
from tasks_admin.exports.tables import SPLIT, TABLES
from tasks_admin.exports.told import KEPT


def card(manifest: dict[str, Any]) -> str:
    """The card's text, of a manifest."""
    return "\n".join([*_front_matter(manifest["counts"]), *_body(manifest)]) + "\n"


def _front_matter(counts: dict[str, int]) -> list[str]:
    lines = ["---", "configs:"]
    for table in TABLES:
        if not counts[table]:
            continue  # `datasets` takes a split without rows for a missing one
        path = f"{table}/*.parquet" if table in SPLIT else f"{table}.parquet"
        lines += [f"- config_name: {table}", "  data_files:", "  - split: train", f'    path: "{path}"']
    return [*lines, "---"]


def _body(manifest: dict[str, Any]) -> list[str]:
    counts, by_status, study = manifest["counts"], manifest["attempts_by_status"], manifest["study"]
    return [
        f"# {study['name']}",
        "",
        "How people did web tasks, recorded with Footpath: each task under one condition, twice, cold (first try) and warm "
        "(again at once, after a reset to the same seed).",
        "",
        f"- study `{study['slug']}`, seed {study['seed']}",
        f"- chosen of it: {Choice.of(manifest['choice']).words()}",
        f"- {counts['attempts']} attempts: "
        + ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in by_status.items()),
        f"- {manifest['counted_attempts']} of them count: those of complete rounds that are no practice; the others are here, marked",
        f"- {manifest['removed_attempts']} more are not here: their people left the study and took their data back",
        f"- faulty tasks, which no figure counts: {faulty(manifest['faulty_tasks'])}",
        f"- {counts['events']} raw events, {counts['steps']} steps, cleaned by `{manifest['cleaner']['name']}` "
        f"version {manifest['cleaner']['version']}",
        f"- references: {counts['references']}, by the policy `{manifest['policy']['name']}` ({manifest['policy']['rule']}); "
        f"always: {manifest['policy']['always']}",
        f"- screenshots: {manifest['screenshots']['written']}, by `screenshots.parquet`; "
        f"{manifest['screenshots']['withheld']} more are withheld",
        f"- pages as people saw them (rrweb), by `captures.parquet`: of {manifest['captures']['written']} attempts; "
        f"of {manifest['captures']['withheld']} more they are withheld",
        "- people appear by code only; withheld: " + "; ".join(manifest["withheld"]),
        f"- kept: {KEPT}",
        "",
        "## Load it",
        "",
        "```python",
        'import pandas as pd; attempts = pd.read_parquet("attempts.parquet")',
        *_parts_loaded(counts),
        "import duckdb; replays = duckdb.sql(\"FROM 'replays.parquet'\").df()",
        "```",
        "",
        "`traces/<attempt_id>.json` holds one attempt readably: documents, raw events, cleaned events, steps, proof, verdict "
        "(`schema/trace.json`). `manifest.json` holds the SHA-256 of every file and people's figures, `croissant.json` Croissant "
        "metadata; `./run verify_bundle DIR` proves the whole.",
        "",
        "## Tables",
        "",
        *[line for table in TABLES for line in _table(table, counts[table])],
    ]


def _parts_loaded(counts: dict[str, int]) -> list[str]:
    """How a table in parts is loaded, where there is a part."""
    lines = {
        "steps": 'import polars as pl; steps = pl.read_parquet("steps/*.parquet")',
        "events": 'from datasets import load_dataset; events = load_dataset("path/to/this/folder", "events", split="train")',
    }
    return [line for table, line in lines.items() if counts[table]]


def faulty(tasks: list[dict[str, str]]) -> str:
    """The tasks that a review found faulty, in a line."""
    return ", ".join(f"`{one['environment']}/{one['task']}`" for one in tasks) or "none"


def _table(name: str, n: int) -> list[str]:
    rows = [
        f"| `{column.name}` | {column.kind}{' or null' if column.nullable else ''} | {column.meaning} |"
        for column in TABLES[name]
    ]
    return [f"### {name} ({n} rows)", "", "| column | type | meaning |", "|---|---|---|", *rows, ""]
