"""The figure's clips: angles of its joints over time, sampled.

A pose is `{joint: (x, y, z) degrees}`; turns are about x, then y, then z of the figure. About x a
negative angle bends forward; about y a negative one lifts the right arm sideways.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assets.models.maker.shapes import FloatArray, about

RATE = 12.0  # samples a second
Pose = dict[str, tuple[float, float, float]]


@dataclass
class Clip:
    """A clip: quaternions `[F, 4]` by joint, and the way of the hips `[F, 3]` from their place."""

    name: str
    times: FloatArray
    turns: dict[str, FloatArray]
    hips: FloatArray


def both(name: str, x: float, y: float, z: float = 0.0) -> Pose:
    """Return a pose of a limb on both sides, mirrored."""
    return {f"{name}_r": (x, y, z), f"{name}_l": (x, -y, -z)}


def wave(t: float, period: float, ahead: float = 0.0) -> float:
    """Return a sine."""
    return float(np.sin(2.0 * np.pi * (t / period + ahead)))


def pulse(t: float, *keys: tuple[float, float]) -> float:
    """Return a value led smoothly through keys (time, value)."""
    times, values = [key[0] for key in keys], [key[1] for key in keys]
    place = int(np.clip(np.searchsorted(times, t) - 1, 0, len(keys) - 2))
    share = np.clip((t - times[place]) / (times[place + 1] - times[place]), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    return float(values[place] + (values[place + 1] - values[place]) * share)


def idle(t: float) -> tuple[Pose, tuple[float, float, float]]:
    """Breathe, shift the weight, let the sprout sway: 4 s."""
    breath, sway = wave(t, 4.0), wave(t, 4.0, 0.2)
    pose = {
        "spine": (breath * 0.9, sway * 1.2, 0.0), "chest": (breath * 1.2, 0.0, 0.0),
        "head": (-breath * 1.8, -sway * 2.2, wave(t, 4.0, 0.45) * 2.0),
        "sprout": (wave(t, 4.0, 0.1) * 4.0, wave(t, 2.0) * 9.0, 0.0),
        **both("arm", breath * 2.0, 1.5 - breath * 2.2), **both("forearm", 8.0, 3.0),
    }  # fmt: skip
    return pose, (sway * 0.006, 0.0, 0.0)


def look(t: float) -> tuple[Pose, tuple[float, float, float]]:
    """Bend over the board with a hand at the chin: 4 s."""
    breath = wave(t, 4.0)
    pose = {
        "spine": (-9.0 + breath, 0.0, 0.0), "chest": (-8.0, 0.0, 4.0),
        "head": (-4.0 + breath * 1.5, 7.0 + wave(t, 4.0, 0.3) * 2.0, 0.0),
        "sprout": (0.0, wave(t, 2.0) * 7.0, 0.0),
        "arm_r": (38.0, 4.0, 0.0), "forearm_r": (92.0, 0.0, 34.0),
        "arm_l": (16.0, 8.0, 0.0), "forearm_l": (58.0, 0.0, -48.0),
    }  # fmt: skip
    return pose, (0.0, 0.0, 0.0)


def cheer(t: float) -> tuple[Pose, tuple[float, float, float]]:
    """Crouch, jump twice with both arms up: 2.4 s."""
    keys = [(0.0, 0.0), (0.25, -1.0), (0.5, 1.0), (0.8, 0.0), (0.95, -0.8), (1.2, 1.0), (1.5, 0.0),
            (1.65, -0.5), (1.9, 0.0), (2.4, 0.0)]  # fmt: skip
    height = pulse(t, *keys)
    lift = pulse(t, (0.0, 0.0), (0.25, -0.15), (0.5, 1.0), (1.8, 1.0), (2.4, 0.0))
    crouch = max(0.0, -height)
    shake = wave(t, 0.4) * lift * 9.0
    knee = 48.0 * crouch
    pose = {
        "spine": (-8.0 * crouch + 5.0 * lift, 0.0, 0.0),
        "head": (12.0 * lift - 10.0 * crouch, shake * 0.4, 0.0),
        "sprout": (0.0, wave(t, 0.4, 0.2) * 16.0 * max(lift, 0.0), 0.0),
        "arm_r": (0.0, -138.0 * lift + shake, 0.0), "arm_l": (0.0, 138.0 * lift + shake, 0.0),
        **both("forearm", 16.0 * lift, 14.0 * lift),
        **both("thigh", knee, 0.0), **both("shin", -2.0 * knee, 0.0), **both("foot", knee, 0.0),
    }  # fmt: skip
    drop = (1.0 - np.cos(np.radians(knee))) * 0.52
    return pose, (0.0, 0.0, max(0.0, height) * 0.30 - drop)


def sad(t: float) -> tuple[Pose, tuple[float, float, float]]:
    """Let the head hang and shake it slowly: 3.6 s."""
    low = pulse(t, (0.0, 0.0), (0.7, 1.0), (2.8, 1.0), (3.6, 0.0))
    pose = {
        "spine": (-9.0 * low, 0.0, 0.0), "chest": (-11.0 * low, 0.0, 0.0),
        "head": (-19.0 * low, 0.0, wave(t, 1.2) * 11.0 * low),
        "sprout": (-36.0 * low, 0.0, 0.0),
        **both("arm", 14.0 * low, 13.0 * low), **both("forearm", 10.0 * low, 4.0 * low),
    }  # fmt: skip
    return pose, (0.0, 0.0, -0.012 * low)


def walk(t: float) -> tuple[Pose, tuple[float, float, float]]:
    """Walk on the spot: 1 s, two steps."""
    swing = wave(t, 1.0)
    bend = {side: max(0.0, wave(t, 1.0, ahead)) for side, ahead in (("r", 0.25), ("l", 0.75))}
    pose = {
        "hips": (0.0, 0.0, swing * 6.0), "chest": (0.0, 0.0, -swing * 9.0),
        "head": (0.0, wave(t, 0.5) * 1.5, swing * 4.0), "sprout": (0.0, wave(t, 0.5) * 10.0, 0.0),
        "thigh_r": (swing * 26.0, 0.0, 0.0), "thigh_l": (-swing * 26.0, 0.0, 0.0),
        "shin_r": (-bend["r"] * 34.0, 0.0, 0.0), "shin_l": (-bend["l"] * 34.0, 0.0, 0.0),
        "arm_r": (-swing * 28.0, 0.0, 0.0), "arm_l": (swing * 28.0, 0.0, 0.0),
        **both("forearm", 22.0, 0.0),
    }  # fmt: skip
    return pose, (0.0, 0.0, abs(wave(t, 1.0, 0.25)) * 0.03)


def greet(t: float) -> tuple[Pose, tuple[float, float, float]]:
    """Lift the right arm and wave, the head aslant: 2.4 s."""
    lift = pulse(t, (0.0, 0.0), (0.5, 1.0), (1.9, 1.0), (2.4, 0.0))
    shake = wave(t, 0.5) * lift
    pose = {
        "spine": (0.0, 3.0 * lift, 0.0), "chest": (2.0 * lift, 2.0 * lift, 0.0),
        "head": (3.0 * lift, 9.0 * lift, 0.0), "sprout": (0.0, shake * 14.0, 0.0),
        "arm_r": (0.0, -112.0 * lift, 0.0), "forearm_r": (0.0, (-38.0 + 26.0 * shake) * lift, 0.0),
        "arm_l": (4.0 * lift, 7.0 * lift, 0.0), "forearm_l": (14.0 * lift, 0.0, 0.0),
    }  # fmt: skip
    return pose, (0.012 * lift, 0.0, 0.0)


CLIPS: dict[str, tuple[float, Callable[[float], tuple[Pose, tuple[float, float, float]]]]] = {
    "idle": (4.0, idle), "look": (4.0, look), "cheer": (2.4, cheer), "sad": (3.6, sad),
    "walk": (1.0, walk), "wave": (2.4, greet),
}  # fmt: skip
"""Seconds and poses of each clip."""


def sampled() -> list[Clip]:
    """Return all clips, sampled."""
    found = []
    for name, (seconds, pose_at) in CLIPS.items():
        times = np.linspace(0.0, seconds, round(seconds * RATE) + 1)
        poses = [pose_at(float(time)) for time in times]
        joints = sorted({joint for pose, _ in poses for joint in pose})
        turns = {
            joint: np.array([quaternion(pose.get(joint, (0, 0, 0))) for pose, _ in poses])
            for joint in joints
        }
        found.append(Clip(name, times, turns, np.array([way for _, way in poses])))
    return found


def quaternion(angles: tuple[float, float, float]) -> FloatArray:
    """Return x, y, z, w of the turns about x, then y, then z."""
    matrix = about("x", angles[0]) @ about("y", angles[1]) @ about("z", angles[2])
    w = np.sqrt(max(0.0, 1.0 + np.trace(matrix))) / 2.0
    if w < 1e-6:
        raise ValueError(f"angles: expected less than half a turn, got {angles!r}")
    x, y, z = matrix[1, 2] - matrix[2, 1], matrix[2, 0] - matrix[0, 2], matrix[0, 1] - matrix[1, 0]
    return np.array([x / (4 * w), y / (4 * w), z / (4 * w), w])
