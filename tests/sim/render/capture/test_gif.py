"""Animated pictures: what OpenCV reads back is what was written."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.render.capture.capture import EveryOther
from sim.render.capture.gif import GifFile, Palette, encode, pack


def unpack(data: bytes) -> bytes:
    """Decode LZW as GIF has it, straight from the specification."""
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), bitorder="little")
    table: dict[int, bytes] = {}
    result, place, width, last = b"", 0, 9, b""
    while True:
        code = int((bits[place : place + width].astype(np.int64) << np.arange(width)).sum())
        place += width
        if code == 257:
            return result
        if code == 256:
            table = {number: bytes((number,)) for number in range(256)}
            following, width, last = 258, 9, b""
            continue
        entry = table[code] if code in table else last + last[:1]
        result += entry
        if last and following < 4096:
            table[following] = last + entry[:1]
            following += 1
            if following == 1 << width and width < 12:
                width += 1
        last = entry


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=1, max_size=400))
def test_lzw_is_undone_by_its_decoder(data):
    assert unpack(pack(encode(data))) == data


def test_lzw_of_much_noise_clears_its_table_and_of_one_colour_is_short():
    noise = np.random.default_rng(1).integers(0, 256, 30_000, dtype=np.uint8).tobytes()
    codes = encode(noise)
    assert sum(code == 256 for code, _ in codes) > 1
    assert unpack(pack(codes)) == noise
    assert len(pack(encode(bytes(100_000)))) < 2_000


def moving_disc(count: int) -> list[np.ndarray]:
    across = np.linspace(0, 255, 96, dtype=np.uint8)
    ground = np.dstack([np.tile(across, (64, 1)), np.full((64, 96), 90, np.uint8),
                        np.tile(across[::-1], (64, 1))])  # fmt: skip
    frames = []
    for index in range(count):
        picture = ground.copy()
        cv2.circle(picture, (15 + 8 * index, 30), 9, (30, 220, 250), -1)
        frames.append(picture)
    return frames


def test_opencv_reads_the_frames_back_nearly_as_they_were(tmp_path):
    frames = moving_disc(6)
    file = GifFile(tmp_path / "a.gif", (96, 64), 15.0)
    for picture in [*frames, *[frames[-1]] * 3]:
        file.write(picture)
    file.close()
    done, animation = cv2.imreadanimation(str(tmp_path / "a.gif"))
    assert done
    assert len(animation.frames) == 6, "a frame that shows nothing new is a longer pause"
    assert sum(map(int, animation.durations)) == 600
    for written, read in zip(frames, animation.frames, strict=True):
        assert np.abs(read[..., :3].astype(int) - written).mean() < 4.0


def test_a_new_palette_is_made_where_the_old_one_does_not_fit():
    dark = np.zeros((32, 32, 3), np.uint8)
    bright = np.random.default_rng(2).integers(100, 255, (32, 32, 3), dtype=np.uint8)
    palette = Palette(dark)
    assert palette.fits(dark)
    assert not palette.fits(bright)
    assert Palette(bright).error_of(bright) < palette.error_of(bright) / 4


@pytest.mark.parametrize(("share", "expected"), [(0.5, 15), (1.0, 30), (1 / 3, 10)])
def test_a_slower_file_is_given_its_share_of_the_frames(share, expected):
    class Counting:
        count = 0

        def write(self, picture):
            self.count += 1

        def close(self):
            self.count = -1

    file = Counting()
    sifted = EveryOther(file, share)
    for _ in range(30):
        sifted.write(None)
    assert file.count == expected
