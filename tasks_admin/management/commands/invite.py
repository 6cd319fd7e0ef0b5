"""`./run invite EMAIL --study S`: bring a person into a study and print the link that sets their password."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from recorder.errors import FootpathError
from tasks_admin.operate import people


class Command(BaseCommand):
    help = "Bring a person into a study, as an annotator (--code P3) or on the lead's side (--role lead)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument(
            "--study", metavar="SLUG", help="without it --role owner lets the person create studies in the browser"
        )
        as_what = parser.add_mutually_exclusive_group(required=True)
        as_what.add_argument("--code", help="the annotator's code: P1, P2, … primary; D1, D2, … duplicate")
        as_what.add_argument("--role", choices=people.ROLES, help="on the lead's side")
        parser.add_argument("--name", default="", help="how pages call the person")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            invited = people.bring_in(
                options["email"],
                options["study"] or "",
                code=options["code"] or "",
                role=options["role"] or "",
                name=options["name"],
            )
        except FootpathError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps({"email": invited.email, "as": invited.as_what, "link": invited.link}))
        elif invited.link:
            self.stdout.write(f"{invited.email} is {invited.what}. Give them this link:")
            self.stdout.write(f"  {invited.link}")
            self.stdout.write(f"It sets their password, once, within {people.INVITATION_DAYS} days.")
        else:
            self.stdout.write(f"{invited.email} is {invited.what} and has a password already.")
