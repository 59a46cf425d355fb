"""A picture that cannot be read costs the model its picture only, and the warning says why."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from base.contents import LFS_POINTER, WEB_PAGE
from sim.render.materials.textures import read_picture
from tests.sim.render.importing.fbx_files import write
from tests.sim.render.importing.fbx_rigs import Bone, Rig, Shell
from tests.sim.render.importing.gltf_files import glb_of
from tests.sim.render.importing.model_files import Model, imported
from tests.sim.render.importing.test_panda_files import TRIANGLE

COLORS = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3) * 3  # red, green, blue
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
UNREADABLE: dict[str, tuple[bytes, str]] = {
    "broken.dds": (b"DDS |\0\0\0" + bytes(120), "a DDS picture that is damaged or of a rare kind"),
    "broken.psd": (b"8BPS\0\1" + bytes(20), "a PSD picture (Photoshop) that is damaged"),
    "a.svg": (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "an SVG"),
    "a.ktx2": (b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(80), "a KTX2 picture"),
    "pointer.png": (POINTER, LFS_POINTER),
    "page.png": (b"\n<!DOCTYPE html><html>404</html>", WEB_PAGE),
    "page.tga": (b"<html><body>404</body></html>", WEB_PAGE),
    "empty.tga": (b"", "an empty file"),
    "zeros.png": (bytes(500), "a file of zeros only"),
    "cut.tga": (b"\0\0\2" + bytes(9) + b"\x40\0\x40\0\x18\0" + b"abc", ""),
    "cut.bmp": (b"BM" + bytes(20), ""),
    "noise.pcx": (b"\n\5\1\x08" + bytes(range(200)), ""),
    "noise.rgb": (b"\x01\xda\1\1" + bytes(range(200)), ""),
}
OBJ = "mtllib {0}.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"


def picture_files() -> dict[str, bytes]:
    """Return sound pictures of kinds that OpenCV does not know, by name."""
    found = {}
    for suffix in ("dds", "tga", "pcx", "rgb"):
        stream = io.BytesIO()
        Image.fromarray(COLORS).save(stream, {"rgb": "SGI"}.get(suffix, suffix.upper()))
        found[f"sound.{suffix}"] = stream.getvalue()
    head = b"8BPS\0\1" + bytes(6) + b"\0\3\0\0\0\4\0\0\0\6\0\x08\0\3" + bytes(12) + b"\0\0"
    found["sound.psd"] = head + COLORS.transpose(2, 0, 1).tobytes()
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with all pictures."""
    folder = tmp_path_factory.mktemp("pictures")
    for name, content in (*((key, item[0]) for key, item in UNREADABLE.items()),
                          *picture_files().items()):  # fmt: skip
        (folder / name).write_bytes(content)
    (folder / "folder.png").mkdir()
    (folder / "far").mkdir()
    (folder / "far" / "far.tga").write_bytes(b"<html>")
    (folder / "link").symlink_to(folder / "far")
    return folder


Results = dict[str, tuple[dict[str, Any], Path]]


@pytest.fixture(scope="module")
def results(folder: Path) -> Results:
    """Report and folder of a model of each kind for each picture; all are read in one process."""
    pictures = [*UNREADABLE, *picture_files(), "folder.png", "gone.png"]
    models: dict[str, bytes] = {}
    for name in pictures:
        models[f"{name}.obj"] = OBJ.format(name).encode()
        (folder / f"{name}.mtl").write_text(f"newmtl m\nmap_Kd {name}\n")
        models[f"{name}.egg"] = TRIANGLE.format(picture=name).encode()
        models[f"{name}.glb"] = glb(name)
    models["link.egg"] = TRIANGLE.format(picture="link/far.tga").encode()
    for name in ("page.tga", "cut.tga", "sound.dds"):
        content = (folder / name).read_bytes()
        models[f"{name}.fbx"] = write(rig(content, f"inside {name}"), 7400, binary=True)
    for name, content in models.items():
        (folder / name).write_bytes(content)
    found = imported([folder / name for name in models], folder / "made")
    return dict(zip(models, found, strict=True))


def rig(picture: bytes, name: str) -> Rig:
    """Return a triangle whose picture lies in the file."""
    corners = [(0, 0, 0), (100, 0, 0), (0, 100, 0)]
    shell = Shell("Body", corners, [[0, 1, 2]], picture=picture, picture_name=name)
    return Rig([Bone("Body", kind="Mesh")], [shell], {})


def glb(name: str) -> bytes:
    """Return a triangle whose picture lies beside it."""
    from tests.sim.render.importing.gltf_files import Buffer

    buffer = Buffer()
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], float)
    attributes = {"POSITION": buffer.add(corners, "VEC3")}
    texture = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    return glb_of(
        {
            "asset": {"version": "2.0"},
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": attributes, "material": 0}]}],
            "materials": [texture],
            "images": [{"uri": name}],
            "textures": [{"source": 0}],
        },
        buffer,
    )


@pytest.mark.parametrize("name", UNREADABLE)
def test_one_unreadable_picture_leaves_the_model_and_is_named(results: Results, name: str) -> None:
    for kind in ("obj", "egg", "glb"):
        report, made = results[f"{name}.{kind}"]
        (line,) = report["warnings"]
        start = f"expected a picture, found {name}, which is " + UNREADABLE[name][1]
        assert line.startswith(start.removesuffix(", which is ")), (kind, line)
        assert line.endswith(": left out")
        assert len(Model(made).points()) == 3
        assert [part["size"] for part in Model(made).parts()] == [None]


@pytest.mark.parametrize("name", picture_files())
def test_pictures_of_rare_kinds_are_read(results: Results, name: str, folder: Path) -> None:
    for kind in ("obj", "egg", "glb"):
        report, made = results[f"{name}.{kind}"]
        assert report["warnings"] == [], kind
        assert [part["size"] for part in Model(made).parts()] == [(6, 4)]
    found = read_picture(folder / name, name)
    gap = np.abs(found[..., ::-1].astype(int) - COLORS).max()
    assert gap <= 3, "an object's own texture, too"


def test_a_folder_and_a_missing_file_are_told_as_such(results: Results) -> None:
    for kind in ("obj", "egg", "glb"):
        missing = "expected files beside it that it names, not found: gone.png"
        assert results[f"gone.png.{kind}"][0]["warnings"] == [missing]
    line = "expected a picture, found folder.png, which is a folder: left out"
    assert results["folder.png.obj"][0]["warnings"] == [line]
    assert "folder.png" in results["folder.png.egg"][0]["warnings"][0]
    assert len(Model(results["folder.png.glb"][1]).points()) == 3


def test_a_picture_inside_of_an_fbx_that_is_broken_is_named(results: Results) -> None:
    for name in ("page.tga", "cut.tga"):
        report, made = results[f"{name}.fbx"]
        assert len(Model(made).points()) == 3
        (line,) = report["warnings"]
        assert line.startswith(f"expected a picture, found inside {name}")
    report, made = results["sound.dds.fbx"]
    assert report["warnings"] == []
    assert Model(made).parts()[0]["size"] == (6, 4)


def test_a_picture_behind_a_link_never_reaches_panda(results: Results) -> None:
    report, made = results["link.egg"]
    assert report["warnings"] == [
        f"expected a picture, found far.tga, which is {WEB_PAGE}: left out"
    ]
    assert len(Model(made).points()) == 3


def test_the_picture_of_an_egg_is_that_of_its_file(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((2, 2, 4), (10, 20, 30, 100), np.uint8))
    (tmp_path / "a.egg").write_text(TRIANGLE.format(picture="a.png"))
    ((report, made),) = imported([tmp_path / "a.egg"], tmp_path / "made")
    assert report["warnings"] == []
    assert list(report["beside"]) == ["a.png"], "and is read again when that is saved"
    assert bytes([10, 20, 30, 100]) in (made / "model.bam").read_bytes()
    assert Model(made).parts()[0]["is_cut"]


@pytest.mark.parametrize(
    ("content", "said"), [(POINTER, LFS_POINTER), (b"", "an empty file"), (b"<html>", WEB_PAGE)]
)
def test_a_model_that_is_a_pointer_is_told_as_such(
    tmp_path: Path, content: bytes, said: str
) -> None:
    names = ("fbx", "glb", "gltf", "obj", "stl", "ply", "dae", "egg", "bam")
    for name in names:
        (tmp_path / f"a.{name}").write_bytes(content)
    found = imported([tmp_path / f"a.{name}" for name in names], tmp_path / "made")
    for name, (report, _) in zip(names, found, strict=True):
        assert report == {"error": f"expected a model, found {said}"}, name
