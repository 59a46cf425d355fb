"""Hostile scenes are refused with file, object and key named, and never run anything."""

from __future__ import annotations

import builtins
import importlib
import json
import os
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from base.errors import LimitError, SceneFileError
from base.files import resolve_in_project
from sim.core.files import scene_file
from sim.core.files.scene_checker import FORMAT
from sim.core.files.scene_file import COMPONENT_KEYS, OBJECT_KEYS, dumps
from sim.core.files.scene_json import wrong_values
from sim.core.files.scene_settings import SceneSettings
from sim.core.scene.scene import Scene
from sim.core.scene.scene_data import scene_data
from tests.examples import examples

FAULT = re.compile(r"[^:]+:[^:]*:[^:]*: expected .+, found .*", re.DOTALL)
HEAD = '{"format": "goishi.scene/1", "id": "scn_test001", "objects": '


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a model, and a file outside that is none of its business."""
    folder = tmp_path / "project"
    (folder / "scenes").mkdir(parents=True)
    (folder / "model.obj").write_text("o")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


def write(project: Path, content: Any) -> Path:
    path = project / "scenes" / "h.scene.json"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def refuse(project: Path, content: Any) -> str:
    """Return the first fault, the form of all faults checked."""
    path = write(project, content)
    with pytest.raises(SceneFileError) as caught:
        scene_file.load(path)
    for fault in scene_file.check(path):
        assert FAULT.fullmatch(str(fault))
        assert len(str(fault)) < 1000
    assert str(caught.value) == str(scene_file.check(path)[0])
    return str(caught.value)


def scene(objects: Any = None, **entry: Any) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "id": "scn_test001",
        "objects": objects if objects is not None else {"obj_one": {"name": "One", **entry}},
    }


def with_field(value: Any) -> dict[str, Any]:
    return scene(components={"cmp_one": {"type": "scripts.a:B", "fields": {"f": value}}})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (scene(name=7),
         "h.scene.json:obj_one:name: expected a text of 1 to 200 characters, found 7"),
        (scene(position="far"),
         'h.scene.json:obj_one:position: expected three finite numbers, found "far"'),
        (scene(enabled="yes"), 'h.scene.json:obj_one:enabled: expected true or false, found "yes"'),
        (scene(order=[]), "h.scene.json:obj_one:order: expected a number, found []"),
        (scene(material=1), "h.scene.json:obj_one:material: expected a map, found 1"),
        (scene({"obj_one": 5}), "h.scene.json:obj_one:: expected a map, found 5"),
        (scene({"one": {"name": "a"}}),
         'h.scene.json::objects.one: expected an id like obj_3f9a1c77de '
         '(obj_, then 3 to 16 of the letters a to z and the digits), found "one"'),
        (scene(parent="obj_gone"), "h.scene.json:obj_one:parent: expected the id of an object in "
         'this file, or null, found "obj_gone"'),
        (scene(parent=["obj_one"]), "h.scene.json:obj_one:parent: expected the id of an object in "
         'this file, or null, found ["obj_one"]'),
        (with_field({"$ref": "cmp_gone"}), "h.scene.json:obj_one:cmp_one.fields.f: expected the id "
         'of an object or component, found "cmp_gone"'),
        (with_field([{"$ref": "obj_one"}, {"$ref": {"a": []}}]), "h.scene.json:obj_one:"
         'cmp_one.fields.f: expected the id of an object or component, found {"a": []}'),
        (with_field({"$asset": "../secret.txt"}), "h.scene.json:obj_one:cmp_one.fields.f: expected "
         'a path inside the project, found "../secret.txt"'),
        (scene(components={"cmp_one": {"type": "__import__('os').system('x')"}}),
         "h.scene.json:obj_one:cmp_one.type: expected module:Class, found "
         "\"__import__('os').system('x')\""),
        ([], "h.scene.json::: expected a JSON object, found []"),
        ("", "h.scene.json::: expected a valid scene file, found an empty file"),
        ("{", "h.scene.json::: expected a valid scene file, found an error in line 1: expecting "
         "property name enclosed in double quotes"),
        ('{"a": 1, "a": 2}', "h.scene.json::a: expected a key that stands once, found it twice"),
        (HEAD + '{"obj_one": {"name": "a", "name": "b"}}}',
         "h.scene.json:obj_one:name: expected a key that stands once, found it twice"),
        (HEAD + '{"obj_one": {"name": "a"}, "obj_one": {"name": "b"}}}',
         "h.scene.json::objects.obj_one: expected a key that stands once, found it twice"),
        (HEAD + '{"obj_one": {"name": "a", "components": {"cmp_one": {"type": "sim:A", "fields": '
         '{"f": [{"x": 1, "x": 1}]}}}}}}',
         "h.scene.json:obj_one:components.cmp_one.fields.f.0.x: expected a key that stands once, "
         "found it twice"),
        (HEAD + '{"obj_one": {"name": "a", "position": [0, NaN, 0]}}}',
         "h.scene.json:obj_one:position.1: expected a finite number, found NaN"),
        (HEAD + '{"obj_one": {"name": "a", "order": -Infinity}}}',
         "h.scene.json:obj_one:order: expected a finite number, found -Infinity"),
        (b'{"a": "\xff"}',
         "h.scene.json::: expected a valid scene file, found no UTF-8 text at byte 7"),
        (b"\xff\xfe{\x00}\x00",
         "h.scene.json::: expected a valid scene file, found no UTF-8 text at byte 0"),
        (HEAD + '{"obj_one": {"name": "\\ud800"}}}',
         "h.scene.json:obj_one:name: expected Unicode text, found half a surrogate pair"),
    ],
)  # fmt: skip
def test_faults_name_file_object_key_and_both_values(
    project: Path, content: Any, message: str
) -> None:
    assert refuse(project, content) == message


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1" + "0" * 400]
)
@pytest.mark.parametrize("key", ["position", "order", "seed", "unknown"])
def test_numbers_that_are_none_are_refused(project: Path, number: str, key: str) -> None:
    settings_, entry = "{}", f'"{key}": [0, 0, {number}]'
    if key == "seed":
        settings_, entry = f'{{"seed": {number}}}', '"order": 0'
    elif key == "order":
        entry = f'"order": {number}'
    objects = f'{{"obj_one": {{"name": "a", {entry}}}}}'
    text = f'{HEAD}{objects}, "settings": {settings_}}}'
    if key == "unknown" and number.startswith("10"):  # a whole number: kept to the last digit
        document = scene_file.load(write(project, text))
        assert number.encode() in dumps(document.data)
        return
    message = refuse(project, text)
    assert ("settings.seed" if key == "seed" else f"obj_one:{key}") in message
    if not number.strip("-")[0].isdigit():
        assert f"found {number}" in message


def test_a_number_of_too_many_digits_is_refused(project: Path) -> None:
    assert "expected plain JSON values" in refuse(project, f'{{"a": {"9" * 10_000}}}')


@pytest.mark.parametrize("depth", [100, 400, 100_000])
@pytest.mark.parametrize("ends", [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused(project: Path, depth: int, ends: tuple[str, str]) -> None:
    middle = "1" if ends[0] != "[" else ""
    deep = ends[0] * depth + middle + ends[1] * depth
    text = f'{HEAD}{{"obj_one": {{"name": "a", "note": {deep}}}}}}}'
    assert "expected JSON of sensible depth, found nesting too deep" in refuse(project, text)


# -- paths --------------------------------------------------------------------------------------

OUTSIDE = [
    "../secret.txt", "a/../../secret.txt", "/etc/passwd", "C:/Windows/win.ini", "C:x",
    "..\\secret.txt", "model.obj\0.png", "", "\\\\host\\share",
]  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("key", ["model", "prefab", "field", "override"])
def test_paths_that_leave_the_project_are_refused(project: Path, path: str, key: str) -> None:
    contents = {
        "model": scene(model={"asset": path}),
        "prefab": scene(prefab=path),
        "field": with_field([{"$asset": path}]),
        "override": scene(overrides={"cmp_one/f": {"$asset": path}}),
    }
    assert "expected a path inside the project, found " in refuse(project, contents[key])


@pytest.mark.parametrize(
    "path", ["gone.obj", "scenes", ".", "a" * 5000, "a/" * 5000, "model.obj/x"]
)
def test_paths_to_no_file_are_refused(project: Path, path: str) -> None:
    assert "model.asset: expected a file of the project" in refuse(
        project, scene(model={"asset": path})
    )


def test_links_that_leave_the_project_are_refused(project: Path) -> None:
    (project / "file").symlink_to(project.parent / "secret.txt")
    (project / "folder").symlink_to(project.parent)
    (project / "loop").symlink_to(project / "loop")
    (project / "inside").symlink_to(project / "model.obj")
    for path in ("file", "folder/secret.txt"):
        assert "a path inside the project" in refuse(project, scene(model={"asset": path}))
    assert "model.asset: expected a" in refuse(project, scene(model={"asset": "loop/x"}))
    assert scene_file.check(write(project, scene(model={"asset": "inside"}))) == []


@given(st.text(max_size=40))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_path_that_resolves_lies_in_the_project(project: Path, path: str) -> None:
    try:
        full = resolve_in_project(project, path)
    except ValueError:
        return
    assert full == project.resolve() or project.resolve() in full.parents


# -- parents and ids ----------------------------------------------------------------------------


def test_cycles_of_parents_are_refused_once_for_each_member(project: Path) -> None:
    objects = {
        "obj_aaa": {"name": "a", "parent": "obj_ccc"},
        "obj_tail": {"name": "t", "parent": "obj_aaa"},
        "obj_bbb": {"name": "b", "parent": "obj_aaa"},
        "obj_ccc": {"name": "c", "parent": "obj_bbb"},
        "obj_self": {"name": "s", "parent": "obj_self"},
        "obj_fine": {"name": "f"},
    }
    message = refuse(project, scene(objects))
    assert message.endswith(":parent: expected no cycle of parents, found a cycle")
    faults = scene_file.check(write(project, scene(objects)))
    assert sorted(fault.object_id for fault in faults) == [
        "obj_aaa", "obj_bbb", "obj_ccc", "obj_self",
    ]  # fmt: skip


@pytest.mark.parametrize("is_cycle", [False, True])
def test_a_chain_as_deep_as_the_scene_is_large_is_no_trouble(project: Path, is_cycle: bool) -> None:
    count = 3000
    objects = {
        f"obj_{index:05}": {"name": "o", "parent": f"obj_{index - 1:05}" if index else None}
        for index in range(count)
    }
    if is_cycle:
        objects["obj_00000"]["parent"] = f"obj_{count - 1:05}"
        assert len(scene_file.check(write(project, scene(objects)))) == count
        return
    built = Scene()
    built.load_document(scene_file.load(write(project, scene(objects))))
    last = built.objects[f"obj_{count - 1:05}"]
    assert last.is_shown
    assert last.is_active
    assert last.path.count("/") == count - 1
    built.objects["obj_00000"].enabled = False
    assert not last.is_active


@pytest.mark.parametrize("values", [[1.5] * 100_000, [[1, 2.5]] * 50_000])
def test_what_is_right_costs_no_memory_of_its_own(values: list) -> None:
    tracemalloc.start()
    assert list(wrong_values({"x": values})) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000, "a place is made for a fault, not for each of a million numbers"


def test_an_id_used_twice_is_refused(project: Path) -> None:
    part = {"cmp_one": {"type": "sim:Light"}}
    objects = {
        "obj_one": {"name": "a", "components": part},
        "obj_two": {"name": "b", "components": part},
    }
    message = refuse(project, scene(objects))
    assert message == 'h.scene.json:obj_two:cmp_one: expected an id used once, found "cmp_one"'


# -- limits -------------------------------------------------------------------------------------


def test_more_objects_than_the_limit_are_refused_by_its_name(project: Path) -> None:
    objects = {f"obj_{index:04}": {"name": "o"} for index in range(11)}
    content = {**scene(objects), "settings": {"max_objects": 10}}
    assert refuse(project, content) == (
        "h.scene.json::objects: expected at most 10 objects (setting max_objects), found 11"
    )
    content["settings"] = {"max_objects": 11}
    built = Scene()
    built.load_document(scene_file.load(write(project, content)))
    with pytest.raises(LimitError, match="max_objects"):
        built.spawn("one more")
    assert len(built.objects) == 11


def test_the_limit_stands_without_a_setting(project: Path) -> None:
    limit = SceneSettings().max_objects
    objects = ", ".join(f'"obj_{index:06}": {{}}' for index in range(limit + 1))
    message = refuse(project, f"{HEAD}{{{objects}}}}}")
    assert f"at most {limit} objects (setting max_objects), found {limit + 1}" in message


def test_a_file_too_large_is_refused_unread(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.core.files.scene_json.LARGEST_FILE", 1 << 20)
    message = refuse(project, " " * ((1 << 20) + 1))
    assert message == "h.scene.json::: expected a file up to 1 MiB, found 1048577 bytes"


def test_a_file_that_cannot_be_read_is_a_fault(project: Path) -> None:
    with pytest.raises(SceneFileError, match="expected a file that can be read"):
        scene_file.load(project / "scenes" / "gone.scene.json")
    with pytest.raises(SceneFileError, match="expected a file that can be read"):
        scene_file.load(project / "scenes")


# -- nothing runs -------------------------------------------------------------------------------

CODE = [
    "__import__('os').system('touch hacked')",
    "{{7*7}}", "${HOME}", "$(touch hacked)", "!!python/object/apply:os.system ['x']",
    "'; import os; os.abort() #", "%s%s%n", "lambda: 1/0", "<script>",
]  # fmt: skip


@pytest.mark.parametrize("code", CODE)
def test_text_that_looks_like_code_stays_text(
    project: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a scene file ran something")

    content = with_field({"note": code, "__class__": code, "__reduce__": [code]})
    content["objects"]["obj_one"] |= {"name": code, "__init__": code}
    path = write(project, content)
    with monkeypatch.context() as patch:
        patch.setattr(os, "system", forbidden)
        patch.setattr(importlib, "import_module", forbidden)
        for name in ("eval", "exec", "compile"):
            patch.setattr(builtins, name, forbidden)
        document = scene_file.load(path)
        built = Scene()
        built.load_document(document)
        saved = scene_data(built)
    assert document.data == content
    obj = built.objects["obj_one"]
    assert obj.name == code
    assert obj.components[0].values == {
        "f": {"note": code, "__class__": code, "__reduce__": [code]}
    }
    assert saved["objects"]["obj_one"]["__init__"] == code
    assert not any("hacked" in str(item) for item in project.rglob("*"))


# -- anything at all ----------------------------------------------------------------------------

KEYS = st.sampled_from([
    *scene_file.TOP_KEYS, *OBJECT_KEYS, *COMPONENT_KEYS,
    "obj_aaa", "obj_bbb", "cmp_aaa", "$ref", "$asset", "builtin", "asset", "seed", "max_objects",
])  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["obj_aaa", "obj_bbb", "cmp_aaa", "sim:Light", "../x", 10**400])
)  # fmt: skip
ANYTHING = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5)
)


@given(
    objects=st.dictionaries(
        st.sampled_from(["obj_aaa", "obj_bbb", "x"]),
        ANYTHING | st.dictionaries(KEYS, ANYTHING, max_size=6),
    )
    | ANYTHING,
    rest=st.dictionaries(KEYS, ANYTHING, max_size=2),
)
@settings(
    max_examples=examples(100, 300),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_json_is_loaded_or_refused_and_never_an_accident(
    project: Path, objects: Any, rest: dict[str, Any]
) -> None:
    path = write(project, {**scene(), "objects": objects, **rest})
    faults = scene_file.check(path)
    for fault in faults:
        assert FAULT.fullmatch(str(fault))
    if not faults:
        document = scene_file.load(path)
        dumps(document.data)
        Scene().load_document(document)


@given(st.binary(max_size=200))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_refused_and_never_an_accident(project: Path, content: bytes) -> None:
    assert scene_file.check(write(project, content))


def test_many_keys_of_which_one_stands_twice_are_read_in_one_go(project: Path) -> None:
    """Each key is counted once: counting each anew would take hours."""
    keys = ", ".join(f'"k{index}": 0' for index in range(300_000))
    path = project / "scenes" / "h.scene.json"
    path.write_text(f'{{{keys}, "k7": 1}}', encoding="utf-8")
    faults = scene_file.check(path, project=project)
    assert [fault.key for fault in faults] == ["k7"]
