"""A walker on four legs with eight motors: it is paid by the metre, and has to find out how."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim import Agent, Box, ContactSensor, HingeJoint, RigidBody, SceneObject, field

# The rhythm is given, as in A. Iscen et al.: Policies modulating trajectory generators (2018).
BEAT, TURN = 1.6, 0.5  # steps of each leg a second; how much longer one side's strides become
HIP, KNEE = 35.0, 45.0  # degrees from where it stands, of the longest stride and the highest lift
LOWEST, UPRIGHT = 0.22, math.cos(math.radians(50.0))  # metres, and of its back: else it has fallen
FALL, ASIDE, JERK = 2.0, 0.3, 0.003  # what they cost: a fall, a metre to the side, a change
POLICY = "assets/policies/walker.npz"  # by `train ppo`, see its card beside it
BLACK = {"color": (0.13, 0.14, 0.17), "roughness": 0.45}
GOLD = {"color": (0.85, 0.68, 0.3), "roughness": 0.25}
GLOW = {"color": (0.45, 0.9, 1.0), "emission": 0.9}
LENGTH, WIDTH, METRE = 64, 3, 64  # metres of the painted path; pixels of one
BEHIND, AHEAD = 4, 0.9  # metres of it behind where it begins; where the camera goes


class Walker(Agent):
    """The back, and the motors of four legs: front left, front right, rear left, rear right.

    Observes a clock (sine and cosine), which way is up, sine of the heading and metres to the side,
    velocity and spin as the back has them, angles and speeds of hips and knees, and which feet
    touch. Legs across from one another move as a pair, by the clock; the action is stride (back to
    ahead) and lift (none to high) of the one pair, of the other, and a turn to the left, each -1
    to 1. A metre forward is worth 1; little is lost to the side and by jerks, and much by a fall,
    which ends the episode.
    """

    observation_space = Box(-np.inf, np.inf, (33,))
    action_space = Box(-1.0, 1.0, (5,))

    hips: list[HingeJoint] = field([], help="Front left, front right, rear left, rear right")
    knees: list[HingeJoint] = field([], help="In the same order")
    feet: list[ContactSensor] = field([], help="In the same order")
    camera: SceneObject = field(None, help="The camera that follows it")
    path: SceneObject = field(None, help="The ground, on which metres are painted")

    def start(self) -> None:
        self.x, self.y, self.beat, self.last, self.is_new = 0.0, 0.0, 0.0, [0.0] * 5, True
        self.joints = [*self.hips, *self.knees]
        self.back = self.object.get(RigidBody)
        parts = (self.object, *(joint.object for joint in self.joints))
        places = [(part.transform, part.get(RigidBody)) for part in parts]
        self.stance = [(at, tuple(at.position), tuple(at.rotation), body) for at, body in places]
        if self.run.graphics:  # a learner's copies are faster without
            self.dress()
            self.paint()
        self.offer_policy(POLICY)

    def reset(self, rng: np.random.Generator) -> None:
        for transform, position, rotation, body in self.stance:
            transform.position, transform.rotation = position, rotation
            body.velocity = body.spin = (0.0, 0.0, 0.0)
        for joint in self.joints:
            joint.motor_angle = 0.0
        self.beat, self.x, self.y = rng.uniform(0.0, math.tau), 0.0, 0.0
        self.last, self.is_new = [0.0] * 5, True

    def act(self, action: Any) -> None:
        wanted = np.asarray(action, float).tolist()
        pairs = []  # of legs: how long their strides are, where in one they are, the knees' bend
        for stride, lift, beat in ((*wanted[:2], self.beat), (*wanted[2:4], self.beat + math.pi)):
            bend = -KNEE * (lift + 1.0) / 2.0 * max(0.0, math.cos(beat))
            pairs.append((stride, math.sin(beat), bend))
        for leg, (hip, knee) in enumerate(zip(self.hips, self.knees, strict=True)):
            stride, swing, knee.motor_angle = pairs[leg in (1, 2)]
            stride *= 1.0 + TURN * wanted[4] * (1.0 if leg % 2 else -1.0)
            hip.motor_angle = -HIP * max(-1.0, min(1.0, stride)) * swing
        self.reward -= JERK * sum((a - b) ** 2 for a, b in zip(wanted, self.last, strict=True))
        self.last, self.is_new = wanted, False

    def fixed_update(self, dt: float) -> None:
        self.beat = (self.beat + math.tau * BEAT * dt) % math.tau

    def compute_reward(self) -> None:
        world = np.asarray(self.object.transform.world_matrix)
        x, y, z = world[3, :3].tolist()
        self.reward += x - self.x - ASIDE * abs(y - self.y)
        self.x, self.y = x, y
        self.info["metres"] = x
        if z < LOWEST or world[2, 2] < UPRIGHT:
            self.reward -= FALL
            self.done = True

    def save_state(self) -> Any:
        return self.x, self.y, self.beat, self.last, self.is_new

    def load_state(self, state: Any) -> None:
        self.x, self.y, self.beat, self.last, self.is_new = state

    def observe(self) -> list[float]:
        axes = np.asarray(self.object.transform.world_matrix)[:3, :3]  # rows: its own, in the world
        angles, speeds = [0.0] * 8, [0.0] * 8
        if not self.is_new:  # a joint tells of its last step, and there was none
            for index, joint in enumerate(self.joints):
                angle, speed = joint.peek()
                angles[index], speeds[index] = angle / KNEE, speed / 360.0
        spin = (axes @ self.back.spin).tolist()
        return [
            math.sin(self.beat), math.cos(self.beat), *axes[:, 2].tolist(), float(axes[0, 1]),
            max(-2.0, min(2.0, self.y)), *(axes @ self.back.velocity).tolist(),
            spin[0] / 180.0, spin[1] / 180.0, spin[2] / 180.0, *angles, *speeds,
            *[float(foot.is_touching) for foot in self.feet],
        ]  # fmt: skip

    def decide(self, observation: Any) -> list[float]:
        """Trot evenly, and steer back to the straight line."""
        aside = float(observation[5]) + 0.3 * float(observation[6])
        return [0.6, 0.2, 0.6, 0.2, max(-1.0, min(1.0, -aside))]

    def update(self, dt: float) -> None:
        if self.run.graphics and self.camera is not None:
            self.camera.transform.position = (self.x + AHEAD, *self.camera.transform.position[1:])

    def dress(self) -> None:
        """Give it a head, a tail, joints and feet."""
        add(self.object, BLACK, (0, 0, 0.07), builtin="box", size=[0.5, 0.13, 0.04])
        add(self.object, BLACK, (0.37, 0, 0.06), builtin="box", size=[0.17, 0.17, 0.13])
        tail = {"builtin": "cylinder", "radius": 0.015, "height": 0.2}
        add(self.object, BLACK, (-0.37, 0, 0.11), (0, 0, -40), **tail)
        for side in (-0.045, 0.045):
            add(self.object, GLOW, (0.45, side, 0.08), builtin="sphere", radius=0.024)
        for hip, knee in zip(self.hips, self.knees, strict=True):
            for height, radius in ((0.12, 0.055), (-0.12, 0.045)):
                disc = {"builtin": "cylinder", "radius": radius, "height": 0.1}
                add(hip.object, GOLD, (0, 0, height), (0, 90, 0), **disc)
            add(knee.object, BLACK, (0, 0, -0.12), builtin="sphere", radius=0.034)

    def paint(self) -> None:
        """Paint a line for each metre of the path, and every second number."""
        canvas, high = self.path.canvas, WIDTH * METRE
        canvas.resize(LENGTH * METRE, high, background=(0.55, 0.5, 0.42))
        for metre in range(LENGTH - BEHIND):
            x = (metre + BEHIND) * METRE
            canvas.line((x, 0), (x, high), (0.72, 0.67, 0.58), width=2 + 4 * (metre == 0))
            if metre % 2 == 0:
                canvas.text(str(metre), (x + 6, high - 30), (0.9, 0.87, 0.8), size=24)


def add(to: SceneObject, material: Any, at: Any, turn: Any = (0, 0, 0), **model: Any) -> None:
    """Add a part that is drawn but has no body."""
    to.scene.spawn("Part", parent=to, model=model, material=material, position=at, rotation=turn)
