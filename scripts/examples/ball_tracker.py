"""A camera on a turning head: by its picture alone it must keep a moving ball in the middle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import Agent, Box, CameraSensor, SceneObject, field

SIDE = 32  # pixels of the picture
FASTEST = 90.0  # degrees a second, of both motors
WIDEST = 30.0  # degrees from the middle to the edge of the picture
TILTS = (-40.0, 40.0)  # degrees
STATE = ("turn", "tilt", "age", "wanted", "phases", "speeds")  # kept by rewind and by copies
POLICY = "assets/policies/ball_tracker.npz"  # by `train ppo`, see its card beside it
SWING = ((2.6, 0.9, 1.7), (1.5, 0.0, 0.4), (0.9, 1.3, 2.2))  # metres: across, along, up
Picture = npt.NDArray[np.uint8]


class BallTracker(Agent):
    """The head, with two motors: it turns, and its camera tilts.

    Observes the picture of its camera, 32 x 32 pixels. The action is the share of each motor's
    speed, -1 to 1: left and up are positive. A decision is worth 1 where the ball is in the middle
    of the picture, and 0 where it is at the edge or beyond.
    """

    observation_space = Box(0, 255, (SIDE, SIDE, 3), "uint8")
    action_space = Box(-1.0, 1.0, (2,))
    action_names = ("turn, left is positive", "tilt, up is positive")

    eye: SceneObject = field(None, help="The part that tilts, with a Camera and a CameraSensor")
    ball: SceneObject = field(None, help="What it is to look at")

    def awake(self) -> None:
        self.turn = self.tilt = self.age = 0.0
        self.wanted = (0.0, 0.0)
        self.phases = self.speeds = np.zeros((3, 3))
        self.offer_policy(POLICY)

    def reset(self, rng: np.random.Generator) -> None:
        self.age, self.wanted = 0.0, (0.0, 0.0)
        self.phases = rng.uniform(0.0, math.tau, (3, 3))
        self.speeds = rng.uniform(0.3, 1.1, (3, 3))
        self.turn = self.tilt = 0.0
        self.stand()
        across, up = self.away()
        self.turn = across + rng.uniform(-20.0, 20.0)
        self.tilt = up + rng.uniform(-15.0, 15.0)
        self.stand()

    def act(self, action: Any) -> None:
        self.wanted = (float(action[0]), float(action[1]))

    def fixed_update(self, dt: float) -> None:
        self.age += dt
        self.turn += self.wanted[0] * FASTEST * dt
        self.tilt = min(max(self.tilt + self.wanted[1] * FASTEST * dt, TILTS[0]), TILTS[1])
        self.stand()

    def stand(self) -> None:
        """Move the scene's ball, head and eye to the present state."""
        waves = np.sin(self.phases + self.speeds * self.age)
        across, along, up = (np.array(SWING) * waves).sum(axis=1).tolist()
        self.ball.transform.position = (across, 6.0 + along, 2.2 + 0.45 * up)
        self.object.transform.rotation = (self.turn, 0.0, 0.0)
        self.eye.transform.rotation = (0.0, self.tilt, 0.0)

    def away(self) -> tuple[float, float]:
        """Return how far the ball is left of the picture's middle, and above it, degrees."""
        x, y, z = (
            float(to - at)
            for to, at in zip(
                self.ball.transform.world_position, self.eye.transform.world_position, strict=True
            )
        )
        across = math.degrees(math.atan2(-x, y)) - self.turn
        across = (across + 180.0) % 360.0 - 180.0
        return across, math.degrees(math.atan2(z, math.hypot(x, y))) - self.tilt

    def save_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in STATE}

    def load_state(self, state: Any) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    def compute_reward(self) -> None:
        self.reward = max(0.0, 1.0 - math.hypot(*self.away()) / WIDEST)

    def observe(self) -> Picture:
        return np.asarray(self.eye.get(CameraSensor).read(), np.uint8)

    def decide(self, observation: Any) -> list[float]:
        """Turn towards the centre of the orange pixels, faster the farther away it is."""
        red, green, blue = np.moveaxis(np.asarray(observation, float), 2, 0)
        rows, columns = np.nonzero((red > 120.0) & (red > 1.6 * green) & (red > 1.6 * blue))
        if not len(rows):
            return [0.4, 0.0]
        middle = (SIDE - 1) / 2.0
        away = (middle - columns.mean(), middle - rows.mean())
        return [min(max(4.0 * pixels / middle, -1.0), 1.0) for pixels in away]
