"""What readers take of a file beyond its shape, and the reasons they give for what they do not."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import GeomVertexReader

from sim.core.assets.formats import suffix_of
from sim.core.canvas.picture_limit import OversizedPictureError, check_header, header_size
from sim.render.importing.model_data import decoded
from tests.sim.render.importing.gltf_files import Buffer, glb_of, small_glb
from tests.sim.render.importing.model_files import Model, imported
from tests.sim.render.importing.test_panda_files import EGG

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], float)
INKS = np.array([(1.0, 0.0, 0.0, 1.0), (0.0, 0.5, 0.0, 1.0), (0.0, 0.0, 0.25, 1.0)])
OBJ = "mtllib {}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"
STILL_EGG = EGG.replace("1 1.5 2", "1 1 1")
PLY = """ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
element face 1
property list uchar int vertex_indices
end_header
0 0 0 255 0 0
1 0 0 0 255 0
0 0 1 0 0 255
3 0 1 2
"""
DAE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
<unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
<diffuse><color>0.5 0.25 0.125 1</color></diffuse></lambert></technique></profile_COMMON></effect>
</library_effects>
<library_materials><material id="m" name="m"><instance_effect url="#e"/></material>
</library_materials>
<library_geometries><geometry id="g" name="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 100 0 0 0 100 0</float_array>
<technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1" material="s"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n" name="n"><translate>0 0 50</translate>
<instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="s" target="#m"/></technique_common></bind_material></instance_geometry>
</node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>
"""


def png(width: int, height: int) -> bytes:
    """Return a PNG that says its size in the header, and has no pixels."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def glb(attributes: dict[str, Any], buffer: Buffer, material: dict[str, Any]) -> bytes:
    """Return a file of one triangle."""
    data = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": attributes, "material": 0}]}],
        "materials": [material],
        "images": [{"uri": "a.png"}],
        "textures": [{"source": 0}],
    }
    return glb_of(data, buffer)


def turned_glb() -> bytes:
    """Return a triangle whose picture is scaled, turned a quarter and moved, on a second map."""
    buffer = Buffer()
    attributes = {
        "POSITION": buffer.add(CORNERS, "VEC3"),
        "TEXCOORD_0": buffer.add(np.full((3, 2), 9.0), "VEC2"),
        "TEXCOORD_1": buffer.add(CORNERS[:, :2], "VEC2"),
    }
    turn = {"offset": [0.5, 0.25], "rotation": np.pi / 2, "scale": [2.0, 4.0], "texCoord": 1}
    texture = {"index": 0, "extensions": {"KHR_texture_transform": turn}}
    return glb(attributes, buffer, {"pbrMetallicRoughness": {"baseColorTexture": texture}})


def inked_glb() -> bytes:
    """Return a triangle with a colour at each corner."""
    buffer = Buffer()
    attributes = {
        "POSITION": buffer.add(CORNERS, "VEC3"), "COLOR_0": buffer.add(INKS, "VEC4"),
    }  # fmt: skip
    return glb(attributes, buffer, {"name": "plain"})


def stl() -> bytes:
    """Return a binary STL of one triangle."""
    row = struct.pack("<12fH", 0, 1, 0, *(float(value) for value in CORNERS.ravel()), 0)
    return bytes(80) + struct.pack("<I", 1) + row


def contents() -> dict[str, bytes]:
    """Return the files of this test by name."""
    return {
        "turned.glb": turned_glb(),
        "inked.glb": inked_glb(),
        "bent.glb": small_glb(inks=np.tile((0.25, 0.5, 0.75, 1.0), (6, 1))),
        "inked.obj": b"v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nf 1 2 3\n",
        "nameless.obj": OBJ.format("nameless.mtl").encode(),
        "wide.obj": OBJ.format("none.mtl").encode("utf-16"),
        "wide_bare.obj": OBJ.format("none.mtl").encode("utf-16-le"),
        "still.egg": STILL_EGG.encode(),
        "rig.egg.pz": zlib.compress(EGG.encode()),
        "a.ply": PLY.encode(),
        "a.stl": stl(),
        "cut.stl": stl()[:100],
        "a.dae": DAE.encode(),
        "mirrored.dae": DAE.replace("</translate>", "</translate><scale>-1 1 1</scale>").encode(),
        "cut.dae": DAE[:700].encode(),
        "packed.obj": gzip.compress(b"v 0 0 0\n"),
        "huge.obj": OBJ.format("huge.mtl").encode(),
    }


Results = dict[str, tuple[dict[str, Any], Path]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Each file's report and folder; all are read in one process."""
    folder = tmp_path_factory.mktemp("taken")
    made = contents()
    (folder / "nameless.mtl").write_text("newmtl\nKd 1 0 0\nnewmtl m\nKd 0 1 0\n")
    (folder / "huge.mtl").write_text("newmtl m\nKd 0 1 0\nmap_Kd huge.png\n")
    (folder / "huge.png").write_bytes(png(60_000, 60_000))
    for name, content in made.items():
        (folder / name).write_bytes(content)
    found = imported([folder / name for name in made], folder / "made")
    return dict(zip(made, found, strict=True))


def column(model: Model, name: str) -> np.ndarray:
    """Return a column of the first mesh's vertices."""
    geom = model.figure.node.find("**/+GeomNode").node().get_geom(0)
    reader = GeomVertexReader(geom.get_vertex_data(), name)
    rows = [tuple(reader.get_data4()) for _ in range(geom.get_vertex_data().get_num_rows())]
    return np.array(rows)


def read(results: Results, name: str) -> Model:
    report, folder = results[name]
    assert "error" not in report, report
    return Model(folder)


def test_a_picture_that_is_moved_turned_and_scaled_is_drawn_so(results: Results) -> None:
    found = column(read(results, "turned.glb"), "texcoord")[:, :2]
    u, v = 2.0 * CORNERS[:, 0], 4.0 * CORNERS[:, 1]
    expected = np.stack([0.5 + v, 1.0 - (0.25 - u)], axis=1)
    assert np.allclose(found, expected, atol=1e-6), found


def test_colours_at_the_corners_are_kept(results: Results) -> None:
    assert np.allclose(column(read(results, "inked.glb"), "color")[:, :3], INKS[:, :3], atol=1e-6)
    for name in ("inked.obj", "a.ply"):
        model = read(results, name)
        assert np.allclose(sorted(map(tuple, column(model, "color")[:, :3])),
                           sorted(map(tuple, np.eye(3))), atol=1e-6), name  # fmt: skip
        assert model.parts()[0]["color"] == [1.0, 1.0, 1.0]


def test_what_bones_bend_keeps_its_colours(results: Results) -> None:
    model = read(results, "bent.glb")
    assert np.allclose(column(model, "color")[:, :3], (0.25, 0.5, 0.75), atol=1e-6)
    flat, bent = model.points(), model.points("bend", 1.0)
    assert np.ptp(flat[:, 1]) < np.ptp(bent[:, 1]), "and they are bent"


def test_a_material_without_a_name_is_left_out_and_said(results: Results) -> None:
    report, _ = results["nameless.obj"]
    assert report.get("warnings") == [
        "expected a name behind newmtl in nameless.mtl, line 1, found none: left out"
    ]
    assert read(results, "nameless.obj").parts()[0]["color"] == pytest.approx([0, 1, 0], abs=1e-6)


@pytest.mark.parametrize("name", ["wide.obj", "wide_bare.obj"])
def test_text_in_utf_16_is_the_reason_told(results: Results, name: str) -> None:
    assert results[name][0] == {"error": "expected text in UTF-8 or ASCII, found UTF-16"}


def test_a_clip_that_moves_nothing_is_left_out_and_said(results: Results) -> None:
    report, _ = results["still.egg"]
    assert report["notes"] == ["its clip 'rig' moves nothing: left out"]
    assert read(results, "still.egg").rig.clips == {}


def test_a_packed_egg_is_an_egg(results: Results) -> None:
    assert list(read(results, "rig.egg.pz").rig.clips) == ["rig"]
    clip = read(results, "rig.egg.pz").rig.clips["rig"]
    assert len(clip.positions) == len(clip.scales) == 3, "each frame of its three is taken"
    assert suffix_of("a/b.EGG.PZ") == ".egg.pz"
    assert suffix_of("a.b.egg") == ".egg"


def test_stl_and_ply_are_read_with_z_up(results: Results) -> None:
    assert np.allclose(read(results, "a.stl").points(), CORNERS)
    points = read(results, "a.ply").points()
    assert np.allclose(sorted(map(tuple, points)), [(0, 0, 0), (0, 0, 1), (1, 0, 0)])


def test_collada_is_read_in_metres_with_z_up(results: Results) -> None:
    model = read(results, "a.dae")
    points = sorted(map(tuple, model.points().round(6)))
    assert points == [(0.0, -0.5, 0.0), (0.0, -0.5, 1.0), (1.0, -0.5, 0.0)]
    assert model.parts()[0]["color"] == pytest.approx([0.5, 0.25, 0.125])


def test_a_mirrored_node_of_collada_is_seen_from_its_front(results: Results) -> None:
    for name in ("a.dae", "mirrored.dae"):
        model = read(results, name)
        assert model.facing()[1] < 0.0, name
        path = model.figure.node.find("**/+GeomNode")
        place = np.array([list(row) for row in path.get_mat(model.figure.node).get_rows()])
        normal = column(model, "normal")[0, :3] @ np.linalg.inv(place[:3, :3]).T
        assert normal[1] == pytest.approx(-1.0), name


@pytest.mark.parametrize("name", ["cut.stl", "cut.dae", "packed.obj"])
def test_what_cannot_be_read_is_one_reason(results: Results, name: str) -> None:
    report, _ = results[name]
    assert list(report) == ["error"]
    assert report["error"].startswith("expected ")
    assert "\n" not in report["error"]


def test_a_picture_of_60000_pixels_is_refused_by_its_header(results: Results) -> None:
    report, _ = results["huge.obj"]
    assert report["warnings"] == [
        "expected a picture of at most 67108864 pixels, found huge.png of 60000 x 60000: left out"
    ]
    with pytest.raises(ValueError, match=r"^60000 x 60000"):
        decoded(png(60_000, 60_000))
    with pytest.raises(OversizedPictureError) as caught:
        check_header(png(60_000, 10))
    assert caught.value.limit == "16384 pixels a side"


@pytest.mark.parametrize(
    "content",
    [
        png(700, 500),
        b"GIF89a" + struct.pack("<HH", 700, 500),
        b"BM" + bytes(16) + struct.pack("<ii", 700, -500),
        b"\xff\xd8\xff\xe0\0\4ab\xff\xc2\0\x11\x08" + struct.pack(">HH", 500, 700),
        b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\xbb\x02\0\xf3\x01\0",
    ],
    ids=["png", "gif", "bmp", "jpeg", "webp"],
)
def test_the_size_stands_in_the_header(content: bytes) -> None:
    assert header_size(content) == (700, 500)
    assert all(header_size(content[:cut]) in (None, (700, 500)) for cut in range(len(content)))
