"""Pictures come from a child process: the program opens no OpenGL, and the course is the same."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import goishi
from base.files import SHIPPED_ROOT
from tests.goishi.conftest import AGENT, CART_POLE

CAR = CART_POLE.with_name("car.scene.json")


@pytest.mark.nightly
def test_the_picture_is_of_the_very_course_that_goes_without_one(opened) -> None:
    drawn = opened(goishi.make, CART_POLE, render_mode="rgb_array", size=(96, 64))
    plain = opened(goishi.make, CART_POLE)
    assert (drawn.reset(seed=4)[0] == plain.reset(seed=4)[0]).all()
    first = drawn.render()
    assert first.shape == (64, 96, 3)
    assert first.dtype == np.uint8
    is_over = False
    for action in np.random.default_rng(1).integers(0, 2, 60):
        if is_over:
            assert (drawn.reset()[0] == plain.reset()[0]).all()
        told, other = drawn.step(action), plain.step(action)
        assert told[0].tolist() == other[0].tolist()
        assert told[1:] == other[1:]
        is_over = told[2]
    assert (drawn.render() != first).any()
    assert "panda3d" not in sys.modules or plain.render() is None
    with pytest.raises(goishi.FieldError, match="expected a whole number from 0 to 1, found 7"):
        drawn.step(7)


def test_pictures_are_alike_in_each_run(opened) -> None:
    """The kerbs of the track lie over one another: what is drawn first is seen."""
    seen = []
    for _ in range(2):
        car = opened(goishi.make, CAR, render_mode="rgb_array", size=(160, 120))
        car.reset(seed=3)
        for action in np.random.default_rng(1).uniform(-1.0, 1.0, (4, 2)):
            car.step(action.astype(np.float32))
            seen.append(car.render())
    assert (seen[0] != seen[3]).any()
    assert all((seen[step] == seen[step + 4]).all() for step in range(4))


@pytest.mark.nightly
def test_depth_is_metres_and_a_fault_is_told_from_the_child(opened, scene_of) -> None:
    deep = opened(goishi.make, CART_POLE, render_mode="depth_array", size=(64, 48))
    deep.reset(seed=4)
    depth = deep.render()
    assert depth.shape == (48, 64)
    assert depth.dtype == np.float32
    assert 3.0 < depth.min() < 9.0
    script = AGENT.replace("self.x += action", "self.x += 1 / 0")
    broken = opened(goishi.make, scene_of(script), render_mode="rgb_array", size=(64, 48))
    broken.reset(seed=1)
    with pytest.raises(goishi.WorldError, match="ZeroDivisionError"):
        broken.step(0)
    broken.reset(seed=1)


@pytest.mark.nightly
@pytest.mark.window
def test_the_course_in_the_apps_window_is_the_same(opened) -> None:
    shown = opened(goishi.make, CART_POLE, render_mode="human")
    plain = opened(goishi.make, CART_POLE)
    assert (shown.reset(seed=4)[0] == plain.reset(seed=4)[0]).all()
    for action in (0, 1, 1, 0, 1, 0, 0, 1):
        told, other = shown.step(action), plain.step(action)
        assert told[0].tolist() == other[0].tolist()
        assert told[1:] == other[1:]
    assert shown.render() is None


@pytest.mark.nightly
def test_a_program_imports_tensorflow_and_then_renders() -> None:
    text = (
        "import tensorflow, goishi, gymnasium\n"
        "env = gymnasium.make('goishi/CartPole-v0', render_mode='rgb_array')\n"
        "env.reset(seed=1)\nprint(env.render().shape)\n"
        "import keras\nprint(keras.__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=SHIPPED_ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["(320,", "480,", "3)", "keras"], done.stderr


@pytest.mark.parametrize(
    ("named", "text"),
    [
        ({"render_mode": "ansi"}, "render_mode: expected human, rgb_array, depth_array or None"),
        ({"render_mode": "rgb_array", "size": (1, 9)}, "size: expected two sides from 16 to 4096"),
    ],
)
def test_a_wrong_option_is_refused(named, text) -> None:
    with pytest.raises(goishi.UsageError) as caught:
        goishi.make(CART_POLE, **named)
    assert text in str(caught.value)
