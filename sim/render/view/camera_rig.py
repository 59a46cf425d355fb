"""The user's camera: orbits, pans and zooms around its target, within limits, smoothly.

It follows the mouse, and the flights that scripts start through `scene.camera`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from pyrr import Matrix44, Vector3, vector

from sim.core.geometry.camera_pose import CameraPose, CameraView
from sim.core.input.input_actions import InputEvent
from sim.core.scene.scene_camera import Flight, SceneCamera
from sim.core.tasks.waits import EASINGS

Vector = npt.NDArray[np.float64]
CORNERS = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), axis=-1).reshape(1, 8, 3)  # of a cube
TURN = 0.35  # degrees a pixel
ZOOM = 0.88  # a notch of the wheel
SETTLE = 12.0  # share of the way left that is gone a second, as an exponent
STILL = 1e-4
FREE_EDGE = 0.08  # of the picture, at its lower edge: nothing that matters stands there
FREE_TOP = 0.14  # of the picture, at its upper edge, likewise
BEHIND = 0.05  # metres before the camera: what is nearer has no place in the picture
MOST_COVERED = 0.4  # of the picture, from below: what is left would be too small to be shown in
MOST_ABOVE = 0.15  # of the picture, from above
FREE_DISTANCE = (0.02, 5000.0)
FREE_ELEVATION = (-90.0, 90.0)
FLY_SPEED = 5.0  # metres a second
FLY_SPEEDS = (0.05, 500.0)
FASTER = 4.0  # times, with Shift
SPEED_NOTCH = 1.25  # of the wheel, while the right button is held
DEPTH = 30.0  # of a parallel view, before and behind the target, as a multiple of the distance
LEAST_DEPTH = 200.0  # metres, likewise
FLIGHT_KEYS = {
    "d": (1.0, 0.0, 0.0), "a": (-1.0, 0.0, 0.0), "w": (0.0, 1.0, 0.0), "s": (0.0, -1.0, 0.0),
    "e": (0.0, 0.0, 1.0), "q": (0.0, 0.0, -1.0),
}  # fmt: skip
"""Directions of the keys that fly: to the right, ahead, and up."""
SIDES = {
    "front": (0.0, 0.0), "back": (180.0, 0.0), "right": (90.0, 0.0), "left": (-90.0, 0.0),
    "top": (0.0, 90.0), "bottom": (0.0, -90.0),
}  # fmt: skip
"""Azimuth and elevation of the views from the six sides, degrees."""


class CameraRig:
    """Orbit camera of the main view.

    Attributes:
        target: the point looked at, metres.
        azimuth: degrees around z; 0 looks along +y.
        elevation: degrees above the horizon.
        distance: metres from the target.
        fov: vertical angle of view, degrees.
        near, far: clipping distances, metres; 0 is automatic.
        covered: fraction of the picture's height that panels cover from below; the view is fitted
            into the uncovered part.
        covered_above: fraction of the picture's height that panels cover from above.
        is_free: whether the camera is an editor's: the scene's limits do not count, it flies by
            keys, and it may be in parallel projection.
        fly_speed: metres a second.
    """

    def __init__(self, camera: SceneCamera | None = None) -> None:
        self.camera = camera or SceneCamera()
        self.fov = 32.0
        self.near = 0.0
        self.far = 0.0
        self.covered = 0.0
        self.covered_above = 0.0
        self._covered_goal = (0.0, 0.0)
        self._least_aspect = self.camera.least_aspect
        self.limits_distance = (3.0, 80.0)
        self.limits_elevation = (8.0, 88.0)
        self.viewport = (0, 0, 1280, 720)
        self._now = np.array([0.0, 0.0, 0.0, 0.0, 40.0, 16.0])  # target, azimuth, elevation, away
        self._goal = self._now.copy()
        self._own_fov: float | None = None  # while a script leads
        self._mount: CameraPose | None = None
        self.is_free = False
        self.fly_speed = FLY_SPEED
        self._is_flat = False
        self._held: set[str] = set()  # keys that fly
        self._is_fast = self._has_flown = False
        self._drag = ""
        self._is_moved_by_hand = False
        self._last = (0.0, 0.0)
        self._flight: Flight | None = None
        self._start = CameraView()
        self._flown = 0.0
        self._back: Vector = np.eye(4)
        self._back_key: tuple[CameraPose | None, *tuple[float, ...]] = (None,)

    def place(self, position: Iterable[float], target: Iterable[float]) -> None:
        """Set the camera's position and target without a transition; this becomes the home view.

        Args:
            position: `[3]` in metres.
            target: `[3]` the point looked at, metres.
        """
        goal = np.array(list(target), dtype=np.float64)
        away = np.array(list(position), dtype=np.float64) - goal
        distance = float(vector.length(away)) or 1.0
        elevation = math.degrees(math.asin(max(-1.0, min(1.0, away[2] / distance))))
        azimuth = math.degrees(math.atan2(away[0], -away[1]))
        self._goal = np.array([*goal, azimuth, elevation, distance])
        self._limit(is_free=False)
        self._now = self._goal.copy()
        self.camera.home = self.camera.view = self._view()

    def mount(self, eye: CameraPose | None) -> None:
        """Fix the view to a camera pose, so that the mouse has no effect.

        Args:
            eye: the pose; None returns control to the user.
        """
        if eye is None and self._mount is not None:
            self._now = _numbers(self.camera.view)
            self._goal = self._now.copy()
            self._limit()
        self._mount = eye
        if eye is not None:
            self.fov = eye.fov

    def look_at(self, target: Iterable[float], distance: float | None = None) -> None:
        """Move smoothly to look at a point.

        Args:
            target: `[3]` the point, metres.
            distance: distance from it, metres; None for the present distance.
        """
        point, reach = np.array(list(target), dtype=np.float64), np.inf if self.is_free else 500.0
        self._goal[:3] = np.clip(point, -reach, reach)
        if distance is not None:
            self._goal[5] = distance
        self._limit()

    def matrices(self) -> tuple[Vector, Vector]:
        """Return the view and projection matrices `[4, 4]`, for row vectors.

        In memory, both have the layout that OpenGL expects.
        """
        eye = self.eye
        view = Matrix44.look_at(eye.position, eye.position + eye.ahead, eye.up)
        if self.is_parallel:
            up = self.shown_eye.height / 2.0
            across, depth = up * self.aspect, self._depth
            lens = np.array(Matrix44.orthogonal_projection(-across, across, -up, up, -depth, depth))
        else:
            fov = self._shown_fov(self.fov, self.covered + self.covered_above)
            lens = np.array(Matrix44.perspective_projection(fov, self.aspect, 0.1, 500.0))
        lens[:, 1] += self.lift * lens[:, 3]
        return np.array(view, dtype=np.float64), np.asarray(lens, dtype=np.float64)

    @property
    def lift(self) -> float:
        """How far the view's middle lies above the picture's middle, in half picture heights.

        The view is fitted into the part of the picture that panels do not cover.
        """
        return self.covered - self.covered_above

    def keep_clear(self, share: float, above: float = 0.0) -> None:
        """Fit the view smoothly into the part of the picture that panels leave free.

        Args:
            share: fraction of the picture's height that panels cover from below; a small margin is
                ignored.
            above: fraction that they cover from above; a small margin is ignored.
        """
        # a smaller view has smaller edges
        below = min(MOST_COVERED, max(0.0, share - FREE_EDGE) / (1.0 - FREE_EDGE))
        free_top = FREE_TOP * (1.0 - below)
        self._covered_goal = (below, min(MOST_ABOVE, max(0.0, above - free_top)))

    def _clear(self, dt: float) -> bool:
        goal, aspect = self._covered_goal, self.camera.least_aspect
        if (*goal, aspect) == (self.covered, self.covered_above, self._least_aspect):
            return False
        moved = self._share_of(dt)
        self._least_aspect = _nearer(self._least_aspect, aspect, moved)
        self.covered = _nearer(self.covered, goal[0], moved)
        self.covered_above = _nearer(self.covered_above, goal[1], moved)
        return True

    def reset(self) -> None:
        """Move smoothly back to the home view and end any flight; the angle of view jumps."""
        self._flight = None
        self._goal = _numbers(self.camera.home)
        self.fov = self.camera.home.fov

    def feed(self, events: Iterable[InputEvent]) -> None:
        """Handle the mouse: right button orbits, middle button or shift pans, wheel zooms."""
        if self._mount is not None:
            return
        for event in events:
            if event.kind == "button_down" and event.key in ("mouse2", "mouse3"):
                self._flight = None  # the hand on the mouse wins
                self._has_flown = False
                self._drag = "pan" if event.key == "mouse2" or event.modifiers else "turn"
                self._last = (event.x, event.y)
            elif event.kind == "button_up" and event.key in ("mouse2", "mouse3"):
                self._drag = ""
                self._held.clear()
            elif event.kind == "blur":
                self._held.clear()
            elif event.kind == "pointer_move" and self._drag:
                self._is_moved_by_hand = True
                self._move(event.x - self._last[0], event.y - self._last[1])
                self._last = (event.x, event.y)
            elif event.kind == "wheel" and self.is_steered:
                speed = self.fly_speed * SPEED_NOTCH**event.y
                self.fly_speed = min(FLY_SPEEDS[1], max(FLY_SPEEDS[0], speed))
            elif event.kind == "wheel":
                self._flight = None
                self._is_moved_by_hand = True
                self._goal[5] *= ZOOM**event.y
                self._limit()
            elif event.kind == "key_down" and event.key == "home":
                self.reset()

    # -- an editor's camera -------------------------------------------------------------------

    def let_free(self, is_free: bool) -> None:
        """Make the camera an editor's or the scene's; the scene's moves back within its limits."""
        if is_free != self.is_free:
            self.is_free = is_free
            self._held.clear()
            if not is_free:
                self._limit()

    @property
    def is_steered(self) -> bool:
        """Whether keys fly the camera now: it is an editor's, and the right button is held."""
        return self.is_free and self._drag == "turn" and self._mount is None

    def steer(self, event: InputEvent) -> bool:
        """Fly while W, A, S, D, Q or E are held with the right button, faster with Shift.

        Args:
            event: a key that was pressed or released.

        Returns:
            Whether the key flies.
        """
        names = (event.key.lower(), event.stand_in)
        is_down = event.kind == "key_down"
        if any(name.lstrip("lr") == "shift" for name in names):
            self._is_fast = is_down
            return False
        key = next((name for name in names if name in FLIGHT_KEYS), "")
        if not key or not self.is_steered:
            return False
        (self._held.add if is_down else self._held.discard)(key)
        self._is_fast = "shift" in event.modifiers
        return True

    def _steer(self, dt: float) -> bool:
        """Fly for a frame by the held keys; return whether the camera moved."""
        if not self._held or not self.is_steered:
            return False
        rows = self._eye_of_goal().matrix[:2, :3]
        ways = np.vstack([rows, [0.0, 0.0, 1.0]])
        way = np.sum([FLIGHT_KEYS[key] for key in self._held], axis=0) @ ways
        speed = self.fly_speed * (FASTER if self._is_fast else 1.0)
        self._goal[:3] += way * speed * min(dt, 0.1)
        self._now = self._goal.copy()
        self._has_flown = self._is_moved_by_hand = True
        return True

    def _eye_of_goal(self) -> CameraPose:
        x, y, z, azimuth, elevation, distance = map(float, self._goal)
        return CameraView((x, y, z), azimuth, elevation, distance, self.fov).eye

    @property
    def is_parallel(self) -> bool:
        """Whether the picture is in parallel projection, which only an editor's camera can be."""
        return self._is_flat and self.is_free and self._mount is None

    def set_parallel(self, is_parallel: bool) -> None:
        """Set whether an editor's camera is in parallel projection; else it is in perspective."""
        self._is_flat = is_parallel

    def show_side(self, side: str) -> None:
        """Look at the target from a side, without a transition of the target or the distance.

        Args:
            side: "front", "back", "right", "left", "top" or "bottom".
        """
        self._flight = None
        azimuth, elevation = SIDES[side]
        azimuth += 360.0 * round((self._now[3] - azimuth) / 360.0)  # the shorter way round
        self._goal[3:5] = azimuth, elevation
        self._limit()

    @property
    def _depth(self) -> float:
        """Metres that a parallel view shows before and behind the camera."""
        return max(LEAST_DEPTH, DEPTH * float(self._now[5]))

    def show(
        self, target: Iterable[float], azimuth: float, elevation: float, distance: float
    ) -> None:
        """Move the view smoothly, as the mouse does, and end any flight.

        Args:
            target: `[3]` the point looked at, metres.
            azimuth: degrees around z; 0 looks along +y.
            elevation: degrees above the horizon.
            distance: metres from the target.
        """
        self._flight = None
        self._goal = np.array([*target, azimuth, elevation, distance], dtype=np.float64)
        self._limit()

    def moved_by_hand(self) -> tuple[tuple[float, float, float], float, float, float] | None:
        """Return the view to which the user has just moved the camera by mouse.

        Each move is returned once, after the mouse button was released.

        Returns:
            Target, azimuth, elevation and distance, as the arguments of `show`. None if the view
            was not moved by mouse since the last result, or still is being moved.
        """
        if not self._is_moved_by_hand or self._drag:
            return None
        self._is_moved_by_hand = False
        x, y, z, azimuth, elevation, distance = (round(float(item), 3) for item in self._goal)
        return (x, y, z), azimuth, elevation, distance

    def follow(self, dt: float) -> bool:
        """Advance the view by one frame; return whether it moved.

        If a script controls the camera, its view is applied at once. Else the camera moves towards
        its goal.

        Args:
            dt: time since the last frame, seconds.
        """
        is_clearing = self._clear(dt)
        wanted = self.camera.wanted
        if wanted is None:
            self._return_to_user()
            return self.update(dt) or is_clearing
        self._lead_to(wanted)
        return True

    def _lead_to(self, view: CameraView) -> None:
        if self._own_fov is None:
            self._own_fov = self.fov
        self.fov = view.fov
        self._now = np.array([*view.target, view.azimuth, view.elevation, view.distance])
        self.camera.view = view

    def _return_to_user(self) -> None:
        """Return to the user's view after a script controlled the camera; take the shorter turn."""
        if self._own_fov is None:
            return
        self.fov, self._own_fov = self._own_fov, None
        turns = round((self._now[3] - self._goal[3]) / 360.0)
        self._now[3] -= 360.0 * turns
        self.camera.view = self._view()

    def update(self, dt: float) -> bool:
        """Move towards the goal, or along a flight; return whether the view moved.

        Args:
            dt: time since the last frame, seconds.
        """
        if self._mount is not None:
            view = self._mount.view
            is_moved, self.camera.view = view != self.camera.view, view
            return is_moved
        flight = self.camera.take_flight()
        if flight is not None:
            self._flight, self._start, self._flown = flight, self._view(), 0.0
        is_moved = self._steer(dt)
        is_moved |= self._fly(dt) if self._flight is not None else self._glide(dt)
        self.camera.view = self._view()
        return is_moved

    def _fly(self, dt: float) -> bool:
        """Advance a flight by one frame.

        The camera starts and ends slowly. Its target and its angles change in the same proportion.

        Args:
            dt: time since the last frame, seconds.

        Returns:
            Whether the view moved; False without a flight.
        """
        flight, start = self._flight, self._start
        if flight is None:
            return False
        self._flown += dt
        share = min(1.0, self._flown / flight.seconds) if flight.seconds > 0 else 1.0
        eased = EASINGS["cubic_in_out"](share)
        first, last = _numbers(start), _numbers(flight.view)
        first[3] += 360.0 * round((last[3] - first[3]) / 360.0)  # the shorter way round
        self._now = first + (last - first) * eased
        self._now[5] = first[5] * (last[5] / first[5]) ** eased
        self.fov = start.fov + (flight.view.fov - start.fov) * eased
        if share >= 1.0:
            self._now, self.fov, self._flight = last, flight.view.fov, None
        self._goal = self._now.copy()
        return True

    def _share_of(self, dt: float) -> float:
        """Return how much of its way the view goes in a frame: all, if less motion is wanted."""
        is_at_once = self.camera.reduces_motion
        return 1.0 if is_at_once else 1.0 - math.exp(-SETTLE * max(dt, 1.0 / 240.0))

    def _glide(self, dt: float) -> bool:
        gap = self._goal - self._now
        if np.abs(gap).max() < STILL:
            return False
        self._now += gap * self._share_of(dt)
        if np.abs(self._goal - self._now).max() < STILL * 20:
            self._now = self._goal.copy()
        return True

    def _view(self) -> CameraView:
        x, y, z, azimuth, elevation, distance = map(float, self._now)
        return CameraView((x, y, z), azimuth, elevation, distance, self.fov)

    @property
    def position(self) -> Vector3:
        """World position of the camera, metres."""
        return Vector3(self.eye.position)

    @property
    def target(self) -> Vector3:
        """The point looked at, metres."""
        return Vector3(self._now[:3])

    @property
    def eye(self) -> CameraPose:
        """The present camera pose."""
        if self._mount is not None and not self.camera.is_led:
            return self._mount
        eye = self._view().seen_from(self.near, self.far)
        if not self.is_parallel:
            return eye
        height = 2.0 * float(self._now[5]) * math.tan(math.radians(self.fov / 2.0))
        return replace(eye, height=height, near=-self._depth, far=self._depth)

    @property
    def shown_eye(self) -> CameraPose:
        """The camera pose with the angle of view enlarged for narrow or partly covered pictures."""
        eye = self.eye
        covered = self.covered + self.covered_above
        height = eye.height * self._widening(covered)
        return replace(eye, fov=self._shown_fov(eye.fov, covered), height=height)

    @property
    def coming_eye(self) -> CameraPose:
        """The camera pose of the next frame, including scripts' requests.

        Its angle of view is that of the whole window, including parts covered by panels.
        """
        eye = self.camera.coming_view.seen_from(self.near, self.far)
        if self._mount is not None and not self.camera.is_led:
            eye = self._mount
        return replace(eye, fov=self._shown_fov(eye.fov, 0.0))

    @property
    def aspect(self) -> float:
        """Aspect ratio of the view, width by height."""
        return max(1, self.viewport[2]) / max(1, self.viewport[3])

    def _shown_fov(self, fov: float, covered: float) -> float:
        """Return the angle of view to draw with when panels cover a part of the picture.

        Args:
            fov: vertical angle of view that the uncovered part shall show, degrees.
            covered: fraction of the picture's height that panels cover.

        Returns:
            Vertical angle of view of the whole picture, degrees; larger in a narrow window.
        """
        factor = self._widening(covered)
        return math.degrees(2.0 * math.atan(math.tan(math.radians(fov / 2.0)) * factor))

    def is_inside(self, x: float, y: float) -> bool:
        """Return whether a pixel (x, y) of the window lies in the view."""
        left, top, width, height = self.viewport
        return left <= x < left + width and top <= y < top + height

    def _widening(self, covered: float) -> float:
        """Return how much more the picture shows than its uncovered part; see `_shown_fov`."""
        free = 1.0 - covered
        return max(1.0, self._least_aspect * free / self.aspect) / free

    def ray(self, x: float, y: float) -> tuple[Vector, Vector]:
        """Return the ray through a pixel in world space: origin `[3]` and unit direction `[3]`.

        Args:
            x: pixels from the window's left edge.
            y: pixels from the window's top edge.
        """
        left, top, width, height = self.viewport
        across = (x - left) / max(1, width) * 2.0 - 1.0
        up = 1.0 - (y - top) / max(1, height) * 2.0
        far = np.array([across, up, 1.0, 1.0]) @ self._from_screen()
        if self.is_parallel:
            near = np.array([across, up, -1.0, 1.0]) @ self._from_screen()
            return np.array(near[:3] / near[3]), np.array(self.eye.ahead, dtype=np.float64)
        origin = np.array(self.eye.position, dtype=np.float64)
        return origin, np.array(vector.normalise(far[:3] / far[3] - origin), dtype=np.float64)

    def project(self, point: Iterable[float]) -> tuple[float, float]:
        """Return the pixel (x, y) of the window at which a world point `[3]` is seen.

        The point must lie in front of the camera.
        """
        left, top, width, height = self.viewport
        seen = np.array([*point, 1.0]) @ self._to_screen()
        across, up = seen[:2] / seen[3]
        x = left + (float(across) + 1.0) / 2.0 * width
        return x, top + (1.0 - float(up)) / 2.0 * height

    def place_of(self, centers: Vector, radii: Vector) -> tuple[int, int, int, int] | None:
        """Return the rectangle of the view that encloses spheres; None if one is behind the camera.

        Args:
            centers: `[n, 3]` in world space, metres.
            radii: `[n]` metres.

        Returns:
            Left, top, width and height, pixels of the view.
        """
        corners = centers[:, None, :] + radii[:, None, None] * CORNERS
        points = np.concatenate([corners.reshape(-1, 3), np.ones((8 * len(centers), 1))], axis=1)
        seen = points @ self._to_screen()
        if (seen[:, 3] <= 1e-3).any():
            return None
        _, _, width, height = self.viewport
        x = np.clip((seen[:, 0] / seen[:, 3] + 1.0) / 2.0 * width, 0.0, width)
        y = np.clip((1.0 - seen[:, 1] / seen[:, 3]) / 2.0 * height, 0.0, height)
        left, top = max(0, int(x.min()) - 2), max(0, int(y.min()) - 2)
        return left, top, int(x.max()) + 3 - left, int(y.max()) + 3 - top

    def on_screen(self, points: Vector) -> Vector:
        """Return the pixels `[..., 2]` at which world points `[..., 3]` are seen in the window.

        Points behind the camera become NaN.
        """
        left, top, width, height = self.viewport
        ones = np.ones((*points.shape[:-1], 1))
        seen = np.concatenate([points, ones], axis=-1) @ self._to_screen()
        ahead = np.where(seen[..., 3:] > BEHIND, seen[..., 3:], np.nan)
        flat = (seen[..., :2] / ahead * (1.0, -1.0) + 1.0) / 2.0 * (width, height)
        return np.asarray(flat + np.array([left, top]))

    def _to_screen(self) -> Vector:
        view, lens = self.matrices()
        return view @ lens

    def _from_screen(self) -> Vector:
        """Return the matrix from screen to world; it is cached, since the view seldom changes."""
        if self.is_parallel:
            return np.asarray(np.linalg.inv(self._to_screen()), dtype=np.float64)
        key = (self.eye, self.shown_eye.fov, self.aspect, self.covered, self.covered_above)
        if key != self._back_key:
            self._back_key = key
            self._back = np.asarray(np.linalg.inv(self._to_screen()), dtype=np.float64)
        return self._back

    def _move(self, right: float, down: float) -> None:
        if self._drag == "turn":
            before = np.array(self._eye_of_goal().position)
            self._goal[3] -= right * TURN
            self._goal[4] += down * TURN
            if self._has_flown:  # look around, from where the camera is
                self._limit()
                self._goal[:3] += before - self._eye_of_goal().position
                self._now = self._goal.copy()
        else:
            step = self._goal[5] * math.tan(math.radians(self.fov / 2)) * 2 / self.viewport[3]
            azimuth = math.radians(self._goal[3])
            side = np.array([math.cos(azimuth), math.sin(azimuth)])
            ahead = np.array([-math.sin(azimuth), math.cos(azimuth)])
            self._goal[:2] += (ahead * down - side * right) * step
            if not self.is_free:
                self._goal[:2] = np.clip(self._goal[:2], -50.0, 50.0)
        self._limit()

    def _limit(self, *, is_free: bool | None = None) -> None:
        """Keep the goal within limits: an editor's, or the scene's; None for those of now."""
        is_free = self.is_free if is_free is None else is_free
        self._goal[4] = np.clip(
            self._goal[4], *(FREE_ELEVATION if is_free else self.limits_elevation)
        )
        self._goal[5] = np.clip(
            self._goal[5], *(FREE_DISTANCE if is_free else self.limits_distance)
        )


def _numbers(view: CameraView) -> Vector:
    return np.array([*view.target, view.azimuth, view.elevation, max(view.distance, 1e-3)])


def _nearer(value: float, goal: float, share: float) -> float:
    """Move a value a fraction of the way towards its goal; a close value becomes the goal.

    Args:
        value: present value.
        goal: wanted value.
        share: fraction of the way, 0 to 1.
    """
    value += (goal - value) * share
    return goal if abs(goal - value) < 10.0 * STILL else value
