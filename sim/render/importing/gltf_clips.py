"""Clips of a glTF file, sampled at even steps."""

from __future__ import annotations

import numpy as np

from base.values import JsonObject
from sim.core.assets.animation.poses import FloatArray, IntArray, Pose, normalized
from sim.core.assets.animation.rig import Clip
from sim.render.importing.gltf_file import GltfFile
from sim.render.importing.model_data import MOST_SAMPLES, ModelError, unique_names

FRAME_RATE = 30.0  # which `pose(frame=…)` counts in: glTF has no frames
SAMPLE_RATE = 60.0
PATHS = {"translation": "positions", "rotation": "rotations", "scale": "scales"}


def read_clips(
    file: GltfFile, rest: Pose, joint_of: dict[int, int], sliders: dict[tuple[int, int], int]
) -> dict[str, Clip]:
    """Return the clips of a file by name."""
    items = file.items("animations")
    names = unique_names([str(item.get("name", "")) for item in items], "clip")
    return {
        name: ClipReader(file, item, rest, joint_of, sliders).read(name)
        for name, item in zip(names, items, strict=True)
    }


class ClipReader:
    """Samples one animation."""

    def __init__(
        self,
        file: GltfFile,
        item: JsonObject,
        rest: Pose,
        joint_of: dict[int, int],
        sliders: dict[tuple[int, int], int],
    ) -> None:
        self._file = file
        self._samplers = item.get("samplers", [])
        self._channels = [
            channel for channel in item.get("channels", [])
            if channel.get("target", {}).get("node") in joint_of
        ]  # fmt: skip
        self._rest = rest
        self._joint_of = joint_of
        self._sliders = sliders
        self._keys: dict[int, tuple[FloatArray, FloatArray, str]] = {}

    def read(self, name: str) -> Clip:
        """Sample the animation and return it as a clip."""
        ends = [self._sampler(channel)[0][-1] for channel in self._channels]
        duration = float(max(ends, default=0.0))
        joints = sorted({
            self._joint_of[channel["target"]["node"]] for channel in self._channels
            if channel["target"].get("path") in PATHS
        })  # fmt: skip
        most = max(2, MOST_SAMPLES // max(1, len(joints) + len(self._rest.sliders)))
        count = min(most, max(2, round(duration * SAMPLE_RATE) + 1)) if duration > 0.0 else 1
        times = np.linspace(0.0, duration, count)
        parts = {
            key: np.tile(getattr(self._rest, key)[joints], (count, 1, 1)) for key in PATHS.values()
        }
        weights = np.tile(self._rest.sliders, (count, 1))
        for channel in self._channels:
            node, path = channel["target"]["node"], channel["target"].get("path")
            if path in PATHS:
                values = self._values(channel, times, parts[PATHS[path]].shape[2])
                parts[PATHS[path]][:, joints.index(self._joint_of[node])] = values
            elif path == "weights":
                self._add_weights(weights, node, channel, times)
        return Clip(
            name, duration, FRAME_RATE, np.array(joints, dtype=np.int64), sliders=weights, **parts
        )

    def _add_weights(
        self, weights: FloatArray, node: int, channel: JsonObject, times: FloatArray
    ) -> None:
        targets = [target for number, target in self._sliders if number == node]
        if not targets:
            return
        values = self._values(channel, times, max(targets) + 1)
        for target in targets:
            weights[:, self._sliders[node, target]] = values[:, target]

    def _sampler(self, channel: JsonObject) -> tuple[FloatArray, FloatArray, str]:
        number = channel.get("sampler")
        if not isinstance(number, int) or not 0 <= number < len(self._samplers):
            raise ModelError(f"expected a sampler, found {number!r}")
        if number not in self._keys:
            sampler = self._samplers[number]
            times = np.asarray(self._file.accessor(sampler.get("input")), dtype=np.float64).ravel()
            values = np.asarray(self._file.accessor(sampler.get("output")), dtype=np.float64)
            if not len(times) or (np.diff(times) < 0.0).any() or not np.isfinite(times).all():
                raise ModelError("expected growing times of a clip, found others")
            self._keys[number] = (times, values, str(sampler.get("interpolation", "LINEAR")))
        return self._keys[number]

    def _values(self, channel: JsonObject, at: FloatArray, width: int) -> FloatArray:
        """Return a channel's values `[len(at), width]`."""
        times, raw, kind = self._sampler(channel)
        is_spline = kind == "CUBICSPLINE"
        rows = len(times) * (3 if is_spline else 1)
        if raw.size != rows * width or not np.isfinite(raw).all():
            raise ModelError(f"expected {rows} keys of {width} finite numbers, found {raw.shape}")
        keys = raw.reshape(len(times), -1, width)
        is_turn = channel["target"].get("path") == "rotation"
        low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(0, len(times) - 2))
        high = np.minimum(low + 1, len(times) - 1)
        span = times[high] - times[low]
        share = np.clip((at - times[low]) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)[:, None]
        if is_spline:
            found = spline(keys, low, high, share, span[:, None])
        elif kind == "STEP":
            found = np.where(share >= 1.0, keys[high, 0], keys[low, 0])
        elif is_turn:
            return arcs(normalized(keys[low, 0]), normalized(keys[high, 0]), share)
        else:
            found = keys[low, 0] * (1.0 - share) + keys[high, 0] * share
        return normalized(found) if is_turn else np.asarray(found)


def spline(
    keys: FloatArray, low: IntArray, high: IntArray, share: FloatArray, span: FloatArray
) -> FloatArray:
    """Interpolate a cubic Hermite spline; keys are in-tangent, value, out-tangent."""
    t, t2, t3 = share, share**2, share**3
    return np.asarray(
        (2 * t3 - 3 * t2 + 1) * keys[low, 1] + span * (t3 - 2 * t2 + t) * keys[low, 2]
        + (3 * t2 - 2 * t3) * keys[high, 1] + span * (t3 - t2) * keys[high, 0]
    )  # fmt: skip


def arcs(first: FloatArray, second: FloatArray, share: FloatArray) -> FloatArray:
    """Interpolate quaternions on the shorter arcs, shares `[n, 1]`."""
    cosine = np.einsum("ij,ij->i", first, second)[:, None]
    second = np.where(cosine < 0.0, -second, second)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    is_arc = sine > 1e-4
    safe = np.where(is_arc, sine, 1.0)
    one = np.where(is_arc, np.sin((1.0 - share) * angle) / safe, 1.0 - share)
    other = np.where(is_arc, np.sin(share * angle) / safe, share)
    return normalized(first * one + second * other)
