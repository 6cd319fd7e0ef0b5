"""Pictures: one per content, the smaller format, the target framed, the filmstrip."""

from __future__ import annotations

import io
import random

from PIL import Image

from recorder.replay.pictures import MARK, THUMB_WIDTH, encode, filmstrip, marked


def noise(width: int, height: int) -> Image.Image:
    drawn = random.Random(3)
    return Image.frombytes("RGB", (width, height), drawn.randbytes(width * height * 3))


def flat(width: int, height: int) -> Image.Image:
    return Image.new("RGB", (width, height), (240, 240, 238))


def test_the_same_pixels_have_the_same_hash_and_come_back_unchanged() -> None:
    one, same = encode(flat(640, 400)), encode(flat(640, 400).convert("RGBA"))
    assert one == same
    assert encode(flat(640, 401)).content_hash != one.content_hash
    for image in (noise(120, 80), flat(640, 400)):
        kept = encode(image)
        assert Image.open(io.BytesIO(kept.data)).convert("RGB").tobytes() == image.tobytes()


def test_the_smaller_format_is_taken() -> None:
    for image in (noise(200, 100), flat(1, 1), flat(1280, 720)):
        kept = encode(image)
        png, webp = io.BytesIO(), io.BytesIO()
        image.save(png, "PNG", compress_level=7)
        image.save(webp, "WEBP", lossless=True, quality=60, method=3)
        assert len(kept.data) == min(len(png.getvalue()), len(webp.getvalue()))
        assert kept.media_type == ("image/png" if len(kept.data) == len(png.getvalue()) else "image/webp")


def test_the_target_is_framed_and_in_the_picture() -> None:
    tall = flat(1280, 6000)
    small = marked(tall, [100, 5000, 200, 60])
    assert small.size == (THUMB_WIDTH, 200)
    reds = [
        pixel for _, pixel in small.getcolors(maxcolors=70_000) or [] if abs(pixel[0] - MARK[0]) < 30 and pixel[1] < 100
    ]
    assert reds
    assert marked(tall, None).size == (THUMB_WIDTH, 200)
    assert tall.getpixel((100, 5000)) == (240, 240, 238)  # the picture itself is left alone


def test_a_filmstrip_has_a_frame_per_step() -> None:
    strip = filmstrip(
        [(marked(flat(1280, 800), None), f"{n}  a step with a name far too long for its frame {n}") for n in range(7)]
    )
    assert strip is not None
    assert strip.width == 5 * (THUMB_WIDTH + 10) + 10
    assert filmstrip([]) is None
