"""Django settings. Everything an operator sets comes from the environment or `.env`; README.md lists the names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from annotate.config import broker, laptop

BASE_DIR = Path(__file__).resolve().parents[2]
laptop.read_env_file()
env = environ.Env()

LAPTOP = laptop.is_laptop()
DATA_DIR = laptop.data_dir()
DEBUG = False

# Without a secret that stays the same, every restart would sign people out and break their invitation links.
SECRET_KEY = env.str("SECRET_KEY", default="") or (laptop.secret_key() if LAPTOP else "")
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set. Put a long random one into the environment or .env "
        "(python -c 'import secrets; print(secrets.token_urlsafe(50))') and keep it the same at every start."
    )

PUBLIC_URL = (env.str("PUBLIC_URL", default="") or "http://localhost:8000").rstrip("/")
# Each recording is served on its own origin, <key>.<ENV_HOST>; browsers send *.localhost to loopback by themselves.
ENV_HOST = env.str("ENV_HOST", default="") or "env.localhost"
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[]) or [urlsplit(PUBLIC_URL).hostname or "", "localhost", "127.0.0.1"]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
_TLS = PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _TLS
SESSION_COOKIE_NAME = "footpath_session"
CSRF_COOKIE_NAME = "footpath_csrf"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
if env.bool("BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# The control tab keeps a handle to the website's tab, so that it knows when that is closed.
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin-allow-popups"

BENCHMARK_URL = env.str("BENCHMARK_URL", default="http://127.0.0.1:8001")
BENCHMARK_TOKEN = env.str("BENCHMARK_TOKEN", default="") or SECRET_KEY
RECORDER_MAX_BATCH_BYTES = 4 * 1024 * 1024

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "channels",
    "channels_postgres",
    "recorder",
    "annotate",
    "tasks_admin",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "annotate.middleware.ContentSecurityPolicy",
    "annotate.middleware.DomainErrors",
]
ROOT_URLCONF = "annotate.config.urls"
ASGI_APPLICATION = "annotate.config.asgi.application"
AUTH_USER_MODEL = "annotate.Person"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

_DATABASE_URL = env.str("DATABASE_URL", default="postgres://postgres@localhost:5432/footpath")


def database(url: str) -> dict[str, object]:
    """Django's settings for a PostgreSQL URL; the host may be a percent-encoded socket folder. Raises ImproperlyConfigured."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or len(parts.path) < 2:
        raise ImproperlyConfigured(
            "DATABASE_URL must read postgres://user:password@host:port/name; Footpath needs PostgreSQL."
        )
    authority = parts.netloc.rpartition("@")[2]  # urlsplit lower-cases .hostname, which a socket folder cannot bear
    host, _, port = authority.partition(":")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(host),
        "PORT": port,
    }


_POOL = {"min_size": 1, "max_size": env.int("DATABASE_POOL", default=12), "timeout": 15}
DATABASES = {"default": database(_DATABASE_URL) | {"OPTIONS": {"pool": _POOL}, "CONN_MAX_AGE": 0}}

CHANNEL_LAYER_URL = env.str("CHANNEL_LAYER_URL", default="")
if CHANNEL_LAYER_URL:
    CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [CHANNEL_LAYER_URL]}}
    }
else:
    # channels_postgres asks for its tables by this alias; they are in the same database.
    DATABASES["channels_postgres"] = database(_DATABASE_URL) | {"TEST": {"MIRROR": "default"}}
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_postgres.core.PostgresChannelLayer",
            "CONFIG": database(_DATABASE_URL) | {"TIME_ZONE": None, "PSYCOPG_OPTIONS": {"min_size": 1, "max_size": 4}},
        }
    }


def sql_broker(url: str) -> str:
    """Celery's SQL transport over the same PostgreSQL, for where there is no Redis."""
    at = database(url)
    return f"{broker.SCHEME}+postgresql+psycopg://{at['USER']}:{at['PASSWORD']}@/{at['NAME']}?host={at['HOST']}" + (
        f"&port={at['PORT']}" if at["PORT"] else ""
    )


CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="") or sql_broker(_DATABASE_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = env.int("WORKERS", default=4)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat")
CELERY_BEAT_SCHEDULE = {
    "end-lost-rounds": {"task": "annotate.tasks.end_lost_rounds", "schedule": 5.0},
    "resume-stuck-rounds": {"task": "annotate.tasks.resume_stuck_rounds", "schedule": 20.0},
}

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": DATA_DIR / "files"}},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "annotate.api.handle_error",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    # A group that nobody listens to is no fault.
    "loggers": {"channels_postgres": {"level": "ERROR"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
}
