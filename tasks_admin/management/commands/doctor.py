"""`./run doctor`: what is wrong with this installation, and the remedy."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tasks_admin.operate.doctor import Finding, examine


class Command(BaseCommand):
    help = "Check database, migrations, secret, hosts, wildcard name, proxy, browser and broker; say what to do."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = examine()
        bad = sum(not finding.ok for finding in findings)
        if options["json"]:
            self.stdout.write(json.dumps({"ok": not bad, "checks": [asdict(finding) for finding in findings]}))
        else:
            self.tell(findings)
        if bad:
            raise CommandError(f"{bad} of {len(findings)} checks failed; the lines marked BAD say what to do.")

    def tell(self, findings: list[Finding]) -> None:
        """A line each, and the remedy below what is bad."""
        for finding in findings:
            self.stdout.write(f"{'ok ' if finding.ok else 'BAD'}  {finding.what:<16} {finding.seen}")
            if not finding.ok:
                self.stdout.write(f"{'':<22}→ {finding.remedy}")
