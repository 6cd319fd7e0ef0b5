"""Each check both ways: what is right is left alone, what is wrong is named with its remedy."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder

from tasks_admin.operate import doctor
from tasks_admin.operate.doctor import CHECKS, Finding

NOWHERE = {"NAME": "x", "USER": "u", "PASSWORD": "p", "HOST": "127.0.0.1", "PORT": "1", "OPTIONS": {}}


@pytest.fixture
def group(settings: LazySettings) -> LazySettings:
    """The settings of a group's server in good order."""
    settings.LAPTOP = False
    settings.PUBLIC_URL = "https://footpath.example.org"
    settings.ALLOWED_HOSTS = ["footpath.example.org"]
    settings.ENV_HOST = "env.example.net"
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECRET_KEY = "s" * 50
    return settings


def bad(what: str) -> Finding:
    found = CHECKS[what]()
    assert not found.ok
    assert found.remedy
    return found


def test_every_check_is_tried_here() -> None:
    known = {"database", "migrations", "secret key", "data folder", "public address", "wildcard name"}
    assert set(CHECKS) == known | {"separate domain", "proxy headers", "served", "Chromium", "broker", "channel layer"}


@pytest.mark.django_db
def test_all_is_well_on_a_laptop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_chromium", lambda: "/usr/bin/chromium")
    assert [found for found in doctor.examine() if not found.ok] == []


def test_a_setting_that_cannot_be_read_is_told(settings: LazySettings) -> None:
    settings.PROBLEMS = {"public address": "PUBLIC_URL must read https://host."}
    assert bad("public address").seen == "PUBLIC_URL must read https://host."


def test_database_away(settings: LazySettings) -> None:
    settings.DATABASES = {"default": NOWHERE}
    assert "Connection refused" in bad("database").seen
    assert bad("migrations").remedy == "See the database above."
    assert bad("broker").remedy == bad("channel layer").remedy == "See the database above."


@pytest.mark.django_db
def test_database_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "server_version", lambda told: 13)
    assert bad("database").seen == "PostgreSQL 13"


@pytest.mark.django_db
def test_migrations_missing() -> None:
    MigrationRecorder.Migration.objects.filter(app="sessions").delete()
    assert bad("migrations").seen == "1 not applied"


def test_short_secret(group: LazySettings) -> None:
    assert CHECKS["secret key"]().ok
    group.SECRET_KEY = "short"
    assert bad("secret key").seen == "from the environment, 5 characters"


def test_data_folder(settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path / "not" / "yet"
    assert CHECKS["data folder"]().ok
    monkeypatch.setattr(doctor.os, "access", lambda folder, mode: False)
    assert str(tmp_path) in bad("data folder").remedy


def test_public_address(group: LazySettings) -> None:
    assert CHECKS["public address"]().ok
    group.ALLOWED_HOSTS = [".example.org"]
    assert CHECKS["public address"]().ok
    group.ALLOWED_HOSTS = ["localhost"]
    assert "footpath.example.org" in bad("public address").remedy


def test_wildcard_name(group: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.socket, "gethostbyname", lambda name: "192.0.2.7")
    assert CHECKS["wildcard name"]().seen == "doctor.env.example.net is 192.0.2.7"

    def unknown(name: str) -> str:
        raise OSError

    monkeypatch.setattr(doctor.socket, "gethostbyname", unknown)
    assert "*.env.example.net" in bad("wildcard name").remedy


def test_a_local_wildcard_is_for_laptops_only(group: LazySettings) -> None:
    group.ENV_HOST = "env.localhost"
    assert "their own machine" in bad("wildcard name").seen
    group.PUBLIC_URL = "http://localhost:8000"
    assert CHECKS["wildcard name"]().ok


def test_domains_apart(group: LazySettings) -> None:
    assert CHECKS["separate domain"]().ok
    group.ENV_HOST = "env.example.org"
    assert "__Host-" in CHECKS["separate domain"]().seen
    group.PUBLIC_URL = "http://footpath.example.org"
    bad("separate domain")


def test_proxy_headers(group: LazySettings) -> None:
    assert CHECKS["proxy headers"]().ok
    group.SECURE_PROXY_SSL_HEADER = None
    assert "BEHIND_PROXY=1" in bad("proxy headers").remedy


@pytest.fixture
def web() -> Iterator[str]:
    """A server that answers as both names do: 200 for the health page, 404 for the rest."""

    class Both(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/health/" else 404)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Both) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_served(group: LazySettings, web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {f"{web}/health/": "200"}
    monkeypatch.setattr(doctor, "answer", lambda url, real=doctor.answer: asked.get(url) or real(web + "/"))
    group.PUBLIC_URL = web
    assert CHECKS["served"]().ok
    monkeypatch.setattr(doctor, "answer", lambda url: "502")
    assert f"{web}/health/: 502" in bad("served").seen


def test_answers(web: str) -> None:
    assert doctor.answer(f"{web}/health/") == "200"
    assert doctor.answer(f"{web}/") == "404"
    assert "refused" in doctor.answer("http://127.0.0.1:1/")


def test_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_chromium", lambda: None)
    assert "apt-get install chromium" in bad("Chromium").remedy


def test_redis_away(settings: LazySettings) -> None:
    settings.CELERY_BROKER_URL = settings.CHANNEL_LAYER_URL = "redis://127.0.0.1:1/0"
    settings.CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": ["redis://127.0.0.1:1/0"]}}
    }
    assert "Start Redis" in bad("broker").remedy
    assert "Start Redis" in bad("channel layer").remedy


def test_redis_there(settings: LazySettings) -> None:
    settings.CELERY_BROKER_URL = "memory://"
    settings.CHANNEL_LAYER_URL = "redis://x"  # the tests' own layer stands in for it
    assert CHECKS["broker"]().ok
    assert CHECKS["channel layer"]().ok


def test_the_command_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [Finding("tea", True, "green"), Finding("milk", False, "none", "Buy some.")]
    monkeypatch.setattr("tasks_admin.management.commands.doctor.examine", lambda: findings)
    said = StringIO()
    with pytest.raises(CommandError, match="1 of 2 checks failed"):
        call_command("doctor", stdout=said)
    assert "BAD  milk" in said.getvalue()
    assert "→ Buy some." in said.getvalue()
