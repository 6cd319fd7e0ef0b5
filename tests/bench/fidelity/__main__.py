"""`python -m tests.bench.fidelity [--tasks NAME,…] [--kinds KIND,…] [--seed N] [--no-peer] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from pathlib import Path

import django

from annotate.config import laptop


def main() -> int:
    """Run the chosen tasks, print a line each and the table per kind; the status says whether the goal is met."""
    options = arguments()
    with laptop.throwaway():
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotate.config.settings")
        django.setup()
        from tests.bench.fidelity.bench import run_all  # noqa: PLC0415  (needs the settings)

        outcomes = run_all(options)
    if options.json:
        options.json.write_text(
            json.dumps([outcome.row() for outcome in outcomes], ensure_ascii=False, indent=1) + "\n"
        )
    rows = defaultdict(list)
    for outcome in outcomes:
        if outcome.passed:
            rows[outcome.kind].append(outcome)
    print(
        "\n| kind | tasks | recorded complete | replayed | same verdict | steps / operations | peer ran | peer same verdict |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for kind, group in [*sorted(rows.items()), ("**all**", [one for some in rows.values() for one in some])]:
        print(
            f"| {kind} | {len(group)} | {sum(o.complete for o in group)} | {sum(o.replayed for o in group)} "
            f"| {sum(o.equal for o in group)} | {sum(o.steps for o in group)} / {sum(o.operations for o in group)} "
            f"| {sum(o.peer_ran for o in group)} | {sum(o.peer_equal for o in group)} |"
        )
    driven = [outcome for outcome in outcomes if outcome.passed]
    missed = [outcome.name for outcome in outcomes if not outcome.passed]
    print(f"\n{len(driven)} of {len(outcomes)} were driven to success; not: {', '.join(missed) or 'none'}")
    return 0 if driven and sum(outcome.equal for outcome in driven) >= 0.98 * len(driven) else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.fidelity", description=__doc__)
    parser.add_argument("--tasks", default="", help="only these, separated by commas")
    parser.add_argument("--kinds", default="", help="only kinds that begin with one of these")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--no-peer", dest="peer", action="store_false", help="without Playwright's own recorder")
    parser.add_argument("--keep", type=Path, help="folder for the traces")
    parser.add_argument("--json", type=Path, help="file for all outcomes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
