"""Bundles the component pages into the bench's own cache: packages from npm at the versions of `components/package.json`."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

from tests.bench.fidelity.site import CACHE

SOURCES = Path(__file__).parent / "components"
LIBRARIES = ("antd", "mui", "mantine", "editors")
PAGE = """<!doctype html><html lang="en" data-page="{name}"><head><meta charset="utf-8"><title>{name}</title>{css}</head>
<body><div id="root"></div><script src="/components/{library}.js"></script></body></html>
"""


class CannotBuild(Exception):
    """npm or esbuild is not to be had, or failed; the message says what it said."""


def build() -> list[str]:
    """Install, bundle and write a page per task; returns the tasks' names. What is there already is not made again."""
    install()
    pages = CACHE / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    names = []
    for library in LIBRARIES:
        source = SOURCES / f"{library}.jsx"
        stamp, seal = pages / f"{library}.stamp", sealed(source)
        if not stamp.exists() or stamp.read_text() != seal:
            for file in SOURCES.glob("*.jsx"):
                shutil.copy(file, CACHE / file.name)
            bundle(library, pages)
            stamp.write_text(seal)
        for name in re.findall(r'^  "([a-z0-9-]+)": \{', source.read_text(), re.MULTILINE):
            css = (
                f'<link rel="stylesheet" href="/components/{library}.css">'
                if (pages / f"{library}.css").exists()
                else ""
            )
            (pages / f"{name}.html").write_text(PAGE.format(name=name, library=library, css=css))
            names.append(name)
    return names


def sealed(source: Path) -> str:
    """What a bundle is made of, as one hash."""
    parts = [source, SOURCES / "shell.jsx", SOURCES / "package.json"]
    return hashlib.sha256(b"\0".join(part.read_bytes() for part in parts)).hexdigest()


def install() -> None:
    """npm install, unless these very versions are there."""
    wanted, there = SOURCES / "package.json", CACHE / "package.json"
    if (CACHE / "node_modules" / "esbuild").is_dir() and there.exists() and there.read_text() == wanted.read_text():
        return
    CACHE.mkdir(exist_ok=True)
    shutil.copy(wanted, there)
    run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error")


def bundle(library: str, pages: Path) -> None:
    options = [
        "--bundle",
        "--minify",
        "--jsx=automatic",
        "--loader:.js=jsx",
        '--define:process.env.NODE_ENV="production"',
    ]
    run(
        "node_modules/.bin/esbuild",
        f"{library}.jsx",
        *options,
        f"--outfile={pages / f'{library}.js'}",
        "--log-level=error",
    )


def run(*command: str) -> None:
    try:
        done = subprocess.run(command, cwd=CACHE, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise CannotBuild(
            f"{command[0]} was not found: install Node.js 20 with npm, or run the bench with --kinds miniwob."
        ) from error
    if done.returncode:
        raise CannotBuild(f"{' '.join(command[:2])} failed:\n{(done.stderr or done.stdout)[-1500:]}")
