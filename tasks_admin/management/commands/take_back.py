"""`./run take_back runs|labels --study S [--import N]`: list a study's imports by number, or take one back."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotate.models import Study
from recorder.errors import FootpathError
from tasks_admin.models import Upload
from tasks_admin.uploads.take_back import goes, imports_of, take_back


class Command(BaseCommand):
    help = "List a study's imports with what would go with each, or take one back by its number."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=Upload.Kind.values)
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument("--import", dest="number", type=int, metavar="N", help="the import to take back")
        parser.add_argument("--with-peoples-labels", action="store_true", help="labels that people gave may go with it")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        if options["number"] is None:
            self.list_imports(study, options["kind"])
            return
        try:
            gone = take_back(
                study, options["kind"], options["number"], None, words_too=options["with_peoples_labels"]
            )  # fmt: skip
        except FootpathError as error:
            raise CommandError(error.message + self.hint(error)) from error
        self.stdout.write(f"taken back: {gone.runs} runs, {gone.judges + gone.words} labels")
        for name in gone.later:
            self.stdout.write(f"  found some there already; import it again where they should stay: {name}")

    def list_imports(self, study: Study, kind: str) -> None:
        for made in imports_of(study, kind):
            what = goes(made)
            self.stdout.write(
                f"{made.pk}: {made.name}, {made.at:%Y-%m-%d %H:%M}: {what.runs} runs, {what.judges} labels by judges, "
                f"{what.words} by people"
            )

    @staticmethod
    def hint(error: FootpathError) -> str:
        return " (--with-peoples-labels)" if error.data.get("field") == "words_too" else ""
