"""The JSON Schema of scene files: it and the validator accept and refuse the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sim.core.files import scene_file
from sim.core.files.scene_file import COMPONENT_KEYS, OBJECT_KEYS
from tests.sim.core.files.scene_files import SCHEMA, VALIDATOR, minimal, write

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
    "model": ["box", {}, {"builtin": "a", "asset": "b"}, {"builtin": 1}, {"asset": "../a"},
              {"asset": "a", "clips": "b"}, {"asset": "a", "clips": ["../b"]}],
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
    "exit_timeout": [0, 1e9, "x"],
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
    assert set(SCHEMA["$defs"]["object"]["properties"]) == set(OBJECT_KEYS)
    assert set(SCHEMA["$defs"]["component"]["properties"]) == set(COMPONENT_KEYS)


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
