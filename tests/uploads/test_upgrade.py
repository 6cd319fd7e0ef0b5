"""Files brought in before they kept the number of their import: the upgrade finds it, also where it was taken back."""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from tasks_admin.models import RunImport, Upload
from tasks_admin.uploads import take_back
from tests.cast import Cast


def test_imports_of_earlier_uploads_are_found(cast: Cast) -> None:
    stays, goes = (RunImport.objects.create(study=cast.study, format="table", name=name) for name in ("a.csv", "b.csv"))
    took = timedelta(seconds=5)
    told = {"study": cast.study, "kind": "runs", "size": 1, "state": "done", "told": {"taken": 0}}
    when = {"sent_at": stays.at - took, "ended_at": goes.at + took}
    first, second = (Upload.objects.create(name=name, **told, **when) for name in ("a.csv", "b.csv"))
    later = Upload.objects.create(name="a.csv", **told, sent_at=goes.at + took, ended_at=goes.at + 2 * took)
    number = goes.pk
    take_back.take_back(cast.study, "runs", number, cast.lead, words_too=False)
    fill = MigrationLoader(connection).get_migration("tasks_admin", "0008_imports_of_uploads").operations[0].sql
    with connection.cursor() as cursor:
        cursor.execute(fill)
    for upload in (first, second, later):
        upload.refresh_from_db()
    assert (first.told["import"], second.told["import"], "import" in later.told) == (stays.pk, number, False)
    assert [take_back.is_taken_back(one) for one in (first, second, later)] == [False, True, False]
