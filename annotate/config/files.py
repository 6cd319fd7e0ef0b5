"""Where files are kept (pictures of replays): a folder, or an S3 bucket by one setting."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured

KNOWN = {"endpoint": "endpoint_url", "region": "region_name"}


def storage(url: str, folder: Path) -> dict[str, Any]:
    """The entry of STORAGES for `url`: "" is the folder, `s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME]` a bucket.

    The keys to a bucket come from where boto3 looks for them (AWS_ACCESS_KEY_ID …, a profile, the machine's role). Raises
    ImproperlyConfigured.
    """
    if not url:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder}}
    parts = urlsplit(url)
    if parts.scheme != "s3" or not parts.netloc:
        raise ImproperlyConfigured(f"FILES_URL is {url!r}; it must be s3://BUCKET[/PREFIX] or empty for a folder.")
    options: dict[str, Any] = {"bucket_name": parts.netloc, "default_acl": None, "querystring_auth": True}
    if prefix := parts.path.strip("/"):
        options["location"] = prefix
    for name, value in parse_qsl(parts.query):
        if name not in KNOWN:
            raise ImproperlyConfigured(f"FILES_URL knows {' and '.join(KNOWN)}, not {name!r}.")
        options[KNOWN[name]] = value
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
