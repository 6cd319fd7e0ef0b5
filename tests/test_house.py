"""The house's own rules: lint, types, import directions, migrations, templates, and what no file may name."""

from __future__ import annotations

import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
SKIPPED = {
    ".venv",
    ".git",
    ".data",
    ".cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".import_linter_cache",
    "__pycache__",
}


def run(*command: str) -> None:
    result = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff() -> None:
    run("ruff", "check", ".")


def test_ruff_format() -> None:
    run("ruff", "format", "--check", ".")


@pytest.mark.slow
def test_mypy() -> None:
    run("mypy")


def test_imports_go_one_way() -> None:
    run("lint-imports")


def test_templates_are_tidy() -> None:
    run(
        "djade",
        "--check",
        "--target-version",
        "5.2",
        *[str(path) for path in sorted((ROOT / "templates").rglob("*.html"))],
    )


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", "--check", "--dry-run", stdout=StringIO())


def test_the_lock_file_is_hashed_and_names_no_registry() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    pinned = re.findall(r"^[a-z0-9][\w.\[\]-]*==", lock, re.MULTILINE)
    assert len(pinned) > 50
    assert lock.count("--hash=sha256:") >= len(pinned)
    assert "://" not in lock
    assert "--index-url" not in lock


def test_no_file_names_this_machine() -> None:
    """Nothing in the checkout names a home folder or a package registry's host."""
    told = re.compile(r"/(?:home|root)/\w|(?:pypi|npmjs|registry)\.(?:org|com)")
    files = [path for path in ROOT.rglob("*") if path.is_file() and not SKIPPED & set(path.relative_to(ROOT).parts)]
    named = [
        str(path.relative_to(ROOT))
        for path in files
        if path.suffix in {".py", ".js", ".md", ".html", ".css", ".toml", ".yml", ".lock", ".in", ""}
        and path != Path(__file__)
        and told.search(path.read_text(errors="ignore"))
    ]
    assert named == []
