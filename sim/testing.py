"""`Pilot`: drives an app from a test, frame by frame, without sleeping; and a fake gamepad."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from base.spelling import hint_of, near_names
from base.trust import trust_for_this_run
from sim.app.app import App, OpenedApp
from sim.app.scene_follow import kept_saves, options_after
from sim.core.canvas.painter import FloatArray, Picture
from sim.core.files.scene_file import find_project
from sim.core.input.input_actions import InputEvent
from sim.core.project.run_options import RunOptions
from sim.core.project.scene_change import SceneChange

WAIT_SECONDS = 0.032  # of a frame of `wait_until`, for the workers
SETTLING_FRAMES = 100  # at most, before a click on a point of the world
STILL_FRAMES = 4  # after so many without a change, a point of the world rests in the picture


class PilotError(AssertionError):
    """A condition that the test waited for did not become true."""


def run_options(**given: Any) -> RunOptions:
    """Return `RunOptions` with the given values.

    `run_options(seed=1, laps=3)` corresponds to `--seed 1 --laps 3` on the command line. Here
    `laps` is an option that a script of the scene declares.

    Args:
        given: fields of `RunOptions` by name; other names become options of the scene's scripts.
    """
    known = {item.name for item in dataclasses.fields(RunOptions)}
    own = {name.replace("_", "-"): given[name] for name in given if name not in known}
    engine = {name: value for name, value in given.items() if name in known}
    return RunOptions(**{"script_options": own, **engine})


class FakePad:
    """A gamepad that a test plays; `Pilot.connect_pad` connects one.

    Args:
        app: the app that reads it.
        index: its place among the pads, from 0.
        name: what the device calls itself.
    """

    def __init__(self, app: App, index: int, name: str) -> None:
        self._index, self._name = index, name
        self.connect(app)

    def connect(self, app: App) -> None:
        """Connect to an app, such as that of the scene that follows."""
        self._app = app
        app.inject(InputEvent("pad_connected", text=self._name, pad=self._index))

    def press(self, button: str) -> None:
        """Press a button, such as "south" or "a", from the next frame on."""
        self._app.inject(InputEvent("pad_down", key=button, pad=self._index))

    def release(self, button: str) -> None:
        """Release a button."""
        self._app.inject(InputEvent("pad_up", key=button, pad=self._index))

    def move(self, axis: str, value: float) -> None:
        """Move an axis, such as "left_x" or "right_trigger", to a raw value of -1 to 1."""
        self._app.inject(InputEvent("pad_axis", key=axis, pad=self._index, value=value))

    def disconnect(self) -> None:
        """Disconnect the pad."""
        self._app.inject(InputEvent("pad_disconnected", pad=self._index))


class Pilot:
    """Drives an app by key presses, clicks and waits, as a person would.

    When a script opens another scene, the pilot goes on in that one: `app` is its app then.

    Args:
        options: fields of `RunOptions`; other names are options of the scene's scripts, as in
            `Pilot(laps=3)`. By default the app is headless and runs for up to 3600 seconds.
    """

    def __init__(self, **options: Any) -> None:
        options.setdefault("headless", True)
        options.setdefault("seconds", 3600.0)
        options.setdefault("scene", RunOptions().scene)
        options["scene"] = Path(options["scene"])
        trust_for_this_run(find_project(options["scene"]))  # the program names it
        self._closing = contextlib.ExitStack()
        self._pads: list[FakePad] = []
        checked = run_options(**options)
        try:
            carried = self._closing.enter_context(kept_saves(checked))
            self._parts = OpenedApp(checked, None, carried)
        except BaseException:
            self._closing.close()
            raise
        self.step()

    @property
    def app(self) -> App:
        """The app of the present scene."""
        return self._parts.app

    def _follow(self, change: SceneChange) -> None:
        """Close the app, and drive the one of the scene that a script has opened."""
        app = self.app
        options, carried = options_after(app.options, change, app.passed), app.carries
        app.hand_over()
        app.close()
        self._parts = OpenedApp(options, app.kept_display, carried)
        for pad in self._pads:
            pad.connect(self.app)
        self.app.frame()

    def __enter__(self) -> Pilot:
        return self

    def __exit__(self, *error: object) -> None:
        self.app.close()
        self._closing.close()

    def step(self, frames: int = 1) -> None:
        """Run the app for a number of frames."""
        for _ in range(frames):
            self.app.frame()
            change = self.app.change_that_follows
            if change is not None:
                self._follow(change)

    def press(self, key: str, *modifiers: str) -> None:
        """Press and release a key with modifiers held: `press("z", "control")`."""
        self.app.inject(InputEvent("key_down", key=key, modifiers=frozenset(modifiers)))
        self.step()
        self.app.inject(InputEvent("key_up", key=key))
        self.step()

    def connect_pad(self, name: str = "Fake pad", index: int = 0) -> FakePad:
        """Connect a gamepad that the test plays.

        Args:
            name: what the device calls itself.
            index: its place among the pads, from 0.
        """
        pad = FakePad(self.app, index, name)
        self._pads.append(pad)
        self.step()
        return pad

    def type_text(self, text: str) -> None:
        """Type text into the widget that has the keyboard focus."""
        self.app.inject(InputEvent("text", text=text))
        self.step()

    def draw_panels(self, frames: int = 1) -> None:
        """Run frames, and draw the panels anew in each of them.

        Without this, panels in which nothing has changed are not drawn again.

        Args:
            frames: number of frames.
        """
        for _ in range(frames):
            self.app.inject(InputEvent("focus"))
            self.app.draw_next()
            self.step()

    def move(self, x: float, y: float) -> None:
        """Move the pointer to a pixel of the window."""
        self.app.inject(InputEvent("pointer_move", x=x, y=y))
        self.step()

    def click(self, x: float, y: float, button: str = "mouse1") -> None:
        """Click on a pixel of the window.

        Args:
            x: pixels from the left edge.
            y: pixels from the top edge.
            button: "mouse1" (left), "mouse2" (middle) or "mouse3" (right).
        """
        self.move(x, y)
        self.app.inject(InputEvent("button_down", key=button, x=x, y=y))
        self.step()
        self.app.inject(InputEvent("button_up", key=button, x=x, y=y))
        self.step()

    def settle(self, point: Sequence[float] | FloatArray) -> tuple[float, float]:
        """Wait until a world point rests in the picture, and return its pixel (x, y).

        The view glides aside as panels and messages come and go, each at its own drawing. In a
        view that never rests, the wait ends after 100 frames.

        Args:
            point: `[3]`, metres.
        """
        pixel, still = self.pixel_of(point), 0
        for _ in range(SETTLING_FRAMES):
            if still == STILL_FRAMES:
                break
            self.draw_panels()  # panels find their places over several drawings
            before, pixel = pixel, self.pixel_of(point)
            still = still + 1 if pixel == before else 0
        return pixel

    def move_to(self, point: Sequence[float] | FloatArray) -> None:
        """Move the pointer to a world point `[3]`, in metres, once it rests in the picture."""
        self.move(*self.settle(point))

    def click_at(self, point: Sequence[float] | FloatArray, button: str = "mouse1") -> None:
        """Click on a world point `[3]`, in metres, once it rests in the picture."""
        self.click(*self.settle(point), button)

    def double_click(self, x: float, y: float) -> None:
        """Double-click on a pixel of the window.

        The two clicks count as a double click even if the frames take long.
        """
        self.move(x, y)
        down = InputEvent("button_down", key="mouse1", x=x, y=y)
        up = InputEvent("button_up", key="mouse1", x=x, y=y)
        self.app.inject(down, up, down, up)
        with (
            contextlib.nullcontext()
            if self._parts.shell is None
            else self._parts.shell.patient_clicks()
        ):
            self.step()

    def click_button(self, label: str) -> None:
        """Click on the button with this label that a script shows over the 3D view.

        Raises:
            LookupError: no visible button has this label.
        """
        board = self._parts.world.hud
        found = board.find(label)
        if found is None:
            labels = [button.label for canvas in board.shown() for button in canvas.buttons]
            hint = hint_of(near_names(labels, label), label)
            raise LookupError(f"expected a button {label!r} over the view, found {labels}{hint}")
        canvas, button = found
        left, top, width, height = button.area
        x = board.view[0] + canvas.place[0] + (left + width / 2) * canvas.scale
        y = board.view[1] + canvas.place[1] + (top + height / 2) * canvas.scale
        self.click(x, y)

    def wait_until(self, predicate: Callable[[], object], *, frames: int = 3000) -> None:
        """Run frames until `predicate()` is true.

        While a worker process owes an answer, each frame first waits up to 0.032 seconds for the
        answer. In the second half of the frames, every frame waits. This leaves time for threads
        and other programs.

        Args:
            predicate: called without arguments before each frame.
            frames: maximum number of frames.

        Raises:
            PilotError: `predicate()` was still false after that many frames.
        """
        for number in range(frames):
            if predicate():
                return
            links = self._parts.world.links
            links.pump(WAIT_SECONDS if links.is_busy or number >= frames // 2 else 0.0)
            self.step()
        raise PilotError(f"expected within {frames} frames, still not so: {predicate}")

    def picture(self) -> Picture:
        """Render the present frame, panels included, as a BGR picture `[h, w, 3]`.

        Raises:
            LookupError: the app runs with `--no-graphics`.
        """
        if self._parts.display is None:
            raise LookupError("expected a picture, found --no-graphics")
        self.app.draw_now()
        return self._parts.display.image()

    def component(self, class_name: str) -> Any:
        """Return the first component of a script class in the scene, by class name.

        Raises:
            LookupError: the scene has no such component.
        """
        for slot in self._parts.scene.components():
            if slot.instance is not None and slot.is_called(class_name):
                return slot.instance
        names = dict.fromkeys(
            slot.class_name for slot in self._parts.scene.components() if slot.instance
        )
        raise LookupError(
            f"expected a component {class_name}, found none{hint_of(names, class_name)}"
        )

    def pixel_of(self, point: Sequence[float] | FloatArray) -> tuple[float, float]:
        """Project a world point `[3]`, in metres, to its pixel (x, y) of the window.

        Raises:
            LookupError: the app runs with `--no-graphics`.
        """
        if self._parts.view is None:
            raise LookupError("expected a picture, found --no-graphics")
        return self._parts.view.camera.project(point)
