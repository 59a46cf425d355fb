"""glTF: what the specification lets a reader leave out is left out, and said in one line."""

from __future__ import annotations

import base64
import copy
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.sim.render.importing.cases_gltf import (
    ALONE,
    CORNERS,
    PNG,
    WEBP,
    material,
    node,
    packed,
    pictured,
    triangle,
)
from tests.sim.render.importing.gltf_files import Buffer, glb_of
from tests.sim.render.importing.model_files import Model, imported

MARK = b"\xef\xbb\xbf"


def split(content: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the JSON of a binary file, and all that follows it."""
    (length,) = struct.unpack_from("<I", content, 12)
    return json.loads(content[20 : 20 + length]), content[20 + length :]


def joined(data: dict[str, Any], rest: bytes, mark: bytes = b"") -> bytes:
    """Return a binary file of its JSON and of all that follows it."""
    text = mark + json.dumps(data).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + rest
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def required(*names: str) -> bytes:
    return triangle({"extensionsUsed": [*names], "extensionsRequired": [*names]})


def with_mark() -> bytes:
    """Return a text file that begins with a byte order mark."""
    data, rest = split(triangle())
    data["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(rest[8:]).decode()
    return MARK + json.dumps(data).encode()


def with_mark_inside() -> bytes:
    """Return a binary file whose JSON begins with a mark, with a chunk of no known kind."""
    data, rest = split(triangle())
    return joined(data, rest + struct.pack("<II", 4, 0x12345678) + b"abcd", MARK)


def partly_elsewhere(part: str) -> bytes:
    """Return a triangle with a picture and a clip; the one that `part` names is in a lost file."""
    buffer = Buffer()
    attributes = {"POSITION": buffer.add(CORNERS, "VEC3")}
    clip = {
        "name": "go",
        "samplers": [{"input": buffer.add([0.0, 1.0], "SCALAR"),
                      "output": buffer.add([(0, 0, 0), (1, 0, 0)], "VEC3")}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
    }  # fmt: skip
    picture = buffer.add(np.frombuffer(PNG, dtype=np.uint8), "SCALAR", 5121)
    look = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "extras": [1]}
    data = {
        "asset": {"version": "2.0", "extras": 5, "generator": None},
        "extras": ["any", 7],
        "nodes": [{"mesh": 0, "extras": 3}],
        "meshes": [{"primitives": [{"attributes": attributes, "material": 0}], "extras": "words"}],
        "materials": [look],
        "textures": [{"source": 0}],
        "images": [{"bufferView": picture, "mimeType": "image/png"}],
        "animations": [clip],
    }
    made, rest = split(glb_of(data, buffer))
    made["buffers"].append({"uri": "lost.bin", "byteLength": 9999})
    made["bufferViews"][{"clip": 2, "picture": picture}[part]]["buffer"] = 1
    return joined(made, rest)


def odd_parts() -> bytes:
    """Return a triangle beside a part without positions, and a channel that moves no node."""
    data, rest = split(triangle())
    data["meshes"][0]["primitives"].append({"attributes": {}})
    pointer = {"KHR_animation_pointer": {"pointer": "/materials/0/alphaCutoff"}}
    data["animations"] = [{
        "samplers": [{"input": 0, "output": 0}],
        "channels": [{"sampler": 0, "target": {"path": "pointer", "extensions": pointer}}],
    }]  # fmt: skip
    return joined(data, rest)


KTX = copy.deepcopy(ALONE)
KTX["textures"] = [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]
KTX["extensionsRequired"] = ["KHR_texture_basisu"]
FALLBACK = {"textures": [{"source": 0, "extensions": {"KHR_texture_basisu": {"source": 9}}}],
            "extensionsUsed": ["KHR_texture_basisu"]}  # fmt: skip
LOOKS = ("KHR_materials_transmission", "KHR_materials_variants", "KHR_materials_volume")
FILES = {
    "looks": required(*LOOKS),
    "behaviour": required("KHR_lights_punctual", "KHR_xmp_json_ld", "KHR_interactivity", "VRM"),
    "unknown": required("ACME_curved_space"),
    "meshopt": required("EXT_meshopt_compression"),
    "optional": triangle({"extensionsUsed": ["ACME_curved_space"]}),
    "later": triangle({"asset": {"version": "2.1", "minVersion": "2.0"}}),
    "newer": triangle({"asset": {"version": "2.1", "minVersion": "2.1"}}),
    "mark": with_mark(),
    "mark inside": with_mark_inside(),
    "ktx": pictured(KTX),
    "fallback": pictured(FALLBACK),
    "no picture": pictured({"textures": [{}]}),
    "lost picture": partly_elsewhere("picture"),
    "lost clip": partly_elsewhere("clip"),
    "odd parts": odd_parts(),
    "extensions": triangle({**node(extensions=7), **material(extensions={"ACME": None})}),
    "cut draco": packed().replace(b"DRACO", b"DRAGO"),
    "first binary": struct.pack("<IIIII", 0x46546C67, 1, 20, 0, 0),
    "list": triangle({"materials": [{"pbrMetallicRoughness": ["red"]}]}),
    "words": triangle(material(normalTexture={"extensions": {"KHR_texture_transform": "half"}})),
    "number": triangle(node(scale=2)),
    "object": triangle({"meshes": [{"primitives": {"first": {}}}]}),
    "numbers": triangle({"meshes": [{"primitives": [7]}]}),
}
EXPECTED = {
    "looks": "it requires " + ", ".join(LOOKS) + ", which are not known here: drawn without",
    "behaviour": "it requires KHR_interactivity, KHR_lights_punctual, KHR_xmp_json_ld, VRM, "
    "which are not known here: drawn without",
    "optional": "left out, as the format allows: ACME_curved_space",
    "later": "",
    "mark": "",
    "mark inside": "",
    "ktx": "expected pictures in PNG, JPEG or WebP, found one that is there in KTX2 only: left out "
    "(`ktx extract IN OUT` of KTX-Software writes a PNG)",
    "fallback": "left out, as the format allows: KHR_texture_basisu",
    "no picture": "a texture without a picture: left out",
    "lost clip": "expected the file 'lost.bin' beside it, not found: its clip 'go' is left out",
    "lost picture": "image",
    "odd parts": "a part of the mesh 'mesh' has no positions: left out",
    "extensions": "",
}
REFUSED = {
    "unknown": "expected glTF without ACME_curved_space, found it required",
    "meshopt": "expected glTF without EXT_meshopt_compression (`gltf-transform copy IN OUT` takes "
    "it out), found it required",
    "newer": "expected glTF 2.0, found a file that needs version '2.1'",
    "cut draco": "expected a mesh packed by Draco, found: ",
    "first binary": "expected glTF 2, found version 1",
    "list": "expected an object for materials[0].pbrMetallicRoughness, found ['red']",
    "words": "expected an object for materials[0].normalTexture.extensions.KHR_texture_transform, "
    "found 'half'",
    "number": "expected a list for nodes[0].scale, found 2",
    "object": "expected a list for meshes[0].primitives, found {'first': {}}",
    "numbers": "expected an object for meshes[0].primitives, found 7",
}
Results = dict[str, tuple[dict[str, Any], Path]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Each file's report and folder; all are read in one process."""
    folder = tmp_path_factory.mktemp("parts")
    (folder / "a.webp").write_bytes(WEBP)
    (folder / "a.png").write_bytes(PNG)
    for name, content in FILES.items():
        (folder / f"{name}.gltf").write_bytes(content)
    found = imported([folder / f"{name}.gltf" for name in FILES], folder / "made")
    return dict(zip(FILES, found, strict=True))


@pytest.mark.parametrize("name", EXPECTED)
def test_what_may_be_left_out_is_left_out_and_said(results: Results, name: str) -> None:
    report, folder = results[name]
    assert "error" not in report, report
    assert EXPECTED[name] in " | ".join([*report["warnings"], *report["notes"]]), report
    if not EXPECTED[name]:
        assert report["warnings"] == report["notes"] == []
    assert len(Model(folder).points()) == 3
    if name == "fallback":
        assert report["warnings"] == []


def test_a_clip_of_what_is_no_node_is_told(results: Results) -> None:
    lines = results["odd parts"][0]["notes"]
    assert any("moves what is no node (pointer): left out" in line for line in lines)


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_shape_hangs_on_is_refused_in_one_line(results: Results, name: str) -> None:
    report, _ = results[name]
    assert report.get("error", "").startswith(REFUSED[name]), report
    assert "\n" not in report["error"]
