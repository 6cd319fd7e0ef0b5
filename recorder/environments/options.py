"""Options of an environment: how it was configured, checked before anything uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from recorder.errors import FootpathError

M = TypeVar("M", bound=BaseModel)


class Strict(BaseModel):
    """A part of a configuration: a name it does not know is a mistake, and nothing is changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BadOptions(FootpathError):
    """The environment is not configured in a way that can work. ``problems``: (where, what is wrong), all of them."""

    def __init__(self, problems: list[tuple[tuple[str | int, ...], str]]) -> None:
        self.problems = problems
        told = "; ".join(f"{dotted(where)}: {what}" if where else what for where, what in problems)
        super().__init__("bad_options", 400, f"The environment's options can't be used: {told}")


def dotted(where: tuple[str | int, ...]) -> str:
    """A place in a document: ``evaluate.read.checks.0``."""
    return ".".join(str(part) for part in where)


def refuse_unknown(options: Mapping[str, Any]) -> None:
    """For adapters that take no options. Raises BadOptions."""
    if options:
        raise BadOptions([((name,), "this adapter has no such option") for name in options])


def checked(model: type[M], options: Mapping[str, Any]) -> M:
    """``options`` as ``model``. Raises BadOptions with every problem and its place."""
    try:
        return model.model_validate(dict(options))
    except ValidationError as error:
        raise BadOptions([(one["loc"], plain(one["msg"])) for one in error.errors()]) from error


def plain(message: str) -> str:
    """Pydantic's words without its prefix."""
    said = message.removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return "this name is not known here" if said == "Extra inputs are not permitted" else said
