"""YAML as plain data, from people we need not trust: no objects, no cycles, no bombs, no key twice; every value has its line.

Values are what JSON can hold: dates and sexagesimal numbers, which YAML 1.1 would make of `2026-04-26` and `12:30`, stay text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from recorder.errors import FootpathError

Where = tuple[str | int, ...]
MAX_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 80
MAX_VALUES = 2_000_000  # with every alias written out
TAG = "tag:yaml.org,2002:"
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class BadFile(FootpathError):
    """A file that cannot be taken in: its name, the line (0 where there is none), the field, and what is wrong."""

    def __init__(self, file: str, line: int, what: str, field: str = "") -> None:
        self.file, self.line, self.field, self.what = file, line, field, what
        place = f"{file}:{line}" if line else file
        super().__init__("bad_file", 400, f"{place}: {field + ': ' if field else ''}{what}", file=file, line=line)


@dataclass(frozen=True)
class Document:
    """A file's data, and where each value stands in it."""

    file: str
    data: Any
    root: yaml.Node | None

    def line(self, where: Where) -> int:
        """The line of the value at `where`, or of the innermost thing around it that is there; 1 for an empty file."""
        node = self.root
        for part in where:
            inner = child(node, part)
            if inner is None:
                break
            node = inner
        return node.start_mark.line + 1 if node is not None else 1

    def wrong(self, where: Where, what: str) -> BadFile:
        """A refusal that names file, line and field."""
        return BadFile(self.file, self.line(where), what, ".".join(str(part) for part in where))


def read(path: Path, name: str = "") -> Document:
    """A file as data; `name` is how messages call it. Raises BadFile."""
    name = name or str(path)
    try:
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else None
    except OSError as error:
        raise BadFile(name, 0, f"it can't be read: {error.strerror or error}") from error
    if raw is None:
        raise BadFile(name, 0, f"it is larger than {MAX_BYTES // 1024 // 1024} MB")
    try:
        return parse(raw.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise BadFile(name, raw[: error.start].count(b"\n") + 1, "it is not UTF-8 text") from error


def parse(text: str, name: str) -> Document:
    """YAML (or JSON, which is YAML) as data. Raises BadFile."""
    try:
        loader = Loader(text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadFile(name, mark.line + 1 if mark else 0, f"it is no YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, RecursionError) as error:
        said = "it is nested too deeply" if isinstance(error, RecursionError) else f"it is no YAML: {error}"
        raise BadFile(name, 0, " ".join(said.split())) from error
    if root is None:
        return Document(name, None, None)
    refuse_bombs(root, name)
    return Document(name, Builder(name).value(root), root)


def refuse_bombs(root: yaml.Node, name: str) -> None:
    """Raises BadFile for cycles, for too deep nesting, and for aliases that would write out to too much."""
    sizes: dict[int, int] = {}
    open_: set[int] = set()
    stack: list[tuple[yaml.Node, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        line = node.start_mark.line + 1
        if done:
            open_.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(inner)] for inner in children(node))
            if sizes[id(node)] > MAX_VALUES:
                raise BadFile(name, line, f"its aliases write out to more than {MAX_VALUES:,} values")
        elif id(node) in open_:
            raise BadFile(name, line, "it contains itself, by an alias")
        elif id(node) not in sizes:
            open_.add(id(node))
            if len(open_) > MAX_DEPTH:
                raise BadFile(name, line, f"it is nested more than {MAX_DEPTH} deep")
            stack.append((node, True))
            stack.extend((inner, False) for inner in children(node))


def children(node: yaml.Node) -> Iterator[yaml.Node]:
    """The nodes right inside a node."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def child(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    """The value under a key or at a place, or None."""
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        found: yaml.Node = node.value[part]
        return found
    return None


class Builder:
    """Makes data of nodes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def wrong(self, node: yaml.Node, what: str) -> BadFile:
        return BadFile(self.name, node.start_mark.line + 1, what)

    def value(self, node: yaml.Node) -> Any:
        """One value. Raises BadFile."""
        if isinstance(node, yaml.MappingNode):
            self.only(node, "map")
            return self.mapping(node)
        if isinstance(node, yaml.SequenceNode):
            self.only(node, "seq")
            return [self.value(inner) for inner in node.value]
        return self.scalar(node)

    def only(self, node: yaml.Node, kind: str) -> None:
        """Raises BadFile for a tag that asks for an object."""
        if node.tag != TAG + kind:
            raise self.wrong(node, f"the tag {short(node.tag)} asks for an object; only plain data is read")

    def mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if key_node.tag == TAG + "merge":
                merged |= self.merged(value_node)
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.wrong(key_node, "a key must be a text")
            self.scalar(key_node)
            if key_node.value in found:
                raise self.wrong(key_node, f"the key {key_node.value!r} is there twice")
            found[key_node.value] = self.value(value_node)
        return merged | found

    def merged(self, node: yaml.Node) -> dict[str, Any]:
        """What `<<` brings in: one mapping, or several of which the first counts."""
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        out: dict[str, Any] = {}
        for part in reversed(parts):
            if not isinstance(part, yaml.MappingNode):
                raise self.wrong(part, "<< takes a mapping")
            out |= self.mapping(part)
        return out

    def scalar(self, node: yaml.Node) -> Any:
        kind, text = node.tag.removeprefix(TAG), str(node.value)
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() in ("yes", "true", "on")
        if kind in ("int", "float") and ":" not in text:
            return self.number(node, kind, text.replace("_", "").lower())
        if kind not in ("str", "int", "float", "timestamp", "merge", "value"):
            raise self.wrong(node, f"the tag {short(node.tag)} asks for an object; only plain data is read")
        return text

    def number(self, node: yaml.Node, kind: str, text: str) -> int | float:
        try:
            number = whole(text) if kind == "int" else float(text.replace(".inf", "inf").replace(".nan", "nan"))
        except ValueError as error:
            raise self.wrong(node, f"{text[:40]!r} is no number that can be held") from error
        if isinstance(number, float) and not math.isfinite(number):
            raise self.wrong(node, "infinities and not-a-numbers can't be held")
        return number


def whole(text: str) -> int:
    """A whole number as YAML 1.1 writes it: decimal, 0x…, 0b…, 0…"""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text.removeprefix("+"))
    if digits.startswith(("0x", "0b")):
        return sign * int(digits, 0)
    return sign * int(digits, 8 if digits.startswith("0") and digits != "0" else 10)


def short(tag: str) -> str:
    """A tag as people write it."""
    return "!!" + tag.removeprefix(TAG) if tag.startswith(TAG) else tag
