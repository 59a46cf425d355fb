"""OBJ with its material libraries, PLY and STL: what their words mean, in numbers."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.physics.asset_mesh import read_triangles
from sim.render.importing.mtl import parse_library, parse_map
from sim.render.importing.ply import parse_header, read_binary, read_text
from tests.sim.render.importing.format_table import Brought
from tests.sim.render.importing.model_files import imported

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
FACE = "f 1/1 2/2 3/3 4/4\n"
LIBRARIES = {
    "d.mtl": "newmtl m\nKd 1 0 0\nd 0.3\nnewmtl other\n",
    "tr.mtl": "newmtl m\nTr 0.7\nnewmtl other\n",
    "both.mtl": "newmtl m\nTr 1.0\nd 1.0\n",
    "halo.mtl": "newmtl m\nd -halo 0.25\nnewmtl other\n",
    "none.mtl": "newmtl m\nd 0\n",
    "hidden.mtl": "newmtl m\nd 0\nnewmtl other\n",
    "pbr.mtl": "newmtl m\n\tPr\t0.3\nPm 0.9\nnorm -bm 0.5 normals.png\nKe 0.1 0.2 0.9\n",
    "options.mtl": "newmtl m\nmap_Kd -clamp on -s 2 4 1 -o 0.5 0.25 0 -mm 0 0.5 my wall.png\n",
    "veil.mtl": "newmtl m\nKd 1 0 0\nmap_d -imfchan g veil.png\n",
    "own veil.mtl": "newmtl m\nmap_Kd veil.png\nmap_d veil.png\n",
    "glow.mtl": "newmtl m\nmap_Ke -s 1 1 my wall.png\n",
    "faulty.mtl": "newmtl m\nKd red\nPr\nd 0.5\nmap_Kd -clamp on\nnewmtl other\n",
    "first.mtl": "newmtl other\nKd 0 0 1\n",
    "second one.mtl": "newmtl m\nKd 0 1 0\nnewmtl other\nKd 1 1 1\n",
}
OBJS = {
    **{f"{name}.obj": f"mtllib {name}\n{SQUARE}usemtl m\n{FACE}" for name in LIBRARIES},
    "tab.obj": f"mtllib\tpbr.mtl\n{SQUARE}usemtl\tm\n{FACE}",
    "two.obj": f"mtllib first.mtl\n{SQUARE}mtllib second one.mtl\nusemtl m\n{FACE}",
    "line.obj": f"mtllib first.mtl second one.mtl\n{SQUARE}usemtl m\n{FACE}",
    "order.obj": f"mtllib first.mtl second one.mtl\n{SQUARE}usemtl other\n{FACE}",
    "gone.obj": f"mtllib not here.mtl first.mtl\n{SQUARE}usemtl other\n{FACE}",
    "cloud.obj": "v 1 2 3 1 0 0\nv 4 5 6 0 0 1\n",
    "lines.obj": "v 1 2 3\nv 4 5 6\nl 1 2\n",
    "none.obj": "# nothing\nvn 0 0 1\n",
}
TEXT_PLY = """ply
format {} 1.0
comment TextureFile my wall.png
element vertex 5
property float x
property float y
property float z
property float s
property float t
element face 3
property list uchar int vertex_indices
property uchar red
property uchar green
property uchar blue
end_header
"""
ROWS = [(0, 0, 0, 0, 0), (1, 0, 0, 1, 0), (1, 1, 0, 1, 1), (0, 1, 0, 0, 1), (0.5, 2, 0, 0.5, 2)]
FACES = [((0, 1, 2, 3), (255, 0, 0)), ((3, 2, 4), (0, 255, 0)), ((0, 1, 2, 4, 3), (0, 0, 255))]


def ply(form: str) -> bytes:
    """Return five vertices with faces of four, three and five corners, each in a colour."""
    head = TEXT_PLY.format(form).encode()
    if form == "ascii":
        lines = [" ".join(map(str, row)) for row in ROWS]
        lines += [" ".join(map(str, (len(face), *face, *ink))) for face, ink in FACES]
        return head + "\n".join(lines).encode()
    order = ">" if "big" in form else "<"
    body = b"".join(struct.pack(f"{order}5f", *row) for row in ROWS)
    for face, ink in FACES:
        body += struct.pack(f"{order}B{len(face)}i3B", len(face), *face, *ink)
    return head + body


def cloud(count: int) -> bytes:
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {count}\n"
    head += "".join(f"property {kind} {name}\n" for kind, name in (
        ("double", "x"), ("double", "y"), ("double", "z"), ("uchar", "red"), ("uchar", "green"),
        ("uchar", "blue"), ("uchar", "alpha")))  # fmt: skip
    rng = np.random.default_rng(1)
    rows = b"".join(struct.pack("<3d4B", *rng.random(3), 200, 100, 50, 255) for _ in range(count))
    return head.encode() + b"end_header\n" + rows


def stl(header: bytes, *bits: int) -> bytes:
    rows = b"".join(
        struct.pack("<12fH", 0, 0, 1, 0, 0, at, 1, 0, at, 0, 1, at, value)
        for at, value in enumerate(bits)
    )
    return header.ljust(80, b"\0") + struct.pack("<I", len(bits)) + rows


MODELS: dict[str, bytes] = {
    **{name: text.encode() for name, text in OBJS.items()},
    **{f"{form}.ply": ply(form)
       for form in ("ascii", "binary_little_endian", "binary_big_endian")},
    "cloud.ply": cloud(500),
    "strips.ply": b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
    b"property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
    b"0 0 0\n1 0 0\n0 1 0\n1 1 0\n4 0 1 2 3\n",
    "short.ply": ply("binary_big_endian")[:-9],
    "far.ply": ply("ascii").replace(b"4 0 1 2 3", b"4 0 1 2 9"),
    "viscam.stl": stl(b"", 0x8000 | 31, 0x8000 | 31 << 10, 0),
    "magics.stl": stl(b"COLOR=\x00\xff\x00\xff", 31, 31 << 10, 0x8000),
    "plain.stl": stl(b"", 0, 7),
}  # fmt: skip


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Brought]:
    """What each model brought; all are imported in one process."""
    folder = tmp_path_factory.mktemp("plain")
    for name, text in LIBRARIES.items():
        (folder / name).write_text(text)
    veil = np.full((4, 4, 4), (0, 100, 255, 51), np.uint8)
    for name, pixels in (("my wall", np.full((4, 8, 3), 200, np.uint8)), ("veil", veil),
                         ("normals", np.full((4, 5, 3), (255, 128, 128), np.uint8))):  # fmt: skip
        cv2.imwrite(str(folder / f"{name}.png"), pixels)
    for name, content in MODELS.items():
        (folder / name).write_bytes(content)
    found = imported([folder / name for name in MODELS], folder / "made")
    return {name: Brought(*result) for name, result in zip(MODELS, found, strict=True)}


def pixel(found: Brought) -> list[int]:
    """Return the first pixel of the colour's picture, BGRA."""
    texture = found.picture
    return list(bytes(texture.get_ram_image_as("BGRA"))[:4])


@pytest.mark.parametrize(
    ("name", "opacity"),
    [("d", 0.3), ("tr", 0.3), ("both", 1.0), ("halo", 0.25), ("none", 1.0), ("hidden", 0.0)],
)
def test_opacity_is_d_or_what_tr_leaves(brought, name: str, opacity: float) -> None:
    assert brought[f"{name}.mtl.obj"].look["opacity"] == pytest.approx(opacity)


def test_physical_words_and_a_tab_behind_mtllib(brought) -> None:
    for name in ("pbr.mtl.obj", "tab.obj"):
        look = brought[name].look
        assert brought[name].report["warnings"] == []
        assert (look["roughness"], look["metallic"]) == pytest.approx((0.3, 0.9))
        assert look["emissive"] == pytest.approx([0.1, 0.2, 0.9])
        assert look["normal_picture"] >= 0
        assert look["normal_scale"] == 0.5


@pytest.mark.parametrize("name", ["two.obj", "line.obj"])
def test_each_material_library_is_read(brought, name: str) -> None:
    assert brought[name].look["color"] == [0.0, 1.0, 0.0]
    assert brought[name].report["warnings"] == []
    assert brought["order.obj"].look["color"] == [0.0, 0.0, 1.0], "the first that has it"


def test_a_missing_library_is_named_whole(brought) -> None:
    said = ["expected files beside it that it names, not found: not here.mtl"]
    assert brought["gone.obj"].report["warnings"] == said
    assert brought["gone.obj"].look["color"] == [0.0, 0.0, 1.0]


def test_options_before_a_picture_whose_name_has_a_space(brought) -> None:
    found = brought["options.mtl.obj"]
    assert found.report["warnings"] == []
    assert pixel(found)[:3] == [100, 100, 100], "half of it, by -mm"
    uvs = {tuple(row) for row in found.column("texcoord")[:, :2].round(4).tolist()}
    assert uvs == {(0.5, 0.25), (2.5, 0.25), (2.5, 4.25), (0.5, 4.25)}
    assert brought["glow.mtl.obj"].look["emissive"] == [1.0, 1.0, 1.0]


def test_a_picture_of_the_opacity(brought) -> None:
    found = brought["veil.mtl.obj"]
    assert pixel(found) == [255, 255, 255, 100]
    assert found.look["color"] == [1.0, 0.0, 0.0]
    assert found.look["is_cut"]
    assert pixel(brought["own veil.mtl.obj"]) == [0, 100, 255, 51], "its own alpha channel"


def test_faulty_lines_of_a_library_are_told(brought) -> None:
    assert brought["faulty.mtl.obj"].report["warnings"] == [
        "expected numbers behind kd in faulty.mtl, line 2, found 'red': left out",
        "expected numbers behind pr in faulty.mtl, line 3, found none: left out",
        "expected the name of a picture behind map_kd in faulty.mtl, line 5, found none: left out",
    ]
    assert brought["faulty.mtl.obj"].look["opacity"] == 0.5


def test_what_has_nothing_to_draw_says_why(brought) -> None:
    start = "nothing in it can be drawn: "
    assert brought["lines.obj"].said == start + "it has lines and points, and no faces"
    assert brought["none.obj"].said == start + "it has no vertices and no faces"


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_ply_with_faces_of_three_to_five_corners(brought, form: str) -> None:
    found = brought[f"{form}.ply"]
    assert found.report["warnings"] == []
    assert len(read_triangles(found._folder / "model.bam")) == 2 + 1 + 3
    assert found.has_points([row[:3] for row in ROWS])
    colors = found.column("color")[:, :3].round(3)
    amounts = [int((colors == ink).all(axis=1).sum()) for ink in np.eye(3).tolist()]
    assert amounts == [6, 3, 9]
    assert found.picture.get_x_size() == 8, "the picture that TextureFile names"
    at = np.concatenate([found.model.points(), found.column("texcoord")[:, :2]], axis=1)
    assert {tuple(row) for row in at.round(4).tolist()} == {tuple(map(float, row)) for row in ROWS}


def test_points_are_drawn_as_points(brought) -> None:
    found = brought["cloud.ply"]
    assert found.report["warnings"] == []
    assert len(found.model.points()) == 500
    assert found.model.figure.is_cloud
    assert np.allclose(found.column("color")[0, :3] * 255, (200, 100, 50), atol=0.5)
    extent = read_triangles(found._folder / "model.bam").reshape(-1, 3)
    assert np.allclose(extent.min(axis=0), found.model.points().min(axis=0))
    assert np.allclose(extent.max(axis=0), found.model.points().max(axis=0))
    assert brought["cloud.obj"].has_points([(1, -3, 2), (4, -6, 5)])
    assert np.allclose(brought["cloud.obj"].column("color")[:, :3], np.eye(3)[[0, 2]])


def test_strips_are_triangles_that_face_one_way(brought) -> None:
    triangles = read_triangles(brought["strips.ply"]._folder / "model.bam")
    facing = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert facing[:, 2].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "said"),
    [("short", "expected 3 rows of face in PLY"), ("far", "expected indices of vertices")],
)
def test_a_damaged_ply_is_one_line(brought, name: str, said: str) -> None:
    assert brought[f"{name}.ply"].report["error"].startswith(said)


def test_colours_of_the_faces_of_stl(brought) -> None:
    grey = 0.906**2.2
    for name, expected in (
        ("viscam", [(0, 0, 1), (1, 0, 0), (grey, grey, grey)]),
        ("magics", [(1, 0, 0), (0, 0, 1), (0, 1, 0)]),
    ):
        found = brought[f"{name}.stl"]
        assert np.allclose(found.column("color")[::3, :3], expected, atol=1e-3), name
        assert found.look["color"] == [1.0, 1.0, 1.0]
    assert brought["plain.stl"].look["color"] == [0.8, 0.8, 0.8]


NAMES = st.text(st.characters(codec="ascii", categories=("L", "N"), include_characters=" ._"),
                min_size=1).map(str.strip).filter(bool)  # fmt: skip
VALUES = st.floats(-9, 9, width=32)


@given(NAMES, st.tuples(VALUES, VALUES), st.tuples(VALUES, VALUES), VALUES)
def test_a_map_reads_what_its_options_say(name, scale, offset, strength) -> None:
    text = f"-s {scale[0]} {scale[1]} 1 -o {offset[0]} {offset[1]} -bm {strength} {name}.png"
    found = parse_map(text)
    assert found.name == f"{name}.png"
    assert (found.scale, found.offset, found.strength) == (scale, offset, strength)


@given(st.binary(max_size=200))
def test_no_library_is_too_odd(content: bytes) -> None:
    parse_library(b"newmtl a\n" + content, "a.mtl")


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.lists(st.integers(0, 250), max_size=6), st.integers(0, 255)), max_size=8),
    st.sampled_from("<>"),
)
def test_text_and_both_byte_orders_hold_the_same(rows: Any, order: str) -> None:
    form = {"<": "binary_little_endian", ">": "binary_big_endian"}[order]
    head = "ply\nformat {} 1.0\nelement face {}\nproperty list uchar ushort vertex_index\n" \
           "property uchar red\nend_header\n"  # fmt: skip
    text = head.format("ascii", len(rows)).encode()
    text += b"".join(f"{len(face)} {' '.join(map(str, face))} {red}\n".encode()
                     for face, red in rows)  # fmt: skip
    packed = head.format(form, len(rows)).encode()
    packed += b"".join(
        struct.pack(f"{order}B{len(face)}HB", len(face), *face, red) for face, red in rows
    )
    (ones, _, kind, start), (others, _, swapped, begin) = parse_header(text), parse_header(packed)
    assert (kind, swapped) == ("", order)
    read_text(text, start, ones)
    read_binary(packed, begin, order, others)
    for found in (ones[0], others[0]):
        lengths, corners = found.lists["vertex_index"]
        assert lengths.tolist() == [len(face) for face, _ in rows]
        assert corners.tolist() == [corner for face, _ in rows for corner in face]
        assert found.values["red"].tolist() == [red for _, red in rows]


def test_a_header_that_claims_too_much_is_refused(tmp_path: Path) -> None:
    head = b"ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nend_header\n"
    (tmp_path / "a.ply").write_bytes(head)
    ((report, _),) = imported([tmp_path / "a.ply"], tmp_path / "made")
    assert report["error"].startswith("expected the header of PLY, found the line 'element vertex")
