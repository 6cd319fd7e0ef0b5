"""Django settings. Everything an operator sets comes from the environment or `.env`; README.md lists the names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from annotate.config import broker, files, laptop, values
from recorder.capture import package

T = TypeVar("T")
BASE_DIR = Path(__file__).resolve().parents[2]
laptop.read_env_file()
env = environ.Env()

# What is wrong with the settings, for `doctor`, which has to look at all of them; everybody else is refused at the first.
PROBLEMS: dict[str, str] = {}


def _read(what: str, value: Callable[[], T], instead: T) -> T:
    try:
        return value()
    except ImproperlyConfigured as error:
        if not env.str("FOOTPATH_EXAMINE", default=""):
            raise
        PROBLEMS[what] = str(error)
        return instead


LAPTOP = laptop.is_laptop()
DATA_DIR = laptop.data_dir()
DEBUG = False

SECRET_KEY = _read(
    "secret key",
    lambda: values.secret(env.str("SECRET_KEY", default="") or (laptop.secret_key() if LAPTOP else "")),
    instead="none",
)

PUBLIC_URL = _read(
    "public address",
    lambda: values.public_url(
        env.str("PUBLIC_URL", default="") or (laptop.served_url() if LAPTOP else laptop.DEFAULT_URL)
    ),
    instead=laptop.DEFAULT_URL,
)
# Each recording is served on its own origin, <key>.<ENV_HOST>; browsers send *.localhost to loopback by themselves.
ENV_HOST = _read(
    "wildcard name",
    lambda: values.env_host(env.str("ENV_HOST", default="").lower() or "env.localhost", PUBLIC_URL),
    instead="env.localhost",
)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[]) or [urlsplit(PUBLIC_URL).hostname or "", "localhost", "127.0.0.1"]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
_TLS = PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _TLS
# Under TLS the prefix makes browsers take these cookies from this very host only: a recorded website on a sibling host name
# can't plant a session or a token of its own for the domain above both.
_PREFIX = "__Host-" if _TLS else ""
SESSION_COOKIE_NAME = f"{_PREFIX}footpath_session"
CSRF_COOKIE_NAME = f"{_PREFIX}footpath_csrf"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
if env.bool("BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# The control tab keeps a handle to the website's tab, so that it knows when that is closed.
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin-allow-popups"

BENCHMARK_URL = env.str("BENCHMARK_URL", default="") or "http://127.0.0.1:8001"
BENCHMARK_TOKEN = env.str("BENCHMARK_TOKEN", default="") or values.derived(SECRET_KEY, "benchmark")
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
    "annotate.middleware.OwnClock",
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

_DATABASE = _read(
    "database",
    lambda: values.database(env.str("DATABASE_URL", default="") or "postgres://postgres@localhost:5432/footpath"),
    instead=values.Database("footpath", "postgres", "", "localhost", "5432"),
)
_POOL = {
    "min_size": 1,
    "max_size": _read("database", lambda: values.number("DATABASE_POOL", env.str("DATABASE_POOL", default=""), 12), 12),
    "timeout": 15,
}
_OPTIONS = {"connect_timeout": 5} | _DATABASE.options
DATABASES = {"default": _DATABASE.django() | {"OPTIONS": {"pool": _POOL} | _OPTIONS, "CONN_MAX_AGE": 0}}

CHANNEL_LAYER_URL = _read(
    "channel layer", lambda: values.broker("CHANNEL_LAYER_URL", env.str("CHANNEL_LAYER_URL", default="")), instead=""
)
if CHANNEL_LAYER_URL:
    CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [CHANNEL_LAYER_URL]}}
    }
else:
    # channels_postgres asks for its tables by this alias; they are in the same database.
    DATABASES["channels_postgres"] = _DATABASE.django() | {"OPTIONS": _OPTIONS, "TEST": {"MIRROR": "default"}}
    CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_postgres.core.PostgresChannelLayer",
            "CONFIG": _DATABASE.django()
            | {"OPTIONS": _OPTIONS, "TIME_ZONE": None, "PSYCOPG_OPTIONS": {"min_size": 1, "max_size": 4}},
        }
    }

# Celery's SQL transport over the same PostgreSQL, for where there is no Redis.
CELERY_BROKER_URL = _read(
    "broker", lambda: values.broker("CELERY_BROKER_URL", env.str("CELERY_BROKER_URL", default="")), instead=""
) or (f"{broker.SCHEME}+postgresql+psycopg:///{quote(_DATABASE.name, safe='')}?{_DATABASE.query()}")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = _read(
    "broker", lambda: values.number("WORKERS", env.str("WORKERS", default=""), 4), instead=4
)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat")
CELERY_BEAT_SCHEDULE = {
    "end-lost-rounds": {"task": "annotate.tasks.end_lost_rounds", "schedule": 5.0},
    "end-solved-attempts": {"task": "annotate.tasks.end_solved_attempts", "schedule": 5.0},
    "end-due-attempts": {"task": "annotate.tasks.end_due_attempts", "schedule": 5.0},
    "probe-environments": {"task": "annotate.tasks.probe_environments", "schedule": 30.0},
    "resume-stuck-rounds": {"task": "annotate.tasks.resume_stuck_rounds", "schedule": 20.0},
    "remove-what-is-left": {"task": "annotate.tasks.remove_what_is_left", "schedule": 60.0},
    "play-waiting-replays": {"task": "annotate.tasks.play_waiting_replays", "schedule": 30.0},
    "resume-reports": {"task": "tasks_admin.tasks.resume_reports", "schedule": 30.0},
    "resume-exports": {"task": "tasks_admin.tasks.resume_exports", "schedule": 30.0},
    "resume-uploads": {"task": "tasks_admin.tasks.resume_uploads", "schedule": 30.0},
    "forget-removed-labels": {"task": "tasks_admin.tasks.forget_removed_labels", "schedule": 60.0},
}

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static", ("rrweb", package.folder())]
STATIC_ROOT = DATA_DIR / "static"
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = False
STORAGES = {
    "default": _read(
        "files",
        lambda: files.storage(env.str("FILES_URL", default=""), DATA_DIR / "files"),
        instead=files.storage("", DATA_DIR / "files"),
    ),
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000  # the people of a large study are one form

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
    "root": {"handlers": ["console"], "level": (env.str("LOG_LEVEL", default="") or "WARNING").upper()},
}
