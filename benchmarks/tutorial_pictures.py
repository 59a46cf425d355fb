"""Builds the world of docs/tutorial.md step by step, and draws its pictures.

    python -m benchmarks.tutorial_pictures [STEP …]

Writes docs/images/tutorial/NN.png; without numbers, one for each step. The code of every step is
taken from the page itself.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from sim.commands.new import new_project
from sim.core.input_actions import InputEvent
from sim.core.run_options import SHIPPED_ROOT
from sim.testing import Pilot

PAGE = SHIPPED_ROOT / "docs" / "tutorial.md"
SCENE = "scenes/main.scene.json"
PLAIN, PANELS = (1120, 630), (1180, 700)
WIDTH = 640
MOST_BYTES = 118_000


@dataclass(frozen=True)
class Edit:
    """One block of code: a whole file, objects of a scene, or the place of other words."""

    path: str
    code: str
    is_objects: bool = False
    instead_of: str = ""

    def apply(self, project: Path) -> Path:
        """Make the edit in a project and return the file.

        Raises:
            ValueError: the words that it takes the place of do not stand there once.
        """
        path = project / self.path
        text = self.code
        if self.is_objects:
            scene = json.loads(path.read_text(encoding="utf-8"))
            scene["objects"].update(json.loads("{" + self.code + "}"))
            text = json.dumps(scene, indent=2)
        elif self.instead_of:
            known = path.read_text(encoding="utf-8")
            if known.count(self.instead_of) != 1:
                raise ValueError(f"{path}: expected {self.instead_of!r} once, found {known!r}")
            text = known.replace(self.instead_of, self.code.strip())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


@dataclass
class Step:
    """One step of the page.

    Attributes:
        commands: what is typed in a shell.
    """

    number: int
    title: str
    edits: list[Edit] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)

    def build(self, project: Path) -> None:
        """Do in a project what the step says."""
        if self.number == 1:
            new_project(project)
        for edit in self.edits:
            edit.apply(project)


def read_steps(page: Path = PAGE) -> list[Step]:
    """Return the steps of the page, in their order.

    Raises:
        ValueError: a block of code has no line before it that says where it belongs.
    """
    steps = []
    for part in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        if not (numbered := re.match(r"(\d+)\. (.+)", heading)):
            continue
        step = Step(int(numbered[1]), numbered[2])
        step.commands = "".join(re.findall(r"```sh\n(.+?)```", body, re.DOTALL)).splitlines()
        last = ""
        for match in re.finditer(r"([^\n]+(?:\n[^\n]+)*)\n\n```(\w+)\n(.+?)```", body, re.DOTALL):
            before, language, code = match[1].replace("\n", " "), match[2], match[3]
            if language == "sh":
                continue
            edit = _edit_of(before, code, last)
            last = edit.path
            step.edits.append(edit)
        steps.append(step)
    return steps


def _edit_of(before: str, code: str, last: str) -> Edit:
    named = re.findall(r"`((?:scenes|scripts)/[\w/.]+)`", before)
    instead = re.search(r"instead of `([^`]+)`:$", before)
    path = named[-1] if named else last if instead else ""
    if not path or not before.endswith(":"):
        raise ValueError(f"tutorial: expected a line that names the file, found {before!r}")
    is_objects = "below `objects`" in before.lower()
    return Edit(path, code, is_objects=is_objects, instead_of=instead[1] if instead else "")


def open_world(
    project: Path, scene: str = SCENE, *, frame_step: float | None = 1 / 30, **options: Any
) -> Pilot:
    """Return a driver of a scene of the project, with so many seconds of scene time a frame."""
    options = {"speed": 1.0, "panels": False, "window": PLAIN, "quality": "medium", **options}
    pilot = Pilot(scene=project / scene, **options)
    pilot.app.clock.frame_step = frame_step
    pilot.step(2)
    return pilot


def click_firefly(pilot: Pilot) -> None:
    """Hold the fireflies still with the key C, and click on the one that is nearest."""
    pilot.app.inject(InputEvent("key_down", key="c"))
    pilot.step()
    eye = pilot.app.scene.camera.view.position
    flies = pilot.app.scene.find_all("Firefly")
    places = [np.array(fly.transform.world_position, dtype=float) for fly in flies]
    pilot.click(*pilot.pixel_of(min(places, key=lambda place: float(np.linalg.norm(place - eye)))))
    pilot.app.inject(InputEvent("key_up", key="c"))
    pilot.step()


# -- the pictures ---------------------------------------------------------------------------------


def _plain(project: Path, frames: int = 20) -> Any:
    with open_world(project) as pilot:
        pilot.step(frames)
        return pilot.picture()


def _inspector(project: Path) -> Any:
    with open_world(project, panels=True, window=PANELS) as pilot:
        shell: Any = pilot.app.shell
        shell.arrange("studio")
        pilot.step(20)
        shell.studio.selection.choose(pilot.app.scene.find("Firefly"))
        pilot.draw_panels(4)
        return pilot.picture()


def _error(project: Path) -> Any:
    edits = next(step for step in read_steps() if step.number == 4).edits
    script = project / edits[0].path
    known = script.read_text(encoding="utf-8")
    script.write_text(known.replace(edits[1].code.strip(), edits[1].instead_of), encoding="utf-8")
    with open_world(project, panels=True, window=PANELS) as pilot:
        shell: Any = pilot.app.shell
        shell.arrange("studio")
        pilot.step(5)
        line = next(item for item in pilot.app.console.records if item.level == "error")
        shell.open_at(line.file, line.line)
        pilot.draw_panels(6)
        picture = pilot.picture()
    script.write_text(known, encoding="utf-8")
    return picture


def _caught(project: Path) -> Any:
    with open_world(project) as pilot:
        pilot.step(10)
        click_firefly(pilot)
        pilot.step(13)
        return pilot.picture()


def _glowing(project: Path, **options: Any) -> Any:
    with open_world(project, **options) as pilot:
        for _ in range(4):
            pilot.step(45)
            click_firefly(pilot)
            pilot.step(8)
        pilot.draw_panels(14)
        return pilot.picture()


def _match(project: Path) -> Any:
    with open_world(project, "scenes/match.scene.json") as pilot:
        view = pilot.component("BoardView")
        pilot.wait_until(lambda: len(view.stones) >= 12, frames=20_000)
        pilot.step(20)
        return pilot.picture()


PICTURES: dict[int, Callable[[Path], Any]] = {
    1: _plain,
    2: _plain,
    3: _inspector,
    4: _error,
    5: _caught,
    6: lambda project: _plain(project, 190),
    7: _glowing,
    8: lambda project: _glowing(project, panels=True, window=PANELS),
    9: _match,
}
WITH_PANELS = (3, 4, 8)


def main() -> None:
    """Draw the pictures that were asked for."""
    folder = SHIPPED_ROOT / "docs" / "images" / "tutorial"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [int(word) for word in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as temporary:
        project = Path(temporary) / "garden"
        for step in read_steps():
            step.build(project)
            if wanted and step.number not in wanted:
                continue
            picture = PICTURES[step.number](project)
            path = folder / f"{step.number:02}.png"
            path.write_bytes(
                small_png(picture, picture.shape[1] if step.number in WITH_PANELS else WIDTH)
            )
            print(f"{path}  {path.stat().st_size // 1024} kB")


def small_png(picture: Any, width: int) -> bytes:
    """Return a picture as PNG, so wide or less, until it has at most `MOST_BYTES`."""
    while True:
        size = (width, round(width * picture.shape[0] / picture.shape[1]))
        shown = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        _, content = cv2.imencode(".png", shown, [cv2.IMWRITE_PNG_COMPRESSION, 9])
        if content.nbytes <= MOST_BYTES:
            return bytes(content)
        width = round(width * 0.9)


if __name__ == "__main__":
    main()
