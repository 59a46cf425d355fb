"""The options of `run`: what implies what, and what is refused with which words."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from base.errors import UsageError
from sim.core.project.run_options import FLAGS, RunOptions, parse_speed, parse_window


def test_every_option_is_described_and_every_flag_is_one() -> None:
    names = [field.name for field in dataclasses.fields(RunOptions)]
    assert names == ["scene", *FLAGS, "script_options", "is_environment"]
    assert len({flag.flag for flag in FLAGS.values()}) == len(FLAGS)


def test_a_path_from_home_is_found_without_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("USERPROFILE", "/home/me")
    options = RunOptions(scene=Path("~/garden/a.scene.json"), out=Path("~nobody at all/x"))
    assert options.scene == Path("/home/me/garden/a.scene.json")
    assert options.out == Path("~nobody at all/x").absolute()


def test_a_plain_window_needs_nothing() -> None:
    options = RunOptions()
    assert options.effective_speed == 1.0
    assert not options.is_instant
    assert not options.wants_temporary_data
    assert options.script_options == {}


def test_headless_hurries_unless_it_is_filmed_or_told_otherwise() -> None:
    assert RunOptions(headless=True, seconds=1.0).is_instant
    assert RunOptions(headless=True, seconds=1.0, speed=2.0).effective_speed == 2.0
    assert RunOptions(headless=True, seconds=1.0, video=Path("a.mp4")).effective_speed == 1.0


@pytest.mark.parametrize(
    ("options", "temporary"),
    [
        ({}, False),
        ({"seed": 1}, True),
        ({"headless": True, "seconds": 1.0}, True),
        ({"seed": 1, "data_dir": Path("d")}, False),
        ({"headless": True, "seconds": 1.0, "data_dir": Path("d")}, False),
    ],
)
def test_what_starts_with_nothing_learnt(options: dict, temporary: bool) -> None:
    assert RunOptions(**options).wants_temporary_data is temporary


def test_no_graphics_is_headless() -> None:
    assert RunOptions(graphics=False, seconds=1.0).headless


@pytest.mark.parametrize("options", [{"debug_wait": True}, {"debug_port": 6000}])
def test_the_details_of_debugging_imply_debugging(options: dict) -> None:
    assert RunOptions(**options).debug


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seconds": math.nan}, "--for: expected more than 0 seconds, found nan"),
        ({"seconds": math.inf}, "--for: expected more than 0 seconds, found inf"),
        ({"speed": 0.0}, "--speed: expected 1/32 to 64, or max, found 0.0"),
        ({"speed": math.nan}, "--speed: expected 1/32 to 64, or max, found nan"),
        ({"quality": "ultra"}, "--quality: expected one of auto, low, medium, high, found 'ultra'"),
        ({"on_error": "x"}, "--on-error: expected one of isolate, pause, abort, found 'x'"),
        ({"window": (10, 10)}, "--window: expected 320x200 to 8192x8192, found '10x10'"),
        (
            {"seed": 2**63},
            "--seed: expected a whole number from 0 to 9223372036854775807, found 9223372036854775808",
        ),
        (
            {"video": Path("x.mov")},
            "--video: expected a file ending in .mp4, .avi, .webm, .mkv or .gif",
        ),
        ({"screenshot": Path("x")}, "--screenshot: expected a file ending in .png, .jpg or .jpeg"),
        ({"debug_port": 1}, "--debug-port: expected a whole number from 1024 to 65535, found 1"),
        (
            {"graphics": False, "seconds": 1.0, "video": Path("x.mp4")},
            "--video: expected a picture, found --no-graphics",
        ),
        ({"video": Path("x.mp4"), "speed": math.inf}, "--video: expected --speed 1/32 to 64"),
    ],
)
def test_what_cannot_be_is_refused(options: dict, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        RunOptions(**options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "speed"),
    [("max", math.inf), ("MAX", math.inf), ("2", 2.0), ("0.25", 0.25), ("1/32", 1 / 32)],
)
def test_speeds(text: str, speed: float) -> None:
    assert parse_speed(text) == speed


@pytest.mark.parametrize("text", ["", "fast", "-1", "1/0", "1e3", "inf", "nan", "1/2/3", "2x"])
def test_texts_that_are_no_speed(text: str) -> None:
    with pytest.raises(UsageError, match=r"--speed: expected 1/32 to 64, or max"):
        parse_speed(text)


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_windows(width: int, height: int) -> None:
    assert parse_window(f"{width}x{height}") == (width, height)


@pytest.mark.parametrize("text", ["", "1280", "1280x", "x720", "-1x5", "1280x720x2", "axb"])
def test_texts_that_are_no_window(text: str) -> None:
    with pytest.raises(UsageError, match="--window: expected WIDTHxHEIGHT"):
        parse_window(text)
