"""Hostile scenes and assets, made by hand and by seeded changes of sound ones."""

from __future__ import annotations

import copy
import io
import json
import random
import struct
import wave
import zlib
from collections.abc import Callable, Iterator
from typing import Final

from base.files import SHIPPED_ROOT

Value = object
Json = dict[str, object]

COMPONENTS: Final[tuple[tuple[str, Json], ...]] = (
    ("Camera", {"fov": 40, "target": [0, 0, 1]}), ("Light", {"kind": "point", "power": 2}),
    ("Text", {"text": "hello", "size": 1}), ("Sky", {"clouds": 0.4}), ("Fog", {"density": 0.1}),
    ("DayLight", {"hour": 10, "speed": 1}), ("Note", {"text": "a note", "size": 15}),
    ("RigidBody", {"mass": 1, "restitution": 0.5}), ("Gravity", {"acceleration": [0, 0, -9.8]}),
    ("Layer", {"name": "a", "passes": ["b"]}), ("Sound", {"clip": "stone"}),
)  # fmt: skip
MODELS: Final[tuple[Json, ...]] = (
    {"builtin": "box", "size": [1, 2, 3]}, {"builtin": "sphere", "radius": 0.5},
    {"builtin": "capsule", "radius": 0.3, "height": 2}, {"builtin": "goban", "size": 9},
    {"builtin": "lathe", "profile": [[0, 0], [1, 0], [0, 1]], "sides": 12},
    {"builtin": "text", "text": "Hi", "size": 1, "depth": 0.1}, {"builtin": "torus", "radius": 1},
    {"builtin": "rack", "columns": 7, "rows": 6}, {"builtin": "plane", "size": 8},
    {"builtin": "points"}, {"builtin": "ring", "radius": 1, "width": 0.1},
)  # fmt: skip
STRANGE: Final[tuple[Value, ...]] = (
    None, True, False, 0, -1, 1e-300, 1e9, -1e9, 1e300, 10**400, 2**63, -(2**31), 0.5, float("nan"),
    float("inf"), "", " ", "red", "\u0000", "\ud800", "é" * 300, "x" * 100_000, "../../etc/passwd",
    "/etc/passwd", "__import__('os').system('true')", "sim:Camera", "scripts.nowhere:No", [], {},
    [[]], [None], [1, 2], [1, 2, 3, 4], [1e308] * 3, ["a"] * 1000, {"$ref": "obj_nobody"},
    {"$ref": 3}, {"$asset": "../x"}, {"builtin": "nothing"}, {"asset": "assets/gone.glb"}, {"": ""},
)  # fmt: skip


def sound_scene() -> Json:
    """Return a scene with each model and each component of the engine, all valid."""
    objects: Json = {}
    for number, model in enumerate(MODELS):
        objects[f"obj_model{number:03}"] = {
            "name": f"Model {number}", "position": [number, 0, 0], "rotation": [0, 10, 0],
            "model": copy.deepcopy(model), "material": {"color": [0.5, 0.4, 0.3], "roughness": 0.4},
        }  # fmt: skip
    for number, (kind, fields) in enumerate(COMPONENTS):
        objects[f"obj_part{number:03}"] = {
            "name": kind,
            "parent": "obj_model000",
            "order": number,
            "components": {
                f"cmp_part{number:03}": {"type": f"sim:{kind}", "fields": copy.deepcopy(fields)}
            },
        }
    settings: Json = {"seed": 3, "fixed_dt": 0.02, "max_objects": 1000}
    return {
        "format": "goishi.scene/1", "id": "scn_corpus", "settings": settings, "objects": objects
    }  # fmt: skip


def scenes(count: int, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of hostile scenes: those by hand, then changed ones."""
    made = 0
    for name, content in scenes_by_hand():
        made += 1
        yield f"hand_{name}", content
    for number in range(count - made):
        text = json.dumps(changed(sound_scene(), rng)).encode()
        yield f"changed_{number:03}", text if number % 4 else corrupted(text, rng)


def scenes_by_hand() -> Iterator[tuple[str, bytes]]:
    """Yield scenes that somebody thought of."""
    base = sound_scene()
    text = json.dumps(base)
    raw: dict[str, bytes] = {
        "empty": b"", "space": b"  \n", "null": b"null", "number": b"3", "list": b"[]",
        "text": b'"scene"', "open": b"{", "zeros": b"\0" * 5000, "ones": b"\xff" * 5000,
        "utf16": text.encode("utf-16"), "bom": b"\xef\xbb\xbf" + text.encode(),
        "latin": text.replace("Model", "Modèl").encode("latin-1"), "cut": text.encode()[:900],
        "twice": (text + text).encode(), "comment": b"// x\n" + text.encode(),
        "deep_list": b"[" * 100_000, "deep_map": b'{"a":' * 50_000,
        "deep_closed": b"[" * 5000 + b"]" * 5000, "digits": b'{"format": ' + b"9" * 20_000 + b"}",
        "infinite": text.replace("40", "Infinity", 1).encode(), "png": small_png(),
        "nan": text.replace("0.4", "NaN", 1).encode(), "huge_float": text.replace("40", "1e999", 1)
        .encode(), "double": text.replace('"seed"', '"seed": 1, "seed"').encode(),
        "pickle": b"\x80\x04\x95\x1d\x00\x00\x00cos\nsystem\n", "zip": b"PK\x03\x04" + b"\0" * 99,
    }  # fmt: skip
    yield from raw.items()
    chain: Json = {
        f"obj_{number:06}": {"name": "a", "parent": f"obj_{number - 1:06}" if number else None}
        for number in range(5000)
    }
    ring = {
        key: {"name": "a", "parent": f"obj_{(index + 1) % 900:06}"}
        for index, key in enumerate([f"obj_{number:06}" for number in range(900)])
    }
    one: Json = {"name": "One", "model": {"builtin": "box"}}
    prefab: Json = {"prefab": "assets/self.prefab.json"}
    million = {"name": "a", "unknown": [0.5] * 1_000_000}
    parts: dict[str, Json] = {
        "no_format": {"format": None}, "other_format": {"format": "goishi.scene/999"},
        "no_id": {"id": ""}, "long_id": {"id": "scn_" + "a" * 10_000}, "bare": {"objects": {}},
        "objects_list": {"objects": []}, "objects_null": {"objects": None},
        "chain": {"objects": chain, "settings": {}}, "ring": {"objects": ring, "settings": {}},
        "too_many": {"settings": {"max_objects": 2}}, "settings_list": {"settings": []},
        "own_parent": {"objects": {"obj_one": {**one, "parent": "obj_one"}}},
        "no_prefab": {"objects": {"obj_one": prefab}}, "million": {"objects": {"obj_one": million}},
        "million_top": {"extra": [[1, 2]] * 500_000}, "bad_key": {"objects": {"../../x": one}},
        "script_gone": {"objects": {"obj_one": {**one, "components": {
            "cmp_one": {"type": "scripts.gone:Gone"}}}}},
        "script_path": {"objects": {"obj_one": {**one, "components": {
            "cmp_one": {"type": "scripts.....os:system"}}}}},
        "engine_gone": {"objects": {"obj_one": {**one, "components": {
            "cmp_one": {"type": "sim:Script"}}}}},
        "surrogate": {"objects": {"obj_one": {**one, "name": "a\ud800b"}}},
        "huge_scale": {"objects": {"obj_one": {**one, "scale": [1e30, 1e-30, 0]}}},
        "no_scale": {"objects": {"obj_one": {**one, "scale": [0, 0, 0]}}},
        "far": {"objects": {"obj_one": {**one, "position": [1e300, -1e300, 1e300]}}},
        "spin": {"objects": {"obj_one": {**one, "rotation": [1e18, -1e18, 3e9]}}},
        "fast": {"settings": {"fixed_dt": 1e-4}}, "slow": {"settings": {"script_timeout": 3600}},
        "radius": {"objects": {"obj_one": {**one, "model": {"builtin": "sphere", "radius": -1}}}},
        "size": {"objects": {"obj_one": {**one, "model": {"builtin": "box", "size": 1e9}}}},
        "sides": {"objects": {"obj_one": {**one, "model": {"builtin": "lathe", "sides": 10**9}}}},
        "letters": {"objects": {"obj_one": {**one, "model": {
            "builtin": "text", "text": "ﷺ" * 20_000}}}},
        "color": {"objects": {"obj_one": {**one, "material": {"color": "red"}}}},
    }  # fmt: skip
    for name, part in parts.items():
        yield name, json.dumps({**base, **part}).encode()


def changed(data: Json, rng: random.Random) -> Json:
    """Return a scene with one to four values replaced, removed or moved."""
    for _ in range(rng.randint(1, 4)):
        places = list(_places(data))
        holder, key = rng.choice(places)
        kind = rng.randrange(4)
        if isinstance(holder, dict) and kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, dict):
            holder[f"{key}x"] = holder.pop(key)
        elif kind == 2:
            other, from_key = rng.choice(places)
            holder[key] = json.loads(json.dumps(other[from_key])) if from_key in _keys(other) else 0
        else:
            holder[key] = copy.deepcopy(rng.choice(STRANGE))
    return data


def _places(value: object) -> Iterator[tuple[dict[object, object], object]]:
    keys = _keys(value)
    for key in keys:
        assert isinstance(value, dict | list)  # noqa: S101
        yield value, key  # type: ignore[misc]
        yield from _places(value[key])  # type: ignore[call-overload]


def _keys(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, list) else []


def corrupted(content: bytes, rng: random.Random) -> bytes:
    """Return a file with a few bytes changed, cut, doubled or made huge."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 5)):
        place, length = rng.randrange(max(1, len(data))), rng.randint(1, 64)
        kind = rng.randrange(6)
        if kind == 0:
            data[place : place + 1] = rng.randbytes(1)
        elif kind == 1:
            del data[place : place + length]
        elif kind == 2:
            data[place:place] = data[place : place + length]
        elif kind == 3:
            data[place : place + 4] = b"\xff\xff\xff\x7f"
        elif kind == 4:
            data[place : place + length] = rng.randbytes(length)
        else:
            del data[max(1, place) :]
    return bytes(data)


# -- assets -------------------------------------------------------------------------------------


def assets(count: int, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield name, with its ending, and content of broken assets, each kind as often."""
    kinds: dict[str, Callable[[], bytes]] = {
        ".fbx": small_fbx, ".glb": small_glb, ".obj": small_obj, ".wav": small_wav,
        ".png": small_png, ".gltf": small_gltf,
    }  # fmt: skip
    plain = (b"", b"\0" * 4096, b"\xff" * 4096, b"hello\n", b"{}", b"[" * 100_000)
    for number in range(count):
        suffix, make = list(kinds.items())[number % len(kinds)]
        turn = number // len(kinds)
        sound = make()
        if turn < len(plain):
            content = plain[turn]
        elif turn == len(plain):
            content = list(kinds.values())[(number + 1) % len(kinds)]()  # another kind's content
        elif turn == len(plain) + 1:
            content = sound * 40
        else:
            content = corrupted(sound, rng)
        yield f"asset_{number:03}{suffix}", content


def small_obj() -> bytes:
    """Return a square of two triangles."""
    return b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf 1 3 4\n"


def small_glb() -> bytes:
    """Return the shipped figure: joints, clips, pictures."""
    return (SHIPPED_ROOT / "assets" / "models" / "figure.glb").read_bytes()


def small_gltf() -> bytes:
    """Return a triangle whose buffer stands in the file."""
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": [0, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                       "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,"
                     "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
    }).encode()  # fmt: skip


def small_fbx() -> bytes:
    """Return a triangle in a binary FBX file of version 7400."""
    points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    corners = [0, 1, -3]
    content = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 7400)
    inner: list[_Fbx] = [
        ("Vertices", [b"d" + struct.pack("<III", 9, 0, 72) + struct.pack("<9d", *points)], []),
        ("PolygonVertexIndex",
         [b"i" + struct.pack("<III", 3, 0, 12) + struct.pack("<3i", *corners)], []),
    ]  # fmt: skip
    tree: list[_Fbx] = [
        ("FBXHeaderExtension", [], [("FBXVersion", [b"I" + struct.pack("<i", 7400)], [])]),
        ("Objects", [], [
            ("Geometry", [_long(1), _text("a\0\x01Geometry"), _text("Mesh")], inner),
            ("Model", [_long(2), _text("b\0\x01Model"), _text("Mesh")], []),
        ]),
        ("Connections", [], [("C", [_text("OO"), _long(1), _long(2)], []),
                             ("C", [_text("OO"), _long(2), _long(0)], [])]),
    ]  # fmt: skip
    for node in tree:
        content += _written(node, len(content))
    return content + b"\0" * 13


_Fbx = tuple[str, list[bytes], list["_Fbx"]]


def _long(value: int) -> bytes:
    return b"L" + struct.pack("<q", value)


def _text(value: str) -> bytes:
    data = value.encode()
    return b"S" + struct.pack("<I", len(data)) + data


def _written(node: _Fbx, at: int) -> bytes:
    """Return a node of an FBX file that begins at a place of the file."""
    name, values, children = node
    head = 13 + len(name)
    body = b"".join(values)
    for child in children:
        body += _written(child, at + head + len(body))
    if children:
        body += b"\0" * 13
    sizes = struct.pack("<III", at + head + len(body), len(values), sum(map(len, values)))
    return sizes + bytes([len(name)]) + name.encode() + body


def small_wav() -> bytes:
    """Return a tenth of a second."""
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\1\2" * 800)
    return stream.getvalue()


def small_png() -> bytes:
    """Return a picture of 16 by 16."""

    def chunk(name: bytes, data: bytes) -> bytes:
        code = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + code

    rows = b"".join(b"\0" + bytes([row * 16, 99, 200]) * 16 for row in range(16))
    head = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))  # fmt: skip
