"""The Celery application of the worker."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotate.config.settings")
app = Celery("footpath")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotate", "recorder", "tasks_admin"])
