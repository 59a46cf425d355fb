"""Build the world of docs/tutorial.md step by step, and draw its pictures.

    python -m benchmarks.tutorial_pictures [STEP …]

Writes docs/images/tutorial/NN.png; without numbers, one for each step. The code of every step is
taken from the page itself.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from base.files import SHIPPED_ROOT
from benchmarks.console import at_least_one, parser_of
from benchmarks.tutorial_words import HOME, at_breakpoint, draw_stop, draw_terminal, run_commands
from sim.commands.new import new_project
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

PAGE = SHIPPED_ROOT / "docs" / "tutorial.md"
SCENE = "scenes/main.scene.json"
MATCH = "scenes/match.scene.json"
PLAIN, PANELS = (1120, 630), (1180, 700)
WIDTH = 640
MOST_BYTES = 140_000


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
    text: str = ""

    def build(self, project: Path) -> None:
        """Do in a project what the step says."""
        if self.number == 1:
            new_project(project)
        for words in map(str.split, self.commands):
            if words[0] == "cp":
                shutil.copy(SHIPPED_ROOT / words[1], project / words[2].removeprefix(f"{HOME}/"))
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
        step = Step(int(numbered[1]), numbered[2], text=body)
        typed = "".join(re.findall(r"```sh\n(.+?)```", body, re.DOTALL))
        step.commands = re.sub(r"\\\n\s*", "", typed).splitlines()
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
    named = re.findall(r"`((?:(?:scenes|scripts|\.vscode)/)?[\w/.]+\.(?:py|json|toml|c))`", before)
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
    pilot.click_at(min(places, key=lambda place: float(np.linalg.norm(place - eye))))
    pilot.app.inject(InputEvent("key_up", key="c"))
    pilot.step()


# -- the pictures ---------------------------------------------------------------------------------


def _plain(project: Path, frames: int = 20) -> Any:
    with open_world(project) as pilot:
        pilot.step(frames)
        return pilot.picture()


def _mistake(project: Path) -> Any:
    """The Inspector of a firefly whose script has the page's mistake, and the editor at it."""
    edits = next(step for step in read_steps() if step.number == 2).edits
    wrong, right = edits[-2:]
    script = project / wrong.path
    known = script.read_text(encoding="utf-8")
    script.write_text(known.replace(right.code.strip(), right.instead_of), encoding="utf-8")
    with open_world(project, panels=True, window=PANELS) as pilot:
        shell: Any = pilot.app.shell
        shell.preferences.arrange("studio")
        shell.studio.selection.choose(pilot.app.scene.find_all("Firefly")[-1])
        pilot.step(5)
        line = next(item for item in pilot.app.console.records if item.level == "error")
        shell.open_at(line.file, line.line)
        pilot.draw_panels(6)
        picture = pilot.picture()
    script.write_text(known, encoding="utf-8")
    return picture


def _catching(
    project: Path, pauses: Sequence[int], rest: int, *, with_figure: bool = True, key: str = ""
) -> Any:
    """A firefly is clicked on after each pause; then a key is pressed, and some frames pass."""
    with open_world(project) as pilot:
        if with_figure:
            figure: Any = pilot.app.scene.find("Keeper")
            pilot.wait_until(lambda: figure.animation.is_ready)
        for pause in pauses:
            pilot.step(pause)
            click_firefly(pilot)
        if key:
            pilot.step(100)
            pilot.press(key)
        pilot.step(rest)
        return pilot.picture()


def _match(project: Path) -> Any:
    with open_world(project, MATCH, window=PLAIN) as pilot:
        view = pilot.component("BoardView")
        pilot.wait_until(lambda: len(view.stones) >= 12, frames=20_000)
        pilot.step(20)
        return pilot.picture()


def _training(project: Path) -> Any:
    """White after forty games, with a change that waits for the next one."""
    with open_world(
        project, MATCH, frame_step=None, panels=True, window=PANELS, speed=math.inf
    ) as pilot:
        match, panel = pilot.component("Match"), pilot.component("TrainingPanel")
        pilot.wait_until(lambda: match.played >= 20, frames=20_000)
        panel.controls.editor.set(match.white, match.white.own_settings()[1], "100")
        pilot.wait_until(lambda: match.played >= 40, frames=20_000)
        pilot.app.clock.speed = 1.0
        pilot.draw_panels(30)
        return pilot.picture()


def _stopped(project: Path) -> Any:
    """What a debugger says at the breakpoint."""
    step = next(step for step in read_steps() if step.number == 9)
    with at_breakpoint(step.text, step.commands[0], project) as stopped:
        return draw_stop(project, stopped, ("self.object.name", "self.pace", "self.phase"))


def _terminal(project: Path) -> Any:
    """What a shell shows of the step about C."""
    step = next(step for step in read_steps() if step.number == 10)
    return draw_terminal(project, run_commands(step.commands, project))


def _paused(project: Path) -> Any:
    """The pause menu over the garden."""
    with open_world(project) as pilot:
        figure: Any = pilot.app.scene.find("Keeper")
        pilot.wait_until(lambda: figure.animation.is_ready)
        pilot.step(150)
        pilot.press("p")
        pilot.step(10)
        return pilot.picture()


PICTURES: dict[int, Callable[[Path], Any]] = {
    1: _plain,
    2: _mistake,
    3: partial(_catching, pauses=(10,), rest=3, with_figure=False),
    4: partial(_catching, pauses=(190,), rest=7, with_figure=False),
    5: partial(_catching, pauses=(40, 40, 40), rest=34),
    6: partial(_catching, pauses=(60, 25, 45, 20, 35, 30, 15), rest=40, key="x"),
    7: _match,
    8: _training,
    9: _stopped,
    10: _terminal,
    11: _paused,
}
WITH_PANELS = (2, 8)


def main() -> None:
    """Draw the pictures that were asked for."""
    folder = SHIPPED_ROOT / "docs" / "images" / "tutorial"
    folder.mkdir(parents=True, exist_ok=True)
    parser = parser_of(__doc__)
    parser.add_argument("steps", nargs="*", type=at_least_one, metavar="STEP")
    wanted = parser.parse_args().steps
    with tempfile.TemporaryDirectory() as temporary:
        project = Path(temporary) / "garden"
        for step in read_steps():
            step.build(project)
            if wanted and step.number not in wanted:
                continue
            picture = PICTURES[step.number](project)
            path = folder / f"{step.number:02}.png"
            width = picture.shape[1] if step.number in WITH_PANELS else WIDTH
            path.write_bytes(small_png(picture, width))
            print(f"{path}  {path.stat().st_size // 1024} kB")


def small_png(picture: Any, width: int) -> bytes:
    """Return a picture as PNG, so wide or less, until it has at most `MOST_BYTES`."""
    while True:
        size = (width, round(width * picture.shape[0] / picture.shape[1]))
        shown = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        shown = shown & 0xFC | 2  # what nobody sees would cost most of the bytes
        _, content = cv2.imencode(".png", shown, [cv2.IMWRITE_PNG_COMPRESSION, 9])
        if content.nbytes <= MOST_BYTES:
            return bytes(content)
        width = round(width * 0.9)


if __name__ == "__main__":
    main()
