"""What a packed game needs: scenes that can be reached, packages that are imported, and no others."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest

from base.errors import GoishiError, UsageError
from base.files import SHIPPED_ROOT
from sim.app.game_window import GAME_MODULES
from sim.commands.pack import is_learner as is_learner_of
from sim.export.import_graph import ImportGraph
from sim.pack.choice import choose, files_of, first_scene

PLAIN = (
    "bidi", "cv2", "numpy", "panda3d", "platformdirs", "psutil", "pyrr", "tomli_w", "uharfbuzz",
)  # fmt: skip
"""What the engine itself draws and reads with."""
CAVE = SHIPPED_ROOT / "tests" / "drive" / "cave_game"


def scene_of(*types: str, **fields: object) -> str:
    components = {
        f"cmp_one{number}": {"type": name, "fields": fields} for number, name in enumerate(types)
    }
    objects = {"obj_one": {"name": "One", "components": components}}
    return json.dumps({"format": "goishi.scene/1", "id": "scn_one", "objects": objects})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("scenes", "scripts", "tests", ".git", "runs", "env/lib"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "scenes" / "one.scene.json").write_text(scene_of("scripts.one:One"), "utf-8")
    (tmp_path / "env" / "pyvenv.cfg").write_text("", "utf-8")
    write(tmp_path, "scripts/one.py", "class One(Script):\n    pass\n")
    return tmp_path.resolve()


def write(project: Path, path: str, text: str) -> None:
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"from sim import Script\n{text}" if path.endswith(".py") else text, "utf-8")


def packages(project: Path) -> set[str]:
    return set(choose(project, "scenes/one.scene.json").packages) - set(PLAIN)


def test_a_game_of_two_scenes_needs_what_the_engine_draws_with_and_no_more() -> None:
    found = choose(CAVE.resolve(), "scenes/hall.scene.json")
    assert found.packages == PLAIN
    assert sorted(found.scenes) == ["scenes/cave.scene.json", "scenes/hall.scene.json"]
    assert (found.trains, found.uses_players, found.notes) == (False, False, ())


def test_modules_of_a_game_load_none_of_the_studio_and_no_heavy_package() -> None:
    graph = ImportGraph((SHIPPED_ROOT,), is_deep=lambda name: False)
    for name in GAME_MODULES:
        assert graph.find(name) is not None, name
        graph.follow(name)
    assert not [name for name in graph.own if name.startswith(("sim.ui", "sim.pack", "ai"))]
    tops = {name.partition(".")[0] for name in graph.others} - set(sys.stdlib_module_names)
    assert tuple(sorted(tops)) == PLAIN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import scipy.signal\n", {"scipy"}),
        ("def later():\n    from matplotlib import pyplot\n", {"matplotlib"}),
        ("from scripts.other import X\n", {"networkx"}),
        ("from sim import compiled\n", {"numba"}),
        ("def train():\n    import keras\n", {"keras", "tensorflow", "h5py", "usearch"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas\n", set()),
        ("import json, sqlite3, os.path\n", set()),
        ("import importlib\nX = importlib.import_module('shapely')\n", {"shapely"}),
    ],
)  # fmt: skip
def test_what_a_script_imports_is_packed(project: Path, text: str, expected: set[str]) -> None:
    write(project, "scripts/other.py", "import networkx\n")
    write(project, "scripts/one.py", f"{text}class One(Script):\n    pass\n")
    assert packages(project) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("import no_such_pebbles.inner\n", ["scripts/one.py:2: expected the package no_such_pebbles"]),
        ("import numpy, yamlx, json\nfrom pebbles import x\n",
         ["scripts/one.py:2: expected the package yamlx", "scripts/one.py:3: expected the package pebbles"]),
        ("try:\n    import pebbles\nexcept ImportError:\n    pebbles = None\n", []),
        ("if False:\n    import pebbles\n", []),
        ("import __main__\n", []),
        ("def later():\n    import pebbles\n", []),
        ("from scripts.other import x\nfrom . import other\nimport helpers\nimport sim\n", []),
    ],
)  # fmt: skip
def test_what_a_script_imports_at_its_top_and_is_not_here_is_told(
    project: Path, text: str, lines: list[str]
) -> None:
    write(project, "scripts/other.py", "x = 1\n")
    write(project, "helpers/inner.py", "x = 1\n")
    write(project, "scripts/unused.py", "import pebbles\n")
    write(project, "scripts/one.py", f"{text}class One(Script):\n    pass\n")
    found = choose(project, "scenes/one.scene.json").missing
    assert [line.partition(", found none")[0] for line in found] == lines


def test_what_no_reached_script_imports_is_left_out(project: Path) -> None:
    write(project, "scripts/unused.py", "import matplotlib, ray, tensorflow\n")
    write(project, "tests/test_one.py", "import pytest\n")
    assert packages(project) == set()


def test_a_scene_that_a_script_opens_is_reached_and_so_are_its_scripts(project: Path) -> None:
    write(project, "scenes/two.scene.json", scene_of("scripts.two:Two"))
    write(project, "scenes/three.scene.json", scene_of("scripts.two:Two"))
    write(project, "scripts/two.py", "import scipy\nclass Two(Script):\n    pass\n")
    open_two = "    def f(self):\n        self.scene.open('scenes/two.scene.json')\n"
    write(project, "scripts/one.py", f"class One(Script):\n{open_two}")
    found = choose(project, "scenes/one.scene.json")
    assert (set(found.packages) - set(PLAIN), len(found.scenes)) == ({"scipy"}, 2)
    write(project, "scripts/one.py", f"class One(Script):\n{open_two.replace(chr(39), '', 2)}"
          .replace("scenes/two.scene.json", "self.path"))  # fmt: skip
    assert len(choose(project, "scenes/one.scene.json").scenes) == 3, "any may be meant"


def test_components_and_prefabs_that_a_script_names_are_reached(project: Path) -> None:
    write(project, "scripts/two.py", "import scipy\nclass Two(Script):\n    pass\n")
    write(project, "scripts/three.py", "import networkx\nclass Three(Script):\n    pass\n")
    prefab = {"components": {"cmp_one": {"type": "scripts.three:Three"}}}
    write(project, "assets/lamp.prefab.json", json.dumps(prefab))
    add = "    def f(self):\n        self.object.add('scripts.two:Two')\n"
    make = "        self.scene.instantiate({})\n"
    for path, more in ((None, set()), ("'assets/lamp.prefab.json'", {"networkx"}),
                       ("self.lamp", {"networkx"})):  # fmt: skip
        code = f"class One(Script):\n{add}{make.format(path) if path else ''}"
        write(project, "scripts/one.py", code)
        assert packages(project) == {"scipy"} | more


def test_models_and_pictures_bring_what_reads_them(project: Path) -> None:
    for name in ("a.stl", "b.dds", "c.glb"):
        write(project, f"assets/{name}", "KHR_draco_mesh_compression")
    assert packages(project) == {"trimesh", "PIL", "DracoPy"}


def test_a_named_package_is_added(project: Path) -> None:
    found = choose(project, "scenes/one.scene.json", ["scipy"])
    assert set(found.packages) - set(PLAIN) == {"scipy"}


def test_a_match_of_players_needs_them_and_tensorflow_only_where_one_learns() -> None:
    found = choose(SHIPPED_ROOT, "scenes/gomoku_15.scene.json", learns=lambda word: False)
    assert found.uses_players
    assert "numba" in found.packages
    assert not found.trains
    assert "tensorflow" not in found.packages
    is_learner = partial(is_learner_of, SHIPPED_ROOT)
    assert is_learner("cnn-ann-plus@net=small")
    assert not is_learner("alpha-beta")
    assert not is_learner("Camera")
    learns = choose(SHIPPED_ROOT, "scenes/self_teaching.scene.json", learns=is_learner)
    assert learns.trains
    assert {"tensorflow", "keras"} <= set(learns.packages)


def test_a_script_with_panels_is_told_of(project: Path) -> None:
    call = "    def start(self):\n        self.panel('Score', self.draw)\n"
    write(project, "scripts/one.py", f"class One(Script):\n{call}")
    notes = choose(project, "scenes/one.scene.json").notes
    assert notes == ("scripts.one shows panels: a packed game has its view and HUD alone",)


def test_hidden_files_runs_tests_and_environments_are_not_packed(project: Path) -> None:
    for name in (
        ".git/config",
        "runs/a.json",
        "tests/a.py",
        "env/lib/b.py",
        "scripts/__pycache__/c.py",
    ):
        write(project, name, "")
    for name in ("game/game.json", "game/python/a.py", "game.zip", "assets/note.txt"):
        write(project, name, "")
    found = [path.relative_to(project).as_posix() for path in files_of(project)]
    assert found == ["assets/note.txt", "scenes/one.scene.json", "scripts/one.py"]


def test_the_first_scene_is_the_named_one_the_projects_or_the_only_one(project: Path) -> None:
    one = "scenes/one.scene.json"
    assert [first_scene(project, name) for name in (None, "one", one)] == [one] * 3
    write(project, "scenes/two.scene.json", scene_of())
    with pytest.raises(UsageError, match=r"--scene: expected one of one, two, or game\.scene"):
        first_scene(project, None)
    write(project, "goishi.toml", '[game]\nscene = "scenes/two.scene.json"\n')
    assert first_scene(project, None) == "scenes/two.scene.json"
    for wrong in ("three", "scenes/three.scene.json", "scripts/one.py", "/etc/hosts"):
        with pytest.raises(UsageError, match=r"--scene: expected .*two.*, found"):
            first_scene(project, wrong)


def test_a_folder_without_scenes_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"PROJECT: expected a folder with scenes/NAME\.scene\.json"
    ):
        first_scene(tmp_path, None)


def test_a_broken_scene_is_one_line(project: Path) -> None:
    write(project, "scenes/one.scene.json", "{")
    with pytest.raises(GoishiError, match=r"one\.scene\.json"):
        choose(project, "scenes/one.scene.json")
