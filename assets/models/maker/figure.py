"""The figure: joints, turned parts of wood and paint, and which joints move which part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.models.maker.shapes import FloatArray, Shape, about, arc, ball, rod, smooth, turned

SPREAD = 20.0  # degrees that the arms stand off
SHOULDER, HIP = (0.31, 0.0, 1.30), (0.17, 0.0, 0.60)
UPPER, LOWER = 0.36, 0.30
THIGH, SHIN = 0.26, 0.26

COLORS: dict[str, tuple[tuple[int, int, int], float]] = {
    # sRGB, roughness
    "wood": ((216, 166, 108), 0.42),
    "coat": ((74, 96, 128), 0.38),
    "trim": ((238, 226, 200), 0.40),
    "walnut": ((88, 56, 36), 0.36),
    "ink": ((34, 28, 26), 0.25),
    "cheek": ((228, 138, 112), 0.60),
    "leaf": ((122, 158, 84), 0.45),
}


@dataclass(frozen=True)
class Joint:
    """A joint and where it is in the figure, metres."""

    name: str
    parent: str
    place: tuple[float, float, float]


@dataclass
class Part:
    """A shape of one colour; `weights` are `[N, J]` over all joints."""

    color: str
    shape: Shape
    weights: FloatArray


def arm_points(side: float) -> list[tuple[float, float, float]]:
    """Return shoulder, elbow and wrist; `side` is 1 for the right."""
    x, y, z = SHOULDER
    across, down = np.sin(np.radians(SPREAD)), np.cos(np.radians(SPREAD))
    places = [(0.0), UPPER, UPPER + LOWER]
    return [(side * (x + across * way), y, z - down * way) for way in places]


def joints() -> list[Joint]:
    """Return the joints, parents first."""
    found = [
        Joint("hips", "", (0.0, 0.0, 0.68)),
        Joint("spine", "hips", (0.0, 0.0, 0.92)),
        Joint("chest", "spine", (0.0, 0.0, 1.18)),
        Joint("head", "chest", (0.0, 0.0, 1.47)),
        Joint("sprout", "head", (0.0, 0.0, 2.33)),
    ]
    for letter, side in (("r", 1.0), ("l", -1.0)):
        shoulder, elbow, wrist = arm_points(side)
        hip = (side * HIP[0], HIP[1], HIP[2])
        found += [
            Joint(f"arm_{letter}", "chest", shoulder),
            Joint(f"forearm_{letter}", f"arm_{letter}", elbow),
            Joint(f"hand_{letter}", f"forearm_{letter}", wrist),
            Joint(f"thigh_{letter}", "hips", hip),
            Joint(f"shin_{letter}", f"thigh_{letter}", (hip[0], 0.0, hip[2] - THIGH)),
            Joint(f"foot_{letter}", f"shin_{letter}", (hip[0], 0.0, 0.10)),
        ]
    return found


class Figure:
    """Collects the parts."""

    def __init__(self) -> None:
        self.joints = joints()
        self._number = {joint.name: number for number, joint in enumerate(self.joints)}
        self.parts: list[Part] = []
        self._add_body()
        self._add_head()
        for letter, side in (("r", 1.0), ("l", -1.0)):
            self._add_arm(letter, side)
            self._add_leg(letter, side)

    def _fixed(self, color: str, shape: Shape, joint: str) -> None:
        weights = np.zeros((len(shape.points), len(self.joints)))
        weights[:, self._number[joint]] = 1.0
        self.parts.append(Part(color, shape, weights))

    def _along(self, color: str, shape: Shape, amounts: dict[str, FloatArray]) -> None:
        """Add a part that several joints bend; `amounts` are `[N]` for each of them."""
        weights = np.zeros((len(shape.points), len(self.joints)))
        for joint, amount in amounts.items():
            weights[:, self._number[joint]] = amount
        weights /= weights.sum(axis=1, keepdims=True)
        self.parts.append(Part(color, shape, weights))

    def _add_body(self) -> None:
        outline = smooth([
            (0.0, 0.50), (0.26, 0.50), (0.40, 0.56), (0.455, 0.72), (0.43, 0.92), (0.36, 1.14),
            (0.29, 1.32), (0.20, 1.42), (0.11, 1.47), (0.09, 1.53),
        ], 2)  # fmt: skip
        bands = [("coat", 0.50, 0.66), ("trim", 0.66, 0.72), ("coat", 0.72, 1.30),
                 ("trim", 1.30, 1.37), ("wood", 1.37, 1.53)]  # fmt: skip
        for color, low, high in bands:
            heights = np.unique(np.concatenate([
                [low, high], outline[(outline[:, 1] > low) & (outline[:, 1] < high), 1],
            ]))  # fmt: skip
            keep = outline[:, 1] > 0.5001
            radius = np.interp(heights, outline[keep, 1], outline[keep, 0])
            profile = np.stack([radius, heights], axis=1)
            if low == 0.50:
                profile = np.concatenate([[(0.0, 0.50), (0.2, 0.50)], profile[1:]])
            shape = turned(profile, 22).moved(np.diag([1.0, 0.92, 1.0]))
            self._along(color, shape, body_weights(shape.points[:, 2]))
        for height in (0.86, 1.0, 1.14):  # buttons
            depth = np.interp(height, outline[8:, 1], outline[8:, 0]) * 0.92
            button = ball(8, 5).moved(np.diag([0.032, 0.018, 0.032]), (0.0, depth + 0.004, height))
            self._along("trim", button, body_weights(button.points[:, 2]))

    def _add_head(self) -> None:
        center, size = np.array([0.0, 0.0, 1.90]), np.diag([0.47, 0.45, 0.44])
        self._fixed("wood", ball(24, 15).moved(size, center), "head")
        hair = ball(24, 8, low=17.0, high=90.0).moved(np.diag([0.486, 0.468, 0.456]), center)
        tilt = about("x", 15.0)  # lower at the back, like a cap
        hair = hair.moved(None, -center).moved(tilt, center)
        self._fixed("walnut", hair, "head")
        fringe = turned([(0.43, -0.032), (0.468, -0.012), (0.470, 0.012), (0.44, 0.034)], 24)
        fringe = fringe.moved(np.diag([1.0, 0.963, 1.0]), (0.0, 0.0, 0.132))
        self._fixed("walnut", fringe.moved(tilt, center), "head")
        for side in (-1.0, 1.0):
            self._face("ink", side * 20.0, -3.0, (0.034, 0.02, 0.05), 0.0)
            self._face("trim", side * 20.0 + 1.4, -0.6, (0.010, 0.010, 0.013), 0.014)
            self._face("cheek", side * 35.0, -17.0, (0.056, 0.012, 0.036), -0.004)
        smile = arc(0.07, 0.012, 212.0, 328.0).moved(about("x", 6.0), (0.0, 0.434, 1.835))
        self._fixed("ink", smile, "head")
        stem = rod(0.10, 0.012, 0.016, sides=6, rings=4).moved(None, (0.0, 0.0, 2.42))
        self._fixed("leaf", stem, "sprout")
        for side in (-1.0, 1.0):
            leaf = ball(10, 7).moved(np.diag([0.085, 0.042, 0.014]), (0.078, 0.0, 0.0))
            leaf = leaf.moved(about("y", -28.0) @ np.diag([side, 1.0, 1.0]), (0.0, 0.0, 2.41))
            if side < 0:
                leaf.triangles = leaf.triangles[:, ::-1]
            self._fixed("leaf", leaf, "sprout")

    def _face(self, color: str, across: float, up: float, size: tuple[float, ...], out: float) -> None:
        """Lay a flat bead on the face, at degrees to the side and up."""
        turn = about("x", up) @ about("z", -across)
        way = np.array([0.0, 1.0, 0.0]) @ turn
        place = np.array([0.0, 0.0, 1.90]) + way * np.array([0.47, 0.45, 0.44]) + way * out
        self._fixed(color, ball(10, 7).moved(np.diag(size) @ turn, place), "head")

    def _add_arm(self, letter: str, side: float) -> None:
        shoulder, _, wrist = arm_points(side)
        turn = about("y", -side * SPREAD)
        shape = rod(UPPER + LOWER, 0.098, 0.074, sides=11, rings=13)
        way = -shape.points[:, 2]  # metres from the shoulder
        bend = step(way, UPPER - 0.09, UPPER + 0.09)
        near = 1.0 - step(way, -0.02, 0.12)
        shape = shape.moved(turn, shoulder)
        self._along("coat", shape, {
            "chest": near * 0.45, f"arm_{letter}": (1 - bend) * (1 - near * 0.45),
            f"forearm_{letter}": bend,
        })  # fmt: skip
        cuff = turned([(0.0, -0.025), (0.084, -0.025), (0.092, 0.0), (0.084, 0.025), (0.0, 0.025)],
                      11)  # fmt: skip
        self._fixed("trim", cuff.moved(turn, wrist), f"forearm_{letter}")
        down = np.array([0.0, 0.0, -0.085]) @ turn
        hand = ball(11, 8).moved(np.diag([0.092, 0.092, 0.108]) @ turn, np.array(wrist) + down)
        self._fixed("wood", hand, f"hand_{letter}")

    def _add_leg(self, letter: str, side: float) -> None:
        shape = rod(THIGH + SHIN, 0.118, 0.088, sides=11, rings=10)
        bend = step(-shape.points[:, 2], THIGH - 0.07, THIGH + 0.07)
        place = (side * HIP[0], HIP[1], HIP[2])
        self._along("wood", shape.moved(None, place), {
            f"thigh_{letter}": 1 - bend, f"shin_{letter}": bend,
        })  # fmt: skip
        shoe = ball(13, 8).moved(np.diag([0.135, 0.20, 0.115]), (side * HIP[0], 0.055, 0.055))
        shoe.points[:, 2] = np.maximum(shoe.points[:, 2], 0.0)  # a flat sole
        self._fixed("walnut", shoe, f"foot_{letter}")


def body_weights(height: FloatArray) -> dict[str, FloatArray]:
    """Return how much hips, spine and chest move the body at a height."""
    spine, chest = step(height, 0.72, 0.98), step(height, 1.0, 1.28)
    return {"hips": 1.0 - spine, "spine": spine * (1.0 - chest), "chest": spine * chest}


def step(values: FloatArray, low: float, high: float) -> FloatArray:
    """Return 0 below `low`, 1 above `high`, smooth between them."""
    share = np.clip((values - low) / (high - low), 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))
