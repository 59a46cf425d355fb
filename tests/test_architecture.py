"""Imports go one way; a scratch tree with one breach of each kind shows that the test can see."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.architecture import breaches, large_ones

ROOT = Path(__file__).resolve().parents[1]

SOUND = {
    "main.py": "def main():\n    from sim.commands import main\n",
    "sim/commands/__init__.py": "import typer\nfrom sim.app.app import run\nfrom ai.players import x\n",
    "sim/__init__.py": "from sim.core.script.script import Script\n",
    "sim/app/app.py": "from sim.ui import shell\nimport sim.render.window.display\nimport cv2\n",
    "sim/core/__init__.py": "",
    "sim/core/script/script.py": "import numpy\nfrom sim.core import clock\nimport pyrr\n",
    "sim/core/tasks/clock.py": "import time\nfrom base.errors import GoishiError\n",
    "base/errors.py": "",
    "base/files.py": "import os\nimport numpy\nfrom base.errors import GoishiError\n",
    "sim/render/window/display.py": "import panda3d.core\nfrom sim.core.tasks.clock import Clock\n",
    "sim/ui/shell/shell.py": "import imgui_bundle\nfrom sim.render.window.display import Display\n",
    "ai/__init__.py": "from ai.game.board import Board\n",
    "ai/game/board.py": "import numpy as np\nfrom ai.game import rules\n",
    "ai/game/rules.py": "from dataclasses import dataclass\n",
    "ai/workers/trainer.py": "from base.files import atomic_write\n",
    "ai/nets/model.py": "def build():\n    import keras\n    import tensorflow as tf\n",
    "ai/learning/teach.py": "import tensorflow\nfrom ai.nets.model import build\n",
    "scripts/gomoku/game/match.py": (
        "import scipy\nfrom ai import Board\nfrom sim import Script, job\n"
        "from scripts.gomoku.stones import Stones\n"
        "@job\ndef think(x):\n    import tensorflow as tf\n"
    ),
    "scripts/gomoku/stones.py": "from sim import Script\n",
}

PLANTED = {
    "base imports the engine": (
        "base/bad.py", "from sim.core.tasks.clock import Clock\n", "base.bad", "sim.core.tasks.clock"),
    "base imports ai": ("base/bad.py", "from ai import Board\n", "base.bad", "ai"),
    "base imports a package beside numpy": (
        "base/bad.py", "def f():\n    import platformdirs\n", "base.bad", "platformdirs"),
    "a script reaches below the doors": (
        "scripts/bad.py", "from base.files import atomic_write\n", "scripts.bad", "base.files"),
    "core imports render": (
        "sim/core/bad.py", "from sim.render.window.display import Display\n",
        "sim.core.bad", "sim.render.window.display"),
    "core imports a package that is not on its list": (
        "sim/core/bad.py", "import cv2\n", "sim.core.bad", "cv2"),
    "core imports panda3d in a function": (
        "sim/core/bad.py", "def f():\n    import panda3d.core\n", "sim.core.bad", "panda3d.core"),
    "core imports the door": (
        "sim/core/bad.py", "from sim import Script\n", "sim.core.bad", "sim"),
    "render imports ui": (
        "sim/render/bad.py", "import sim.ui.shell.shell\n", "sim.render.bad", "sim.ui.shell.shell"),
    "ui imports app": ("sim/ui/bad.py", "from sim.app import app\n", "sim.ui.bad", "sim.app.app"),
    "the door imports more than core": (
        "sim/__init__.py", "from sim.render.window import display\n", "sim", "sim.render.window.display"),
    "sim imports ai": ("sim/app/app.py", "from ai import Board\n", "sim.app.app", "ai"),
    "sim imports scripts by name": (
        "sim/app/app.py", "import importlib\nimportlib.import_module('scripts.gomoku.game.match')\n",
        "sim.app.app", "scripts.gomoku.game.match"),
    "sim imports commands": ("sim/app/app.py", "import sim.commands\n", "sim.app.app", "sim.commands"),
    "ai imports sim, relatively from": (
        "ai/bad.py", "from sim.core.tasks.clock import Clock\n", "ai.bad", "sim.core.tasks.clock"),
    "ai imports scripts": (
        "ai/bad.py", "import scripts.gomoku.game.match\n", "ai.bad", "scripts.gomoku.game.match"),
    "ai imports panda3d": ("ai/bad.py", "import panda3d\n", "ai.bad", "panda3d"),
    "ai.game imports more than numpy": (
        "ai/game/bad.py", "import numba\n", "ai.game.bad", "numba"),
    "ai.game imports other parts of ai": (
        "ai/game/bad.py", "from ..nets import model\n", "ai.game.bad", "ai.nets.model"),
    "TensorFlow outside its homes": (
        "ai/workers/bad.py", "def f():\n    import tensorflow\n", "ai.workers.bad", "tensorflow"),
    "Keras in a script": (
        "scripts/bad.py", "def f():\n    import keras\n", "scripts.bad", "keras"),
    "TensorFlow in the engine": (
        "sim/render/bad.py", "import tensorflow.keras\n", "sim.render.bad", "tensorflow.keras"),
    "a script past the door of sim": (
        "scripts/bad.py", "from sim.core.script.script import Script\n",
        "scripts.bad", "sim.core.script.script"),
    "a script past the door of ai": (
        "scripts/bad.py", "from ai import game\n", "scripts.bad", "ai.game"),
    "a product module imports the tests": (
        "sim/commands/bad.py", "from tests import check\n", "sim.commands.bad", "tests"),
}  # fmt: skip


def test_the_tree_keeps_to_its_layers() -> None:
    assert breaches(ROOT) == []


def test_a_sound_tree_has_no_breach(tmp_path: Path) -> None:
    plant(tmp_path, SOUND)
    assert breaches(tmp_path) == []


@pytest.mark.parametrize("kind", PLANTED)
def test_each_kind_of_breach_is_reported_alone(tmp_path: Path, kind: str) -> None:
    file, text, importer, imported = PLANTED[kind]
    plant(tmp_path, {**SOUND, file: text})
    line = len(text.splitlines())
    assert breaches(tmp_path) == [f"module {importer} must not import {imported} ({file}:{line})"]


def test_all_breaches_together_are_each_reported(tmp_path: Path) -> None:
    plant(tmp_path, SOUND)
    expected = set()
    for number, (file, text, importer, imported) in enumerate(PLANTED.values()):
        if "bad" not in file:
            continue
        own = file.replace("bad", f"bad{number}")
        plant(tmp_path, {own: text})
        name = importer.replace("bad", f"bad{number}")
        expected.add(f"module {name} must not import {imported} ({own}:{len(text.splitlines())})")
    assert set(breaches(tmp_path)) == expected


def test_sizes_are_reported(tmp_path: Path) -> None:
    long_function = "def f():\n" + "    x = 1\n" * 60
    plant(tmp_path, {"ai/long.py": "x = 1\n" * 401, "ai/deep.py": long_function})
    assert large_ones(tmp_path) == [
        "ai/deep.py:1: f has 61 lines, 60 wanted",
        "ai/long.py: 401 lines, 400 wanted at most",
    ]


def test_show_what_is_too_long(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        for line in large_ones(ROOT):
            sys.stdout.write(f"\n  too long: {line}")


def plant(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
