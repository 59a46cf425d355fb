"""Rigs (a model's joints and clips), the file format that stores them, and an object's rig."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from base.errors import GoishiError
from base.spelling import one_of
from base.storage.card_file import Arrays, CardFile
from base.values import JsonObject
from sim.core.assets.animation.poses import (
    FloatArray,
    IntArray,
    Level,
    Pose,
    levels_of,
    model_matrices,
    slerp,
)
from sim.core.geometry.transform import Transform

FILE: Final = CardFile("goishi.rig/1", "a rig", card="head")
ROOT: Final = -1
MOST_NAMED: Final = 20  # joints, in one console line


class RigError(GoishiError, ValueError):
    """The requested clip or joint does not exist in a rig."""


@dataclass(frozen=True)
class Clip:
    """One animation of K joints, stored as F poses at equal intervals from its start to its end.

    Attributes:
        name: name in the model's file.
        duration: seconds.
        frame_rate: frames per second in the model's file; the `frame` of `Animation.pose` counts
            these frames.
        joints: `[K]` indices of the animated joints; other joints keep their rest pose.
        positions: `[F, K, 3]` metres, relative to the parent joint.
        rotations: `[F, K, 4]` unit quaternions.
        scales: `[F, K, 3]` factors.
        sliders: `[F, S]` weights of all S blend shapes.
    """

    name: str
    duration: float
    frame_rate: float
    joints: IntArray
    positions: npt.NDArray[np.floating]
    rotations: npt.NDArray[np.floating]
    scales: npt.NDArray[np.floating]
    sliders: npt.NDArray[np.floating]

    def sample(self, time: float, rest: Pose) -> Pose:
        """Return the clip's pose at a time.

        Args:
            time: seconds from the clip's start; before or after the clip, its first or last pose.
            rest: the rig's rest pose, for joints that the clip does not animate.
        """
        poses = rest.repeated(1)
        self.sample_into(poses, np.zeros(1, dtype=np.int64), np.array([time]))
        return poses[0]

    def sample_into(self, poses: Pose, rows: IntArray, times: FloatArray) -> None:
        """Write the clip's poses at several times into a stack of poses.

        Args:
            poses: stacked poses; joints that the clip does not animate stay unchanged.
            rows: `[n]` indices of the poses to write.
            times: `[n]` seconds from the clip's start, limited to the clip's duration.
        """
        last = len(self.positions) - 1
        places = np.zeros(len(times)) if self.duration <= 0.0 else times / self.duration * last
        places = np.clip(places, 0.0, float(last))
        low = np.minimum(places.astype(np.int64), max(0, last - 1))
        high = np.minimum(low + 1, last)
        share = (places - low)[:, None]
        wide = share[..., None]
        cells = np.ix_(rows, self.joints)
        poses.positions[cells] = self.positions[low] * (1.0 - wide) + self.positions[high] * wide
        poses.scales[cells] = self.scales[low] * (1.0 - wide) + self.scales[high] * wide
        first = self.rotations[low].astype(np.float64)
        poses.rotations[cells] = slerp(first, self.rotations[high].astype(np.float64), share)
        poses.sliders[rows] = self.sliders[low] * (1.0 - share) + self.sliders[high] * share


@dataclass(frozen=True)
class Rig:
    """The joints of a model, their rest pose, and the model's clips.

    Attributes:
        joints: unique names, parents before children.
        parents: `[J]` index of each joint's parent, -1 for a root.
        rest: pose when no clip is playing.
        sliders: names of the blend shapes.
        clips: clips by name.
    """

    joints: tuple[str, ...]
    parents: IntArray
    rest: Pose
    sliders: tuple[str, ...] = ()
    clips: dict[str, Clip] = field(default_factory=dict)

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of each joint, by the joint's name."""
        return {name: number for number, name in enumerate(self.joints)}

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The joints grouped by depth in the hierarchy, see `levels_of`."""
        return levels_of(self.parents)

    @cached_property
    def rest_matrices(self) -> FloatArray:
        """Matrices `[J, 4, 4]` from each joint's space to the model's space, in the rest pose."""
        return model_matrices(self.rest, self.parents)

    def below(self, names: Iterable[str]) -> FloatArray:
        """Return which joints have one of these names, or lie below one that has: `[J]`, 0 or 1.

        Raises:
            RigError: there is no such joint; the message lists the joints.
        """
        found = np.zeros(len(self.joints))
        found[[self.joint(name) for name in names]] = 1.0
        for joint, parent in enumerate(self.parents.tolist()):
            if parent >= 0 and found[parent]:
                found[joint] = 1.0
        return found

    def joint(self, name: str) -> int:
        """Return the index of a joint by its name.

        Raises:
            RigError: there is no such joint; the message lists the joints.
        """
        if name not in self.index:
            raise RigError(f"joint: expected {listed(self.joints, name)}, found {name!r}")
        return self.index[name]

    def clip(self, name: str) -> Clip:
        """Return a clip by name.

        Raises:
            RigError: the name is unknown; the message lists the known ones.
        """
        if name not in self.clips:
            raise RigError(f"clip: expected {listed(self.clips, name)}, found {name!r}")
        return self.clips[name]


def with_clips(rig: Rig, sources: Mapping[str, Rig]) -> tuple[Rig, list[str]]:
    """Return a copy of a rig with the clips of other files added.

    Joints and blend shapes are matched by name. A file's only clip is named after the file. If two
    clips have the same name, the later one is used.

    Args:
        rig: rig of the model.
        sources: rigs of the other files, by path.

    Returns:
        The rig, and a warning for each file or clip that does not fit.
    """
    clips, faults = dict(rig.clips), list[str]()
    for path, source in sources.items():
        stem = PurePosixPath(path).name.partition(".")[0]
        for name, clip in source.clips.items():
            name = stem if len(source.clips) == 1 else name
            fitted = _fitted(name, clip, source, rig)
            if fitted is None:
                names = [source.joints[number] for number in clip.joints[:MOST_NAMED]]
                found = ", ".join(names) or "none"
                faults.append(f"{path}: clip {name!r}: expected joints of the model, found {found}")
            else:
                clips[name] = fitted
        if not source.clips:
            faults.append(f"{path}: expected clips, found none")
    return replace(rig, clips=clips), faults


def _fitted(name: str, clip: Clip, source: Rig, rig: Rig) -> Clip | None:
    """Convert a clip of another rig to the joints and blend shapes that both rigs have.

    Args:
        name: name of the result.
        clip: clip of `source`.
        source: rig of the clip.
        rig: rig that the clip is converted to.

    Returns:
        The clip; None if it animates nothing that both rigs have.
    """
    names = [source.joints[number] for number in clip.joints]
    shared = [place for place, joint in enumerate(names) if joint in rig.index]
    weights = np.tile(rig.rest.sliders, (len(clip.sliders), 1))
    both = [shape for shape in source.sliders if shape in rig.sliders]
    for shape in both:
        weights[:, rig.sliders.index(shape)] = clip.sliders[:, source.sliders.index(shape)]
    is_shaped = bool(both) and not np.allclose(clip.sliders, source.rest.sliders, atol=1e-6)
    if not shared and not is_shaped:
        return None
    joints = np.array([rig.index[names[place]] for place in shared], dtype=np.int64)
    parts = {key: getattr(clip, key)[:, shared] for key in WIDTHS}
    return Clip(name, clip.duration, clip.frame_rate, joints, sliders=weights, **parts)


MOST_LISTED = 20  # names of joints or clips in a message


def listed(names: Iterable[str], found: object) -> str:
    """Return names as text for an error message, see `one_of`.

    Args:
        names: the known names; without any the text says that the model has none.
        found: the misspelt name.
    """
    known = list(names)
    return (
        one_of(known, found, MOST_LISTED) if known else "a model that has some (this one has none)"
    )


def write_rig(target: Path, rig: Rig) -> None:
    """Write a rig file.

    Args:
        target: path of the file to write.
        rig: the rig.
    """
    clips = list(rig.clips.values())
    head = {
        "joints": rig.joints,
        "sliders": rig.sliders,
        "clips": [[clip.name, clip.duration, clip.frame_rate] for clip in clips],
    }
    arrays: dict[str, Any] = {
        "parents": rig.parents,
        "rest_positions": rig.rest.positions,
        "rest_rotations": rig.rest.rotations,
        "rest_scales": rig.rest.scales,
        "rest_sliders": rig.rest.sliders,
    }
    for number, clip in enumerate(clips):
        arrays[f"clip{number}_joints"] = clip.joints
        for name in ("positions", "rotations", "scales", "sliders"):
            arrays[f"clip{number}_{name}"] = getattr(clip, name).astype(np.float32)
    FILE.save(target, arrays, head)


def read_rig(source: Path) -> Rig:
    """Read a rig file.

    Raises:
        CardFileError: it cannot be read, is no rig file, or its arrays do not fit each other.
    """
    return FILE.load(source, _rig_of)


WIDTHS = {"positions": 3, "rotations": 4, "scales": 3}
"""Number of values per joint in each array of a pose, by the array's name."""


def _rig_of(arrays: Arrays, head: JsonObject) -> Rig:
    joints, sliders = tuple(map(str, head["joints"])), tuple(map(str, head["sliders"]))
    count, weights = len(joints), len(sliders)
    parents = _shaped(arrays["parents"], (count,)).astype(np.int64)
    if (parents >= np.arange(count)).any() or (parents < ROOT).any():
        raise ValueError("a joint before its parent")
    rests = [_shaped(arrays[f"rest_{key}"], (count, width)) for key, width in WIDTHS.items()]
    rests.append(_shaped(arrays["rest_sliders"], (weights,)))
    rest = Pose(*(part.astype(np.float64) for part in rests))
    clips: dict[str, Clip] = {}
    for number, (name, duration, frame_rate) in enumerate(head["clips"]):
        moved = arrays[f"clip{number}_joints"].astype(np.int64)
        if moved.ndim != 1 or (moved.size and not 0 <= moved.min() <= moved.max() < count):
            raise ValueError(f"joints of the clip {name} that are none")
        frames = len(arrays[f"clip{number}_positions"])
        parts = {
            key: _shaped(arrays[f"clip{number}_{key}"], (frames, len(moved), width))
            for key, width in WIDTHS.items()
        }
        weight = _shaped(arrays[f"clip{number}_sliders"], (frames, weights))
        clips[str(name)] = Clip(
            str(name), float(duration), float(frame_rate), moved, sliders=weight, **parts
        )
    return Rig(joints, parents, rest, sliders, clips)


def _shaped(array: npt.NDArray[np.floating], shape: tuple[int, ...]) -> npt.NDArray[np.floating]:
    if array.shape != shape or (0 in shape[:1] and len(shape) == 3) or not np.isfinite(array).all():
        raise ValueError(f"an array {array.shape} instead of {shape}, or one that is not finite")
    return array


Found = TypeVar("Found")


class Animated(Protocol):
    """The attributes of a scene object that animation needs."""

    id: str
    is_alive: bool
    transform: Transform

    @property
    def path(self) -> str:
        """The names from the root down to the object, joined by slashes."""

    @property
    def model(self) -> Mapping[str, object] | None:
        """The model as in the scene file: `{"builtin": name, …}` or `{"asset": path}`."""

    @property
    def is_active(self) -> bool:
        """Whether the object and all its ancestors are enabled."""

    @property
    def parent(self) -> Animated | None:
        """The parent object, None for a root."""

    def subtree(self) -> Sequence[Animated]:
        """Return the object and all its descendants, parents first."""


class AnimationError(GoishiError, ValueError):
    """The model has no clip or joint of that name; the message lists its names."""


class BoundRig:
    """Rig of one object's model, with lookups that explain errors.

    Attributes:
        rig: the rig; None until the model is loaded.
    """

    def __init__(self, obj: Animated) -> None:
        self.rig: Rig | None = None
        self._object = obj

    @property
    def can_load(self) -> bool:
        """Whether the model can have a rig: it comes from a file, or no model is set yet."""
        return "builtin" not in (self._object.model or {})

    def is_there(self) -> bool:
        """Return whether the model is loaded.

        Raises:
            AnimationError: it is a built-in model, which has no rig.
        """
        if self.rig is None and not self.can_load:
            raise AnimationError(
                f"animation of {self._object.path}: expected a model from a file, "
                f"found the builtin {(self._object.model or {}).get('builtin')!r}"
            )
        return self.rig is not None

    def clip(self, name: str) -> Clip:
        """Return a clip by name.

        Raises:
            AnimationError: the model has no such clip, or is not loaded yet.
        """
        return self._look_up(Rig.clip, name)

    def joint(self, name: str) -> int:
        """Return the index of a joint by its name.

        Raises:
            AnimationError: the model has no such joint, or is not loaded yet.
        """
        return self._look_up(Rig.joint, name)

    def check_clip(self, name: str) -> None:
        """Check that the model has a clip; do nothing while the model is not loaded yet.

        Raises:
            AnimationError: it has no such clip.
        """
        if self.is_there():
            self.clip(name)

    def check_joint(self, name: str) -> None:
        """Check that the model has a joint; do nothing while the model is not loaded yet.

        Raises:
            AnimationError: it has no such joint.
        """
        if self.is_there():
            self.joint(name)

    def _look_up(self, find: Callable[[Rig, str], Found], name: str) -> Found:
        if not self.is_there() or self.rig is None:
            raise AnimationError(f"animation of {self._object.path}: the model is not loaded yet")
        try:
            return find(self.rig, name)
        except RigError as error:
            raise AnimationError(f"animation of {self._object.path}: {error}") from None
