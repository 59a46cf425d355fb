from __future__ import annotations

import json
import struct
import subprocess
import sys
import zlib

import cv2
import numpy as np
import pytest

from sim.core.canvas.picture_limit import MOST_PIXELS
from sim.render.materials import textures
from sim.render.materials.textures import picture_of, read_picture, wood
from sim.render.models import models
from sim.testing import Pilot


def scene_of(folder, **entry):
    (folder / "scenes").mkdir()
    path = folder / "scenes" / "a.scene.json"
    camera = {"type": "sim:Camera", "fields": {"target": [0, 0, 0], "fov": 30}}
    objects = {
        "obj_camera": {"name": "Camera", "position": [0, -6, 6], "components": {"cmp_cam": camera}},
        "obj_thing": {"name": "Thing", "model": {"builtin": "plane", "size": 3}, **entry},
    }
    path.write_text(
        json.dumps({"format": "goishi.scene/1", "id": "scn_tex", "objects": objects}),
        encoding="utf-8",
    )
    return path


def middle(pilot):
    app = pilot.app
    app.view.finish()
    app.display.present()
    height, width, _ = app.display.image().shape
    return app.display.image()[height // 2, width // 2].astype(int)


def test_a_picture_is_seen_changes_and_goes(tmp_path):
    blue = np.zeros((8, 8, 3), np.uint8)
    blue[..., 0] = 255
    cv2.imwrite(str(tmp_path / "blue.png"), blue)
    path = scene_of(tmp_path, texture="blue.png")
    with Pilot(scene=path, panels=False, window=(320, 200), quality="low", speed=1.0) as pilot:
        pilot.step(2)
        thing = pilot.app.scene.find("Thing")
        b, _, r = middle(pilot)
        assert b > r + 60
        thing.texture = np.ascontiguousarray(blue[..., ::-1])
        pilot.step(2)
        b, _, r = middle(pilot)
        assert r > b + 60
        thing.texture = None
        pilot.step(2)
        b, _, r = middle(pilot)
        assert abs(r - b) < 60
        thing.texture = "missing.png"
        pilot.step(2)
        lines = [item.text for item in pilot.app.console.records if item.level == "error"]
        assert len(lines) == 1
        assert "Thing" in lines[0]
        assert "missing.png" in lines[0]


def test_a_material_changed_in_place_is_seen(tmp_path):
    path = scene_of(tmp_path, material={"color": [1, 0, 0]})
    with Pilot(scene=path, panels=False, window=(320, 200), quality="low", speed=1.0) as pilot:
        pilot.step(2)
        b, _, r = middle(pilot)
        assert r > b + 60
        pilot.app.scene.find("Thing").material["color"] = [0, 0, 1]
        pilot.step(2)
        b, _, r = middle(pilot)
        assert b > r + 60


def test_a_file_that_is_no_picture_is_named(tmp_path):
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(ValueError, match=r"expected a picture, found a\.png"):
        picture_of("a.png", tmp_path)
    assert picture_of(None, tmp_path) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": {"builtin": "box", "size": "big"}},
        {"model": {"builtin": "plane", "size": [1]}},
        {"model": {"builtin": "goban", "size": None}},
        {"model": {"builtin": "stone", "color": 7}},
        {"material": {"color": "red"}},
        {"material": {"opacity": "thin"}},
    ],
)
def test_a_wrong_look_is_a_console_line_and_no_crash(tmp_path, wrong):
    path = scene_of(tmp_path, **wrong)
    with Pilot(scene=path, panels=False, window=(320, 200), quality="low", speed=1.0) as pilot:
        pilot.step(3)
        lines = [item.text for item in pilot.app.console.records if item.level == "error"]
        assert len(lines) <= 1
        assert all("Thing: model or material: expected" in line for line in lines)


def test_a_picture_with_alpha_lets_through_what_is_below_and_unlit_keeps_its_colours(tmp_path):
    path = scene_of(tmp_path, material={"unlit": True, "layer": 1})
    with Pilot(scene=path, panels=False, window=(320, 200), quality="low", speed=1.0) as pilot:
        thing = pilot.app.scene.find("Thing")
        before = middle(pilot)
        thing.texture = np.tile(np.array([20, 120, 240, 255], np.uint8), (8, 8, 1))
        pilot.step(2)
        assert middle(pilot) == pytest.approx([20, 120, 240], abs=2)
        thing.texture = np.tile(np.array([20, 120, 240, 0], np.uint8), (8, 8, 1))
        pilot.step(2)
        empty = middle(pilot)
        thing.visible = False
        pilot.step(2)
        assert empty == pytest.approx(middle(pilot), abs=2)
        assert before == pytest.approx([203, 203, 203], abs=3), "the default grey, unlit"


@pytest.mark.parametrize(("layers", "seen"), [((1, 2), "upper"), ((2, 1), "lower")])
def test_see_through_layers_are_drawn_in_their_order(tmp_path, layers, seen):
    path = scene_of(tmp_path, material={"unlit": True, "layer": layers[0]})
    with Pilot(scene=path, panels=False, window=(320, 200), quality="low", speed=1.0) as pilot:
        lower = pilot.app.scene.find("Thing")
        lower.texture = np.tile(np.array([255, 0, 0, 255], np.uint8), (8, 8, 1))
        upper = pilot.app.scene.spawn(
            "Upper", model={"builtin": "plane", "size": 3}, position=(0, 0, 0.2),
            material={"unlit": True, "layer": layers[1]},
        )  # fmt: skip
        upper.texture = np.tile(np.array([0, 0, 255, 255], np.uint8), (8, 8, 1))
        pilot.step(2)
        b, _, r = middle(pilot)
        assert (r > b) == (seen == "upper")


def test_a_canvas_is_seen_and_only_what_changed_is_uploaded(tmp_path, monkeypatch):
    filled = []
    upload = textures.fill_texture

    def counted(texture, picture):
        filled.append(picture.shape)
        upload(texture, picture)

    monkeypatch.setattr(models, "fill_texture", counted)
    path = scene_of(tmp_path, material={"unlit": True})
    with Pilot(scene=path, panels=False, window=(320, 200), quality="low", speed=1.0) as pilot:
        thing = pilot.app.scene.find("Thing")
        thing.canvas.resize(64, 32, background=(0.2, 0.4, 0.6))
        pilot.step(3)
        assert middle(pilot) == pytest.approx([153, 102, 51], abs=2)
        assert filled == []
        pilot.step(5)
        assert filled == []
        thing.canvas.rectangle((0, 0, 64, 32), (1, 0, 0))
        thing.canvas.circle((32, 16), 12, (0, 0, 1))
        pilot.step(3)
        assert filled == [(32, 64, 3)], "once a frame, however much was drawn"
        assert middle(pilot) == pytest.approx([255, 0, 0], abs=2)
        thing.canvas.resize(64, 32, background=(1, 0, 0, 0))
        thing.canvas.rectangle((0, 0, 64, 32), (0, 1, 0, 0.5))
        pilot.step(2)
        assert filled == [(32, 64, 3)], "another size or kind is another texture"
        b, g, r = middle(pilot)
        assert g > b + 40
        assert g > r + 40


def test_pixels_reach_the_texture_and_its_smaller_copies(tmp_path):
    rng = np.random.default_rng(3)
    for shape in ((6, 10, 3), (7, 5, 4), (1, 9, 3)):
        picture = rng.integers(0, 256, shape, dtype=np.uint8)
        made = textures.make_texture("x", picture)
        channels = "BGRA"[: shape[2]]
        seen = np.frombuffer(made.get_ram_image_as(channels), np.uint8).reshape(shape)
        assert (seen[::-1] == picture).all()
        level, (height, width) = 0, shape[:2]
        while max(height, width) > 1:
            level, height, width = level + 1, max(1, height // 2), max(1, width // 2)
            assert made.get_ram_mipmap_image(level).get_data().__len__() == height * width * 4
        smallest = np.frombuffer(made.get_ram_mipmap_image(level).get_data(), np.uint8)
        assert smallest[:3] == pytest.approx(picture[..., :3].mean(axis=(0, 1)), abs=40)


def claiming(wide, high):
    """Return a PNG of a few bytes that claims to be so large."""

    def chunk(kind, data):
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", b"x") + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def test_a_picture_that_claims_to_fill_the_memory_is_refused(tmp_path):
    (tmp_path / "a.png").write_bytes(claiming(60_000, 60_000))
    with pytest.raises(ValueError, match=r"expected a picture of at most \d+ pixels, found a\.png"):
        read_picture(tmp_path / "a.png", "a.png")


def test_pictures_of_files_are_limited_before_opencv_is_there():
    code = (
        "import sim.render, os, sys; assert 'cv2' not in sys.modules; "
        "print(os.environ['OPENCV_IO_MAX_IMAGE_PIXELS'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == MOST_PIXELS


def test_a_part_longer_than_the_file_is_refused_before_room_is_made_for_it(tmp_path, monkeypatch):
    """OpenCV takes 15 s and 4 GB for these bytes."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x02\0\0\0\x90\x91\x68\x36"
    (tmp_path / "a.png").write_bytes(head + b"\xff\x7f\0\x52IDATx\x9c")
    asked = []
    monkeypatch.setattr(cv2, "imdecode", lambda *given: asked.append(given))
    with pytest.raises(ValueError, match=r"expected a picture, found a\.png"):
        read_picture(tmp_path / "a.png", "a.png")
    assert asked == []


def test_a_png_that_was_cut_is_read_as_far_as_it_goes(tmp_path):
    rng = np.random.default_rng(0)
    whole = cv2.imencode(".png", rng.integers(0, 255, (200, 200, 3), np.uint8))[1].tobytes()
    (tmp_path / "a.png").write_bytes(whole[: len(whole) // 2])
    try:
        assert read_picture(tmp_path / "a.png", "a.png").shape == (200, 200, 3)
    except ValueError:
        assert cv2.imdecode(np.frombuffer(whole[: len(whole) // 2], np.uint8), 1) is None


def test_the_pores_of_wood_are_drawn_out_along_the_grain():
    pictures = [wood(64, 64, seed).astype(float) for seed in range(1, 5)]
    across = np.mean([np.abs(np.diff(picture, axis=1)).mean() for picture in pictures])
    along = np.mean([np.abs(np.diff(picture, axis=0)).mean() for picture in pictures])
    assert (across, along) == (pytest.approx(4.21, rel=0.02), pytest.approx(0.487, rel=0.02))
