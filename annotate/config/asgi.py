"""The one ASGI application: recordings' origins go to the gateway, everything else to Django and Channels."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

from annotate.config.refusal import readable_refusal

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotate.config.settings")
with readable_refusal():
    django_application = get_asgi_application()

from annotate.config.dispatch import Dispatcher  # noqa: E402, PLC0415  (Django must be set up first)

application = Dispatcher(django_application)
