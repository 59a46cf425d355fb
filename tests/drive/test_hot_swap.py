"""Pictures, models and sounds that are saved again while the scene runs."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from sim.core.audio.sound_bank import to_wav
from sim.core.host.reload import CALM_SECONDS
from sim.testing import Pilot
from tests.shipped import shipped_sounds
from tests.sim.render.importing.gltf_files import small_glb

RED, GREEN, BLUE = (0, 0, 255), (0, 255, 0), (255, 0, 0)


def picture(path: Path, color: tuple[int, int, int]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.full((8, 8, 3), color, dtype=np.uint8))
    return path


def glb(color: tuple[float, float, float]) -> bytes:
    """The bent strip in another colour."""
    data = small_glb()
    length = struct.unpack_from("<I", data, 12)[0]
    content = json.loads(data[20 : 20 + length])
    for material in content["materials"]:
        material["pbrMetallicRoughness"] = {"baseColorFactor": [*color, 1.0]}
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest))
    return head + struct.pack("<I4s", len(text), b"JSON") + text + rest


@pytest.fixture
def project(tmp_path):
    (tmp_path / "scenes").mkdir()
    picture(tmp_path / "assets" / "wall.png", RED)
    (tmp_path / "assets" / "strip.glb").write_bytes(glb((1.0, 0.0, 0.0)))
    (tmp_path / "assets" / "horn.wav").write_bytes(to_wav(shipped_sounds().samples("win")))
    eye = {"type": "sim:Camera", "fields": {"target": [0, 0, 0]}}
    cover = {"texture": "assets/wall.png", "model": {"builtin": "box", "size": [3, 1, 3]}}
    objects = {
        "obj_eye": {"name": "CameraPose", "position": [0, -14, 0], "components": {"cmp_eye": eye}},
        "obj_one": {"name": "One", "position": [-3, 0, -2], **cover},
        "obj_two": {"name": "Two", "position": [3, 0, -2], **cover},
        "obj_strip": {"name": "Strip", "position": [0, 0, 2.2], "rotation": [0, 90, 0],
                      "scale": [2, 2, 2], "model": {"asset": "assets/strip.glb"}},
        "obj_horn": {"name": "Horn", "components": {"cmp_horn": {
            "type": "sim:Sound", "fields": {"clip": "assets/horn.wav", "loop": True}}}},
    }  # fmt: skip
    scene = {"format": "goishi.scene/1", "id": "scn_swap", "objects": objects}
    (tmp_path / "scenes" / "a.scene.json").write_text(json.dumps(scene))
    return tmp_path


@pytest.fixture
def pilot(project):
    scene = project / "scenes" / "a.scene.json"
    with Pilot(scene=scene, panels=False, quality="low", speed=1.0, window=(400, 300)) as made:
        made.app.clock.frame_step = 1 / 60
        yield made


def colors(pilot: Pilot, *names: str) -> list[Any]:
    """Which of blue, green, red an object shows most, where its middle is seen."""
    shown = pilot.picture().astype(int)
    found = []
    for name in names:
        x, y = pilot.pixel_of(pilot.app.scene.find(name).transform.world_position)
        found.append(int(shown[round(y) - 2 : round(y) + 3, round(x)].mean(axis=0).argmax()))
    return found


def lines(pilot: Pilot, level: str) -> list[str]:
    return [record.text for record in pilot.app.console.records if record.level == level]


def test_a_picture_that_is_saved_again_is_seen_on_every_object(pilot, project):
    assert colors(pilot, "One", "Two") == [2, 2]
    assert pilot.app.world.asset_reloader.reload(picture(project / "assets" / "wall.png", GREEN))
    assert colors(pilot, "One", "Two") == [1, 1]
    assert lines(pilot, "info")[-1] == "reloaded assets/wall.png"
    assert not pilot.app.world.asset_reloader.reload(
        picture(project / "assets" / "other.png", GREEN)
    )


def test_a_broken_picture_changes_nothing_and_is_told_once(pilot, project):
    wall = project / "assets" / "wall.png"
    pilot.step()
    whole = wall.read_bytes()
    wall.write_bytes(whole[: len(whole) // 2])
    pilot.app.world.asset_reloader.reload(wall)
    assert colors(pilot, "One", "Two") == [2, 2]
    pilot.app.scene.find("One").material = {"roughness": 0.9}  # made anew, with what is kept
    assert colors(pilot, "One", "Two") == [2, 2]
    assert lines(pilot, "error") == [
        "texture: expected a picture, found assets/wall.png, which is a PNG picture that is damaged "
        "or of a rare kind; the one before is kept"
    ]
    pilot.app.world.asset_reloader.reload(picture(wall, BLUE))
    assert colors(pilot, "One", "Two") == [0, 0]
    wall.unlink()
    assert not pilot.app.world.asset_reloader.reload(wall)
    pilot.app.scene.find("One").material = {"roughness": 0.5}
    assert colors(pilot, "One", "Two") == [0, 0]


def strip_there(pilot: Pilot) -> Any:
    animation = pilot.app.scene.find("Strip").animation
    pilot.wait_until(lambda: animation.is_ready)
    return animation


def renewed(pilot: Pilot, count: int) -> None:
    level = "info" if count else "error"
    wanted = [f"reloaded assets/strip.glb: {count} object"] if count else 1
    if count:
        pilot.wait_until(lambda: lines(pilot, level)[-1:] == wanted)
    else:
        pilot.wait_until(lambda: len(lines(pilot, level)) == wanted)


def test_a_model_that_is_saved_again_is_seen_and_its_clip_goes_on(pilot, project):
    strip = project / "assets" / "strip.glb"
    animation = strip_there(pilot)
    clip = animation.clips[0]
    animation.play(clip, loop=True)
    assert colors(pilot, "Strip") == [2]
    pilot.step(12)
    before = animation.time
    pilot.app.clock.pause()
    strip.write_bytes(glb((0.0, 0.0, 1.0)))
    assert pilot.app.world.asset_reloader.reload(strip)
    assert colors(pilot, "Strip") == [2], "until the new one is there"
    renewed(pilot, 1)
    assert colors(pilot, "Strip") == [0]
    assert (animation.clip, animation.time) == (clip, before)
    pilot.app.clock.resume()
    revision = animation.revision
    pilot.step(3)
    assert animation.is_playing
    assert animation.revision > revision


def test_a_broken_model_changes_nothing_and_a_mended_one_is_taken(pilot, project):
    strip = project / "assets" / "strip.glb"
    strip_there(pilot)
    strip.write_bytes(glb((0.0, 0.0, 1.0))[:200])
    pilot.app.world.asset_reloader.reload(strip)
    renewed(pilot, 0)
    assert colors(pilot, "Strip") == [2]
    (error,) = lines(pilot, "error")
    assert error.startswith("Strip: model.asset: assets/strip.glb: expected ")
    assert error.endswith("; the one before is kept")
    strip.write_bytes(glb((0.0, 1.0, 0.0)))
    pilot.app.world.asset_reloader.reload(strip)
    renewed(pilot, 1)
    assert colors(pilot, "Strip") == [1]


def test_a_sound_that_is_saved_again_goes_on_in_its_new_length(pilot, project):
    horn, file = pilot.component("Sound"), project / "assets" / "horn.wav"
    length = horn.duration
    pilot.step(10)
    file.write_bytes(to_wav(np.tile(shipped_sounds().samples("win"), 2)))
    assert pilot.app.world.asset_reloader.reload(file)
    assert horn.duration == pytest.approx(2 * length)
    assert horn.playing
    assert horn.elapsed > 0.1
    file.write_bytes(b"RIFF")
    pilot.app.world.asset_reloader.reload(file)
    assert horn.playing
    assert horn.duration == pytest.approx(2 * length)
    assert lines(pilot, "error") == [
        "assets/horn.wav: expected a sound in a WAV file, found none in assets/horn.wav; "
        "the one before is kept"
    ]


def test_what_is_saved_is_noticed_once_it_is_calm(pilot, project, monkeypatch):
    """As the watcher tells it; the clock of the wall is the test's."""
    wall, reloader = project / "assets" / "wall.png", pilot.app.world.asset_reloader
    now = [100.0]
    monkeypatch.setattr("sim.core.host.reload.time.perf_counter", lambda: now[0])
    pilot.step()
    picture(wall, GREEN)
    reloader._files._saved.put(wall)
    pilot.step()
    wall.write_bytes(wall.read_bytes() + b" ")
    now[0] += CALM_SECONDS * 1.5
    pilot.step()
    assert "reloaded assets/wall.png" not in lines(pilot, "info"), "it was still being written"
    now[0] += CALM_SECONDS * 1.5
    pilot.step(2)
    assert lines(pilot, "info").count("reloaded assets/wall.png") == 1


def test_the_watcher_tells_files_of_its_kinds_and_ends(pilot, project):
    reloader = pilot.app.world.asset_reloader
    reloader.watch()
    found: list[Path] = []

    def is_told() -> bool:
        picture(project / "assets" / "wall.png", GREEN)  # again: the thread may not look yet
        (project / "assets" / "notes.txt").write_text("no asset")
        found.extend(reloader._files.saved())
        return bool(found)

    pilot.wait_until(is_told, frames=400)
    assert {path.name for path in found} == {"wall.png"}
    reloader.close()
    assert not reloader._files._thread.is_alive()
