"""The animator of a scene: it binds rigs to objects, advances clips and moves attached objects."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest

import numpy as np

from sim.core.assets.animation.animation import Animation
from sim.core.assets.animation.batch import PoseRequest, poses_of
from sim.core.assets.animation.poses import FloatArray, degrees_of, without_scale
from sim.core.assets.animation.rig import Animated, Rig, with_clips
from sim.core.assets.assets import Asset, AssetLibrary
from sim.core.geometry.rotations import is_flat


def asset_paths(model: Mapping[str, object]) -> tuple[str, ...]:
    """Return the paths of a model's file and of its additional clip files.

    Args:
        model: the model as in the scene file: `{"asset": path, "clips": [path, …]}`.

    Returns:
        The model's path first; empty for a built-in model.
    """
    path, clips = str(model.get("asset", "")), model.get("clips")
    if not path or not isinstance(clips, list | tuple):
        return (path,) if path else ()
    return (path, *(str(item) for item in clips if str(item) != path))


class Bond:
    """The animation of one object together with the model files that it uses.

    Attributes:
        paths: paths of the model's file and its clip files.
        assets: the loaded or loading files, in the order of `paths`.
        is_settled: whether loading has ended, with or without success.
    """

    def __init__(self, obj: Animated) -> None:
        self.object = obj
        self.animation = Animation(obj)
        self.paths: tuple[str, ...] = ()
        self.assets: list[Asset] = []
        self.is_settled = True


class Animator:
    """The animations of all objects of a scene.

    Attributes:
        library: loads the model files; None if no model files are loaded.
    """

    def __init__(self) -> None:
        self.library: AssetLibrary | None = None
        self._bonds: dict[str, Bond] = {}
        self._posed: set[Animation] = set()  # in the last frame
        self._joined: dict[tuple[str, ...], tuple[list[Rig], Rig]] = {}

    def of(self, obj: Animated) -> Animation:
        """Return the animation of an object, created at the first call."""
        bond = self._bonds.get(obj.id)
        if bond is None or bond.object is not obj:
            bond = self._bonds[obj.id] = Bond(obj)
            self._follow(bond)
        return bond.animation

    def known(self, object_id: str) -> Animation | None:
        """Return the animation of an object by the object's id; None if no script has used it."""
        bond = self._bonds.get(object_id)
        return None if bond is None else bond.animation

    def is_loading(self, obj: Animated) -> bool:
        """Return whether files of an object's model have been asked for and are still being read.

        Args:
            obj: the object.
        """
        paths = asset_paths(obj.model) if obj.model else ()
        return self.library is not None and any(map(self.library.is_loading, paths))

    def advance(self, dt: float, *, instant: bool) -> None:
        """Advance all clips, compute the poses and move the attached objects.

        Args:
            dt: seconds of scene time.
            instant: whether waits end at once; clips that do not loop then jump to their end.
        """
        if self.library is not None:
            self.library.poll()
        if not self._bonds and not self._posed:
            return
        self._pose(dt, instant=instant)
        for bond in [bond for bond in self._bonds.values() if bond.animation.has_attached]:
            for obj, joint, offset in bond.animation.attached:
                if obj.is_alive:
                    self._place(bond.animation, obj, joint, offset)
                else:
                    bond.animation.detach(obj)

    def _pose(self, dt: float, *, instant: bool) -> None:
        """Advance all clips and compute the poses of all objects together.

        Args:
            dt: seconds of scene time.
            instant: whether clips that do not loop jump to their end.
        """
        requests: dict[Animation, PoseRequest] = {}
        for key, bond in list(self._bonds.items()):
            if not bond.object.is_alive:
                del self._bonds[key]
                bond.animation.end()
                continue
            self._follow(bond)
            if bond.object.is_active:
                request = bond.animation.request(dt, instant=instant)
                if request is not None:
                    requests[bond.animation] = request
        for animation in self._posed - requests.keys():
            animation.keep()
        poses = poses_of(list(requests.values()))
        for animation, (batch, number) in zip(requests, poses, strict=True):
            animation.take(batch, number)
        self._posed = set(requests)

    def _follow(self, bond: Bond) -> None:
        """Bind an animation to its object's model when the model is loaded or has changed."""
        model = bond.object.model
        paths = asset_paths(model) if model else ()
        if paths != bond.paths:
            if bond.paths:
                bond.animation.bind(None)
            if bond.paths and not paths:
                bond.animation.end()
            bond.paths, bond.assets = paths, []
        if paths and self.library is not None:
            assets = [self.library.get(path) for path in paths]
            if any(one is not other for one, other in zip_longest(assets, bond.assets)):
                bond.assets, bond.is_settled = assets, False  # new, or a file was saved again
        if bond.is_settled or not bond.assets:
            return
        if bond.assets[0].error:
            bond.is_settled = True
            bond.animation.fail()
        elif all(asset.rig is not None or asset.error for asset in bond.assets):
            bond.is_settled = True
            for fault in bond.animation.bind(self._rig_of(bond)):
                self._complain(fault)

    def _rig_of(self, bond: Bond) -> Rig | None:
        """Return a model's rig with the clips of its additional files added.

        Objects that use the same files share one rig. None if the model's own file has no rig.
        """
        rigs = {asset.path: asset.rig for asset in bond.assets if asset.rig is not None}
        own = rigs.pop(bond.paths[0])
        if not rigs:
            return own
        parts = [own, *rigs.values()]
        known = self._joined.get(bond.paths)
        if known is None or any(one is not other for one, other in zip_longest(parts, known[0])):
            rig, faults = with_clips(own, rigs)
            for fault in faults:
                self._complain(fault)
            known = self._joined[bond.paths] = (parts, rig)
        return known[1]

    def _complain(self, text: str) -> None:
        if self.library is not None and self.library.console is not None:
            self.library.console.error(text)

    @staticmethod
    def _place(animation: Animation, obj: Animated, joint: str, offset: FloatArray) -> None:
        """Move an object to the joint that it is attached to.

        Args:
            animation: animation of the object with the joint.
            obj: the attached object.
            joint: name of the joint.
            offset: `[3]` metres along the joint's axes.
        """
        if not animation.is_ready:
            return
        world = np.asarray(animation.joint(joint), dtype=np.float64)
        world[3, :3] += offset @ world[:3, :3]
        if obj.parent is not None:
            above = np.asarray(obj.parent.transform.world_matrix, dtype=np.float64)
            if is_flat(above):
                return  # nothing of it is seen
            world = world @ np.linalg.inv(above)
        obj.transform.position = world[3, :3].tolist()
        obj.transform.rotation = degrees_of(without_scale(world)[:3, :3])
