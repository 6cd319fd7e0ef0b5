"""Product pictures: small drawings, the same for the same product and option. No file and no request needed."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup, escape

from tasks_admin.benchmark.shop.goods import COLOURS

# c: the product's colour, d: darker, l: lighter, k: ink. Each is drawn on a 120 × 120 field, standing on y = 100.
SHAPES = {file.stem: file.read_text().strip() for file in Path(__file__).with_name("shapes").glob("*.svg")}


def picture(shape: str, option: str, material: str, alt: str) -> Markup:
    """An inline SVG of a product in the colour of an option (of its material, if the option is no colour)."""
    base = COLOURS.get(option) or COLOURS.get(material, "#8d9198")
    drawing = SHAPES[shape].format(c=base, d=shade(base, 0.72), l=shade(base, 1.22), k=shade(base, 0.5))
    label = f'role="img" aria-label="{escape(alt)}"' if alt else 'aria-hidden="true"'
    ground = "<ellipse cx='60' cy='102' rx='46' ry='5' fill='#000' opacity='.08'/>"
    return Markup(f'<svg class="picture" viewBox="0 0 120 120" fill="none" {label}>{ground}{drawing}</svg>')  # noqa: S704


def shade(colour: str, by: float) -> str:
    """A hex colour made darker (``by`` < 1) or lighter."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{min(255, round(part * by)):02x}" for part in parts)
