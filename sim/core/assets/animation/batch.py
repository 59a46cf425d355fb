"""Computes the poses of many objects at once: those that share a rig are computed as one array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from sim.core.assets.animation.poses import (
    FloatArray,
    Pose,
    blend,
    chained,
    layered,
    local_matrices,
)
from sim.core.assets.animation.rig import Rig

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Overlay:
    """A clip that is laid over a pose, on some joints.

    Attributes:
        clip: name of the clip.
        time: seconds from the clip's start.
        weights: `[J]` share of the clip in each joint, 0 to 1.
        shapes: share of the clip in the blend shapes, 0 to 1.
    """

    clip: str
    time: float
    weights: FloatArray
    shapes: float


@dataclass(slots=True)
class PoseRequest:
    """The data from which the pose of one object is computed.

    Attributes:
        rig: the model's rig.
        clip: name of the clip that is playing; empty for the rest pose.
        time: seconds from the clip's start.
        origin: pose to cross-fade from; None for no fade.
        share: weight of the clip in the cross-fade, 0 to 1.
        driven: additional rotation of some joints: maps a joint's index to a rotation matrix `[3,
            3]` about the joint, in the model's axes.
        overlays: clips that are laid over the pose, the lowest first.
    """

    rig: Rig
    clip: str
    time: float
    origin: Pose | None
    share: float
    driven: dict[int, FloatArray]
    overlays: Sequence[Overlay] = ()


@dataclass(frozen=True)
class PoseBatch:
    """The poses of N objects that share a rig of J joints, as stacked arrays.

    Attributes:
        poses: the N poses; each array has a first axis of length N.
        matrices: `[N, J, 4, 4]` from each joint's space to the model's space.
        plain: the N poses without overlays, from which cross-fades start; the same object if there
            are no overlays.
    """

    poses: Pose
    matrices: FloatArray
    plain: Pose

    @staticmethod
    def alone(pose: Pose, matrices: FloatArray) -> PoseBatch:
        """Return a batch of a single pose.

        Args:
            pose: the pose, without the batch axis.
            matrices: `[J, 4, 4]` from each joint's space to the model's space.
        """
        stacked = Pose(*(part[None] for part in pose.parts))
        return PoseBatch(stacked, matrices[None], stacked)

    def apart(self, number: int) -> PoseBatch:
        """Return a copy of pose `number` as a batch of one."""
        alone = PoseBatch.alone(self.poses[number].copy(), self.matrices[number].copy())
        if self.plain is self.poses:
            return alone
        return replace(alone, plain=Pose(*(part[None].copy() for part in self.plain[number].parts)))

    def chosen(self, numbers: list[int]) -> tuple[FloatArray, FloatArray]:
        """Return the joint matrices and the blend shape weights of some poses.

        Args:
            numbers: indices of n poses in the batch.

        Returns:
            Matrices `[n, J, 4, 4]` and weights `[n, S]`.
        """
        if numbers == list(range(len(self.matrices))):
            return self.matrices, self.poses.sliders
        return self.matrices[numbers], self.poses.sliders[numbers]


def poses_of(requests: Sequence[PoseRequest]) -> list[tuple[PoseBatch, int]]:
    """Compute the requested poses, in the order of the requests.

    Returns:
        For each request, the batch that holds its pose and the pose's index in it.
    """
    if not requests:
        return []
    rig = requests[0].rig
    if all(request.rig is rig for request in requests):
        batch = _poses_of_rig(rig, requests)
        return [(batch, number) for number in range(len(requests))]
    found: dict[int, tuple[PoseBatch, int]] = {}
    for numbers in _grouped(id(request.rig) for request in requests).values():
        chosen = [requests[number] for number in numbers]
        batch = _poses_of_rig(chosen[0].rig, chosen)
        found.update({number: (batch, place) for place, number in enumerate(numbers)})
    return [found[number] for number in range(len(requests))]


def _poses_of_rig(rig: Rig, requests: Sequence[PoseRequest]) -> PoseBatch:
    """Compute the poses and joint matrices of objects that all use `rig`."""
    poses = _sampled(rig, requests)
    led = [number for number, request in enumerate(requests) if request.origin is not None]
    if led:
        _cross_fade(poses, requests, led)
    plain = poses
    if any(request.overlays for request in requests):
        plain = Pose(*(part.copy() for part in poses.parts))
        _overlay(rig, poses, requests)
    turned = {number: request.driven for number, request in enumerate(requests) if request.driven}
    return PoseBatch(poses, chained(local_matrices(poses), rig.levels, turned), plain)


def _sampled(rig: Rig, requests: Sequence[PoseRequest]) -> Pose:
    """Return the poses of the requested clips, stacked `[N, J, …]`, without cross-fades."""
    poses = rig.rest.repeated(len(requests))
    for name, numbers in _grouped(request.clip for request in requests).items():
        if name:
            times = np.array([requests[number].time for number in numbers])
            rig.clips[name].sample_into(poses, np.array(numbers), times)
    return poses


def _cross_fade(poses: Pose, requests: Sequence[PoseRequest], led: list[int]) -> None:
    """Blend each clip's pose with the pose at which its cross-fade started, in place.

    Args:
        poses: the clips' poses, stacked; changed in place.
        requests: requests, one per pose.
        led: indices of the requests that have a cross-fade; all other poses stay unchanged.
    """
    origins = Pose.stacked([origin for n in led if (origin := requests[n].origin) is not None])
    shares = np.array([requests[number].share for number in led])
    poses[led] = blend(origins, poses[led], shares)


def _overlay(rig: Rig, poses: Pose, requests: Sequence[PoseRequest]) -> None:
    """Lay the clips of layers over the poses, in place: first the lowest one of each pose.

    Args:
        rig: the rig of all poses.
        poses: the poses, stacked; changed in place.
        requests: requests, one per pose.
    """
    for depth in range(max(len(request.overlays) for request in requests)):
        led = [number for number, request in enumerate(requests) if depth < len(request.overlays)]
        overlays = [requests[number].overlays[depth] for number in led]
        below = poses[led]
        above = below.copy()
        for name, places in _grouped(overlay.clip for overlay in overlays).items():
            times = np.array([overlays[place].time for place in places])
            rig.clips[name].sample_into(above, np.array(places), times)
        weights = np.array([overlay.weights for overlay in overlays])
        shapes = np.array([overlay.shapes for overlay in overlays])
        poses[led] = layered(below, above, weights, shapes)


def _grouped(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """Return, for each distinct key, the indices at which it occurs in `keys`."""
    found: dict[Key, list[int]] = {}
    for number, key in enumerate(keys):
        found.setdefault(key, []).append(number)
    return found
