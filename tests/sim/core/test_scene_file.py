"""Scene files: canonical bytes, nothing lost, saved atomically, prefabs, and the JSON Schema."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from sim.core import scene_file
from sim.core.errors import SceneFileError
from sim.core.scene import Scene
from sim.core.scene_checker import instance_id

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "sim/core/scene.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
SCENES = sorted((ROOT / "scenes").glob("*.scene.json"))


def minimal(**entry: Any) -> dict[str, Any]:
    """Return a scene of one object."""
    return {
        "format": scene_file.FORMAT,
        "id": "scn_test001",
        "settings": {},
        "objects": {"obj_one": {"name": "One", **entry}},
    }


def write(folder: Path, data: Any, name: str = "a.scene.json") -> Path:
    (folder / "scenes").mkdir(exist_ok=True)
    path = folder / "scenes" / name
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def built(path: Path) -> Scene:
    scene = Scene()
    scene.load_document(scene_file.load(path))
    return scene


# -- documents made by hypothesis ---------------------------------------------------------------

tails = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=3, max_size=16)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
unknown = texts.map(lambda text: f"x-{text}")
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)
small = st.floats(-1e6, 1e6) | st.integers(-1000, 1000)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(unknown, inner, max_size=3),
    max_leaves=8,
)
unknowns = st.dictionaries(unknown, values, max_size=2)
vectors = st.lists(small, min_size=3, max_size=3)


@st.composite
def components(draw: st.DrawFn) -> dict[str, Any]:
    known = st.fixed_dictionaries(
        {"type": st.sampled_from(["sim:Light", "scripts.a.b:C", "goishi:scripts.a:B_2"])},
        optional={"enabled": st.booleans(), "fields": st.dictionaries(unknown, values)},
    )
    return {**draw(unknowns), **draw(known)}


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the data of a sound scene, its keys in no order."""
    object_ids = [f"obj_{tail}" for tail in draw(st.lists(tails, unique=True, max_size=6))]
    component_ids = iter(
        f"cmp_{tail}" for tail in draw(st.lists(tails, unique=True, min_size=12, max_size=12))
    )
    objects: dict[str, Any] = {}
    for index, object_id in enumerate(object_ids):
        entry = draw(
            st.fixed_dictionaries(
                {"name": texts.filter(bool)},
                optional={
                    "order": small,
                    "enabled": st.booleans(),
                    "visible": st.booleans(),
                    "casts_shadow": st.booleans(),
                    "position": vectors,
                    "rotation": vectors,
                    "scale": vectors,
                    "model": st.just({"builtin": "box", "size": 2}) | st.none(),
                    "material": st.just({"color": [1, 0, -0.0]}),
                },
            )
        )
        parts = draw(st.lists(components(), max_size=2))
        entry["components"] = {next(component_ids): part for part in parts}
        entry["parent"] = draw(st.sampled_from([None, *object_ids[:index]]))
        objects[object_id] = {**draw(unknowns), **entry}
    known_settings = st.fixed_dictionaries(
        {}, optional={"seed": st.integers(0, 2**63 - 1), "fixed_dt": st.floats(1e-4, 1.0)}
    )
    data: dict[str, Any] = {
        **draw(unknowns),
        "objects": dict(draw(st.permutations(list(objects.items())))),
        "format": scene_file.FORMAT,
        "id": f"scn_{draw(tails)}",
    }
    if draw(st.booleans()):
        data["settings"] = {**draw(unknowns), **draw(known_settings)}
    return data


many = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@many
@given(documents())
def test_loading_and_writing_a_canonical_file_changes_no_byte(
    tmp_path: Path, data: dict[str, Any]
) -> None:
    content = scene_file.dumps(data)
    path = tmp_path / "a.scene.json"
    path.write_bytes(content)
    document = scene_file.load(path)
    assert document.data == data
    assert scene_file.dumps(document.data) == content


@many
@given(documents())
def test_the_bytes_do_not_depend_on_the_order_of_keys(data: dict[str, Any]) -> None:
    turned = dict(reversed(data.items()))
    turned["objects"] = {
        key: dict(reversed(entry.items())) for key, entry in data["objects"].items()
    }
    assert scene_file.dumps(turned) == scene_file.dumps(data)


@many
@given(documents())
def test_a_built_scene_writes_the_bytes_that_it_was_read_from(
    tmp_path: Path, data: dict[str, Any]
) -> None:
    path = tmp_path / "a.scene.json"
    path.write_bytes(scene_file.dumps(data))
    written = scene_file.dumps(scene_file.scene_data(built(path)))
    assert json.loads(written) == json.loads(path.read_bytes())
    assert written == path.read_bytes()


@many
@given(documents())
def test_the_schema_accepts_what_the_validator_accepts(data: dict[str, Any]) -> None:
    assert list(VALIDATOR.iter_errors(data)) == []


# -- canonical form -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.name)
def test_shipped_scenes_are_sound_and_canonical(path: Path) -> None:
    document = scene_file.load(path)
    assert scene_file.dumps(document.data) == path.read_bytes()
    assert list(VALIDATOR.iter_errors(document.data)) == []


def test_negative_zero_is_written_as_zero(tmp_path: Path) -> None:
    text = json.dumps(minimal(position=[-0.0, 1.0, 2.0], order=-0.0, material={"opacity": -0.0}))
    content = scene_file.dumps(scene_file.load(write(tmp_path, text)).data)
    assert b"-0.0" not in content
    position = json.loads(content)["objects"]["obj_one"]["position"]
    assert math.copysign(1.0, position[0]) == 1.0


def test_bytes_are_utf8_with_lf_and_end_in_a_newline() -> None:
    content = scene_file.dumps(minimal(note="碁石 é"))
    assert "碁石 é".encode() in content
    assert content.endswith(b"}\n")
    assert b"\r" not in content


def test_known_keys_come_first_in_their_order_then_the_others_sorted() -> None:
    data = minimal(zeta=1, position=[0, 0, 0], alpha=2)
    data["objects"]["obj_one"] = dict(reversed(data["objects"]["obj_one"].items()))
    keys = list(json.loads(scene_file.dumps(data))["objects"]["obj_one"])
    assert keys == ["name", "position", "alpha", "zeta"]


def test_orphaned_fields_and_unknown_keys_come_back_from_a_built_scene(tmp_path: Path) -> None:
    part = {
        "type": "scripts.gone:Gone",
        "fields": {"was": {"x": [1]}},
        "note": "n",
        "enabled": False,
    }
    data = {**minimal(components={"cmp_one": part}, tag="t"), "author": "a"}
    data["settings"] = {"theme": "dark", "seed": 3}
    saved = scene_file.scene_data(built(write(tmp_path, data)))
    assert saved["objects"]["obj_one"]["components"]["cmp_one"] == part
    assert saved["objects"]["obj_one"]["tag"] == "t"
    assert saved["author"] == "a"
    assert saved["settings"]["theme"] == "dark"
    assert saved["settings"]["seed"] == 3


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800"])
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, value: object) -> None:
    path = write(tmp_path, minimal())
    before = path.read_bytes()
    with pytest.raises(ValueError):
        scene_file.save(path, minimal(bad=value))
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


# -- saving -------------------------------------------------------------------------------------


def test_saving_replaces_the_file_and_keeps_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "a.scene.json"
    contents = []
    for name in ("first", "second", "third"):
        scene_file.save(path, minimal(note=name))
        contents.append(scene_file.dumps(minimal(note=name)))
    assert path.read_bytes() == contents[2]
    assert path.with_name("a.scene.json.bak").read_bytes() == contents[1]
    assert sorted(os.listdir(tmp_path)) == ["a.scene.json", "a.scene.json.bak"]


@pytest.mark.parametrize("failing", ["open", "fsync", "replace 1", "replace 2", "write_bytes"])
def test_a_failing_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "a.scene.json"
    scene_file.save(path, minimal(note="older"))
    scene_file.save(path, minimal(note="old"))
    calls = 0
    replace = os.replace

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    def fail_nth(source: Any, target: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == int(failing[-1]):
            fail()
        replace(source, target)

    with monkeypatch.context() as patch:
        if failing.startswith("replace"):
            patch.setattr(os, "replace", fail_nth)
        elif failing == "fsync":
            patch.setattr(os, "fsync", fail)
        else:
            patch.setattr(Path, failing, fail)
        with pytest.raises(OSError, match="No space left"):
            scene_file.save(path, minimal(note="new"))
    assert path.read_bytes() == scene_file.dumps(minimal(note="old"))
    kept = "old" if failing == "replace 2" else "older"
    assert path.with_name(f"{path.name}.bak").read_bytes() == scene_file.dumps(minimal(note=kept))
    assert sorted(os.listdir(tmp_path)) == [path.name, f"{path.name}.bak"]


# -- building -----------------------------------------------------------------------------------


def test_siblings_are_built_by_their_order_parents_first(tmp_path: Path) -> None:
    data = minimal()
    data["objects"] = {
        "obj_ccc": {"name": "c", "parent": "obj_root", "order": 2},
        "obj_aaa": {"name": "a", "parent": "obj_root", "order": 1},
        "obj_bbb": {"name": "b", "parent": "obj_aaa", "visible": False, "enabled": False},
        "obj_root": {"name": "root", "casts_shadow": False, "position": [1, 2, 3]},
    }
    scene = built(write(tmp_path, data))
    assert [obj.path for obj in scene.objects.values()] == ["root", "root/a", "root/a/b", "root/c"]
    inner = scene.objects["obj_bbb"]
    assert not inner.enabled
    assert not inner.visible
    assert not scene.objects["obj_root"].casts_shadow
    assert inner.transform.world_position.tolist() == [1, 2, 3]


# -- prefabs ------------------------------------------------------------------------------------

PREFAB: dict[str, Any] = {
    "format": scene_file.PREFAB_FORMAT,
    "name": "Lamp",
    "scale": [2, 2, 2],
    "components": {
        "cmp_light": {"type": "sim:Light", "fields": {"kind": "point", "power": 1}},
        "cmp_switch": {"type": "scripts.a:B", "fields": {"light": {"$ref": "cmp_light"}}},
    },
}


def prefab_scene(folder: Path, objects: dict[str, Any], prefab: Any = None) -> Path:
    (folder / "lamp.prefab.json").write_text(json.dumps(prefab or PREFAB), encoding="utf-8")
    return write(folder, {**minimal(), "objects": objects})


def test_a_prefab_is_built_with_the_overrides_over_its_fields(tmp_path: Path) -> None:
    entry = {
        "prefab": "lamp.prefab.json",
        "position": [1, 0, 0],
        "overrides": {"cmp_light/power": 5, "cmp_light/new": "n", "cmp_gone/x": 1},
        "components": {"cmp_own": {"type": "sim:Text"}},
    }
    scene = built(prefab_scene(tmp_path, {"obj_one": entry}))
    obj = scene.objects["obj_one"]
    assert (obj.name, obj.transform.scale.tolist()) == ("Lamp", [2, 2, 2])
    assert obj.transform.position.tolist() == [1, 0, 0]
    assert [slot.id for slot in obj.components] == [
        instance_id("obj_one", "cmp_light"), instance_id("obj_one", "cmp_switch"), "cmp_own",
    ]  # fmt: skip
    assert obj.components[0].values == {"kind": "point", "power": 5, "new": "n"}


def test_one_prefab_in_several_objects_stays_apart(tmp_path: Path) -> None:
    one = {"prefab": "lamp.prefab.json", "overrides": {"cmp_light/power": 9}}
    path = prefab_scene(tmp_path, {"obj_one": one, "obj_two": {"prefab": "lamp.prefab.json"}})
    scene = built(path)
    slots = scene.components()
    assert len({slot.id for slot in slots}) == 4
    assert [slot.values["power"] for slot in slots if slot.type_name == "sim:Light"] == [9, 1]
    for obj in scene.roots:
        light, switch = obj.components
        assert switch.values["light"] == {"$ref": light.id}
    assert [slot.id for slot in built(path).components()] == [slot.id for slot in slots]
    saved = write(tmp_path, scene_file.dumps(scene_file.scene_data(scene)).decode(), "b.scene.json")
    assert scene_file.check(saved) == []


@pytest.mark.parametrize(
    ("prefab", "message"),
    [
        ({**PREFAB, "prefab": "lamp.prefab.json"}, "lamp.prefab.json::prefab: expected no prefab"),
        ({**PREFAB, "format": 1}, "lamp.prefab.json::format: expected 'goishi.prefab/1', found 1"),
        ({**PREFAB, "scale": [1]}, "lamp.prefab.json::scale: expected three finite numbers"),
        (
            {
                **PREFAB,
                "components": {"cmp_aaa": {"type": "sim:A", "fields": {"a": {"$asset": "../x"}}}},
            },
            "lamp.prefab.json::cmp_aaa.fields.a: expected a path inside the project",
        ),
    ],
)  # fmt: skip
def test_an_unsound_prefab_is_refused(tmp_path: Path, prefab: Any, message: str) -> None:
    path = prefab_scene(tmp_path, {"obj_one": {"prefab": "lamp.prefab.json"}}, prefab)
    with pytest.raises(SceneFileError) as caught:
        scene_file.load(path)
    assert str(caught.value).startswith(message)


# -- the JSON Schema ----------------------------------------------------------------------------

BAD_VALUES: dict[str, list[Any]] = {
    "name": ["", 1, None, "x" * 201],
    "parent": [1, ["obj_one"], "nobody"],
    "order": ["1", None, True],
    "enabled": [1, "true", None],
    "visible": [0],
    "casts_shadow": [[]],
    "position": [[0, 0], [0, 0, "0"], [0, 0, True], {}, "0 0 0", None],
    "rotation": [[0, 0, 0, 0]],
    "scale": [1],
    "model": ["box", {}, {"builtin": "a", "asset": "b"}, {"builtin": 1}, {"asset": "../a"}],
    "material": ["red", None],
    "overrides": [[]],
    "texture": [1, [], {}, {"asset": 1}, {"asset": "../a"}, {"asset": "a", "b": 1}, "/etc/passwd"],
    "prefab": [1, "", "/etc/passwd", "a/../../b", "C:/x", "a\\b"],
    "components": [
        [], {"light": {"type": "sim:Light"}}, {"cmp_aaa": 1}, {"cmp_aaa": {}},
        {"cmp_aaa": {"type": "os:system()"}}, {"cmp_aaa": {"type": "os.path:join"}},
        {"cmp_aaa": {"type": "sim:Light", "enabled": 1}},
        {"cmp_aaa": {"type": "sim:Light", "fields": []}},
    ],
}  # fmt: skip
BAD_SETTINGS: dict[str, list[Any]] = {
    "fixed_dt": [0, -1, 2, "1", None, True],
    "seed": [-1, 1.5, 2**63, "7"],
    "on_script_error": ["ignore", 1, []],
    "max_objects": [0, 1e9, 2.5],
    "script_timeout": [0, 1e9, "x"],
}
TOP_FAULTS: list[dict[str, Any]] = [
    {"format": "goishi.scene/2"}, {"format": None}, {"id": "scene"}, {"id": "obj_abc"}, {"id": 1},
    {"settings": []}, {"settings": None}, {"objects": []}, {"objects": {"one": {"name": "a"}}},
    {"objects": {"obj_one": []}}, {"objects": {"obj_one": {}}},
    {"objects": {"obj_A1": {"name": ""}}},
]  # fmt: skip
FAULTY = [
    *({**minimal(), **change} for change in TOP_FAULTS),
    *(minimal(**{key: value}) for key, bad in BAD_VALUES.items() for value in bad),
    *({**minimal(), "settings": {k: v}} for k, bad in BAD_SETTINGS.items() for v in bad),
]


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == set(scene_file.TOP_KEYS)
    assert set(SCHEMA["$defs"]["object"]["properties"]) == set(scene_file.OBJECT_KEYS)
    assert set(SCHEMA["$defs"]["component"]["properties"]) == set(scene_file.COMPONENT_KEYS)


@pytest.mark.parametrize("data", FAULTY, ids=lambda data: json.dumps(data)[-70:])
def test_schema_and_validator_refuse_the_same(tmp_path: Path, data: dict[str, Any]) -> None:
    assert list(VALIDATOR.iter_errors(data)) != []
    assert scene_file.check(write(tmp_path, data)) != []


@pytest.mark.parametrize(
    "data",
    [
        minimal(), minimal(parent=None, model=None), minimal(order=1.5, unknown=[1]),
        {**minimal(), "settings": {"seed": 7.0, "unknown": {}}}, {**minimal(), "objects": {}},
    ],
)  # fmt: skip
def test_schema_and_validator_accept_the_same(tmp_path: Path, data: dict[str, Any]) -> None:
    assert list(VALIDATOR.iter_errors(data)) == []
    assert scene_file.check(write(tmp_path, data)) == []


# -- what changed while it ran ------------------------------------------------------------------


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.name)
def test_a_shipped_scene_is_saved_as_it_was_authored(path: Path) -> None:
    assert scene_file.dumps(scene_file.scene_data(built(path))) == path.read_bytes()


def test_only_what_changed_is_written_anew(tmp_path: Path) -> None:
    entry = {"name": "A", "position": [0, 0, 0], "rotation": [90, 0, 0], "material": {}}
    path = prefab_scene(tmp_path, {"obj_one": entry})
    scene = built(path)
    obj = scene.objects["obj_one"]
    obj.transform.position = (1.5, 0.0, 0.0)
    obj.material["color"] = [1, 0, 0]
    new = scene_file.scene_data(scene)["objects"]["obj_one"]
    assert new == {**entry, "position": [1.5, 0.0, 0.0], "material": {"color": [1, 0, 0]}}


def test_an_instance_stays_one_and_its_changes_are_overrides(tmp_path: Path) -> None:
    one = {"prefab": "lamp.prefab.json", "overrides": {"cmp_light/power": 9}, "order": 3}
    path = prefab_scene(tmp_path, {"obj_one": one, "obj_two": {"prefab": "lamp.prefab.json"}})
    scene = built(path)
    assert scene_file.scene_data(scene)["objects"] == json.loads(path.read_text())["objects"]
    for obj in scene.objects.values():
        obj.components[0].set_value("power", 4)
    scene.attach(scene.objects["obj_two"], "scripts.a:B", {"x": 1}, "cmp_extra")
    saved = scene_file.scene_data(scene)["objects"]
    assert saved["obj_one"] == {**one, "overrides": {"cmp_light/power": 4}}
    assert saved["obj_two"]["prefab"] == "lamp.prefab.json"
    assert saved["obj_two"]["overrides"] == {"cmp_light/power": 4}
    assert set(saved["obj_two"]["components"]) == {"cmp_extra"}
    path.write_bytes(scene_file.dumps(scene_file.scene_data(scene)))
    again = built(path)
    assert [slot.values["power"] for obj in again.objects.values() for slot in obj.components
            if "power" in slot.values] == [4, 4]  # fmt: skip


def test_a_reference_to_what_is_gone_is_saved_as_null(tmp_path: Path) -> None:
    parts = {"cmp_aaa": {"type": "scripts.a:A", "fields": {
        "there": {"$ref": "obj_two"}, "gone": {"$ref": "obj_three"},
        "both": [{"$ref": "obj_two"}, {"$ref": "obj_three"}]}}}  # fmt: skip
    objects = {"obj_one": {"name": "A", "components": parts},
               "obj_two": {"name": "B"}, "obj_three": {"name": "C"}}  # fmt: skip
    scene = built(prefab_scene(tmp_path, objects))
    scene.objects["obj_three"].destroy()
    assert scene.find("C") is None
    saved = scene_file.scene_data(scene)["objects"]
    assert set(saved) == {"obj_one", "obj_two"}
    assert saved["obj_one"]["components"]["cmp_aaa"]["fields"] == {
        "there": {"$ref": "obj_two"}, "gone": None, "both": [{"$ref": "obj_two"}, None],
    }  # fmt: skip


def test_prefabs_are_instantiated_while_it_runs(tmp_path: Path) -> None:
    scene = built(prefab_scene(tmp_path, {"obj_one": {"prefab": "lamp.prefab.json"}}))
    scene.project = tmp_path
    made = [scene.instantiate("lamp.prefab.json", position=(i, 0, 0), name="L") for i in (1, 2)]
    assert len({slot.id for obj in scene.objects.values() for slot in obj.components}) == 3 * len(
        made[0].components
    )
    saved = scene_file.scene_data(scene)["objects"][made[1].id]
    assert saved["prefab"] == "lamp.prefab.json"
    assert saved["position"] == [2.0, 0.0, 0.0]
    with pytest.raises(SceneFileError, match="expected a path inside the project"):
        scene.instantiate("../lamp.prefab.json")
    with pytest.raises(SceneFileError, match="a file of the project"):
        scene.instantiate("other.prefab.json")


def test_an_instance_made_while_it_runs_is_read_as_it_was(tmp_path: Path) -> None:
    path = prefab_scene(tmp_path, {"obj_one": {"name": "A"}, "obj_two": {"name": "B"}})
    scene = built(path)
    above = scene.objects["obj_one"]
    made = [scene.instantiate("lamp.prefab.json", parent=above, name=name) for name in "xyz"]
    again = built(write(tmp_path, scene_file.dumps(scene_file.scene_data(scene)).decode()))
    assert [child.name for child in again.objects["obj_one"].children] == ["x", "y", "z"]
    for obj in made:
        parts = again.objects[obj.id].components
        assert [part.id for part in parts] == [part.id for part in obj.components]
        assert [part.values for part in parts] == [part.values for part in obj.components]


def test_a_prefab_component_that_is_switched_stays_one(tmp_path: Path) -> None:
    scene = built(prefab_scene(tmp_path, {"obj_one": {"prefab": "lamp.prefab.json"}}))
    scene.objects["obj_one"].components[0].enabled = False
    saved = scene_file.dumps(scene_file.scene_data(scene))
    again = built(write(tmp_path, saved.decode()))
    assert [part.enabled for part in again.objects["obj_one"].components] == [False, True]
    assert scene_file.dumps(scene_file.scene_data(again)) == saved
    again.objects["obj_one"].components[0].enabled = True
    last = built(write(tmp_path, scene_file.dumps(scene_file.scene_data(again)).decode()))
    assert [part.enabled for part in last.objects["obj_one"].components] == [True, True]


def test_components_of_instances_are_referred_to_until_they_are_gone(tmp_path: Path) -> None:
    objects = {
        "obj_lamp": {"prefab": "lamp.prefab.json", "overrides": {
            "cmp_switch/light": {"$ref": "obj_two"}}},
        "obj_two": {"name": "B", "components": {"cmp_own": {"type": "scripts.a:A"}}},
        "obj_user": {"name": "C", "components": {"cmp_user": {"type": "scripts.a:A", "fields": {}}}},
    }  # fmt: skip
    scene = built(prefab_scene(tmp_path, objects))
    light, user = scene.objects["obj_lamp"].components[0], scene.component("cmp_user")
    assert user is not None
    user.set_value("one", {"$ref": light.id})
    user.set_value("two", {"$ref": "cmp_own"})
    path = write(tmp_path, scene_file.dumps(scene_file.scene_data(scene)).decode())
    assert scene_file.check(path) == []
    scene.objects["obj_two"].destroy()
    scene.spawn("late", parent=scene.objects["obj_two"])
    for _ in range(2):  # before and after the flush
        saved = scene_file.scene_data(scene)["objects"]
        assert set(saved) == {"obj_lamp", "obj_user"}
        fields = saved["obj_user"]["components"]["cmp_user"]["fields"]
        assert fields == {"one": {"$ref": light.id}, "two": None}
        assert saved["obj_lamp"]["overrides"] == {"cmp_switch/light": None}
        scene.flush()


def test_a_texture_may_be_a_map(tmp_path: Path) -> None:
    (tmp_path / "wood.png").write_bytes(b"x")
    entry = {"name": "A", "texture": {"asset": "wood.png"}}
    scene = built(prefab_scene(tmp_path, {"obj_one": entry}))
    obj = scene.objects["obj_one"]
    assert obj.texture == "wood.png"
    assert scene_file.scene_data(scene)["objects"]["obj_one"] == entry
    obj.texture = {"asset": "other.png"}
    assert scene_file.scene_data(scene)["objects"]["obj_one"]["texture"] == "other.png"
    obj.texture = None
    assert scene_file.scene_data(scene)["objects"]["obj_one"]["texture"] is None
    with pytest.raises(SceneFileError, match=r"obj_one:texture.asset: expected a file"):
        built(prefab_scene(tmp_path, {"obj_one": {"name": "A", "texture": {"asset": "no.png"}}}))


def test_a_texture_is_a_file_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "wood.png").write_bytes(b"x")
    path = prefab_scene(tmp_path, {"obj_one": {"name": "A", "texture": "wood.png"}})
    scene = built(path)
    assert scene.objects["obj_one"].texture == "wood.png"
    assert scene_file.scene_data(scene)["objects"]["obj_one"]["texture"] == "wood.png"
    for wrong, expected in ((3, "a path"), ("no.png", "a file"), ("../a.png", "inside")):
        path = prefab_scene(tmp_path, {"obj_one": {"name": "A", "texture": wrong}})
        with pytest.raises(
            SceneFileError, match=f"obj_one:texture: expected {expected}|{expected}"
        ):
            scene_file.load(path)


def test_what_scripts_make_has_the_same_ids_each_time(tmp_path: Path) -> None:
    path = prefab_scene(tmp_path, {"obj_one": {"name": "A"}})
    made = []
    for _ in range(2):
        scene = built(path)
        obj = scene.spawn("B", components=[("scripts.a:A", {})])
        made.append((obj.id, obj.components[0].id, scene.spawn("C").id))
    assert made[0] == made[1]
    assert len(set(made[0])) == 3
