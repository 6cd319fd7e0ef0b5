"""Websites without a control API: ``dom`` (success is seen in the page), ``static`` (a folder), ``manual`` (people judge).

All three are one thing: pages at an address or in a folder, and either something that success looks like or nobody but people
to say it. The session is ours alone, so what the page showed is read from the recording that has its id.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import Any, Literal

from pydantic import field_validator, model_validator

from recorder.environments.base import (
    Check,
    EnvironmentDown,
    Health,
    Session,
    SessionForgotten,
    TaskRef,
    UnknownTask,
    Verdict,
    Watch,
)
from recorder.environments.http import ms_since
from recorder.environments.mapping import TASK, ForeignHosts, filled_path, refuse_placeholders
from recorder.environments.options import BadOptions, Strict, checked
from recorder.environments.predicate import refuse_broken
from recorder.environments.wire import place_of, send
from recorder.models import Recording

INDEX = "index.html"


class Success(Strict):
    """What a done task looks like: a CSS ``selector`` of something visible, or a JavaScript ``predicate``."""

    selector: str = ""
    predicate: str = ""
    when: Literal["seen", "at_end"] = "seen"

    @model_validator(mode="after")
    def is_one(self) -> Success:
        if bool(self.selector.strip()) == bool(self.predicate.strip()):
            raise ValueError("say either a selector or a predicate")
        if self.predicate:
            refuse_broken(self.predicate)
        return self

    def watch(self) -> Watch:
        return Watch(self.selector.strip(), self.predicate.strip(), self.when)


class Pages(Strict):
    """Where the pages are (``base_url`` or ``folder``), the ``page`` a task begins on, and what success looks like."""

    base_url: str = ""
    private: bool = False
    folder: str = ""
    page: str = "/"
    success: Success | None = None
    refuse: tuple[str, ...] = ()
    foreign: ForeignHosts | None = None

    @field_validator("base_url")
    @classmethod
    def is_origin(cls, value: str) -> str:
        return place_of(value).origin if value else value

    @field_validator("folder")
    @classmethod
    def is_folder(cls, value: str) -> str:
        if value and (not Path(value).is_absolute() or not Path(value).is_dir()):
            raise ValueError(f"{value!r} is no folder (an absolute path is needed)")
        return value

    @field_validator("page")
    @classmethod
    def is_page(cls, value: str) -> str:
        refuse_placeholders(value, TASK - {"site", "variant_file"}, "page")
        if not value.startswith("/") or value.startswith("//"):
            raise ValueError("must be a path that begins with one /")
        return value

    @model_validator(mode="after")
    def is_somewhere(self) -> Pages:
        if bool(self.base_url) == bool(self.folder):
            raise ValueError("say either base_url or folder")
        return self


class PageAdapter:
    """Pages at an address or in a folder. With ``judged`` None, success must be known from the options or the task."""

    repeatable = True

    def __init__(self, name: str, pages: Pages, *, asks: bool = False) -> None:
        self.name = name
        self.pages = pages
        self.asks = asks

    def probe(self) -> Health:
        began = time.monotonic()
        try:
            seen = self._look()
        except EnvironmentDown as error:
            return Health(False, ms_since(began), error.message)
        return Health(not seen, ms_since(began), seen)

    def _look(self) -> str:
        """What is wrong with the site, or ''. Raises EnvironmentDown."""
        if self.pages.folder:
            there = Path(self.pages.folder).is_dir()
            return "" if there else f"The folder {self.pages.folder} is not there."
        place = place_of(self.pages.base_url, private=self.pages.private)
        reply = send(place, "GET", "/", headers={"Accept": "text/html"}, timeout=5.0)
        return f"The website answered {reply.status}." if reply.status >= 500 else ""

    def prepare(self, ref: TaskRef) -> Session:
        if wrong := self._look():
            raise EnvironmentDown(wrong)
        watch = None if self.asks else self._watch(ref)
        values = {"task": ref.task, "variant": ref.variant, "seed": ref.seed}
        return Session(
            id=secrets.token_urlsafe(16),
            upstream=self.pages.base_url or Path(self.pages.folder).resolve().as_uri(),
            start_path=self._start_path(ref, values),
            title=str(ref.params.get("title", "")),
            instruction=None,
            refuse=self.pages.refuse,
            watch=watch,
            foreign=self.pages.foreign.foreign() if self.pages.foreign else None,
            asks=self.asks or watch is None,
        )

    def _start_path(self, ref: TaskRef, values: MappingOf[str, Any]) -> str:
        own = ref.params.get("start_path")
        return filled_path(str(own) if own else self.pages.page, values)

    def _watch(self, ref: TaskRef) -> Watch | None:
        own = ref.params.get("success")
        if own is None:
            if self.pages.success is None and self.name == "dom":
                raise UnknownTask(ref, f"Nothing says what success of {ref.task} looks like in the page.")
            return self.pages.success.watch() if self.pages.success else None
        try:
            return checked(Success, own).watch()
        except BadOptions as error:
            raise UnknownTask(ref, f"What success of {ref.task} looks like can't be used: {error.message}") from error

    def reset(self, session_id: str, ref: TaskRef) -> Session:
        recording_of(session_id)
        return self.prepare(ref)

    def evaluate(self, session_id: str) -> Verdict:
        recording = recording_of(session_id)
        if recording.watch is None:
            return Verdict(0.0, False, "declared")
        at_end = recording.watch["when"] == "at_end"
        passed = recording.success_holds if at_end else recording.success_at is not None
        line = Check("The page showed success", passed, "page", "at the end" if at_end else "at some moment")
        return Verdict(float(passed), passed, "page", (line,))

    def backend_record(self, session_id: str) -> list[dict[str, Any]]:
        recording_of(session_id)
        return []

    def instruction(self, session_id: str) -> str | None:
        return None

    def close(self, session_id: str) -> None:
        """Nothing is kept but the recording."""


def recording_of(session_id: str) -> Recording:
    """The recording of a session. Raises SessionForgotten."""
    found = Recording.objects.filter(session=session_id).first()
    if found is None:
        raise SessionForgotten(session_id)
    return found


def dom(options: MappingOf[str, Any]) -> PageAdapter:
    """Success is seen in the page. Raises BadOptions."""
    return PageAdapter("dom", checked(Pages, options))


def static(options: MappingOf[str, Any]) -> PageAdapter:
    """A folder of files; success is seen in the page where it is said how, else the annotator is asked. Raises BadOptions."""
    pages = checked(Pages, options)
    if not pages.folder:
        raise BadOptions([(("folder",), "a static environment needs the folder with its files")])
    return PageAdapter("static", pages)


def manual(options: MappingOf[str, Any]) -> PageAdapter:
    """No checker: the annotator says whether it is done, a lead judges later. Raises BadOptions."""
    pages = checked(Pages, options)
    if pages.success is not None:
        raise BadOptions([(("success",), "nobody looks at the page of a manual environment; use dom")])
    return PageAdapter("manual", pages, asks=True)
