"""Draw the page of materials: small files that say something, each as it is drawn.

    python -m benchmarks.material_pictures [--out FILE]

Writes docs/images/materials.png. What the specifications imply for each file stands in
docs/models.md, so that one can look whether it is so.
"""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of
from benchmarks.material_samples import (
    Shape,
    ball,
    bowl,
    glb,
    hammered,
    leaf,
    lit_windows,
    noise,
    sheet,
    worn,
    woven,
)
from benchmarks.tutorial_pictures import small_png
from sim.core.geometry.camera_pose import CameraPose
from sim.testing import Pilot

TILE = (288, 240)
FINE = 3  # drawn larger, for smooth edges
CAPTION = 30  # pixels below a tile
COLUMNS = 5
APART = 14.0  # metres from one sample to the next
WIDTH = 1440
HIGH = (0.9, -3.2, 2.4)  # a camera that looks down
PAPER = (250, 249, 247)
GOLD, COPPER, STEEL = [1.0, 0.77, 0.34, 1.0], [0.95, 0.64, 0.54, 1.0], [0.77, 0.78, 0.78, 1.0]
TEXTURED = {"baseColorTexture": {"index": 0}}
MATT = {"metallicFactor": 0.0, "roughnessFactor": 0.9}


@dataclass
class Sample:
    """A file, and how it is looked at.

    Attributes:
        caption: words below its picture.
        content: the file.
        suffix: its suffix.
        eye: place of the camera, relative to the sample, metres.
        target: height of the point that the camera looks at, metres.
        turn: heading of the object, degrees.
        further: headings and places of more objects that show the file.
    """

    caption: str
    content: bytes
    suffix: str = "glb"
    eye: tuple[float, float, float] = (0.9, -3.6, 1.5)
    target: float = 0.5
    turn: float = 0.0
    further: list[tuple[float, tuple[float, float, float]]] = field(default_factory=list)


def metal(color: list[float], roughness: float, **more: Any) -> dict[str, Any]:
    """Return the JSON of a metal."""
    factors = {"baseColorFactor": color, "metallicFactor": 1.0, "roughnessFactor": roughness}
    return {"pbrMetallicRoughness": factors, **more}


def cloth(**more: Any) -> dict[str, Any]:
    """Return the JSON of something matt with a picture of its colour."""
    return {"pbrMetallicRoughness": {**TEXTURED, **MATT}, **more}


def placed(shape: Shape, x: float, y: float, z: float = 0.0, **keys: Any) -> Shape:
    """Return a shape whose node stands at a place, in glTF's axes."""
    shape.node = {"translation": [x, y, z], **keys}
    return shape


def row_of_metals() -> bytes:
    """Return six balls: gold and steel, polished, brushed and rough."""
    shapes: list[Shape] = []
    materials: list[dict[str, Any]] = []
    for row, color in enumerate((GOLD, STEEL)):
        for column, roughness in enumerate((0.05, 0.35, 0.8)):
            number = len(materials)
            shape = ball(0.34, material=number)
            shapes.append(placed(shape, 0.74 * (column - 1), 0.34, 0.75 * (0.5 - row)))
            materials.append(metal(color, roughness))
    return glb(shapes, materials, [])


def glass() -> bytes:
    """Return a ball of glass before a striped cloth."""
    clear = {
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.25, 0.7, 0.75, 0.45],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.05,
        },
        "alphaMode": "BLEND",
    }
    color, normals = woven()
    back = placed(sheet(1.7, 1.2, material=1), 0.0, 0.0, -0.6)
    shapes = [placed(ball(0.5), 0.0, 0.5, 0.0), back]
    return glb(shapes, [clear, cloth(normalTexture={"index": 1})], [color, normals])


def arrow() -> np.ndarray:
    """Return a picture of an arrow to the right with an F, which shows what is mirrored."""
    picture = np.full((256, 256, 3), (70, 150, 235), dtype=np.uint8)
    cv2.arrowedLine(picture, (40, 200), (216, 200), (40, 40, 40), 18, cv2.LINE_AA, tipLength=0.3)
    cv2.putText(
        picture, "F", (70, 150), cv2.FONT_HERSHEY_SIMPLEX, 5.0, (40, 40, 40), 20, cv2.LINE_AA
    )
    return picture


def mirrored() -> bytes:
    """Return a curved sheet and the same again in a node that mirrors it."""
    left = placed(sheet(0.8, 0.9, 0.06), -0.5, 0.05)
    right = placed(sheet(0.8, 0.9, 0.06), 0.5, 0.05, scale=[-1.0, 1.0, 1.0])
    return glb([left, right], [cloth()], [arrow()])


def points() -> bytes:
    """Return a point cloud as PLY: a hill whose colour is its height."""
    rng = np.random.default_rng(2)
    x, y = rng.uniform(-1.0, 1.0, (2, 9000))
    size = 256
    ground = noise(size, 8, 11)
    columns, rows = (((item + 1.0) * 0.5 * (size - 1)).astype(int) for item in (x, y))
    z = 0.55 * ground[rows, columns]
    tone = (ground[rows, columns] * 255).astype(np.uint8)[:, None]
    colors = cv2.applyColorMap(tone, cv2.COLORMAP_VIRIDIS)[:, 0, ::-1]
    head = "ply\nformat ascii 1.0\nelement vertex 9000\n"
    head += "".join(f"property float {axis}\n" for axis in "xyz")
    head += "".join(f"property uchar {name}\n" for name in ("red", "green", "blue"))
    lines = [
        f"{a:.4f} {b:.4f} {c:.4f} {red} {green} {blue}"
        for a, b, c, (red, green, blue) in zip(x, y, z, colors.tolist(), strict=True)
    ]
    return (head + "end_header\n" + "\n".join(lines) + "\n").encode()


def samples() -> list[Sample]:
    """Return the samples in the order of the page."""
    maps = list(worn())
    paint = {**TEXTURED, "metallicRoughnessTexture": {"index": 1}}
    stripes, threads = woven()
    flag = cloth(normalTexture={"index": 1}, doubleSided=True)
    green = cloth(alphaMode="MASK", alphaCutoff=0.5, doubleSided=True)
    wall, windows = lit_windows()
    shining = cloth(emissiveTexture={"index": 1}, emissiveFactor=[1.0, 1.0, 1.0])
    dents = metal(COPPER, 0.25, normalTexture={"index": 0})
    shell = metal(GOLD, 0.3, doubleSided=True)
    leaves = [(40.0, (0.75, 0.3, 0.0)), (-55.0, (-0.7, 0.2, 0.0)), (100.0, (0.2, -0.75, 0.0))]
    balls = [
        (0.0, (x, y, 0.0)) for x in (-0.7, 0.0, 0.7) for y in (-0.6, 0.1) if (x, y) != (0, 0.1)
    ]
    return [
        Sample("1 metal: polished, brushed, rough", row_of_metals(), eye=HIGH, target=0.2),
        Sample("2 normal map", glb([placed(ball(0.5, 4.0), 0, 0.5)], [dents], [hammered()])),
        Sample(
            "3 metal under paint",
            glb([placed(ball(0.5, 2.0), 0, 0.5)], [{"pbrMetallicRoughness": paint}], maps),
        ),
        Sample("4 glass", glass()),
        Sample("5 cloth", glb([sheet(1.3, 1.1, 0.1)], [flag], [stripes, threads]), turn=20.0),
        Sample("6 cut-outs", glb([sheet(0.8, 1.1, 0.06)], [green], [leaf()]), further=leaves),
        Sample("7 emission", glb([sheet(1.2, 1.2)], [shining], [wall, windows]), turn=15.0),
        Sample(
            "8 mirrored, and both sides", mirrored(), eye=(0.4, -3.6, 1.2),
        ),
        Sample(
            "9 instanced shells", glb([placed(bowl(0.32), 0, 0.34)], [shell], []),
            eye=HIGH, target=0.2, further=balls,
        ),
        Sample("10 point cloud", points(), suffix="ply", eye=(0.9, -3.4, 2.0), target=0.3),
    ]  # fmt: skip


def write_project(folder: Path, shown: list[Sample]) -> Path:
    """Write a project whose scene shows the samples beside each other; return the scene's path."""
    for name in ("assets", "scenes"):
        (folder / name).mkdir()
    (folder / "goishi.toml").write_text("", encoding="utf-8")
    objects: dict[str, dict[str, Any]] = {}

    def add(name: str, **keys: Any) -> None:
        objects[f"obj_{len(objects):010d}"] = {
            "name": name, "parent": None, "order": len(objects), **keys,
        }  # fmt: skip

    for number, sample in enumerate(shown):
        file = f"assets/sample{number}.{sample.suffix}"
        (folder / file).write_bytes(sample.content)
        places = [(sample.turn, (0.0, 0.0, 0.0)), *sample.further]
        for turn, (x, y, z) in places:
            place = [APART * number + x, y, z]
            add(f"Sample {number}", position=place, rotation=[turn, 0, 0], model={"asset": file})
        floor = {"builtin": "box", "size": [APART - 1.0, 11.0, 0.1]}
        look = {"color": [0.52, 0.5, 0.47], "roughness": 0.8}
        add("Floor", position=[APART * number, 0, -0.05], model=floor, material=look)
    sun = {"kind": "sun", "shadows": "cast", "intensity": 2.2}
    parts = {"cmp_sun0000001": {"type": "sim:Light", "fields": sun}}
    parts["cmp_sky0000001"] = {"type": "sim:Sky", "fields": {}}
    add("Sun", position=[-4.0, -5.0, 7.0], components=parts)
    document = {"format": "goishi.scene/1", "id": "scn_materials1", "objects": objects}
    path = folder / "scenes" / "materials.scene.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def drawn() -> list[tuple[str, Any]]:
    """Draw the samples; return the caption and the picture `[h, w, 3]` BGR of each."""
    shown, found = samples(), []
    with tempfile.TemporaryDirectory() as folder:
        scene = write_project(Path(folder), shown)
        with Pilot(scene=scene, panels=False, window=(320, 240), quality="high") as pilot:
            app: Any = pilot.app
            app.world.assets.poll(60.0)
            for _ in range(30):
                pilot.step()
                time.sleep(0.01)
            size = (TILE[0] * FINE, TILE[1] * FINE)
            for number, sample in enumerate(shown):
                x = APART * number
                eye = (sample.eye[0] + x, *sample.eye[1:])
                pose = CameraPose.looking_at(eye, (x, 0.0, sample.target), 32.0)
                picture = app.view.image(pose, size, overlays=False)[..., ::-1]
                small = cv2.resize(picture, TILE, interpolation=cv2.INTER_AREA)
                found.append((sample.caption, small))
    return found


def page_of(pictures: list[tuple[str, Any]]) -> Any:
    """Return the pictures with their captions on one page."""
    rows = -(-len(pictures) // COLUMNS)
    wide, high = TILE
    page = np.full((rows * (high + CAPTION), COLUMNS * wide, 3), PAPER, dtype=np.uint8)
    font = cv2.FontFace("sans")
    for number, (caption, picture) in enumerate(pictures):
        top, left = number // COLUMNS * (high + CAPTION), number % COLUMNS * wide
        page[top : top + high - 4, left + 2 : left + wide - 2] = picture[4:, 2:-2]
        cv2.putText(page, caption, (left + 8, top + high + 17), (40, 40, 40), font, 16)
    return page


def main() -> None:
    """Draw the page."""
    parser = parser_of(__doc__)
    usual = SHIPPED_ROOT / "docs" / "images" / "materials.png"
    parser.add_argument("--out", type=Path, default=usual, metavar="FILE")
    out = parser.parse_args().out
    out.write_bytes(small_png(page_of(drawn()), WIDTH))
    print(out)


if __name__ == "__main__":
    main()
