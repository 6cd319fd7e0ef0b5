"""What operators may write into DATABASE_URL and the like, and what they are told where it can't be meant."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotate.config import values


def test_a_database_url_with_everything() -> None:
    at = values.database("postgresql://us%40er:p%3Aw@db.example.org:6432/foot%20path?sslmode=require")
    assert at == values.Database("foot path", "us@er", "p:w", "db.example.org", "6432", {"sslmode": "require"})


def test_a_socket_folder_keeps_its_capitals() -> None:
    at = values.database("postgres://postgres:@%2Ftmp%2FMyData:5432/postgres")
    assert (at.host, at.port, at.password) == ("/tmp/MyData", "5432", "")


def test_an_ipv6_address() -> None:
    at = values.database("postgres://u@[::1]:5433/x")
    assert (at.host, at.port) == ("::1", "5433")


def test_without_port_the_usual_one_is_meant() -> None:
    assert values.database("postgres://u@db/x").django()["PORT"] == ""


def test_libpq_is_told_nothing_empty() -> None:
    assert values.database("postgres:///x").libpq() == {"dbname": "x"}


@pytest.mark.parametrize("url", ["mysql://u@h/x", "postgres://u@h", "postgres://u@h:port/x", "sqlite:///x", "x"])
def test_no_other_database(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL must read postgres://"):
        values.database(url)


def test_a_bracket_left_open() -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL is no address"):
        values.database("postgres://u@[::1/x")


@pytest.mark.parametrize("url", ["", "redis://h:6379/0", "rediss://h/0"])
def test_brokers(url: str) -> None:
    assert values.broker("CELERY_BROKER_URL", url) == url
    assert values.broker("CHANNEL_LAYER_URL", url) == url


@pytest.mark.parametrize("url", ["http://h", "localhost:6379"])
def test_no_other_broker(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="CELERY_BROKER_URL must begin with redis://"):
        values.broker("CELERY_BROKER_URL", url)


def test_the_public_url_loses_its_last_slash() -> None:
    assert values.public_url("https://footpath.example.org/") == "https://footpath.example.org"


@pytest.mark.parametrize("url", ["footpath.example.org", "ftp://x", "https://x.org/app", "https://", "https://x/?a=1"])
def test_no_other_public_url(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="PUBLIC_URL must read"):
        values.public_url(url)


def test_env_host() -> None:
    assert values.env_host("env.example.org", "https://footpath.example.org") == "env.example.org"


@pytest.mark.parametrize("name", ["*.example.org", "https://example.org", "example.org:8000", "example", ""])
def test_no_other_env_host(name: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="ENV_HOST must be a plain host name"):
        values.env_host(name, "https://footpath.test")


@pytest.mark.parametrize("public", ["https://example.org", "https://footpath.example.org"])
def test_the_app_must_not_lie_below_env_host(public: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="holds the app's own name"):
        values.env_host("example.org", public)


def test_numbers() -> None:
    assert values.number("WORKERS", "", 4) == 4
    assert values.number("WORKERS", "8", 4) == 8
    for text in ("0", "-1", "four"):
        with pytest.raises(ImproperlyConfigured, match="WORKERS must be a whole number"):
            values.number("WORKERS", text, 4)


def test_without_a_secret_nothing_goes() -> None:
    assert values.secret("s") == "s"
    with pytest.raises(ImproperlyConfigured, match=r"SECRET_KEY is not set\. Put a long random one"):
        values.secret("")


def test_a_derived_secret_is_another_one() -> None:
    assert values.derived("s", "benchmark") != values.derived("s", "other") != "s"
