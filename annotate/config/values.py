"""What operators set, read and checked: each function takes the text and returns the value, or refuses in one sentence.

All of them raise ImproperlyConfigured. Pure: nothing here looks at the environment or reaches for a server.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from django.core.exceptions import ImproperlyConfigured

DATABASE_FORM = "postgres://user:password@host:port/name"
SCHEMES = {
    "CELERY_BROKER_URL": ("redis", "rediss", "amqp", "amqps", "sentinel"),
    "CHANNEL_LAYER_URL": ("redis", "rediss", "unix"),
}


@dataclass(frozen=True)
class Database:
    """Where a PostgreSQL is. `host` may be a folder with a Unix socket; `options` are libpq's, such as sslmode."""

    name: str
    user: str
    password: str
    host: str
    port: str
    options: dict[str, str] = field(default_factory=dict)

    def django(self) -> dict[str, object]:
        """As an entry of DATABASES."""
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": self.name,
            "USER": self.user,
            "PASSWORD": self.password,
            "HOST": self.host,
            "PORT": self.port,
        }

    def libpq(self) -> dict[str, str]:
        """As keyword arguments of psycopg.connect."""
        told = {"dbname": self.name, "user": self.user, "password": self.password, "host": self.host, "port": self.port}
        return {name: value for name, value in told.items() if value} | self.options

    def query(self) -> str:
        """As the query of a URL that has neither user nor host before its path."""
        return urlencode({name: value for name, value in self.libpq().items() if name != "dbname"})


def database(url: str) -> Database:
    """The PostgreSQL of a URL; the host may be a percent-encoded socket folder or an IPv6 address in brackets."""
    parts = _split("DATABASE_URL", url)
    # urlsplit lower-cases .hostname, which a socket folder cannot bear
    host, port = _host_and_port(parts.netloc.rpartition("@")[2])
    if parts.scheme not in {"postgres", "postgresql"} or len(parts.path) < 2 or not (port.isdecimal() or not port):
        raise ImproperlyConfigured(f"DATABASE_URL must read {DATABASE_FORM}; Footpath needs PostgreSQL.")
    return Database(
        name=unquote(parts.path[1:]),
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        host=unquote(host),
        port=port,
        options=dict(parse_qsl(parts.query)),
    )


def _host_and_port(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, _, rest = authority[1:].partition("]")
        return host, rest.removeprefix(":")
    host, _, port = authority.partition(":")
    return host, port


def _split(name: str, url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is no address: {error}.") from error


def broker(name: str, url: str) -> str:
    """The URL of the Celery broker or the channel layer, as it came; empty stands for PostgreSQL in their place."""
    scheme = url.partition("://")[0]
    if url and scheme not in SCHEMES[name]:
        raise ImproperlyConfigured(
            f"{name} must begin with {SCHEMES[name][0]}:// (redis://127.0.0.1:6379/0, say), not {scheme}://; "
            "leave it out to use PostgreSQL."
        )
    return url


def public_url(url: str) -> str:
    """The address people go to, without a slash at its end."""
    parts = _split("PUBLIC_URL", url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ImproperlyConfigured(
            f"PUBLIC_URL must read https://host or http://host:port, nothing after it; it is {url}."
        )
    return url.rstrip("/")


def env_host(name: str, public: str) -> str:
    """The domain above the recordings' host names; the app's own name must not lie in it, or the gateway would take it."""
    if not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", name):
        raise ImproperlyConfigured(
            f"ENV_HOST must be a plain host name like env.example.org, without * or port; it is {name}."
        )
    app = urlsplit(public).hostname or ""
    if app == name or app.endswith("." + name):
        raise ImproperlyConfigured(
            f"ENV_HOST {name} holds the app's own name {app}: give the recorded websites a domain of their own."
        )
    return name


def number(name: str, text: str, default: int) -> int:
    """A whole number above 0; the default where there is no text."""
    if not text:
        return default
    if not text.isdecimal() or int(text) < 1:
        raise ImproperlyConfigured(f"{name} must be a whole number above 0; it is {text}.")
    return int(text)


def secret(text: str) -> str:
    """The signing secret. Without one that stays the same, every restart would sign people out and break their links."""
    if not text:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. Put a long random one into the environment or .env "
            "(python3 -c 'import secrets; print(secrets.token_urlsafe(50))') and keep it the same at every start."
        )
    return text


def derived(secret_key: str, purpose: str) -> str:
    """A secret of its own for one purpose: who learns it learns nothing of the others."""
    return hmac.new(secret_key.encode(), purpose.encode(), "sha256").hexdigest()
