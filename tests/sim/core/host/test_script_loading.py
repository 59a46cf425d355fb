"""What is told, refused and kept apart when scripts are loaded."""

from __future__ import annotations

import unicodedata

import pytest

from sim.core.host.script_loader import ScriptLoader
from sim.core.scene.scene import SlotState

NEAR_MISSES = {
    "def Update(self, dt): pass": "Fine.Update is no hook; did you mean update?",
    "def on_start(self): pass": "Fine.on_start is no hook; did you mean start?",
    "def fixedUpdate(self, dt): pass": "Fine.fixedUpdate is no hook; did you mean fixed_update?",
    "def update(self): pass": "Fine.update: expected the parameters (self, dt), found (self)",
    "def start(self, dt): pass": "Fine.start: expected the parameters (self), found (self, dt)",
    "@on('other.rang')\n    def hear(self): pass": "other is no field",
    "@on('rang')\n    def hear(self): pass": "Fine has no such signal",
}


@pytest.mark.parametrize(("code", "said"), NEAR_MISSES.items(), ids=NEAR_MISSES.values())
def test_a_near_miss_is_told_at_load(stage, code, said):
    stage.script("fine", f"class Fine(Script):\n    {code}\n")
    slot = stage.open_one("scripts.fine:Fine")
    assert slot.state is SlotState.PLACEHOLDER
    assert stage.errors() == 1
    assert said in stage.lines()[0]


def test_private_helpers_are_no_near_misses(stage):
    stage.script("fine", "class Fine(Script):\n    def _update(self): pass\n")
    assert stage.open_one("scripts.fine:Fine").state is SlotState.PENDING


def test_a_missing_file_is_a_placeholder(stage):
    slot = stage.open_one("scripts.nowhere:Nothing")
    stage.frames(1)
    assert slot.state is SlotState.PLACEHOLDER
    assert stage.errors() == 1
    assert "nowhere.py" in stage.lines()[0]


def test_two_projects_with_the_same_file_names_do_not_mix(tmp_path):
    loaders = []
    for number in (1, 2):
        scripts = tmp_path / str(number) / "scripts"
        scripts.mkdir(parents=True)
        (scripts / "helper.py").write_text(f"NUMBER = {number}\n")
        (scripts / "same.py").write_text(
            "from sim import Script\nfrom scripts.helper import NUMBER\n"
            "class Same(Script):\n    number = NUMBER\n"
        )
        loaders.append(ScriptLoader(scripts.parent, tmp_path))
    classes = [loader.load("scripts.same:Same") for loader in loaders]
    assert [cls.number for cls in classes] == [1, 2]


def test_tensorflow_is_refused_beside_the_window(stage):
    stage.script("deep", "import tensorflow\n")
    slot = stage.open_one("scripts.deep:Deep")
    assert slot.state is SlotState.PLACEHOLDER
    assert "run it in a worker" in stage.lines()[0]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_of_any_alphabet_are_names(stage, form):
    stage.script("öfen", "class Ölofen(Script):\n    größe: float = field(1.0)\n")
    name = f"scripts.öfen:{unicodedata.normalize(form, 'Ölofen')}"
    slot = stage.open_one(name, fields={"größe": 2.0})
    stage.frames(1)
    assert slot.state is SlotState.READY, stage.lines()
    assert slot.instance.größe == 2.0
