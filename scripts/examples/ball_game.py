"""Two against two on a small pitch: round cars push a ball into the other team's goal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim import Agent, Box, HudCanvas, RigidBody, SceneObject, field

HALF, NEAR = 7.0, 1.1  # metres from the middle to a goal's line; behind the ball
PUSH, WON = 18.0, 5.0  # newton, at most; what a goal is worth
POLICY = "assets/policies/ball_game.npz"
COLORS = (0.95, 0.42, 0.3), (0.93, 0.92, 0.9), (0.42, 0.65, 1.0)  # red, pale, blue
Pair = tuple[float, float]


class Player(Agent):
    """A round car of one of two teams.

    Observes, as if its team always played towards positive x: its place and velocity, the way to
    the ball and its velocity, the ball's way to the goal, the ways to its mate, the nearer rival,
    the other one, and the spot behind the ball that its script drives to; whether it is nearer to
    the ball than its mate. The action is the push along x and y, -1 to 1. A goal is worth 5 to one
    team, -5 to the other and ends the episode; a metre is worth 0.1: of the ball towards the goal,
    to both, and towards the ball, to the nearer one of a team.
    """

    observation_space = Box(-np.inf, np.inf, (19,))
    action_space = Box(-1.0, 1.0, (2,))

    ball: SceneObject = field(None, help="The ball, which has a RigidBody")
    mate: SceneObject = field(None, help="The other player of its team")
    rivals: list[SceneObject] = field([], help="The players of the other team")
    side: float = field(1.0, help="1: it plays towards positive x; -1: towards negative x")
    leads: bool = field(False, help="Resets all players and shows the score; true for one of them")
    look_at: SceneObject = field(None, help="The part that turns to where it drives")

    def awake(self) -> None:
        self.before, self.heading, self.goals = 0.0, 90.0 * (1.0 - self.side), [0, 0]
        self.push = 0.0, 0.0, 0.0
        self.board: HudCanvas | None = None

    def start(self) -> None:
        if self.leads:
            self.offer_policy(POLICY)
            self.board = self.hud.canvas("score", size=(220, 64), draw=self.draw)

    def toggle_policy(self) -> None:
        """Switch its team between the trained policy and the script."""
        super().toggle_policy()
        self.slot.host.set_field(self.mate.get(type(self)).slot, "policy_file", self.policy_file)

    def reset(self, rng: np.random.Generator) -> None:
        if not self.leads:
            return  # the leader, whose turn is before, has put it down
        for obj, side in ((self.object, -1.0), (self.mate, -1.0), *((r, 1.0) for r in self.rivals)):
            x, y = rng.uniform((1.5, -3.5), (6.0, 3.5)).tolist()
            put(obj, (side * self.side * x, y), 0.26)
        put(self.ball, tuple(rng.uniform((-1.0, -3.0), (1.0, 3.0)).tolist()), 0.35)

    def act(self, action: Any) -> None:
        x, y = float(action[0]), float(action[1])
        share = self.side * PUSH / max(1.0, math.hypot(x, y))
        self.push = (share * x, share * y, 0.0)
        self.before = self.worth()

    def fixed_update(self, dt: float) -> None:
        self.object.get(RigidBody).apply_force(self.push)

    def compute_reward(self) -> None:
        self.reward = self.worth() - self.before
        x = self.side * place_of(self.ball)[0]
        self.done = abs(x) > HALF + 0.3
        if self.done:
            self.reward += math.copysign(WON, x)
            self.goals[0 if x * self.side > 0 else 1] += 1
            if self.board is not None:
                self.draw(self.board)
        self.info["score"] = math.copysign(1.0, x) if self.done else 0.0

    def worth(self) -> float:
        """Return the team's score of the position; its change is the reward of a decision."""
        ball, me, mate = map(place_of, (self.ball, self.object, self.mate))
        own, other = (math.dist(ball, (side * self.side * HALF, 0.0)) for side in (-1.0, 1.0))
        away = math.dist(me, ball)
        return 0.05 * (own - other) - 0.1 * away * (away <= math.dist(mate, ball))

    def save_state(self) -> Any:
        return self.before, self.heading, self.goals, self.push

    def load_state(self, state: Any) -> None:
        self.before, self.heading, self.goals, self.push = state

    def observe(self) -> list[float]:
        ball, me, mate = map(place_of, (self.ball, self.object, self.mate))
        rivals = sorted(map(place_of, self.rivals), key=lambda it: math.dist(it, ball))
        to_goal = way(ball, (self.side * HALF, 0.0))
        share = NEAR / (math.hypot(*to_goal) + 1e-6)
        behind = ball[0] - share * to_goal[0], ball[1] - share * to_goal[1]
        seen = [*me, *speed_of(self.object), *way(me, ball), *speed_of(self.ball), *to_goal]
        seen += [part for at in (mate, *rivals, behind) for part in way(me, at)]
        nearer = float(math.dist(me, ball) <= math.dist(mate, ball))
        return [*(self.side * number for number in seen), nearer]

    def decide(self, observation: Any) -> list[float]:
        """Get behind the ball and push it to the goal; the farther one of a team stays behind."""
        seen = [float(number) for number in observation]
        me, ball, back = seen[0:2], seen[4:6], seen[16:18]
        wanted = ball if math.hypot(*back) < 0.5 or ball[0] > 0.8 * math.hypot(*ball) else back
        if not seen[18]:
            wanted = [0.5 * (me[0] + ball[0] - HALF) - me[0], 0.5 * ball[1]]
        return [number / max(math.hypot(*wanted), 0.3) for number in wanted]

    def update(self, dt: float) -> None:
        x, y = self.push[:2]
        if math.hypot(x, y) > 1.0:
            turn = (math.degrees(math.atan2(y, x)) - self.heading + 180.0) % 360.0 - 180.0
            self.heading += min(1.0, 10.0 * dt) * turn
        self.look_at.transform.rotation = (self.heading, 0.0, 0.0)

    def draw(self, canvas: HudCanvas) -> None:
        canvas.clear()
        texts = self.goals[0], ":", self.goals[1]
        for text, x, color in zip(texts, (60, 110, 160), COLORS, strict=True):
            canvas.text(str(text), (x, 46), color, size=40, weight=600, align="center")


def put(obj: SceneObject, place: Pair, height: float) -> None:
    """Put an object at a place, at rest."""
    obj.transform.position = (*place, height)
    body = obj.get(RigidBody)
    body.velocity = body.spin = (0.0, 0.0, 0.0)


def place_of(obj: SceneObject) -> Pair:
    """Return where an object is on the pitch, metres."""
    return float(obj.transform.position[0]), float(obj.transform.position[1])


def speed_of(obj: SceneObject) -> Pair:
    """Return how an object moves on the pitch, metres a second."""
    return way((0.0, 0.0), obj.get(RigidBody).velocity)


def way(begin: Pair, end: Pair) -> Pair:
    """Return the way from one place to another, metres."""
    return end[0] - begin[0], end[1] - begin[1]
