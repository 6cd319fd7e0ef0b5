"""Pictures of a replay: each kept once by its pixels, as PNG or WebP, whichever is smaller; marked small ones; a filmstrip."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Error, Page

THUMB_WIDTH = 320
CROP_RATIO = 0.625  # height of a small picture by its width
MARK = (214, 51, 108)
PAPER, INK = (247, 247, 245), (38, 38, 36)
STRIP_COLUMNS = 5
CAPTION_HEIGHT = 26
GAP = 10
SHOT_MS = 8000


@dataclass(frozen=True)
class Encoded:
    """An image's file: `content_hash` is the SHA-256 of its size and RGB pixels."""

    content_hash: str
    media_type: str
    data: bytes
    width: int
    height: int

    @property
    def name(self) -> str:
        """A file name."""
        return f"{self.content_hash}.{self.media_type.partition('/')[2]}"


class Film:
    """A camera that keeps what it took, by the bytes of each picture, so that what did not change is kept once."""

    def __init__(self) -> None:
        self.taken: dict[str, bytes] = {}

    def take(self, page: Page) -> str:
        """The key of a picture of the tab now; '' where the page gave none."""
        try:
            shot = page.screenshot(type="png", scale="css", animations="allow", timeout=SHOT_MS)
        except Error:  # a tab that closes or never finishes painting has no picture; the step's result stands without
            return ""
        key = hashlib.sha256(shot).hexdigest()
        self.taken.setdefault(key, shot)
        return key

    def image(self, key: str) -> Image.Image:
        """A taken picture, opened."""
        return Image.open(io.BytesIO(self.taken[key])).convert("RGB")


def encode(image: Image.Image, *, lossless: bool = True) -> Encoded:
    """The smaller of PNG and WebP. Small pictures may lose what nobody sees of them."""
    image = image.convert("RGB")
    png, webp = io.BytesIO(), io.BytesIO()
    image.save(png, "PNG", compress_level=7)
    image.save(webp, "WEBP", lossless=lossless, quality=60 if lossless else 80, method=3)
    media, data = min((("image/png", png.getvalue()), ("image/webp", webp.getvalue())), key=lambda kind: len(kind[1]))
    return Encoded(hash_of(image), media, data, image.width, image.height)


def hash_of(image: Image.Image) -> str:
    """SHA-256, in hex, of a picture's size and RGB pixels: the same whatever file they came from."""
    image = image.convert("RGB")
    return hashlib.sha256(f"{image.width}x{image.height}:".encode() + image.tobytes()).hexdigest()


def marked(image: Image.Image, box: Sequence[float] | None) -> Image.Image:
    """A small picture with the target framed; of a tall page the part around the target."""
    image = image.convert("RGB")
    scale = THUMB_WIDTH / image.width
    if box:
        draw = ImageDraw.Draw(image)
        left, top, right, bottom = box[0], box[1], box[0] + box[2], box[1] + box[3]
        width = max(3, round(3 / scale))
        edge = (left - width - 2, top - width - 2, right + width + 2, bottom + width + 2)
        draw.rounded_rectangle(edge, radius=2 * width, outline=MARK, width=width)
    height = min(image.height, round(image.width * CROP_RATIO))
    middle = box[1] + box[3] / 2 if box else 0
    top = round(max(0, min(image.height - height, middle - height / 2)))
    part = image.crop((0, top, image.width, top + height))
    return part.resize((THUMB_WIDTH, max(1, round(height * scale))), Image.Resampling.LANCZOS)


def filmstrip(frames: Sequence[tuple[Image.Image, str]]) -> Image.Image | None:
    """All small pictures in rows of STRIP_COLUMNS with a caption each; None where there is none."""
    if not frames:
        return None
    height = max(image.height for image, _ in frames)
    columns = min(STRIP_COLUMNS, len(frames))
    rows = -(-len(frames) // columns)
    cell = (THUMB_WIDTH + GAP, height + CAPTION_HEIGHT + GAP)
    strip = Image.new("RGB", (columns * cell[0] + GAP, rows * cell[1] + GAP), PAPER)
    draw, font = ImageDraw.Draw(strip), ImageFont.load_default(15)
    for number, (image, caption) in enumerate(frames):
        left, top = GAP + number % columns * cell[0], GAP + number // columns * cell[1]
        strip.paste(image, (left, top))
        draw.text((left, top + height + 4), fitted(draw, caption, font), fill=INK, font=font)
    return strip


def fitted(draw: ImageDraw.ImageDraw, text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    """The text, cut to the width of a small picture."""
    while len(text) > 1 and draw.textlength(text, font) > THUMB_WIDTH:
        text = text[:-2] + "…" if text.endswith("…") else text[:-1] + "…"
    return text
