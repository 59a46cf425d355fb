"""Models that a project declares: added by new files alone, met, drawn and offered like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from sim.app.app import App
from sim.core.project.run_options import RunOptions
from sim.core.scene.look_check import look_faults
from sim.testing import Pilot

HUT = """
from sim import Mesh, ModelKey, ModelKind, ModelLook, ModelPart
RED = ModelLook((0.9, 0.1, 0.1))
def walls(width):
    return Mesh.box(width, width, width, top=width)
def roof(width):
    cone = Mesh.lathe([(width, 0.0), (0.0, width)], 4)
    return [ModelPart(cone, RED, position=(0.0, 0.0, width), rotation=(45.0, 0.0, 0.0))]
HUT = ModelKind(walls, {"width": ModelKey.length(2.0)}, shape="box", look=ModelLook((0.1, 0.9, 0.1)),
                parts=roof, shadow=3.0, starts={"width": 2.0})
print("a model's module ran")
"""
BROKEN = "raise RuntimeError('no wood')"


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A scene of a project that declares two models, one of them broken."""
    files = {
        "goishi.toml": '[models]\nhut = "scripts.hut:HUT"\nshed = "scripts.shed:SHED"\n'
                       'fort = "scripts.hut:RED"\n',
        "scripts/hut.py": HUT,
        "scripts/shed.py": BROKEN,
    }  # fmt: skip
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    names = ("hut", "shed", "fort", "goban", "box")
    objects = {
        f"obj_{name}": {"name": name, "model": {"builtin": name}, "position": [9.0 * number, 0, 0]}
        for number, name in enumerate(names)
    }
    path = tmp_path / "scenes" / "a.scene.json"
    path.parent.mkdir()
    data = {"format": "goishi.scene/1", "id": "scn_one", "objects": objects}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_declared_model_is_met_and_offered(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Pilot(scene=scene, graphics=False) as pilot:
        world = pilot.app.scene
        assert "ran" not in capsys.readouterr().out, "it is imported when somebody asks for it"
        hit = world.ray_cast((0, 0, 9), (0, 0, -1))
        assert (hit.object.name, hit.distance) == ("hut", pytest.approx(7.0))
        assert capsys.readouterr().out.count("ran") == 1
        assert world.models.starting()["hut"] == {"builtin": "hut", "width": 2.0}
        assert look_faults({"builtin": "hut", "width": 3}, {}, world.models) == []
        assert len(look_faults({"builtin": "hut", "height": 3}, {}, world.models)) == 1


def test_a_declared_sound_is_played_by_its_name(scene: Path) -> None:
    root = scene.parents[1]
    (root / "scripts" / "drum.py").write_text(
        "import numpy as np\nfrom sim import SoundKind\n"
        "DRUM = SoundKind(lambda seed: np.sin(np.arange(4410) * 0.01) * 0.5, variants=2)\n"
        "print('a drum')\n", encoding="utf-8",
    )  # fmt: skip
    (root / "goishi.toml").write_text('[sounds]\ndrum = "scripts.drum:DRUM"\n', encoding="utf-8")
    with Pilot(scene=scene, graphics=False) as pilot:
        sound = pilot.app.run_context.sound
        sound.play("drum")
        sound.play("stone")
        assert sound.bank.names == ("stone", "tap", "win", "lose", "drum")
        assert len(sound.bank.samples("drum", 1)) == 4410
        pilot.app.scene.find("box").add("sim:Sound", clip="drum")
        pilot.step()
        assert pilot.component("Sound").duration == pytest.approx(0.1)
        with pytest.raises(ValueError, match="expected one of stone, tap, win, lose, drum, found"):
            sound.play("horn")


def test_the_example_of_the_page_is_a_model(scene: Path) -> None:
    page = (SHIPPED_ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    section = page.partition("## Models of your own")[2]
    manifest, code = (section.partition(f"```{kind}\n")[2].partition("```")[0]
                      for kind in ("toml", "python"))  # fmt: skip
    (scene.parents[1] / "goishi.toml").write_text(manifest, encoding="utf-8")
    (scene.parents[1] / "scripts" / "hut.py").write_text(code, encoding="utf-8")
    with Pilot(scene=scene, graphics=False) as pilot:
        world = pilot.app.scene
        assert world.space.solid(world.find("hut")).kind == "box"
        assert len(world.models.kind("hut").parts_of({"width": 3})) == 1


def test_a_model_that_cannot_be_had_is_one_console_line_and_a_box(scene: Path) -> None:
    with Pilot(scene=scene, graphics=False) as pilot:
        world = pilot.app.scene
        for _ in range(3):
            assert world.space.solid(world.find("shed")).half == pytest.approx([0.3] * 3)
        texts = [item.text for item in pilot.app.console.records if item.level == "error"]
        fort, shed = sorted(texts)
        assert fort.startswith("model fort: ScriptLoadError: expected a ModelKind RED in ")
        assert shed == "model shed: RuntimeError: no wood"


def test_in_a_safe_start_only_what_ships_is_made(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Pilot(scene=scene, graphics=False, safe=True) as pilot:
        world = pilot.app.scene
        assert world.space.solid(world.find("hut")).half == pytest.approx([0.3] * 3)
        assert world.space.solid(world.find("goban")).half[0] == pytest.approx(7.95)
        assert "ran" not in capsys.readouterr().out


def test_a_declared_model_is_drawn_with_its_parts(scene: Path) -> None:
    app = App(RunOptions(scene=scene, headless=True, seconds=60.0, window=(320, 200), panels=False))
    try:
        for _ in range(3):
            app.frame()
        picture = app.scene.camera.image(320, 200)
        assert picture.shape == (200, 320, 3)
        green = (picture[..., 1].astype(int) - picture[..., 0] > 40).sum()
        red = (picture[..., 0].astype(int) - picture[..., 1] > 40).sum()
        assert green > 20
        assert red > 20
    finally:
        app.close()
