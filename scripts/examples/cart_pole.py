"""A pole on a cart: pushed left or right, the cart must keep it upright."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim import Agent, Box, Canvas, Discrete, SceneObject, field

# A. G. Barto, R. S. Sutton, C. W. Anderson: Neuronlike adaptive elements that can solve difficult
# learning control problems (1983), without friction.
GRAVITY = 9.8  # m/s²
CART, POLE = 1.0, 0.1  # kilograms
HALF = 0.5  # metres, from the hinge to the middle of the pole
WIDEST, STEEPEST = 2.4, math.radians(12.0)  # beyond these an episode ends
POLICY = "assets/policies/cart_pole.npz"  # python main.py train ppo, its card beside it
STATE = ("x", "speed", "angle", "spin", "force", "steps")  # kept by rewind and by copies
GREEN, BLUE = (0.45, 0.82, 0.55), (0.38, 0.70, 1.0)


class CartPole(Agent):
    """The cart, its pole, and a small learner that tries four weights at a time.

    Observes position, speed, angle and turning speed; 0 pushes left, 1 right. Each step in which
    the pole stands is worth 1.
    """

    observation_space = Box([-4.8, -np.inf, -0.42, -np.inf], [4.8, np.inf, 0.42, np.inf])
    action_space = Discrete(2)
    observation_names = ("position (m)", "speed (m/s)", "angle (rad)", "turning speed (rad/s)")
    action_names = ("push left", "push right")

    pole: SceneObject = field(None, help="The pole, whose origin is the hinge")
    board: SceneObject = field(None, help="Shows how long the pole stood")
    push: float = field(10.0, min=1.0, max=50.0, unit="N", help="Force of each push")
    noise: float = field(2.0, min=0.1, max=10.0, help="How far the learner tries other weights")

    def awake(self) -> None:
        self.x = self.speed = self.angle = self.spin = self.force = 0.0
        self.steps, self.best_steps = 0, 0.0
        self.best, self.tried, self.is_again = np.zeros(4), np.zeros(4), False
        self.lasted: list[int] = []

    def start(self) -> None:
        self.offer_policy(POLICY)
        if self.run.graphics:
            self.board.canvas.resize(840, 420, background=(0.05, 0.055, 0.065))
            self.draw_board(self.board.canvas)

    def reset(self, rng: np.random.Generator) -> None:
        self.x, self.speed, self.angle, self.spin = rng.uniform(-0.05, 0.05, 4).tolist()
        if self.steps:
            self.lasted = [*self.lasted[-59:], self.steps]
            if self.run.graphics:
                self.draw_board(self.board.canvas)
        self.steps = 0

    def act(self, action: Any) -> None:
        self.force = self.push if action else -self.push

    def fixed_update(self, dt: float) -> None:
        sine, cosine = math.sin(self.angle), math.cos(self.angle)
        whole = CART + POLE
        thrust = (self.force + POLE * HALF * self.spin * self.spin * sine) / whole
        turn = (GRAVITY * sine - cosine * thrust) / (
            HALF * (4.0 / 3.0 - POLE * cosine * cosine / whole)
        )
        pull = thrust - POLE * HALF * turn * cosine / whole
        self.x += dt * self.speed
        self.speed += dt * pull
        self.angle += dt * self.spin
        self.spin += dt * turn
        self.steps += 1
        self.reward = 1.0
        self.done = abs(self.x) > WIDEST or abs(self.angle) > STEEPEST

    def observe(self) -> list[float]:
        return [self.x, self.speed, self.angle, self.spin]

    def save_state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in STATE}

    def load_state(self, state: Any) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    # -- what is seen -------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        self.object.transform.position = (self.x, 0.0, 0.0)
        self.pole.transform.rotation = (0.0, 0.0, math.degrees(self.angle))

    def draw_board(self, canvas: Canvas) -> None:
        width, height = canvas.width, canvas.height
        canvas.clear()
        canvas.text("Steps that the pole stood", (36, 62), size=36, weight=600)
        note = f"last {self.lasted[-1]}" if self.lasted else ""
        canvas.text(note, (width - 36, 62), (1, 1, 1, 0.65), size=32, align="right")
        left, top, wide, high = 96.0, 96.0, width - 136.0, height - 140.0
        canvas.grid((left, top, wide, high), 0, 500, size=22)
        for number, steps in enumerate(self.lasted):
            share = max(0.01, min(steps, 500) / 500.0)
            bar = (left + number * wide / 60 + 1, top + high * (1 - share), wide / 60 - 2)
            canvas.rectangle((*bar, high * share), GREEN if steps >= 500 else BLUE, radius=2)

    # -- learning, where nobody else steers ---------------------------------------------------

    def decide(self, observation: Any) -> int:
        """Push to the side that the weights say; a person's key wins."""
        if self.steps == 0:
            self.try_others()
        left, right = self.input.down("left"), self.input.down("right")
        return int(right if left != right else float(self.tried @ observation) > 0.0)

    def try_others(self) -> None:
        """Choose random weights near the best ones, nearer the longer the best ones lasted."""
        last = float(self.lasted[-1]) if self.lasted else 0.0
        if self.is_again:
            self.best_steps += 0.4 * (last - self.best_steps)
        elif last > self.best_steps:
            self.best, self.best_steps = self.tried / np.linalg.norm(self.tried), last
        self.is_again = self.best_steps >= 450.0
        far = self.noise * (1.0 - self.best_steps / 500.0)
        away = 0.0 if self.is_again else far * self.own_rng.normal(size=4)
        self.tried = self.best + away
