"""A car with nine rays on a winding track: it must drive by what they meet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from scripts.driving.track import Track
from sim import Agent, Box, RaySensor, SceneObject, field

CORNERS = (
    (-28, -15), (-8, -17), (12, -16), (28, -16), (34, -6), (25, 3), (12, -1), (5, 6), (14, 14),
    (3, 20), (-9, 16), (-12, 1), (-21, 2), (-24, 13), (-34, 10), (-34, -6),
)  # fmt: skip
WIDTH = 4.8  # metres from wall to wall
GROUND = 120.0  # metres of the side of the painted ground
LENGTH = 2.6  # metres from axle to axle, in P. Polack et al.: The kinematic bicycle model (2017)
RADIUS = 1.0  # metres that the car needs to each side
STEEPEST = math.radians(32.0)  # of the front wheels
TURN = math.radians(120.0)  # a second, how fast they turn
PUSH, BRAKE, DRAG = 5.0, 9.0, 0.02  # m/s², m/s², and for each (m/s)²
FASTEST = 16.0  # m/s
STATE = ("x", "y", "heading", "speed", "steering", "wanted", "place", "way", "laps")
POLICY = "assets/policies/car.npz"  # by `train ppo`, see its card beside it


class Car(Agent):
    """A car; without a learner, a few lines of script drive it.

    Observes nine rays (the share that is free), speed and the angle of the front wheels. The
    action is steering (right is positive) and pedal, -1 to 1. A metre along the track is worth
    0.1; to touch a wall costs 5 and ends the episode.
    """

    observation_space = Box([0.0] * 10 + [-1.0], 1.0)
    action_space = Box(-1.0, 1.0, (2,))
    observation_names = (
        "free share of ray 1, left", "free share of ray 2", "free share of ray 3",
        "free share of ray 4", "free share of ray 5, ahead", "free share of ray 6",
        "free share of ray 7", "free share of ray 8", "free share of ray 9, right",
        "speed (share of 16 m/s)", "angle of the front wheels (share of 32 degrees)",
    )  # fmt: skip
    action_names = ("steering, right is positive", "pedal, positive speeds up")

    rays: RaySensor = field(None, help="Nine of them, from left to right")
    ground: SceneObject = field(None, help="The ground, on which the track is painted")
    wheels: list[SceneObject] = field([], help="The wheels that steer")

    def awake(self) -> None:
        self.x = self.y = self.heading = self.speed = self.steering = 0.0
        self.wanted = (0.0, 0.0)
        self.track = Track(CORNERS, WIDTH)
        self.place, self.way, self.laps = 0, 0.0, 0

    def start(self) -> None:
        self.offer_policy(POLICY)
        self.track.build_walls(self.scene)
        if self.run.graphics:
            self.track.paint(self.ground.canvas, GROUND)

    def reset(self, rng: np.random.Generator) -> None:
        self.place = int(rng.integers(len(self.track.middle)))
        ahead = self.track.direction(self.place)
        self.heading = math.atan2(ahead[1], ahead[0]) + rng.uniform(-0.15, 0.15)
        self.x, self.y = (self.track.middle[self.place] + rng.uniform(-0.5, 0.5, 2)).tolist()
        self.speed = self.steering = 0.0
        self.wanted, self.laps = (0.0, 0.0), 0
        self.place, self.way, _ = self.track.find(self.x, self.y, self.place)
        self.stand()

    def act(self, action: Any) -> None:
        self.wanted = (float(action[0]), float(action[1]))

    def fixed_update(self, dt: float) -> None:
        steer, pedal = self.wanted
        turn = steer * STEEPEST - self.steering
        self.steering += min(max(turn, -TURN * dt), TURN * dt)
        pull = pedal * (PUSH if pedal > 0 else BRAKE) - DRAG * self.speed * self.speed
        self.speed = min(max(self.speed + pull * dt, 0.0), FASTEST)
        self.heading -= dt * self.speed * math.tan(self.steering) / LENGTH
        self.x += dt * self.speed * math.cos(self.heading)
        self.y += dt * self.speed * math.sin(self.heading)
        self.stand()

    def compute_reward(self) -> None:
        before, whole = self.way, self.track.length
        self.place, self.way, left = self.track.find(self.x, self.y, self.place)
        gained = (self.way - before + whole / 2) % whole - whole / 2
        self.reward += 0.1 * gained
        if gained > 0 and self.way < before:
            self.laps += 1
        self.info["laps"] = self.laps
        if abs(left) > WIDTH / 2 - RADIUS:
            self.reward -= 5.0
            self.done = True

    def save_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in STATE}

    def load_state(self, state: Any) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    def observe(self) -> npt.NDArray[np.float64]:
        return np.array([*self.rays.read(), self.speed / FASTEST, self.steering / STEEPEST])

    def decide(self, observation: Any) -> list[float]:
        """Steer to where the rays are free, slower where they are short; a person's keys win."""
        left, right, up, down = (self.input.down(key) for key in ("left", "right", "up", "down"))
        if left or right or up or down:
            return [float(right) - float(left), float(up) - float(down)]
        rays, speed = np.asarray(observation[:9], float), float(observation[9])
        free = rays**2
        steer = 3.0 * float(np.dot(free, np.linspace(-1.0, 1.0, 9)) / (free.sum() + 1e-6))
        wanted = 0.12 + 0.4 * float(rays[3:6].min())
        return [min(max(steer, -1.0), 1.0), min(max(4.0 * (wanted - speed), -1.0), 1.0)]

    def update(self, dt: float) -> None:
        for wheel in self.wheels:
            wheel.transform.rotation = (-math.degrees(self.steering), 0.0, 0.0)

    def stand(self) -> None:
        """Move the object to the car's state; its y axis points ahead."""
        self.object.transform.position = (self.x, self.y, 0.0)
        self.object.transform.rotation = (math.degrees(self.heading) - 90.0, 0.0, 0.0)
