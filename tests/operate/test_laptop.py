"""Laptop mode: the kept secret, and which commands get which database."""

import contextlib
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.config import embedded, laptop
from tasks_admin.operate.stack import only_one


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No operator's settings, a data folder of its own, no `.env`, and an embedded server that is only noted."""
    for name in ("DATABASE_URL", "FOOTPATH_LAPTOP", "FOOTPATH_EXAMINE", *laptop.OPERATORS):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("FOOTPATH_DATA", str(tmp_path))
    monkeypatch.setattr(laptop, "read_env_file", lambda: None)

    @contextlib.contextmanager
    def serving(folder: Path, *, throwaway: bool = False) -> Iterator[str]:
        yield f"postgres://{folder.parent.name}/{throwaway}"

    monkeypatch.setattr(embedded, "serving", serving)
    return tmp_path


def environment() -> tuple[str | None, str | None]:
    return laptop.os.environ.get("DATABASE_URL"), laptop.os.environ.get("FOOTPATH_LAPTOP")


def test_the_secret_is_made_once_and_kept_from_others(bare: Path) -> None:
    first = laptop.secret_key()
    assert len(first) > 50
    assert laptop.secret_key() == first
    assert stat.S_IMODE((bare / "secret_key").stat().st_mode) == 0o600


def test_a_command_gets_the_embedded_database(bare: Path) -> None:
    with laptop.database(["manage.py", "up"]):
        assert environment() == (f"postgres://{bare.name}/False", "1")
        assert laptop.is_laptop()


def test_an_operators_database_is_left_alone(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://db/x")
    assert not laptop.is_laptop()
    with laptop.database(["manage.py", "up"]):
        assert environment() == ("postgres://db/x", "")


@pytest.mark.parametrize("argv", [["verify_bundle", "x"], ["up", "--help"], ["up", "-h"], []])
def test_what_needs_no_database_waits_for_none(bare: Path, argv: list[str]) -> None:
    with laptop.database(["manage.py", *argv]):
        assert environment() == ("", "")


def test_the_demo_has_a_database_of_its_own(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://db/x")
    monkeypatch.setenv("SECRET_KEY", "the operator's")
    with laptop.database(["manage.py", "demo"]):
        url, mode = environment()
        assert (url or "").endswith("/True")
        assert mode == "1"
        assert laptop.os.environ["SECRET_KEY"] == ""
        folder = laptop.data_dir().parent
        assert folder.name.startswith("footpath-")
    assert not folder.exists()


def test_the_doctor_looks_at_all_settings(bare: Path) -> None:
    with laptop.database(["manage.py", "doctor"]):
        assert laptop.os.environ["FOOTPATH_EXAMINE"] == "1"


def test_commands_beside_a_running_up_know_its_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTPATH_DATA", str(tmp_path))
    assert laptop.served_url() == "http://localhost:8000"
    with only_one(tmp_path, "http://localhost:8931"):
        assert laptop.served_url() == "http://localhost:8931"
    assert laptop.served_url() == "http://localhost:8000"
