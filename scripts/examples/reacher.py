"""An arm of two links with a motor in each joint: its hand must come to a target and stay there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sim import Agent, Box, HingeJoint, RigidBody, SceneObject, field

FIRST, SECOND = 1.0, 0.8  # metres, of the links
HEIGHT = (0.42, 0.56)  # metres above the ground, of each
NEAR, FAR = 0.45, 1.7  # metres from the first joint, where targets are
POLICY = "assets/policies/reacher.npz"  # by `train ppo`, see its card beside it
Plane = npt.NDArray[np.float64]


class Reacher(Agent):
    """An arm of two links in a plane, without gravity; its object is the first link.

    Observes cosine and sine of both angles, both speeds (in turns a second), the target, and what
    is missing from the hand to it. The action is the share of each motor's torque, -1 to 1. Each
    decision costs the distance from hand to target, and a little for the torques.
    """

    observation_space = Box(-np.inf, np.inf, (10,))
    action_space = Box(-1.0, 1.0, (2,))
    observation_names = (
        "cosine of the shoulder", "cosine of the elbow", "sine of the shoulder",
        "sine of the elbow", "speed of the shoulder (turns/s)", "speed of the elbow (turns/s)",
        "target x (m)", "target y (m)", "way from hand to target x (m)",
        "way from hand to target y (m)",
    )  # fmt: skip
    action_names = ("share of the shoulder's torque", "share of the elbow's torque")

    forearm: SceneObject = field(None, help="The second link")
    shoulder: HingeJoint = field(None, help="Hinge between the ground and the first link")
    elbow: HingeJoint = field(None, help="Hinge between the links")
    target: SceneObject = field(None, help="Where the hand is to go")
    torque: float = field(2.0, min=0.1, max=20.0, unit="N m", help="Largest torque of the shoulder")

    def awake(self) -> None:
        self.goal: Plane = np.array([1.0, 0.0])

    def start(self) -> None:
        self.offer_policy(POLICY)

    def reset(self, rng: np.random.Generator) -> None:
        shoulder, elbow = rng.uniform(-math.pi, math.pi, 2).tolist()
        self.place(shoulder, elbow)
        distance, turn = math.sqrt(rng.uniform(NEAR**2, FAR**2)), rng.uniform(-math.pi, math.pi)
        self.goal = distance * np.array([math.cos(turn), math.sin(turn)])
        self.target.transform.position = (*self.goal, HEIGHT[1])

    def place(self, shoulder: float, elbow: float) -> None:
        """Put the arm at rest at two angles, radians; the elbow's is relative to the first link."""
        ends = ((self.object, FIRST, shoulder), (self.forearm, SECOND, shoulder + elbow))
        begin = np.zeros(2)
        for (link, length, turn), height in zip(ends, HEIGHT, strict=True):
            way = length * np.array([math.cos(turn), math.sin(turn)])
            link.transform.position = (*(begin + way / 2), height)
            link.transform.rotation = (math.degrees(turn), 0.0, 0.0)
            body = link.get(RigidBody)
            body.velocity = body.spin = (0.0, 0.0, 0.0)
            begin = begin + way
        self.shoulder.motor_torque = self.elbow.motor_torque = 0.0

    def save_state(self) -> Plane:
        return self.goal

    def load_state(self, state: Any) -> None:
        self.goal = state

    def stand(self) -> tuple[Plane, Plane]:
        """Return both angles in radians, then both speeds in radians a second."""
        found = np.radians([self.shoulder.read(), self.elbow.read()]).astype(np.float64)
        return found[:, 0], found[:, 1]

    def observe(self) -> Plane:
        angles, speeds = self.stand()
        way = self.goal - hand_of(angles)
        return np.concatenate([np.cos(angles), np.sin(angles), speeds / math.tau, self.goal, way])

    def act(self, action: Any) -> None:
        first, second = float(action[0]), float(action[1])
        self.shoulder.motor_torque = first * self.torque
        self.elbow.motor_torque = second * self.torque / 2
        away = float(np.linalg.norm(self.goal - hand_of(self.stand()[0])))
        self.reward = -away - 0.01 * (first * first + second * second)

    def decide(self, observation: Any) -> list[float]:
        """Pull the hand to the target like a spring, and brake the joints."""
        cosines, sines, speeds = (np.asarray(observation[i : i + 2], float) for i in (0, 2, 4))
        angles = np.arctan2(sines, cosines)
        pull = 5.0 * np.asarray(observation[8:10], float)
        wanted = lever_of(angles).T @ pull - np.array([1.2, 0.5]) * speeds * math.tau
        shares = wanted / (self.torque, self.torque / 2)
        return [min(max(share, -1.0), 1.0) for share in map(float, shares)]


def hand_of(angles: Plane) -> Plane:
    """Return where the hand is, `[2]` metres, at two angles in radians."""
    first, both = float(angles[0]), float(angles[0] + angles[1])
    return np.array(
        [
            FIRST * math.cos(first) + SECOND * math.cos(both),
            FIRST * math.sin(first) + SECOND * math.sin(both),
        ]
    )


def lever_of(angles: Plane) -> Plane:
    """Return the Jacobian: how the hand moves with each angle, `[2, 2]` metres a radian."""
    x, y = hand_of(angles)
    both = float(angles[0] + angles[1])
    return np.array([[-y, -SECOND * math.sin(both)], [x, SECOND * math.cos(both)]])
