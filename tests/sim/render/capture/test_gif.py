"""Animated pictures: what OpenCV and Pillow read back is what was written."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from PIL import Image, ImageSequence

from sim.render.capture.capture import EveryOther
from sim.render.capture.gif import GifFile


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


def test_a_frame_stays_until_the_next_and_the_whole_begins_anew_for_ever(tmp_path):
    frames = moving_disc(3)
    file = GifFile(tmp_path / "a.gif", (96, 64), 12.5)
    for picture, times in zip(frames, (1, 4, 2), strict=True):
        for _ in range(times):
            file.write(picture)
    file.close()
    with Image.open(tmp_path / "a.gif") as animation:
        assert (animation.n_frames, animation.size, animation.info["loop"]) == (3, (96, 64), 0)
        shown = [frame.info["duration"] for frame in ImageSequence.Iterator(animation)]
    assert shown == [80, 320, 160]


def test_a_frame_holds_only_what_has_changed(tmp_path):
    frames = moving_disc(2)
    sizes = []
    for name, pictures in (("one", frames[:1]), ("two", frames), ("rest", [frames[0]] * 30)):
        file = GifFile(tmp_path / name, (96, 64), 15.0)
        for picture in pictures:
            file.write(picture)
        file.close()
        sizes.append((tmp_path / name).stat().st_size)
    one, two, rest = sizes
    assert two - one < one / 2
    assert rest == one


def test_a_frame_gets_a_palette_of_its_own(tmp_path):
    dark = np.zeros((32, 32, 3), np.uint8)
    bright = np.random.default_rng(2).integers(100, 255, (32, 32, 3), dtype=np.uint8)
    file = GifFile(tmp_path / "a.gif", (32, 32), 15.0)
    for picture in (dark, bright, dark + 7):
        file.write(picture)
    file.close()
    _, animation = cv2.imreadanimation(str(tmp_path / "a.gif"))
    for written, read in zip((dark, bright, dark + 7), animation.frames, strict=True):
        assert np.abs(read[..., :3].astype(int) - written).mean() < 12.0
    assert (animation.frames[2][..., :3] == 7).all()


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
