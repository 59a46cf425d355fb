"""The poses of many figures at once: those of one rig are computed together, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sim.core.animation.poses import FloatArray, Pose, blend, chained, local_matrices
from sim.core.animation.rig import Rig

Key = TypeVar("Key")


@dataclass
class PoseRequest:
    """What one figure is to look like.

    Attributes:
        rig: of its model.
        clip: the clip that is played, empty for the rest pose.
        time: seconds from the clip's start.
        origin: the pose that it comes from, None for none.
        share: how much of the way from there it has gone, 0 to 1.
        driven: turns `[3, 3]` in the model's axes about a joint's own place, by joint.
    """

    rig: Rig
    clip: str
    time: float
    origin: Pose | None
    share: float
    driven: dict[int, FloatArray]


def poses_of(requests: Sequence[PoseRequest]) -> list[tuple[Pose, FloatArray]]:
    """Return the pose of each request, and its matrices `[J, 4, 4]` to the model's space.

    They look into arrays of all: one that is kept for long should be copied.
    """
    found: list[tuple[Pose, FloatArray] | None] = [None] * len(requests)
    for numbers in _grouped(id(request.rig) for request in requests).values():
        chosen = [requests[number] for number in numbers]
        for number, answer in zip(numbers, _poses_of_rig(chosen[0].rig, chosen), strict=True):
            found[number] = answer
    return [answer for answer in found if answer is not None]


def _poses_of_rig(rig: Rig, requests: list[PoseRequest]) -> list[tuple[Pose, FloatArray]]:
    """Return poses and matrices of figures that share a rig."""
    poses = _sampled(rig, requests)
    led = [number for number, request in enumerate(requests) if request.origin is not None]
    if led:
        _lead_over(poses, requests, led)
    turned = {number: request.driven for number, request in enumerate(requests) if request.driven}
    matrices = chained(local_matrices(poses), rig.levels, turned)
    return [(poses[number], matrices[number]) for number in range(len(requests))]


def _sampled(rig: Rig, requests: list[PoseRequest]) -> Pose:
    """Return the clips' poses, stacked: `[N, J, …]`."""
    poses = rig.rest.repeated(len(requests))
    for name, numbers in _grouped(request.clip for request in requests).items():
        if name:
            times = np.array([requests[number].time for number in numbers])
            rig.clips[name].sample_into(poses, np.array(numbers), times)
    return poses


def _lead_over(poses: Pose, requests: list[PoseRequest], led: list[int]) -> None:
    """Put those that come from another pose so much of the way to the new one."""
    origins = Pose.stacked([origin for n in led if (origin := requests[n].origin) is not None])
    shares = np.array([requests[number].share for number in led])
    poses[led] = blend(origins, poses[led], shares)


def _grouped(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """Return the places of equal keys."""
    found: dict[Key, list[int]] = {}
    for number, key in enumerate(keys):
        found.setdefault(key, []).append(number)
    return found


__all__ = ["PoseRequest", "poses_of"]
