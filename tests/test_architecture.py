"""Imports go one way; a scratch tree with one breach of each kind shows that the test can see."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import (
    ANY_PER_THOUSAND,
    Size,
    any_words,
    breaches,
    friends,
    homes,
    inner_imports,
    long_functions,
    modules_of,
    report,
    size_of,
)

ROOT = Path(__file__).resolve().parents[1]
SEVERAL_HOMES = {
    # players do not know the engine, and the engine knows no player
    "breaking a call off": ["ai/arena/game.py", "sim/core/hangs/watchdog.py"],
    # an archive of whole checkpoints holds files of arrays, and reads none of them
    "file of arrays with a card": ["ai/store/learnt_file.py", "base/storage/card_file.py"],
}
"""Concepts with several homes, each with its reason."""
FRIENDS_LEFT: frozenset[str] = frozenset()
"""Files with a function that still writes another module's object, each with its reason."""

SOUND = {
    "main.py": "def main():\n    from sim.commands import main\n",
    "base/errors.py": "import enum\nimport numpy\n",
    "base/files.py": "from base.errors import GoishiError\n",
    "sim/commands/__init__.py": "import typer\nfrom sim.app.app import run\nfrom ai.players import x\n",
    "sim/__init__.py": "from sim.core.script.script import Script\nfrom base.errors import X\n",
    "sim/app/app.py": "from sim.ui.shell import shell\nimport sim.render.window.display\nimport cv2\n",
    "sim/core/__init__.py": "",
    "sim/core/script/script.py": "import numpy\nfrom sim.core.tasks import clock\nimport pyrr\n",
    "sim/core/tasks/clock.py": "import time\nfrom base.errors import GoishiError\n",
    "sim/render/window/display.py": "import panda3d.core\nfrom sim.core.tasks.clock import Clock\n",
    "sim/render/view/rig.py": "from sim.render.window.display import Display\n",
    "sim/ui/shell/shell.py": "import imgui_bundle\nfrom sim.render.window.display import Display\n",
    "sim/ui/theme/theme.py": "import imgui_bundle\n",
    "ai/__init__.py": "from ai.game.board import Board\n",
    "ai/game/board.py": "import numpy as np\nfrom ai.game import rules\n",
    "ai/game/rules.py": "from dataclasses import dataclass\n",
    "ai/nets/model.py": "def build():\n    import keras\n    import tensorflow as tf\n",
    "ai/learning/teach.py": "import tensorflow\nfrom ai.nets.model import build\n",
    "scripts/gomoku/game/match.py": (
        "import scipy\nfrom ai import Board\nfrom sim import Script, job\n"
        "from scripts.gomoku.board.stones import Stones\n"
        "@job\ndef think(x):\n    import tensorflow as tf\n"
    ),
    "scripts/gomoku/board/stones.py": "from sim import Script\n",
}

PLANTED = {
    "base imports the engine": (
        "base/bad.py", "from sim.core.tasks.clock import Clock\n",
        "base.bad", "sim.core.tasks.clock"),
    "base imports ai": ("base/bad.py", "import ai\n", "base.bad", "ai"),
    "base imports a package": ("base/bad.py", "import typer\n", "base.bad", "typer"),
    "core imports render": (
        "sim/core/bad.py", "from sim.render.window.display import Display\n",
        "sim.core.bad", "sim.render.window.display"),
    "core imports a package that is not on its list": (
        "sim/core/bad.py", "import cv2\n", "sim.core.bad", "cv2"),
    "core imports panda3d in a function": (
        "sim/core/bad.py", "def f():\n    import panda3d.core\n", "sim.core.bad", "panda3d.core"),
    "core imports the door": (
        "sim/core/bad.py", "from sim import Script\n", "sim.core.bad", "sim"),
    "a room of the core imports a higher one": (
        "sim/core/tasks/bad.py", "from sim.core.script.script import Script\n",
        "sim.core.tasks.bad", "sim.core.script.script"),
    "a room of the core imports a higher one for its types alone": (
        "sim/core/tasks/bad.py",
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from sim.core.script.script import Script\n",
        "sim.core.tasks.bad", "sim.core.script.script"),
    "a room of the core imports a higher one in a function": (
        "sim/core/tasks/bad.py", "def f():\n    import sim.core.script.script\n",
        "sim.core.tasks.bad", "sim.core.script.script"),
    "a room imports one that is in no order": (
        "sim/core/tasks/bad.py", "from sim.core.attic import box\n",
        "sim.core.tasks.bad", "sim.core.attic"),
    "a room that is in no order imports a low one": (
        "sim/core/attic/bad.py", "from sim.core.tasks import clock\n",
        "sim.core.attic.bad", "sim.core.tasks.clock"),
    "a room of the picture imports a higher one": (
        "sim/render/window/bad.py", "from sim.render.view import rig\n",
        "sim.render.window.bad", "sim.render.view.rig"),
    "a room of the panels imports a higher one": (
        "sim/ui/theme/bad.py", "from sim.ui.shell import shell\n",
        "sim.ui.theme.bad", "sim.ui.shell.shell"),
    "a room of ai imports a higher one": (
        "ai/nets/bad.py", "from ai.learning.teach import teach\n",
        "ai.nets.bad", "ai.learning.teach"),
    "render imports ui": (
        "sim/render/bad.py", "import sim.ui.shell.shell\n", "sim.render.bad",
        "sim.ui.shell.shell"),
    "ui imports app": ("sim/ui/bad.py", "from sim import app\n", "sim.ui.bad", "sim.app"),
    "the door imports more than core": (
        "sim/__init__.py", "from sim.render.window import display\n", "sim",
        "sim.render.window.display"),
    "sim imports ai": ("sim/app/app.py", "from ai import Board\n", "sim.app.app", "ai"),
    "sim imports scripts by name": (
        "sim/app/app.py", "import importlib\nimportlib.import_module('scripts.gomoku.game.match')\n",
        "sim.app.app", "scripts.gomoku.game.match"),
    "sim imports commands": (
        "sim/app/app.py", "import sim.commands\n", "sim.app.app", "sim.commands"),
    "ai imports sim, relatively from": (
        "ai/bad.py", "from sim.core.tasks.clock import Clock\n", "ai.bad",
        "sim.core.tasks.clock"),
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
    "a script imports base": ("scripts/bad.py", "import base.files\n", "scripts.bad", "base.files"),
    "a room of the match's scripts imports a higher one for its types alone": (
        "scripts/gomoku/board/bad.py",
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from scripts.gomoku.game.match import Match\n",
        "scripts.gomoku.board.bad", "scripts.gomoku.game.match"),
    "a product module imports the tests": (
        "sim/commands/bad.py", "from tests import check\n", "sim.commands.bad", "tests"),
}  # fmt: skip

STATE = "class Board:\n    def __init__(self):\n        self._cells = []\n        self.ply = 0\n"
FROZEN = (
    "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Board:\n    _x: int = 0\n"
)
FRIENDS = {
    "reads what is private": ("def f(board: Board):\n    return board._cells\n", "reads Board._cells"),
    "writes": ("def f(board: Board):\n    board.ply = 3\n", "writes Board.ply"),
    "adds to": ("def f(board: Board):\n    board.ply += 3\n", "writes Board.ply"),
    "reaches into one that may be missing": (
        "def f(board: Board | None):\n    return board and board._cells\n", "reads Board._cells"),
    "is a method": (
        "class A:\n    def f(self, board: Board):\n        board.ply = 3\n", "writes Board.ply"),
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


def test_no_function_is_longer_than_a_reader_takes_in() -> None:
    assert long_functions(ROOT) == []


def test_a_long_function_is_reported(tmp_path: Path) -> None:
    plant(
        tmp_path, {"ai/deep.py": "def f():\n" + "    x = 1\n" * 60, "ai/long.py": "x = 1\n" * 900}
    )
    assert long_functions(tmp_path) == ["ai/deep.py:1: f has 61 lines, 60 wanted"]


def test_lines_of_code_are_those_without_words_and_blanks(tmp_path: Path) -> None:
    text = '"""A title.\n\nMore.\n"""\n\nimport os  # why\n# a comment\n\nX = (\n    1,  # fmt: skip\n)\n'
    plant(tmp_path, {"ai/a.py": text, "base/b.py": "from os import (\n    a,\n)\n"})
    assert size_of(tmp_path) == Size(modules=2, lines=14, code=7, imports=4, layouts=1)


def test_each_concept_has_one_home() -> None:
    assert {what: found for what, found in homes(ROOT).items() if len(found) != 1} == SEVERAL_HOMES


def test_a_second_home_is_reported(tmp_path: Path) -> None:
    plant(tmp_path, {"ai/a.py": "class RunFolder: ...\n", "ai/b.py": "class RunFolder: ...\n"})
    assert homes(tmp_path)["resumable run folder"] == ["ai/a.py", "ai/b.py"]


def test_functions_keep_to_the_doors_of_what_they_are_given() -> None:
    found = friends(ROOT)
    assert len({line.partition(": ")[0] for line in found}) <= len(FRIENDS_LEFT), "\n".join(found)
    assert {line.partition(":")[0] for line in found} <= FRIENDS_LEFT


@pytest.mark.parametrize("kind", FRIENDS)
def test_each_kind_of_friend_is_found(tmp_path: Path, kind: str) -> None:
    text, told = FRIENDS[kind]
    head = "from ai.game.board import Board\n"
    plant(tmp_path, {"ai/game/board.py": STATE, "ai/players/a.py": head + text})
    assert [line.partition(" ")[2].partition(" ")[2] for line in friends(tmp_path)] == [told]


def test_who_keeps_to_the_door_is_no_friend(tmp_path: Path) -> None:
    head = "from ai.game.board import Board\n"
    own = STATE + "def f(board: Board):\n    board._cells = 1\n"
    reads = head + "def f(board: Board):\n    return board.ply\n"
    frozen = head.replace("board", "b") + "def f(b: Board):\n    return b._x\n"
    plant(tmp_path, {"ai/game/board.py": own, "ai/game/b.py": FROZEN, "ai/players/a.py": reads,
                     "ai/players/c.py": frozen})  # fmt: skip
    assert friends(tmp_path) == []


def test_types_say_what_things_are() -> None:
    words, lines = any_words(ROOT)
    assert 1000 * words / lines <= ANY_PER_THOUSAND


def test_any_is_counted_where_it_is_used_and_where_it_is_imported(tmp_path: Path) -> None:
    text = "from typing import Any\n\ndef f(x: Any) -> list[Any]: ...\n# Any\n"
    plant(tmp_path, {"ai/a.py": text, "base/b.py": "x = 1\n", "scripts/s.py": text})
    assert any_words(tmp_path) == (3, 5)


def test_an_import_in_a_function_has_its_reason() -> None:
    assert not inner_imports(ROOT).get("", [])


def test_an_import_in_a_function_without_a_reason_is_found(tmp_path: Path) -> None:
    plant(tmp_path, {"ai/a.py": "def f():\n    import ai.b\n", "ai/b.py": "x = 1\n"})
    assert inner_imports(tmp_path) == {"": ["ai.b in ai.a (ai/a.py:2)"]}


def test_show_the_house(capsys: pytest.CaptureFixture[str]) -> None:
    lines = report(ROOT)
    assert any(line.startswith("product: ") for line in lines)
    with capsys.disabled():
        for line in lines:
            sys.stdout.write(f"\n  {line}")


def plant(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_no_script_loads_a_compiler_or_a_network_into_the_scene():
    """Workers compute; a second of numba's import would be a second of the window's start."""
    modules = [name for name in modules_of(ROOT, ["scripts"]) if not name.endswith("__init__")]
    code = (
        "import importlib, sys\n"
        f"for name in {modules!r}:\n"
        "    importlib.import_module(name)\n"
        "    heavy = {'numba', 'tensorflow', 'keras', 'matplotlib', 'ray'} & set(sys.modules)\n"
        "    assert not heavy, f'{name} loads {heavy}'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(modules) > 60
