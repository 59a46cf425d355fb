"""Each field of each engine component takes a value, or says in one line why it does not."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from base.errors import FieldError
from benchmarks import corpus_fields
from benchmarks.corpus_files import is_clear
from sim.commands.check import component_faults
from sim.core.components.components import MENU
from sim.core.scene.fields import collect_fields
from sim.core.script.script import Script
from sim.testing import Pilot
from tests.sim.core.stage import Stage, thing

STEPS = 6


def open_scene(root: Path, scene: corpus_fields.Json) -> Pilot:
    """Open a scene in a project of its own."""
    (root / "scenes").mkdir(exist_ok=True)
    (root / "assets").mkdir(exist_ok=True)
    (root / "assets" / "beside.png").write_bytes(b"")
    (root / "goishi.toml").write_text("")
    file = root / "scenes" / "a.scene.json"
    file.write_text(json.dumps(scene), encoding="utf-8")
    return Pilot(scene=file, graphics=False, panels=False, seed=1)


def unclear(pilot: Pilot) -> list[str]:
    """Return the lines of the console that do not say what was expected."""
    told = [item for item in pilot.app.console.records if item.level in ("warning", "error")]
    assert told, "the stage has a component without a script"
    return [str(item) for item in told if not is_clear(item.text)]


@pytest.mark.parametrize("cls", MENU, ids=lambda cls: cls.__name__)
def test_a_scene_with_any_value_in_any_field_runs(cls: type[Script], tmp_path: Path) -> None:
    tried = corpus_fields.sample(cls, random.Random(3), 5)
    tried += [
        (cls, name, value)
        for name, declared in collect_fields(cls).items()
        if declared.is_reference
        for value in corpus_fields.REFERENCES
    ]
    with open_scene(tmp_path, corpus_fields.scene_of(tried)) as pilot:
        pilot.step(STEPS)
        assert unclear(pilot) == []


@pytest.mark.parametrize(
    "cls", [cls for cls in MENU if collect_fields(cls)], ids=lambda cls: cls.__name__
)
def test_any_value_can_be_set_while_the_scene_runs(cls: type[Script], tmp_path: Path) -> None:
    fields = collect_fields(cls)
    rng = random.Random(4)
    name, declared = next(iter(fields.items()))
    scene = corpus_fields.scene_of([(cls, name, declared.initial())])
    with open_scene(tmp_path, scene) as pilot:
        slot = pilot.app.scene.component("cmp_f00000")
        for name, declared in fields.items():
            for value in rng.sample(corpus_fields.values_for(declared), 8):
                with contextlib.suppress(FieldError):
                    slot.host.set_field(slot, name, value)
                    pilot.step()
            slot.host.set_field(slot, name, declared.initial())
            slot.host.retry(slot)
        pilot.step(STEPS)
        assert unclear(pilot) == []


@pytest.mark.parametrize("kind", ["FixedJoint", "HingeJoint", "BallJoint"])
@pytest.mark.parametrize("target", ["cmp_body", "cmp_light", "cmp_f00000"])
def test_a_component_where_an_object_is_meant_is_one_line(
    kind: str, target: str, tmp_path: Path
) -> None:
    cls = next(item for item in MENU if item.__name__ == kind)
    scene = corpus_fields.scene_of([(cls, "other", {"$ref": target})])
    with open_scene(tmp_path, scene) as pilot:
        pilot.step(STEPS)
        (line,) = [item.text for item in pilot.app.console.records if item.level == "warning"]
        assert line == (
            f"Joint.other: expected the id of an object, found {target!r}; the default is used"
        )
        assert pilot.app.scene.component("cmp_f00000").instance.other is None


BELLS = """
class Bell(Script):
    struck = signal(int)


class Loud(Bell):
    pass


class Drum(Script):
    pass


class Ringer(Script):
    bell: Bell = field(None)
    bells: list[Bell] = field([])
    thing: SceneObject = field(None)

    def start(self):
        self.seen = (self.bell, list(self.bells), self.thing)

    @on("bell.struck")
    def heard(self, number):
        pass
"""


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    stage.script("bells", BELLS)
    yield stage
    stage.close()


@pytest.mark.parametrize(
    ("name", "raw", "line"),
    [
        ("bell", {"$ref": "cmp_drum"},
         "Ringer.bell: expected a component Bell, found 'Drum (cmp_drum)'; the default is used"),
        ("bell", {"$ref": "obj_two"},
         "Ringer.bell: expected the id of a component Bell, found 'obj_two'; the default is used"),
        ("bells", [{"$ref": "cmp_bell"}, {"$ref": "cmp_drum"}],
         "Ringer.bells: expected a component Bell, found 'Drum (cmp_drum)'; the default is used"),
        ("thing", {"$ref": "cmp_bell"},
         "Ringer.thing: expected the id of an object, found 'cmp_bell'; the default is used"),
        ("bell", {"$ref": "cmp_loud"}, ""),
        ("bell", {"$ref": "cmp_gone"}, ""),
        ("bells", [{"$ref": "cmp_bell"}, {"$ref": "cmp_loud"}], ""),
        ("thing", {"$ref": "obj_one"}, ""),
    ],
)  # fmt: skip
def test_references_are_checked_by_class_at_load(
    name: str, raw: object, line: str, stage: Stage
) -> None:
    objects = {
        "obj_one": thing("One", {"cmp_ring": ("scripts.bells:Ringer", {name: raw})}),
        "obj_two": thing("Two", {
            "cmp_bell": "scripts.bells:Bell", "cmp_loud": "scripts.bells:Loud",
            "cmp_drum": "scripts.bells:Drum", "cmp_gone": "scripts.bells:Gone",
        }),
    }  # fmt: skip
    stage.open(objects)
    stage.frames(2)
    assert stage.lines("warning") == ([line] if line else [])
    assert [line for line in stage.lines() if "Gone" not in line] == []
    found = list(component_faults(stage.root / "scenes" / "a.scene.json"))
    faults = [fault for fault in found if ".fields." in fault.key]
    assert len(faults) == bool(line)


def test_a_script_cannot_set_a_reference_of_another_class(stage: Stage) -> None:
    stage.open({"obj_one": thing("One", {
        "cmp_ring": "scripts.bells:Ringer", "cmp_drum": "scripts.bells:Drum",
        "cmp_loud": "scripts.bells:Loud",
    })})  # fmt: skip
    stage.frames(1)
    ringer, drum, loud = (stage.slot(f"cmp_{name}").instance for name in ("ring", "drum", "loud"))
    with pytest.raises(FieldError, match="expected a component Bell, found 'Drum"):
        ringer.bell = drum
    with pytest.raises(FieldError, match="expected the id of an object, found 'cmp_drum'"):
        ringer.thing = drum
    ringer.bell = loud
    assert ringer.bell is loud
    stage.save("bells", BELLS + "\n# newer\n")
    assert ringer.slot.instance.bell is stage.slot("cmp_loud").instance
    assert stage.errors() == 0
