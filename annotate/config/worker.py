"""What `celery -A annotate.config.worker` starts: the Celery application, with settings that were found good."""

from __future__ import annotations

import django

from annotate.config.celery import app
from annotate.config.refusal import readable_refusal

__all__ = ["app"]

with readable_refusal():
    django.setup()
