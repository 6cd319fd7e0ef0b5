"""`./run doctor`: what is wrong with this installation, and the remedy."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tasks_admin.operate.doctor import examine


class Command(BaseCommand):
    help = "Check database, migrations, secret, hosts, wildcard name, browser and broker; say what to do."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        findings = examine()
        for finding in findings:
            self.stdout.write(f"{'ok  ' if finding.ok else 'BAD '} {finding.what}: {finding.seen}")
            if not finding.ok:
                self.stdout.write(f"     → {finding.remedy}")
        bad = sum(not finding.ok for finding in findings)
        if bad:
            raise CommandError(f"{bad} of {len(findings)} checks failed; the lines marked BAD say what to do.")
