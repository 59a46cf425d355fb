"""COLLADA: skins and clips against poses computed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.sim.render.importing.model_files import Model, imported
from tests.sim.render.importing.test_what_is_taken import DAE

STRIP = [(0, -10, 0), (0, 10, 0), (100, -10, 0), (100, 10, 0), (200, -10, 0), (200, 10, 0)]
JOINTS = "<node id='{0}' sid='{0}' name='{0}' type='JOINT'>"
HEAD = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
<unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
"""


def source(
    name: str, values: Any, params: str = "float", kind: str = "float", stride: int = 1
) -> str:
    words = " ".join(map(str, np.ravel(values).tolist()))
    count = len(np.ravel(values))
    named = "".join(f'<param name="P{k}" type="{params}"/>' for k in range(stride))
    return (
        f'<source id="{name}"><{kind}_array id="{name}-a" count="{count}">{words}</{kind}_array>'
        f'<technique_common><accessor source="#{name}-a" count="{count // max(1, stride)}" '
        f'stride="{stride}">{named}</accessor></technique_common></source>'
    )


def geometry() -> str:
    points = source("p", STRIP, stride=3).replace("P0", "X").replace("P1", "Y").replace("P2", "Z")
    return (
        f'<library_geometries><geometry id="g" name="strip"><mesh>{points}'
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        '<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/>'
        "<vcount>4 4</vcount><p>0 2 3 1 2 4 5 3</p></polylist></mesh></geometry>"
        "</library_geometries>"
    )


def skin() -> str:
    """Return a skin: the strip's first third follows `upper`, its last one `fore`."""
    binds = np.stack([np.eye(4), np.eye(4)])
    binds[1, 0, 3] = -100.0  # column vectors
    weights = source("w", [1.0, 0.5]).replace("P0", "WEIGHT")
    return (
        '<library_controllers><controller id="c"><skin source="#g">'
        "<bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>"
        + source("j", ["upper", "fore"], "name", "Name").replace("P0", "JOINT")
        + source("b", binds, "float4x4", stride=16)
        + weights
        + '<joints><input semantic="JOINT" source="#j"/>'
        '<input semantic="INV_BIND_MATRIX" source="#b"/></joints>'
        '<vertex_weights count="6"><input semantic="JOINT" source="#j" offset="0"/>'
        '<input semantic="WEIGHT" source="#w" offset="1"/><vcount>1 1 2 2 1 1</vcount>'
        "<v>0 0 0 0 0 1 1 1 0 1 1 1 1 0 1 0</v></vertex_weights></skin></controller>"
        "</library_controllers>"
    )


def animation(name: str, target: str, times: Any, values: Any, kind: str, **tangents: Any) -> str:
    kinds = source(f"{name}-k", [kind] * len(times), "name", "Name")
    width = len(np.ravel(values)) // len(times)
    more = "".join(source(f"{name}-{key}", value, stride=2) for key, value in tangents.items())
    inputs = "".join(
        f'<input semantic="{key.upper()}_TANGENT" source="#{name}-{key}"/>' for key in tangents
    )
    return (
        f'<animation id="{name}">{source(f"{name}-t", times)}'
        f"{source(f'{name}-o', values, stride=width)}{kinds}{more}"
        f'<sampler id="{name}-s"><input semantic="INPUT" source="#{name}-t"/>'
        f'<input semantic="OUTPUT" source="#{name}-o"/>'
        f'<input semantic="INTERPOLATION" source="#{name}-k"/>{inputs}</sampler>'
        f'<channel source="#{name}-s" target="{target}"/></animation>'
    )


def turned(degrees: float) -> np.ndarray:
    """Return the matrix of the joint `fore`, for column vectors."""
    angle = np.radians(degrees)
    found = np.eye(4)
    found[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    found[0, 3] = 100.0
    return found


EASE = {"out": [(1.0, 0.0), (3.0, 100.0)], "in": [(-1.0, 0.0), (1.0, 100.0)]}
BEND = animation("bend", "fore/turn.ANGLE", [0.0, 1.0], [0.0, 90.0], "LINEAR")
MOVE = animation("move", "upper/place.Y", [0.0, 2.0], [0.0, 100.0], "BEZIER", **EASE)
STEP = animation("step", "upper/place(1)", [0.0, 2.0], [0.0, 100.0], "STEP")
MATRIX = animation("whole", "fore/whole", [0.0, 1.0], [turned(0), turned(170)], "LINEAR")
LOST = animation("lost", "nobody/turn.ANGLE", [0.0, 1.0], [0.0, 90.0], "LINEAR")
CLIPS = (
    '<library_animation_clips><animation_clip name="bow" start="0" end="0.5">'
    '<instance_animation url="#bend"/></animation_clip><animation_clip name="slide">'
    '<instance_animation url="#move"/></animation_clip></library_animation_clips>'
)


def dae(animations: str = "", clips: str = "", held: str = "", whole: bool = False) -> bytes:
    """Return the strip with its two joints."""
    fore = (
        f"<matrix sid='whole'>{' '.join(map(str, turned(0).ravel().tolist()))}</matrix>"
        if whole
        else "<translate sid='place'>100 0 0</translate><rotate sid='turn'>0 0 1 0</rotate>"
    )
    held = held or (
        '<node id="body"><instance_controller url="#c"><skeleton>#upper</skeleton>'
        "</instance_controller></node>"
    )
    library = f"<library_animations>{animations}</library_animations>" if animations else ""
    return (
        f"{HEAD}{library}{clips}{geometry()}{skin()}<library_visual_scenes>"
        f"<visual_scene id='w'>{JOINTS.format('upper')}<translate sid='place'>0 0 0</translate>"
        f"{JOINTS.format('fore')}{fore}</node></node>{held}</visual_scene>"
        "</library_visual_scenes><scene><instance_visual_scene url='#w'/></scene></COLLADA>"
    ).encode()


CARRIED = (
    '<node id="cart"><translate sid="place">0 0 50</translate><instance_geometry url="#g"/></node>'
)
SHEARED = (
    '<node id="cart"><matrix>1 0.5 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>'
    '<instance_geometry url="#g"/></node>'
)
FILES = {
    "clips.dae": dae(BEND + MOVE, CLIPS),
    "one.dae": dae(BEND + MOVE + LOST),
    "step.dae": dae(STEP),
    "whole.dae": dae(MATRIX, whole=True),
    "cart.dae": dae(animation("go", "cart/place", [0, 1], [(0, 0, 50), (0, 0, 150)], "LINEAR"),
                    held=CARRIED),
    "sheared.dae": dae(held=SHEARED),
    "empty.dae": dae(held="<node id='n'/>"),
    "no_scene.dae": dae().replace(b"<scene>", b"<!--").replace(b"</scene>", b"-->"),
    "lines.dae": DAE.replace("triangles", "lines").replace("<p>0 1 2</p>", "<p>0 1</p>").encode(),
    "commas.dae": DAE.replace("0 0 0 100 0 0 0 100 0", "0,0 0,0 0,0 1,5 0,0 0,0 0,0 1,5 0,0")
    .encode(),
    "deep.dae": DAE.replace("<translate>0 0 50</translate>", "<node>" * 600 + "</node>" * 600)
    .encode(),
}  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[dict[str, Any], Path]]:
    folder = tmp_path_factory.mktemp("collada")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    found = imported([folder / name for name in FILES], folder / "made")
    return dict(zip(FILES, found, strict=True))


def bent(degrees: float, shift: float = 0.0) -> np.ndarray:
    """Return the strip in metres, with the elbow turned and the shoulder moved, by hand."""
    points = np.array(STRIP, dtype=np.float64)
    angle = np.radians(degrees)
    turn = np.array(
        [[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
    )
    there = (points - (100, 0, 0)) @ turn + (100, 0, 0)
    share = np.array([0, 0, 0.5, 0.5, 1, 1])[:, None]
    return (points * (1 - share) + there * share + (0, shift, 0)) / 100.0


def is_at(model: Model, clip: str, time: float, expected: np.ndarray) -> bool:
    found = np.unique(model.points(clip, time).round(4), axis=0)
    wanted = np.unique(expected.round(4), axis=0)
    return found.shape == wanted.shape and np.allclose(found, wanted, atol=2e-4)


def test_a_skin_is_bent_by_the_clips_that_the_file_names(results) -> None:
    report, made = results["clips.dae"]
    model = Model(made)
    assert report["warnings"] == []
    assert {"upper", "fore"} <= set(model.rig.joints)
    assert sorted(model.rig.clips) == ["bow", "slide"]
    assert is_at(model, "", 0.0, bent(0.0))
    assert model.rig.clips["bow"].duration == pytest.approx(0.5)
    for time, degrees in ((0.0, 0.0), (0.25, 22.5), (0.5, 45.0)):
        assert is_at(model, "bow", time, bent(degrees)), time


def test_a_curve_of_bezier_is_followed(results) -> None:
    model = Model(results["clips.dae"][1])
    for time in (0.0, 0.5, 1.0, 1.5, 2.0):
        roots = np.roots([2.0, -3.0, 3.0, -time])  # 3 s (1 - s) + 2 s³ is the time at s
        share = next(float(root.real) for root in roots if abs(root.imag) < 1e-9)
        value = 100.0 * (3.0 * share**2 * (1.0 - share) + share**3)
        assert is_at(model, "slide", time, bent(0.0, value)), time


def test_without_clips_all_curves_are_one_named_as_the_file(results) -> None:
    report, made = results["one.dae"]
    model = Model(made)
    assert list(model.rig.clips) == ["one"]
    assert is_at(model, "one", 1.0, bent(90.0, 50.0))
    assert report["warnings"] == ["1 of its curves move no node or cannot be read: left out"]


def test_steps_and_whole_matrices(results) -> None:
    stepped = Model(results["step.dae"][1])
    assert is_at(stepped, "step", 1.9, bent(0.0))
    assert is_at(stepped, "step", 2.0, bent(0.0, 100.0))
    whole = Model(results["whole.dae"][1])
    assert is_at(whole, "whole", 0.5, bent(85.0)), "turned, not squeezed"


def test_a_node_without_a_skin_carries_its_mesh(results) -> None:
    model = Model(results["cart.dae"][1])
    flat = np.array(STRIP) / 100.0
    assert is_at(model, "", 0.0, flat + np.array([0, 0, 0.5]))
    assert is_at(model, "cart", 0.25, flat + np.array([0, 0, 0.75]))


def test_shear_is_kept_at_rest(results) -> None:
    flat = np.array(STRIP) / 100.0
    flat[:, 0] += 0.5 * flat[:, 1]
    assert is_at(Model(results["sheared.dae"][1]), "", 0.0, flat)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("empty", "no node of its scene holds one of its meshes"),
        ("no_scene", "it has no scene"),
        ("lines", "its meshes have points and lines, and no faces"),
        ("commas", "its meshes cannot be read: its numbers have commas instead of points"),
    ],
)
def test_what_has_nothing_to_draw_says_why(results, name: str, said: str) -> None:
    report, _ = results[f"{name}.dae"]
    assert report["warnings"][-1] == f"nothing in it can be drawn: {said}"


def test_nodes_too_deep_are_refused_in_one_line(results) -> None:
    assert results["deep.dae"][0]["error"].startswith("expected ")
