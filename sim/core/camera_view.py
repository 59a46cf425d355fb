"""The camera as scripts see it: where the view is taken from, and where it is to fly."""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float, float]
FLIGHT_SECONDS = 0.8


@dataclass(frozen=True)
class CameraView:
    """A place to look from.

    Attributes:
        target: the point looked at, metres.
        azimuth: degrees around z; 0 looks along +y.
        elevation: degrees above the horizon.
        distance: metres from the target.
        fov: vertical angle of view, degrees.
    """

    target: Point = (0.0, 0.0, 0.0)
    azimuth: float = 0.0
    elevation: float = 40.0
    distance: float = 16.0
    fov: float = 32.0


@dataclass(frozen=True)
class Flight:
    """A view that the camera is to fly to, in seconds of wall time; 0 is at once."""

    view: CameraView
    seconds: float


class SceneCamera:
    """The scene's camera: `self.scene.camera` of a script. People may turn it at any time.

    Attributes:
        view: where the picture is taken from now.
        home: where it was at the start, and where the key Home leads.
    """

    def __init__(self) -> None:
        self.view = CameraView()
        self.home = CameraView()
        self._flight: Flight | None = None

    def fly_to(self, view: CameraView, *, seconds: float = FLIGHT_SECONDS) -> None:
        """Let the camera fly to a view, slow at both ends; it goes on while the scene is paused."""
        self._flight = Flight(view, max(0.0, seconds))

    def fly_home(self, *, seconds: float = FLIGHT_SECONDS) -> None:
        """Let the camera fly back to where it was at the start."""
        self.fly_to(self.home, seconds=seconds)

    def take_flight(self) -> Flight | None:
        """Return the flight that was asked for since the last call."""
        flight, self._flight = self._flight, None
        return flight


__all__ = ["FLIGHT_SECONDS", "CameraView", "Flight", "SceneCamera"]
