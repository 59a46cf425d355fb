"""The scene's camera: where the picture is taken from, who leads it, and pictures for scripts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
import numpy.typing as npt

from base.errors import GoishiError
from sim.core.geometry.camera_pose import CameraPose, CameraView
from sim.core.input.input_actions import InputEvent
from sim.core.scene.host import Component
from sim.core.scene.scene_object import SlotState

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene
    from sim.core.scene.scene_object import SceneObject

Picture = npt.NDArray[np.uint8]
Distances = npt.NDArray[np.float32]
FLIGHT_SECONDS = 0.8
LONGEST_FRAME = 0.25  # seconds that one frame counts as rest of the mouse
SMALLEST, LARGEST = 16, 4096  # pixels of a picture's side
GONE = (SlotState.DESTROYED, SlotState.QUARANTINED)
DRAWING_SECONDS = 60.0  # that a picture may take before its script is broken off


class PictureError(GoishiError, RuntimeError):
    """There is nothing that could draw a picture."""


@dataclass(frozen=True)
class Flight:
    """A view that the camera is to fly to, in seconds of wall time; 0 is at once."""

    view: CameraView
    seconds: float


class ImageRenderer(Protocol):
    """What draws pictures for scripts."""

    def image(self, eye: CameraPose | None, size: tuple[int, int], *, overlays: bool) -> Picture:
        """Return what `eye`, or the main view without one, sees: RGB `[h, w, 3]`."""

    def depth(self, eye: CameraPose | None, size: tuple[int, int]) -> Distances:
        """Return how far away everything is, `[h, w]`, metres."""


class Camera(Component, Protocol):
    """A component that the picture can be taken from; `sim:Camera` says what its fields mean."""

    fov: float
    look: Literal["target", "ahead"]
    target: tuple[float, float, float]
    active: bool
    viewport: tuple[float, float, float, float]
    rate: float
    min_distance: float
    max_distance: float
    min_elevation: float
    max_elevation: float

    @property
    def is_inset(self) -> bool:
        """Whether it draws over the main view instead of taking it."""

    @property
    def eye(self) -> CameraPose:
        """From where it looks now, and where to."""


class SceneCamera:
    """The scene's camera: `self.scene.camera` of a script.

    It has one view. A person may turn it with the mouse at any time; a script may let it fly
    somewhere (`fly_to`), or lead it frame by frame (`lead`) until the person uses the mouse.

    Attributes:
        view: where the picture is taken from now.
        home: where it was at the start, and where the key Home leads.
        idle_seconds: wall seconds since a person pressed, turned or scrolled with the mouse.
        photographer: draws the pictures of `image`; None in a run without graphics.
    """

    def __init__(self, scene: Scene | None = None) -> None:
        self.scene = scene
        self.view = CameraView()
        self.home = CameraView()
        self.idle_seconds = 0.0
        self.image_renderer: ImageRenderer | None = None
        self._cameras: list[Camera] = []
        self._claimed: set[str] = set()
        self._flight: Flight | None = None
        self._wanted: CameraView | None = None

    # -- moving -------------------------------------------------------------------------------

    def fly_to(self, view: CameraView, *, seconds: float = FLIGHT_SECONDS) -> None:
        """Let the camera fly to a view, slow at both ends; it goes on while the scene is paused.

        Raises:
            ValueError: a number is not finite, or the distance or the angle is not positive.
        """
        _check(view)
        self._flight = Flight(view, max(0.0, seconds))

    def fly_home(self, *, seconds: float = FLIGHT_SECONDS) -> None:
        """Let the camera fly back to where it was at the start."""
        self.fly_to(self.home, seconds=seconds)

    def take_flight(self) -> Flight | None:
        """Return the flight that was asked for since the last call."""
        flight, self._flight = self._flight, None
        return flight

    def lead(self, view: CameraView) -> None:
        """Show `view` from now on, exactly; easing is the caller's.

        Raises:
            ValueError: a number is not finite, or the distance or the angle is not positive.
        """
        _check(view)
        self._wanted = view

    def release(self) -> None:
        """Give the view back to the person."""
        self._wanted = None

    @property
    def wanted(self) -> CameraView | None:
        """The view that a script leads to, None while a person holds it."""
        return self._wanted

    @property
    def is_led(self) -> bool:
        """Whether a script leads the view."""
        return self._wanted is not None

    @property
    def coming_view(self) -> CameraView:
        """The view of the next picture, as far as it was asked for."""
        if self._wanted is not None:
            return self._wanted
        is_jump = self._flight is not None and self._flight.seconds == 0.0
        return self._flight.view if self._flight is not None and is_jump else self.view

    def pass_time(self, seconds: float, events: Iterable[InputEvent]) -> None:
        """Let a frame's seconds pass, and note what a person did with the mouse in it."""
        self.idle_seconds += min(seconds, LONGEST_FRAME)
        if any(event.kind in ("button_down", "wheel") for event in events):
            self.touch()

    def touch(self) -> None:
        """Note that a person used the mouse: the view is theirs at once."""
        self.idle_seconds = 0.0
        self.release()

    # -- the scene's Camera components --------------------------------------------------------

    def add(self, camera: Camera) -> None:
        """Note a Camera component that came; those that went are forgotten by themselves."""
        self._cameras.append(camera)

    def cameras(self) -> list[Camera]:
        """Return the Camera components that take part now, in the order in which they came."""
        self._cameras = [camera for camera in self._cameras if _is_there(camera)]
        return [camera for camera in self._cameras if camera.slot.is_active]

    def insets(self) -> list[Camera]:
        """Return those that draw over the main view."""
        return [camera for camera in self.cameras() if camera.is_inset]

    def choose(self) -> Camera | None:
        """Return the camera of the main view, None without; of several active the newest stays."""
        cameras = self.cameras()
        active = [camera for camera in cameras if camera.active]
        fresh = [camera for camera in active if camera.slot.id not in self._claimed]
        chosen = (fresh or active)[-1:]
        for camera in active:
            if camera not in chosen:
                camera.active = False
        self._claimed = {camera.slot.id for camera in chosen}
        whole = [camera for camera in cameras if not camera.is_inset]
        return next(iter(chosen or whole), None)

    # -- pictures -----------------------------------------------------------------------------

    def image(
        self,
        width: int = 640,
        height: int = 360,
        *,
        camera: str | SceneObject | Camera | None = None,
        overlays: bool = True,
    ) -> Picture:
        """Draw what a camera sees now, as a picture for computer vision.

        It is drawn apart from the window, without panels, at once, in about the time of a frame.

        Args:
            width: pixels, 16 to 4096.
            height: pixels, 16 to 4096.
            camera: an object with a Camera component, its name or path, or the component;
                None is the view in the window.
            overlays: whether objects whose material has a `layer`, which are marks laid over
                others, are drawn, too.

        Returns:
            RGB `[height, width, 3]` uint8, the top row first.

        Raises:
            PictureError: the run has no graphics.
            ValueError: a side is out of range, or there is no such camera.
        """
        size, eye = self._asked("image", width, height, camera)
        image_renderer = self._photographer("image")
        with self._watched():
            return image_renderer.image(eye, size, overlays=overlays)

    def depth(
        self,
        width: int = 640,
        height: int = 360,
        *,
        camera: str | SceneObject | Camera | None = None,
    ) -> Distances:
        """Measure how far away everything is that a camera sees now.

        Args:
            width: pixels, 16 to 4096.
            height: pixels, 16 to 4096.
            camera: as in `image`.

        Returns:
            Metres along the direction of view `[height, width]` float32, the top row first;
            infinity where nothing is. What is see-through and marks nothing is left out.

        Raises:
            PictureError: the run has no graphics.
            ValueError: a side is out of range, or there is no such camera.
        """
        size, eye = self._asked("depth", width, height, camera)
        image_renderer = self._photographer("depth")
        with self._watched():
            return image_renderer.depth(eye, size)

    def _asked(
        self, door: str, width: int, height: int, camera: str | SceneObject | Camera | None
    ) -> tuple[tuple[int, int], CameraPose | None]:
        for name, side in (("width", width), ("height", height)):
            is_whole = isinstance(side, int | np.integer) and not isinstance(side, bool)
            if not is_whole or not SMALLEST <= side <= LARGEST:
                raise ValueError(
                    f"camera.{door}: {name}: expected a whole number from {SMALLEST} to {LARGEST},"
                    f" got {side!r}"
                )
        eye = None if camera is None else self._camera_of(door, camera).eye
        return (int(width), int(height)), eye

    def _photographer(self, door: str) -> ImageRenderer:
        if self.image_renderer is None:
            raise PictureError(
                f"camera.{door}: expected a run that draws, got one with --no-graphics"
            )
        return self.image_renderer

    def _camera_of(self, door: str, wanted: str | SceneObject | Camera) -> Camera:
        there = [camera for camera in self._cameras if _is_there(camera)]
        objects = [wanted]
        if isinstance(wanted, str):
            objects = [] if self.scene is None else list(self.scene.find_all(wanted))
        for item in objects:
            for camera in there:
                if camera is item or camera.slot.object is item:
                    return camera
        raise ValueError(
            f"camera.{door}: camera: expected an object with a Camera component, got {wanted!r}"
        )

    def _watched(self) -> contextlib.AbstractContextManager[None]:
        """Return what lets a picture take longer than other calls of a script may."""
        host = None if self.scene is None else self.scene.host
        if host is None:
            return contextlib.nullcontext()
        watched: contextlib.AbstractContextManager[None] = host.watchdog.watching(DRAWING_SECONDS)
        return watched


def _is_there(camera: Camera) -> bool:
    slot = camera.slot
    return slot.instance is camera and slot.state not in GONE


def _check(view: CameraView) -> None:
    if not isinstance(view, CameraView):
        raise ValueError(f"view: expected a CameraView, such as camera.view, found {view!r:.60}")
    numbers: Sequence[float] = (
        *view.target, view.azimuth, view.elevation, view.distance, view.fov,
    )  # fmt: skip
    if not np.isfinite(numbers).all() or view.distance <= 0.0 or not 1.0 <= view.fov <= 150.0:
        raise ValueError(f"view: expected a finite view in front of something, found {view}")
