"""A real window: nothing is drawn twice, and what a hand did in one frame is told in its order."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from panda3d.core import Texture

from sim.render.window.display import Display

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.window
@pytest.mark.skipif(shutil.which("xdotool") is None, reason="needs xdotool")
def test_layers_are_drawn_once_and_presses_keep_their_places():
    hand = (
        "xdotool search --sync --onlyvisible --name Goishi mousemove --window %1 100 100 click 1 "
        "mousemove --window %1 200 150 click 1 key a"
    )
    done = subprocess.run(
        [sys.executable, "-m", "tests.sim.render.window.window_draws", *hand.split()],
        cwd=ROOT, capture_output=True, text=True, timeout=60, env=dict(os.environ), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["drawn"] == told["presented"]
    clicks = [event for event in told["events"] if "button" in event[0]]
    assert clicks == [
        ["button_down", 100, 100], ["button_up", 100, 100],
        ["button_down", 200, 150], ["button_up", 200, 150],
    ]  # fmt: skip


def test_textures_are_sampled_once_where_the_processor_draws():
    display = Display(offscreen=True, size=(32, 32))
    assert (Texture("any").get_effective_anisotropic_degree() > 1) != display.is_software
    display.close()


@pytest.mark.skipif(shutil.which("xdotool") is None, reason="needs xdotool")
@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs an X server of its own")
def test_keys_are_named_by_the_layout_in_use_and_a_locked_mouse_tells_its_way():
    """On an X server of its own, so that nobody's keyboard is changed."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "800x600x24"],
        pass_fds=(writer,), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writer)
    with os.fdopen(reader) as told:
        display = f":{told.readline().strip()}"
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.sim.render.window.window_keys", "ru", "gr", "fr", "us"],
            cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
            env={**os.environ, "DISPLAY": display},
        )  # fmt: skip
    finally:
        server.terminate()
        server.wait()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "ru": [["ц", "w"], ["й", "q"], ["-"]],
        "gr": [["ς", "w"], [";", "q"], ["-"]],
        "fr": [["z"], ["a"], [")"]],
        "us": [["w"], ["q"], ["-"]],
        "short": "+num_1 -num_1 +1 -1 +num_1 -num_1 +num_2 -num_2",
        "held": "+num_1 +1 -1",
        "row held": "-num_1 +1 +num_1 -num_1 -1",
        "moved": [-30.0, 10.0],
        "freed": 0.0,
    }
