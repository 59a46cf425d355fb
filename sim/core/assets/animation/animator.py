"""The animator: binds rigs to objects, advances clips, moves objects attached to joints."""

from __future__ import annotations

import numpy as np

from sim.core.assets.animation.animation import Animation
from sim.core.assets.animation.batch import PoseRequest, poses_of
from sim.core.assets.animation.bound_rig import Animated
from sim.core.assets.animation.poses import FloatArray, degrees_of, without_scale
from sim.core.assets.assets import Asset, AssetLibrary


class Bond:
    """An object's animation, and the model that it is bound to."""

    def __init__(self, obj: Animated) -> None:
        self.object = obj
        self.animation = Animation(obj)
        self.path = ""
        self.asset: Asset | None = None
        self.is_settled = True


class Animator:
    """All animations of a scene.

    Attributes:
        library: loads the models; None where none are loaded.
    """

    def __init__(self) -> None:
        self.library: AssetLibrary | None = None
        self._bonds: dict[str, Bond] = {}
        self._posed: set[Animation] = set()  # in the last frame

    def of(self, obj: Animated) -> Animation:
        """Return the animation of an object, created at the first call."""
        bond = self._bonds.get(obj.id)
        if bond is None or bond.object is not obj:
            bond = self._bonds[obj.id] = Bond(obj)
            self._follow(bond)
        return bond.animation

    def known(self, object_id: str) -> Animation | None:
        """Return the animation of an object by its id, None if no script has used it."""
        bond = self._bonds.get(object_id)
        return None if bond is None else bond.animation

    def advance(self, dt: float, *, instant: bool) -> None:
        """Advance all clips by `dt` seconds and compute their poses."""
        if self.library is not None:
            self.library.poll()
        self._pose(dt, instant=instant)
        for bond in [bond for bond in self._bonds.values() if bond.animation.has_attached]:
            for obj, joint, offset in bond.animation.attached:
                if obj.is_alive:
                    self._place(bond.animation, obj, joint, offset)
                else:
                    bond.animation.detach(obj)

    def _pose(self, dt: float, *, instant: bool) -> None:
        """Advance all clips, and compute their poses together."""
        requests: dict[Animation, PoseRequest] = {}
        for key, bond in list(self._bonds.items()):
            if not bond.object.is_alive:
                del self._bonds[key]
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
        """Bind an animation to its object's model when that is there, or was changed."""
        model = bond.object.model
        path = str(model.get("asset", "")) if model else ""
        if path != bond.path:
            if bond.path:
                bond.animation.bind(None)
            bond.path, bond.asset = path, None
            if path and self.library is not None:
                bond.asset, bond.is_settled = self.library.get(path), False
        elif path and self.library is not None and self.library.get(path) is not bond.asset:
            bond.asset, bond.is_settled = self.library.get(path), False  # its file was saved again
        if bond.is_settled or bond.asset is None:
            return
        if bond.asset.rig is not None:
            bond.is_settled = True
            for fault in bond.animation.bind(bond.asset.rig):
                self._complain(fault)
        elif bond.asset.error:
            bond.is_settled = True
            bond.animation.fail()

    def _complain(self, text: str) -> None:
        if self.library is not None and self.library.console is not None:
            self.library.console.error(text)

    @staticmethod
    def _place(animation: Animation, obj: Animated, joint: str, offset: FloatArray) -> None:
        """Put an object where a joint is."""
        if not animation.is_ready:
            return
        world = np.asarray(animation.joint(joint), dtype=np.float64)
        world[3, :3] += offset @ world[:3, :3]
        if obj.parent is not None:
            above = np.asarray(obj.parent.transform.world_matrix, dtype=np.float64)
            world = world @ np.linalg.inv(above)
        obj.transform.position = world[3, :3].tolist()
        obj.transform.rotation = degrees_of(without_scale(world)[:3, :3])
