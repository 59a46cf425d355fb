"""Hostile scenes and assets, made by hand and by seeded changes of sound ones."""

from __future__ import annotations

import base64
import copy
import io
import json
import random
import struct
import wave
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from base.files import SHIPPED_ROOT

Value = object
Json = dict[str, object]

FILES: Final = Path(__file__).parent
STRANGE: Final[tuple[Value, ...]] = (
    None, True, False, 0, -1, 1e-300, 1e9, -1e9, 1e300, 10**400, 2**63, -(2**31), 0.5, float("nan"),
    float("inf"), "", " ", "red", "\u0000", "\ud800", "é" * 300, "x" * 100_000, "../../etc/passwd",
    "/etc/passwd", "__import__('os').system('true')", "sim:Camera", "scripts.nowhere:No", [], {},
    [[]], [None], [1, 2], [1, 2, 3, 4], [1e308] * 3, ["a"] * 1000, {"$ref": "obj_nobody"},
    {"$ref": 3}, {"$asset": "../x"}, {"builtin": "nothing"}, {"asset": "assets/gone.glb"}, {"": ""},
)  # fmt: skip


def sound_scene() -> Json:
    """Return a scene with each model and each component of the engine, all valid."""
    return dict(json.loads((FILES / "corpus_sound_scene.json").read_text(encoding="utf-8")))


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
    yield from texts_by_hand(text, text.encode()).items()
    parts: Json = json.loads((FILES / "corpus_hostile_scenes.json").read_text(encoding="utf-8"))
    ids = [f"obj_{number:06}" for number in range(5000)]
    parents = zip(ids, [None, *ids], strict=False)
    turned = zip(ids[:900], [*ids[1:900], ids[0]], strict=True)
    usual: Json = {"settings": {}}
    letters = {"builtin": "text", "text": "ﷺ" * 20_000}
    huge = {"text": "Hi", "size": 1e300}
    million = {"name": "a", "unknown": [0.5] * 1_000_000}
    parts |= {
        "long_id": {"id": "scn_" + "a" * 10_000},
        "chain": {"objects": {key: {"name": "a", "parent": up} for key, up in parents}, **usual},
        "ring": {"objects": {key: {"name": "a", "parent": up} for key, up in turned}, **usual},
        "million": {"objects": {"obj_one": million}},
        "million_top": {"extra": [[1, 2]] * 500_000},
        "letters": {"objects": {"obj_one": {"name": "One", "model": letters}}},
        "huge_letters": {"objects": {"obj_one": {"name": "One", "model": {**letters, **huge}}}},
    }
    for name, part in parts.items():
        yield name, json.dumps({**base, **part}).encode()  # type: ignore[dict-item]


def texts_by_hand(text: str, content: bytes) -> dict[str, bytes]:
    """Return files that are no scenes, some of them made of a sound one, by name."""
    return {
        "empty": b"", "space": b"  \n", "null": b"null", "number": b"3", "list": b"[]",
        "text": b'"scene"', "open": b"{", "zeros": b"\0" * 5000, "ones": b"\xff" * 5000,
        "utf16": text.encode("utf-16"), "bom": b"\xef\xbb\xbf" + content, "cut": content[:900],
        "latin": text.replace("Model", "Modèl").encode("latin-1"), "twice": content * 2,
        "comment": b"// x\n" + content, "png": small_png(), "deep_list": b"[" * 100_000,
        "deep_map": b'{"a":' * 50_000, "deep_closed": b"[" * 5000 + b"]" * 5000,
        "digits": b'{"format": ' + b"9" * 20_000 + b"}", "nan": content.replace(b"0.4", b"NaN", 1),
        "infinite": content.replace(b"40", b"Infinity", 1),
        "huge_float": content.replace(b"40", b"1e999", 1),
        "double": content.replace(b'"seed"', b'"seed": 1, "seed"'),
        "pickle": b"\x80\x04\x95\x1d\x00\x00\x00cos\nsystem\n", "zip": b"PK\x03\x04" + b"\0" * 99,
    }  # fmt: skip


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
    makers = (
        small_fbx, small_glb, small_obj, small_wav, small_png, small_gltf, small_egg, small_ply,
        small_stl, small_dae,
    )  # fmt: skip
    kinds = {f".{make.__name__.removeprefix('small_')}": make for make in makers}
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
        elif turn == len(plain) + 2 and suffix == ".egg":
            content = sound.replace(b"beside.png", b"/dev/zero") + OUTSIDE
        elif suffix == ".gltf" and turn % 2:
            content = pictured(PICTURES[turn // 2 % len(PICTURES)], rng)
        else:
            content = corrupted(sound, rng)
        yield f"asset_{number:03}{suffix}", content


OUTSIDE: Final = b'<Group> a { <File> { "../../../x.egg" } <File> { /dev/zero.egg } }\n'
"""Lines of an egg file that name models outside of the project."""


def small_egg() -> bytes:
    """Return a triangle with a picture that lies beside it."""
    return (
        b'<CoordinateSystem> { Z-Up }\n<Texture> seen { "beside.png" }\n<VertexPool> p {\n'
        b"<Vertex> 0 { 0 0 0 <UV> { 0 0 } } <Vertex> 1 { 1 0 0 <UV> { 1 0 } }\n"
        b"<Vertex> 2 { 0 1 0 <UV> { 0 1 } } }\n"
        b"<Polygon> { <TRef> { seen } <VertexRef> { 0 1 2 <Ref> { p } } }\n"
    )


PICTURES: Final = (
    b"", b"<!DOCTYPE html><html>404</html>", b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", b"\xabKTX 20\xbb\r\n",
    b"\0\0\2" + bytes(9) + b"\4\0\4\0\x18\0" + b"abc" * 16,  # TGA
    b"\0\0\x0a" + bytes(9) + b"\4\0\4\0\x18\0" + b"\x83abc" * 4,  # packed
    b"8BPS\0\1" + bytes(6) + b"\0\3\0\0\0\2\0\0\0\2\0\x08\0\3" + bytes(14) + b"abc" * 4,
    b"DDS " + struct.pack("<7I44x8I5I", 124, 0x1007, 2, 2, 8, 0, 0, 32, 0x41, 0, 32, 0xFF0000,
                          0xFF00, 0xFF, 0xFF000000, 0x1000, 0, 0, 0, 0) + b"abcd" * 4,
    b"\n\5\1\x08" + bytes(range(200)), b"\x01\xda\1\1\0\3" + bytes(range(200)),
)  # fmt: skip
"""Pictures of rare kinds, and what is none: each lies in a model in turn."""


def pictured(picture: bytes, rng: random.Random) -> bytes:
    """Return a triangle whose file holds a picture, with some of its bytes changed."""
    model = json.loads(small_gltf())
    content = corrupted(picture, rng) if picture and rng.random() < 0.7 else picture
    text = base64.b64encode(content).decode()
    model["images"] = [{"uri": f"data:image/png;base64,{text}"}]
    model["textures"] = [{"source": 0}]
    model["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    model["meshes"][0]["primitives"][0]["material"] = 0
    return json.dumps(model).encode()


def small_ply() -> bytes:
    """Return a square and a triangle with colours, binary, and a picture beside it."""
    head = (
        b"ply\nformat binary_little_endian 1.0\ncomment TextureFile beside.png\nelement vertex 5\n"
        b"property float x\nproperty float y\nproperty float z\nelement face 2\n"
        b"property list uchar int vertex_indices\nproperty uchar red\nproperty uchar green\n"
        b"property uchar blue\nend_header\n"
    )
    points = struct.pack("<15f", 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 2, 0)
    return head + points + struct.pack("<B4i3BB3i3B", 4, 0, 1, 2, 3, 9, 9, 9, 3, 3, 2, 4, 1, 2, 3)


def small_stl() -> bytes:
    """Return a binary triangle with a colour."""
    return bytes(80) + struct.pack("<I12fH", 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0x801F)


def small_dae() -> bytes:
    """Return a triangle whose node a clip moves."""
    return (FILES / "corpus_moved.dae").read_bytes()


GAMES: Final = {
    "foul.sgf": "(;GM[4]FF[4]SZ[15]RU[renju];B[hh];W[ao];B[ih];W[an];B[jh];W[am];B[lh];W[al];B[mh];"
    "W[aj];B[kh])",
    "rules.sgf": "(;GM[4]SZ[15]RU[RIF];B[hh];W[ii])(;GM[4]SZ[15]RU[4];B[hh];W[ii])",
    "turns.sgf": "(;GM[4]SZ[9]RU[renju]AB[aa][bb][cc]AW[dd];B[ee];W[];B[tt];B[ff](;W[gg])(;B[gg]))",
    "ends.sgf": "words (;SZ[15]RE[Mei];B[hh];W[ii]\n(;GM[4]SZ[20];B[tt])(;GM[1];B[aa]) more words",
    "names.sgf": "(;GM[4]PB[山田ソ]PW[中村];B[hh];W[ii];B[hi])",
    "end.psq": "Piskvorky 20x20\n11,10\n12,11,4821\n9,10\nFIRST.zip\n",
    "whole.psq": "Piskvorky 15x15, 11:11, 1\n8,8,0\n9,9,12\na\nb\n-1\n2,Renju\n",
    "list.txt": "h13h11j13k12\nh8 i9 h13\n",
    "swap2.txt": "1. h8 g7 2. e11 white 3. - i7 4. h6 h7 0-1\n",
}
"""Games as other programs write them: each way that is guessed, and sound ones."""
ENCODINGS: Final = ("utf-8", "shift_jis", "gb18030", "utf-16", "euc_jp")


def games(count: int, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of game files: each one in each encoding, then broken ones."""
    for number in range(count):
        name, text = list(GAMES.items())[number % len(GAMES)]
        turn = number // len(GAMES)
        content = text.encode(ENCODINGS[turn % len(ENCODINGS)])
        if turn >= len(ENCODINGS):
            content = corrupted(content, rng)
        yield f"game_{number:03}_{name}", content


def small_obj() -> bytes:
    """Return a square of two triangles."""
    return b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf 1 3 4\n"


def small_glb() -> bytes:
    """Return the shipped figure: joints, clips, pictures."""
    return (SHIPPED_ROOT / "assets" / "models" / "figure.glb").read_bytes()


def small_gltf() -> bytes:
    """Return a triangle whose buffer stands in the file."""
    return (FILES / "corpus_triangle.gltf").read_bytes()


def small_fbx() -> bytes:
    """Return a triangle in a binary FBX file of version 7400."""
    points = struct.pack("<9d", 0, 0, 0, 1, 0, 0, 0, 1, 0)
    corners = struct.pack("<3i", 0, 1, -3)
    content = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 7400)
    version: _Fbx = ("FBXVersion", [b"I" + struct.pack("<i", 7400)], [])
    vertices: _Fbx = ("Vertices", [b"d" + struct.pack("<III", 9, 0, 72) + points], [])
    polygon: _Fbx = ("PolygonVertexIndex", [b"i" + struct.pack("<III", 3, 0, 12) + corners], [])
    mesh = [_long(1), _text("a\0\x01Geometry"), _text("Mesh")]
    model: _Fbx = ("Model", [_long(2), _text("b\0\x01Model"), _text("Mesh")], [])
    links: list[_Fbx] = [
        ("C", [_text("OO"), _long(child), _long(parent)], []) for child, parent in ((1, 2), (2, 0))
    ]
    tree: list[_Fbx] = [
        ("FBXHeaderExtension", [], [version]),
        ("Objects", [], [("Geometry", mesh, [vertices, polygon]), model]),
        ("Connections", [], links),
    ]
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
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data
