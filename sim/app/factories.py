"""Factories for parts that a scene creates on demand: physics, triangles of model files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from base.errors import GoishiError

if TYPE_CHECKING:
    from sim.core.assets.assets import AssetLibrary
    from sim.core.components.physics import Physics
    from sim.core.geometry.rotations import FloatArray
    from sim.core.scene.scene import Scene, SceneObject

PhysicsMaker: TypeAlias = "Callable[[Scene], Physics]"


def open_physics(scene: Scene) -> Physics:
    """Create the physics simulation of a scene, loading Bullet.

    Raises:
        GoishiError: this Panda3D has no Bullet.
    """
    try:
        from sim.physics.world import PhysicsWorld
    except ImportError as error:
        raise GoishiError(f"physics: expected Panda3D with Bullet, found: {error}") from error
    return PhysicsWorld(scene)


def open_unseen_physics(scene: Scene) -> Physics:
    """Do what `open_physics` does, in a process that draws nothing: steps are faster there.

    They are not where Panda3D was loaded before: what it knows of places must stay known.

    Raises:
        GoishiError: this Panda3D has no Bullet.
    """
    is_first = "panda3d.core" not in sys.modules
    physics = open_physics(scene)
    if is_first:
        from sim.physics.world import keep_no_places

        keep_no_places()
    return physics


def triangles_of(library: AssetLibrary, obj: SceneObject) -> FloatArray | None:
    """Return the triangles `[m, 3, 3]` of a model file at rest; None while it is loading."""
    from sim.physics.asset_mesh import triangles_of_asset

    return triangles_of_asset(library, obj)
