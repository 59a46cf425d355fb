"""A pendulum whose motor is too weak to lift it: it must be swung up, and held there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim import Agent, Box, HingeJoint, RigidBody, field

# The task of Gymnasium's Pendulum-v1, here with a rigid body on a hinge.
HALF = 0.5  # metres, from the hinge to the middle of the rod
LIFT = 9.81 * HALF  # joules that a rod of 1 kg has at the top, from the height of the hinge
INERTIA = 1.0 / 3.0  # kg m², of that rod around the hinge
POLICY = "assets/policies/pendulum.npz"  # by `train ppo`, see its card beside it
CATCH = math.radians(25.0)  # from the top: within it the rod is held, beyond it swung


class Pendulum(Agent):
    """A rod on a hinge; without a learner, a two-line controller swings it up.

    Observes cosine and sine of the angle from the top, and the speed in radians a second. The
    action is the share of the motor's torque, -1 to 1. Each decision costs the angle squared, a
    tenth of the speed squared, and a little for the torque.
    """

    observation_space = Box([-1.0, -1.0, -np.inf], [1.0, 1.0, np.inf])
    action_space = Box(-1.0, 1.0, (1,))
    observation_names = ("cosine of the angle from the top", "its sine", "speed (rad/s)")
    action_names = ("share of the motor's torque",)

    hinge: HingeJoint = field(None, help="The rod's hinge, at zero when the rod stands up")
    torque: float = field(2.0, min=0.1, max=20.0, unit="N m", help="Largest torque of the motor")

    def reset(self, rng: np.random.Generator) -> None:
        angle, speed = rng.uniform(-math.pi, math.pi), rng.uniform(-1.0, 1.0)
        rod, body = self.object.transform, self.object.get(RigidBody)
        rod.rotation = (0.0, 0.0, math.degrees(angle))
        way = HALF * np.array([math.sin(angle), 0.0, math.cos(angle)])
        rod.position = self.hinge_place + way
        body.velocity = speed * HALF * np.array([math.cos(angle), 0.0, -math.sin(angle)])
        body.spin = (0.0, math.degrees(speed), 0.0)
        self.hinge.motor_torque = 0.0

    def start(self) -> None:
        self.offer_policy(POLICY)
        self.hinge_place = np.array(self.object.transform.position) - (0.0, 0.0, HALF)

    def save_state(self) -> None:
        """Keep nothing: all its state is that of the rod."""

    def load_state(self, state: Any) -> None:
        pass

    def observe(self) -> list[float]:
        angle, speed = np.radians(self.hinge.read()).tolist()
        return [math.cos(angle), math.sin(angle), speed]

    def act(self, action: Any) -> None:
        angle, speed = np.radians(self.hinge.read()).tolist()
        share = float(action[0])
        self.hinge.motor_torque = share * self.torque
        self.reward = -(angle * angle + 0.1 * speed * speed + 0.004 * share * share)

    def decide(self, observation: Any) -> list[float]:
        """Add energy until the rod reaches the top, then hold it; a person's key overrides this.

        K. J. Åström, K. Furuta: Swinging up a pendulum by energy control (2000).
        """
        left, right = self.input.down("left"), self.input.down("right")
        if left != right:
            return [1.0 if right else -1.0]
        cosine, sine, speed = (float(value) for value in observation)
        angle = math.atan2(sine, cosine)
        if abs(angle) < CATCH:
            return [float(np.clip(-(14.0 * angle + 3.0 * speed) / self.torque, -1.0, 1.0))]
        missing = LIFT * (1.0 - cosine) - INERTIA * speed * speed / 2.0
        return [math.copysign(float(np.clip(4.0 * abs(missing), 0.0, 1.0)), speed * missing)]
