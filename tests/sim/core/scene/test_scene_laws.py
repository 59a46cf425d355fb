"""Laws of scene files, on documents that hypothesis makes: canonical bytes, nothing lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.core.files import scene_file
from sim.core.files.scene_checker import FORMAT
from sim.core.files.scene_file import dumps
from sim.core.scene.scene_data import scene_data
from tests.examples import examples
from tests.sim.core.files.scene_files import VALIDATOR, built

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
        "format": FORMAT,
        "id": f"scn_{draw(tails)}",
    }
    if draw(st.booleans()):
        data["settings"] = {**draw(unknowns), **draw(known_settings)}
    return data


many = settings(
    max_examples=examples(30, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@many
@given(documents())
def test_loading_and_writing_a_canonical_file_changes_no_byte(
    tmp_path: Path, data: dict[str, Any]
) -> None:
    content = dumps(data)
    path = tmp_path / "a.scene.json"
    path.write_bytes(content)
    document = scene_file.load(path)
    assert document.data == data
    assert dumps(document.data) == content


@many
@given(documents())
def test_the_bytes_do_not_depend_on_the_order_of_keys(data: dict[str, Any]) -> None:
    turned = dict(reversed(data.items()))
    turned["objects"] = {
        key: dict(reversed(entry.items())) for key, entry in data["objects"].items()
    }
    assert dumps(turned) == dumps(data)


@many
@given(documents())
def test_a_built_scene_writes_the_bytes_that_it_was_read_from(
    tmp_path: Path, data: dict[str, Any]
) -> None:
    path = tmp_path / "a.scene.json"
    path.write_bytes(dumps(data))
    written = dumps(scene_data(built(path)))
    assert json.loads(written) == json.loads(path.read_bytes())
    assert written == path.read_bytes()


@many
@given(documents())
def test_the_schema_accepts_what_the_validator_accepts(data: dict[str, Any]) -> None:
    assert list(VALIDATOR.iter_errors(data)) == []
