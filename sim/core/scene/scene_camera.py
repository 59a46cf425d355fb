"""The scene's camera: its view, control by scripts, and rendered images for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from base.closed import Closed
from base.errors import GoishiError
from sim.core.geometry.camera_pose import CameraPose, CameraView
from sim.core.geometry.transform import Transform
from sim.core.input.input_actions import InputEvent

Picture = npt.NDArray[np.uint8]
Distances = npt.NDArray[np.float32]
FLIGHT_SECONDS = 0.8
LEAST_ASPECT = 1.65
LONGEST_FRAME = 0.25  # seconds that one frame counts as rest of the mouse
SMALLEST, LARGEST = 16, 4096  # pixels of a picture's side
DRAWING_SECONDS = 60.0  # that a picture may take before its script is broken off


class PictureError(GoishiError, RuntimeError):
    """Raised when a script asks for a picture in a run without graphics."""


@dataclass(frozen=True)
class Flight:
    """A requested camera flight.

    Attributes:
        view: the view to fly to.
        seconds: duration in real time; 0 to jump there at once.
    """

    view: CameraView
    seconds: float


class ImageRenderer(Protocol):
    """Interface that renders pictures for scripts."""

    def image(self, eye: CameraPose | None, size: tuple[int, int], *, overlays: bool) -> Picture:
        """Return an RGB picture `[h, w, 3]` of what a camera sees.

        Args:
            eye: pose of the camera; None for the view in the window.
            size: width and height, pixels.
            overlays: whether to draw objects whose material has a `layer`.
        """

    def depth(self, eye: CameraPose | None, size: tuple[int, int]) -> Distances:
        """Return the distances along the direction of view, `[h, w]`, metres.

        Args:
            eye: pose of the camera; None for the view in the window.
            size: width and height, pixels.
        """


class CameraSlot(Protocol):
    """Slot of a camera component; the part of its interface that cameras use."""

    id: str

    @property
    def instance(self) -> object:
        """The script; None while it cannot be loaded."""

    @property
    def is_active(self) -> bool:
        """Whether the component, its object and all ancestors are enabled."""

    @property
    def is_gone(self) -> bool:
        """Whether the component is destroyed or quarantined."""

    @property
    def object(self) -> object:
        """The object that the component is attached to."""


class CameraObject(Protocol):
    """Object that a camera component is attached to."""

    transform: Transform


class CameraComponent(Protocol):
    """A camera component; see `sim:Camera` for its fields."""

    fov: float
    look: Literal["target", "ahead"]
    target: tuple[float, float, float]
    active: bool
    viewport: tuple[float, float, float, float]
    rate: float
    near: float
    far: float
    min_distance: float
    max_distance: float
    min_elevation: float
    max_elevation: float

    @property
    def slot(self) -> CameraSlot:
        """Slot that holds the component."""

    @property
    def object(self) -> CameraObject:
        """Object that the component is attached to."""

    @property
    def is_inset(self) -> bool:
        """Whether the camera draws a small picture over the main view instead of the main view."""

    @property
    def eye(self) -> CameraPose:
        """Present pose of the camera."""


class SceneCamera(Closed):
    """The scene's camera: `self.scene.camera` of a script.

    It has one view. The user may orbit it with the mouse at any time. A script may start a flight
    (`fly_to`), or set the view each frame (`lead`) until the user moves it with the mouse.

    Attributes:
        view: the present view.
        home: the initial view, to which the key Home returns.
        least_aspect: width by height of the narrowest picture for which views are made. In a
            narrower one more is seen above and below, and as much at the sides.
        reduces_motion: whether the user wants less motion: flights are cuts then.
        idle_seconds: real seconds since the user's last mouse press, drag or scroll.
        image_renderer: renders for `image` and `depth`; None without graphics.
    """

    __slots__ = (
        "_cameras", "_claimed", "_find_all", "_flight", "_wanted", "_watching", "home",
        "idle_seconds", "image_renderer", "least_aspect", "reduces_motion", "view",
    )  # fmt: skip

    def __init__(
        self,
        find_all: Callable[[str], Sequence[object]] | None = None,
        watching: Callable[[float], AbstractContextManager[None]] | None = None,
    ) -> None:
        """Create a camera without a Camera component.

        Args:
            find_all: returns the objects that have a name or path; None without a scene.
            watching: called with seconds; returns a context that interrupts a script that takes
                longer. None for no limit.
        """
        self._find_all = find_all
        self._watching = watching
        self.view = CameraView()
        self.home = CameraView()
        self.least_aspect = LEAST_ASPECT
        self.reduces_motion = False
        self.idle_seconds = 0.0
        self.image_renderer: ImageRenderer | None = None
        self._cameras: list[CameraComponent] = []
        self._claimed: set[str] = set()
        self._flight: Flight | None = None
        self._wanted: CameraView | None = None

    # -- moving -------------------------------------------------------------------------------

    def fly_to(self, view: CameraView, *, seconds: float = FLIGHT_SECONDS) -> None:
        """Fly to a view, with ease-in and ease-out; the flight continues while the scene is paused.

        Args:
            view: the view to fly to.
            seconds: duration in real time; 0 to jump there at once, as it always does when the user
                wants less motion.

        Raises:
            ValueError: a number is not finite, the distance is not positive, or the angle of view
                is not from 1 to 150 degrees.
        """
        _check(view)
        self._flight = Flight(view, 0.0 if self.reduces_motion else max(0.0, seconds))

    def fly_home(self, *, seconds: float = FLIGHT_SECONDS) -> None:
        """Fly back to the initial view in `seconds` of real time."""
        self.fly_to(self.home, seconds=seconds)

    def reduce_motion(self, is_on: bool) -> None:
        """Make cuts of all flights, as the user wants less motion; False undoes this."""
        self.reduces_motion = is_on

    def take_flight(self) -> Flight | None:
        """Return the latest flight requested since the last call; None if there is none."""
        flight, self._flight = self._flight, None
        return flight

    def lead(self, view: CameraView) -> None:
        """Set the view without easing and keep it, overriding the user's, until `release`.

        Raises:
            ValueError: a number is not finite, the distance is not positive, or the angle of view
                is not from 1 to 150 degrees.
        """
        _check(view)
        self._wanted = view

    def release(self) -> None:
        """Stop overriding the view: the user controls it again."""
        self._wanted = None

    @property
    def wanted(self) -> CameraView | None:
        """View set by a script with `lead`; None while the user controls the camera."""
        return self._wanted

    @property
    def is_led(self) -> bool:
        """Whether a script controls the view."""
        return self._wanted is not None

    @property
    def coming_view(self) -> CameraView:
        """View of the next frame.

        It is the view set by `lead`, if any. Otherwise it is the target of a flight of 0 seconds,
        or else the present view.
        """
        if self._wanted is not None:
            return self._wanted
        is_jump = self._flight is not None and self._flight.seconds == 0.0
        return self._flight.view if self._flight is not None and is_jump else self.view

    def pass_time(self, seconds: float, events: Iterable[InputEvent]) -> None:
        """Add a frame's seconds to the idle time; reset it if the user pressed or scrolled.

        Args:
            seconds: real time since the last frame.
            events: input events of the frame.
        """
        self.idle_seconds += min(seconds, LONGEST_FRAME)
        for event in events:
            if event.kind in ("button_down", "wheel"):
                self.touch()
                return

    def touch(self) -> None:
        """Report that the user used the mouse: the idle time is 0 and `lead` ends."""
        self.idle_seconds = 0.0
        self.release()

    # -- the scene's Camera components --------------------------------------------------------

    def add(self, camera: CameraComponent) -> None:
        """Register a Camera component; it is forgotten when it is removed from the scene."""
        self._cameras.append(camera)

    def cameras(self) -> list[CameraComponent]:
        """Return the enabled Camera components in order of registration."""
        self._cameras = [camera for camera in self._cameras if _is_there(camera)]
        return [camera for camera in self._cameras if camera.slot.is_active]

    def insets(self) -> list[CameraComponent]:
        """Return the cameras that are drawn as pictures over the main view."""
        return [camera for camera in self.cameras() if camera.is_inset]

    def choose(self) -> CameraComponent | None:
        """Return the camera of the main view; None if there is none.

        Of several cameras with `active` set, the one activated last is chosen, and the others'
        `active` is set to False. If no camera has it set, the first one that is no inset is chosen.
        """
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
        camera: str | CameraObject | CameraComponent | None = None,
        overlays: bool = True,
    ) -> Picture:
        """Render what a camera sees now, as an array for computer vision.

        The picture is rendered offscreen, without panels, during the call. It takes about as long
        as a frame.

        Args:
            width: pixels, 16 to 4096.
            height: pixels, 16 to 4096.
            camera: an object with a Camera component, its name or path, or the component; None for
                the view in the window.
            overlays: whether to draw objects whose material has a `layer`, such as marks drawn on
                top of others.

        Returns:
            RGB `[height, width, 3]` uint8, the top row first.

        Raises:
            PictureError: the run has no graphics.
            ValueError: a side is out of range, or there is no such camera.
        """
        size, eye, renderer = self._asked("image", width, height, camera)
        with self._watched():
            return renderer.image(eye, size, overlays=overlays)

    def depth(
        self,
        width: int = 640,
        height: int = 360,
        *,
        camera: str | CameraObject | CameraComponent | None = None,
    ) -> Distances:
        """Render the distance of everything that a camera sees now.

        Args:
            width: pixels, 16 to 4096.
            height: pixels, 16 to 4096.
            camera: an object with a Camera component, its name or path, or the component; None for
                the view in the window.

        Returns:
            Metres along the direction of view `[height, width]` float32, the top row first;
            infinity for the background. Transparent objects and marks are left out.

        Raises:
            PictureError: the run has no graphics.
            ValueError: a side is out of range, or there is no such camera.
        """
        size, eye, renderer = self._asked("depth", width, height, camera)
        with self._watched():
            return renderer.depth(eye, size)

    def _asked(
        self,
        door: str,
        width: int,
        height: int,
        camera: str | CameraObject | CameraComponent | None,
    ) -> tuple[tuple[int, int], CameraPose | None, ImageRenderer]:
        """Check the arguments of `image` or `depth`.

        Args:
            door: name of the called method, for error messages.
            width: width of the picture, pixels.
            height: height of the picture, pixels.
            camera: the camera, as for `image`.

        Returns:
            ((width, height), pose of the camera, renderer). The pose is None for the view in the
            window.

        Raises:
            PictureError: the run has no graphics.
            ValueError: a side is out of range, or there is no such camera.
        """
        for name, side in (("width", width), ("height", height)):
            is_whole = isinstance(side, int | np.integer) and not isinstance(side, bool)
            if not is_whole or not SMALLEST <= side <= LARGEST:
                raise ValueError(
                    f"camera.{door}: {name}: expected a whole number from {SMALLEST} to {LARGEST},"
                    f" got {side!r}"
                )
        eye = None if camera is None else self._camera_of(door, camera).eye
        if self.image_renderer is None:
            raise PictureError(
                f"camera.{door}: expected a run that draws, got one with --no-graphics"
            )
        return (int(width), int(height)), eye, self.image_renderer

    def _camera_of(
        self, door: str, wanted: str | CameraObject | CameraComponent
    ) -> CameraComponent:
        there = [camera for camera in self._cameras if _is_there(camera)]
        objects: Sequence[object] = [wanted]
        if isinstance(wanted, str):
            objects = [] if self._find_all is None else self._find_all(wanted)
        for item in objects:
            for camera in there:
                if camera is item or camera.slot.object is item:
                    return camera
        raise ValueError(
            f"camera.{door}: camera: expected an object with a Camera component, got {wanted!r}"
        )

    def _watched(self) -> AbstractContextManager[None]:
        """Return a context in which a script may take `DRAWING_SECONDS`, longer than usual."""
        return nullcontext() if self._watching is None else self._watching(DRAWING_SECONDS)


def _is_there(camera: CameraComponent) -> bool:
    slot = camera.slot
    return slot.instance is camera and not slot.is_gone


def _check(view: CameraView) -> None:
    if not isinstance(view, CameraView):
        raise ValueError(f"view: expected a CameraView, such as camera.view, found {view!r:.60}")
    numbers: Sequence[float] = (*view.target, view.azimuth, view.elevation, view.distance, view.fov)
    if not np.isfinite(numbers).all() or view.distance <= 0.0 or not 1.0 <= view.fov <= 150.0:
        raise ValueError(f"view: expected a finite view in front of something, found {view}")
