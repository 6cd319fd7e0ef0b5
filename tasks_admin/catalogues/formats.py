"""The shapes that `import_tasks` knows, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tasks_admin.catalogues import components, miniwob, own, seven_sites
from tasks_admin.catalogues.shape import Found, Problems


@dataclass(frozen=True)
class Source:
    """What is to be read, and how its environments are reached."""

    path: Path | None
    url: str = ""
    slug: str = ""

    def there(self) -> Path:
        """The path. Raises ValueError where none was given."""
        if self.path is None:
            raise ValueError("this format needs a PATH")
        return self.path


Read = Callable[[Source, Problems], list[Found]]
FORMATS: dict[str, Read] = {
    "own": lambda source, problems: own.read(source.there(), problems),
    "seven-sites": lambda source, problems: seven_sites.read(source.there(), problems, source.url),
    "components": lambda source, problems: components.read(
        source.there(), problems, source.url, source.slug or "components"
    ),
    "miniwob": lambda source, problems: miniwob.read(source.slug or "miniwob"),
}
