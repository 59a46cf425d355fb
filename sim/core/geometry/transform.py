"""Transforms of objects: arrays for all objects of a scene, and `Transform` for one object.

Vectors are rows as in pyrr and Panda3D: `v' = v @ matrix`, with the translation in the last row.
local = scale @ rotation @ translation, and world = local @ world of the parent. Rotation is
(heading, pitch, roll) in degrees: roll about y, then pitch about x, then heading about z.
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from math import isfinite
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from pyrr import Vector4

from base.closed import Closed
from sim.core.geometry.rotations import (
    FloatArray,
    checked_vector,
    inverse_of,
    is_flat,
    is_mirrored,
    local_matrices,
    rotation_of,
    signed_scale,
    turns,
    without_signs,
)
from sim.core.geometry.vectors import Matrix33, Matrix44, Quaternion, Vector3

IntArray = npt.NDArray[np.int64]
NO_PARENT = -1
EVEN = 1e-9
"""How far apart the factors of a scale may be that count as equal, as a share."""
FIRST_CAPACITY = 64
ARRAYS = "positions rotations scales parents depths local _world dirty turned carries moved"
"""Names of the arrays of a `TransformStore` that have one row for each object."""


FROZEN = ("positions", "rotations", "scales", "parents", "_world", "dirty")
"""Names of the arrays from which positions, rotations and scales are read."""


class DeferredMoves(Protocol):
    """Moves of objects that are not made until a transform is read.

    The objects have neither a parent nor children. The argument "slot" of a method is an object's
    index in the arrays of a `TransformStore`.
    """

    def apply(self) -> None:
        """Make all the moves."""

    def matrix_of(self, slot: int) -> FloatArray | None:
        """Return the new world matrix `[4, 4]` of one object; None if it does not move.

        Args:
            slot: index of the object in the arrays of the `TransformStore`.
        """


class TransformStore:
    """The transforms of all objects of a scene, as arrays.

    Each object has a slot: here, its index in the arrays.

    Attributes:
        positions: `[n, 3]` metres, relative to the parent.
        rotations: `[n, 3]` heading, pitch and roll in degrees, relative to the parent.
        scales: `[n, 3]` factors.
        parents: `[n]` slot of the parent, -1 for none.
        depths: `[n]` number of ancestors.
        local: `[n, 4, 4]` matrices to the parent, valid after `refresh`.
        world: `[n, 4, 4]` matrices to the world, valid after `refresh`.
        deferred: moves that are not made until a transform is read; None for none.
        dirty: `[n]` whether the object was moved since the last `refresh`.
        turned: `[n]` whether its rotation or scale was changed since the last `refresh`.
        carries: `[n]` whether the object has children.
        moved: `[n]` whether its world matrix changed since the last `update_world`.
        revision: counter that increases whenever a world matrix changes.
        any_dirty: whether any object is dirty.
    """

    def __init__(self, capacity: int = FIRST_CAPACITY) -> None:
        self.positions = np.zeros((capacity, 3))
        self.rotations = np.zeros((capacity, 3))
        self.scales = np.ones((capacity, 3))
        self.parents = np.full(capacity, NO_PARENT, dtype=np.int64)
        self.depths = np.zeros(capacity, dtype=np.int64)
        self.local = np.tile(np.eye(4), (capacity, 1, 1))
        self._world = np.tile(np.eye(4), (capacity, 1, 1))
        self.dirty = np.zeros(capacity, dtype=bool)
        self.turned = np.zeros(capacity, dtype=bool)
        self.carries = np.zeros(capacity, dtype=bool)
        self.moved = np.zeros(capacity, dtype=bool)
        self._open_cells()
        self.revision = 0
        self._children: dict[int, set[int]] = {}
        self._free: list[int] = []
        self._used = 0
        self.any_dirty = False
        self.deferred: DeferredMoves | None = None

    @property
    def world(self) -> FloatArray:
        """The world matrices `[n, 4, 4]` by slot; moves after the last `refresh` are not included.

        Deferred moves are made first, so they are included.
        """
        self.settle()
        return self._world

    @property
    def has_negative_scales(self) -> bool:
        """Whether a factor of any object's scale is negative; without one, nothing is mirrored."""
        return bool(self.scales[: self._used].min(initial=1.0) < 0.0)

    def defer(self, moves: DeferredMoves) -> None:
        """Defer the moves of some objects until one of them is read or any object is moved.

        The simulation moves bodies in each step, and without graphics few of them are read.

        Args:
            moves: the moves.
        """
        if self.deferred is not moves:
            self.settle()
            self.deferred = moves
        self.revision += 1

    def settle(self) -> None:
        """Apply the deferred moves."""
        moves, self.deferred = self.deferred, None
        if moves is None:
            return
        try:
            moves.apply()
        except BaseException:  # interrupted by the watchdog: the moves must still be made
            self.deferred = moves
            raise

    def allocate(self, parent: int = NO_PARENT) -> int:
        """Reserve a slot (an index in the arrays) with the identity transform; return it.

        Args:
            parent: slot of its parent; `NO_PARENT` for none.
        """
        if self._free:
            slot = self._free.pop()
        else:
            if self._used == len(self.positions):
                self._grow()
            slot = self._used
            self._used += 1
        self.positions[slot] = 0.0
        self.rotations[slot] = 0.0
        self.scales[slot] = 1.0
        self.parents[slot] = NO_PARENT
        self.depths[slot] = 0
        self.set_parent(slot, parent)
        return slot

    def release(self, slot: int) -> None:
        """Free a slot (an object's index in the arrays); the object must have no children."""
        self.settle()
        self.set_parent(slot, NO_PARENT)
        self.dirty[slot] = self.moved[slot] = self.carries[slot] = False
        self._children.pop(slot, None)
        self._free.append(slot)

    def set_parent(self, slot: int, parent: int) -> None:
        """Set an object's parent; position, rotation and scale relative to the parent are kept.

        Args:
            slot: index of the object in the arrays.
            parent: index of the new parent; `NO_PARENT` for none.
        """
        self.settle()
        old = int(self.parents[slot])
        if old != NO_PARENT:
            self._children[old].discard(slot)
            self.carries[old] = bool(self._children[old])
        if parent != NO_PARENT:
            self._children.setdefault(parent, set()).add(slot)
            self.carries[parent] = True
        self.parents[slot] = parent
        stack = [slot]
        while stack:
            item = stack.pop()
            above = int(self.parents[item])
            self.depths[item] = 0 if above == NO_PARENT else self.depths[above] + 1
            stack.extend(self._children.get(item, ()))
        self.touch(slot)

    def move(self, slots: IntArray, positions: FloatArray, rotations: FloatArray) -> None:
        """Set position and rotation of n objects, relative to their parents.

        Args:
            slots: `[n]` indices of the objects in the arrays.
            positions: `[n, 3]` metres.
            rotations: `[n, 3]` heading, pitch and roll in degrees.
        """
        self.settle()
        self.positions[slots] = positions
        self.rotations[slots] = rotations
        self.dirty[slots] = True
        self.turned[slots] = True
        self.any_dirty = self.any_dirty or len(slots) > 0

    def put_roots(self, slots: IntArray, positions: FloatArray, rotations: FloatArray) -> None:
        """Set position, rotation and matrices of objects that have neither parent nor children.

        It does what `move` and `refresh` do, faster and without checks. No other object may have
        moved since the last `refresh`.

        Args:
            slots: `[n]` indices of the objects in the arrays.
            positions: `[n, 3]` metres.
            rotations: `[n, 3]` heading, pitch and roll in degrees.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # overflow
            placed = local_matrices(positions, rotations, self.scales[slots])
        self.positions[slots] = positions
        self.rotations[slots] = rotations
        self.local[slots] = self._world[slots] = placed
        self.moved[slots] = True
        self.revision += 1

    def numbers(self) -> FloatArray:
        """Return a copy of position, rotation and scale of all slots (array rows), `[n, 9]`."""
        self.settle()
        used = self._used
        parts = (self.positions[:used], self.rotations[:used], self.scales[:used])
        return np.concatenate(parts, axis=1)

    def put(self, slots: IntArray, numbers: FloatArray) -> None:
        """Set position, rotation and scale of some objects.

        An object whose values stay equal does not count as moved.

        Args:
            slots: `[n]` indices of the objects in the arrays.
            numbers: `[n, 9]` position, rotation and scale, as the method `numbers` returns them.
        """
        now = self.numbers()[slots]
        is_other = (now.view(np.int64) != np.ascontiguousarray(numbers).view(np.int64)).any(axis=1)
        slots, numbers = slots[is_other], numbers[is_other]
        self.positions[slots] = numbers[:, :3]
        self.rotations[slots] = numbers[:, 3:6]
        self.scales[slots] = numbers[:, 6:]
        self.dirty[slots] = self.turned[slots] = True
        self.any_dirty = self.any_dirty or len(slots) > 0

    def memory(self) -> tuple[npt.NDArray[np.generic], ...]:
        """Return copies of all values that are computed from the transforms.

        `recall` can restore them.
        """
        self.settle()
        used = self._used
        return tuple(
            part[:used].copy() for part in (self.local, self.world, self.dirty, self.turned)
        )

    def recall(self, memory: tuple[npt.NDArray[np.generic], ...]) -> None:
        """Restore computed values exactly, after `put` has restored the transforms.

        Args:
            memory: result of `memory`.
        """
        self.settle()
        local, world, dirty, turned = memory
        used = len(world)
        differs = (self._world[:used] != world).any(axis=(1, 2))
        self.moved[:used] |= differs | (self.dirty[:used] & ~dirty.astype(bool))
        self.local[:used], self._world[:used] = local, world
        self.dirty[:used], self.turned[:used] = dirty, turned
        self.any_dirty = bool(self.dirty[: self._used].any())
        self.revision += 1

    def frozen(self) -> TransformStore:
        """Return a copy of the transforms that can be read while these go on changing.

        Transforms of the copy read as those of this store do now, to the bit.
        """
        self.settle()
        copy, used = TransformStore(0), self._used
        for name in FROZEN:
            setattr(copy, name, getattr(self, name)[:used].copy())
        copy._open_cells()
        copy._used, copy.any_dirty = used, self.any_dirty
        return copy

    def touch(self, slot: int) -> None:
        """Mark an object as moved; its descendants follow at the next update.

        Args:
            slot: index of the object in the arrays.
        """
        self.settle()
        self.dirty[slot] = True
        self.turned[slot] = True
        self.any_dirty = True

    def update_world(self) -> IntArray:
        """Update the world matrices of all objects.

        Returns:
            `[n]` indices, in the arrays, of the objects moved since the last call.
        """
        self.refresh()
        moved = np.flatnonzero(self.moved[: self._used])
        self.moved[moved] = False
        return moved

    def refresh(self) -> None:
        """Update the world matrices of moved objects and their descendants.

        The objects still count as moved for the next `update_world`.
        """
        self.settle()
        if self.any_dirty:
            with np.errstate(over="ignore", invalid="ignore"):  # overflow
                self._refresh()

    def _refresh(self) -> None:
        used = self._used
        dirty = self.dirty[:used]
        stack = np.flatnonzero(dirty & self.carries[:used]).tolist()
        while stack:
            for child in self._children[stack.pop()]:
                if not self.dirty[child]:
                    self.dirty[child] = True
                    if self.carries[child]:
                        stack.append(child)
        moved = np.flatnonzero(dirty)
        placed = self._place(moved)
        depths = self.depths[moved]
        if not depths.any():
            self._world[moved] = placed
        else:
            for depth in np.unique(depths):
                slots = moved[depths == depth]
                local = self.local[slots]
                self._world[slots] = local @ self._world[self.parents[slots]] if depth else local
        self.dirty[moved] = False
        self.moved[moved] = True
        self.any_dirty = False
        self.revision += 1

    def _place(self, moved: IntArray) -> FloatArray:
        """Update the matrices from some objects to their parents; return these, `[n, 4, 4]`.

        Args:
            moved: `[n]` indices of the objects in the arrays.
        """
        is_turned = self.turned[moved]
        if is_turned.all():  # such as bodies
            placed = self.local[moved] = self.local_of(moved)
            self.turned[moved] = False
            return placed
        self.local[moved, 3, :3] = self.positions[moved]
        turned = moved[is_turned]
        if len(turned):
            self.local[turned] = self.local_of(turned)
            self.turned[turned] = False
        return self.local[moved]

    def local_of(self, which: slice | IntArray) -> FloatArray:
        """Compute the matrices `[n, 4, 4]` from some objects to their parents.

        They are computed from position, rotation and scale; stored matrices are not used.

        Args:
            which: indices of the objects in the arrays.
        """
        return local_matrices(self.positions[which], self.rotations[which], self.scales[which])

    def world_of(self, slot: int) -> FloatArray:
        """Return the present world matrix `[4, 4]` of one object, even before the next `refresh`.

        Args:
            slot: index of the object in the arrays.
        """
        if self.deferred is not None:
            found = self.deferred.matrix_of(slot)
            if found is not None:
                return found
        if self.any_dirty:
            chain = [slot]
            while self.parents[chain[-1]] != NO_PARENT:
                chain.append(int(self.parents[chain[-1]]))
            if self.dirty[chain].any():
                matrix = np.eye(4)
                for item in chain:
                    matrix = matrix @ self.local_of(slice(item, item + 1))[0]
                return np.array(matrix, dtype=np.float64)
        world: FloatArray = self._world[slot].copy()
        return world

    def _grow(self) -> None:
        for name in ARRAYS.split():
            values = getattr(self, name)
            setattr(self, name, np.concatenate([values, np.zeros_like(values)]))
        self._open_cells()

    def _open_cells(self) -> None:
        """Create views of the arrays: their rows as vectors, and memory views.

        Memory views are faster than NumPy for single numbers.
        """
        self.position_rows = self.positions.view(Vector3)
        self.rotation_rows = self.rotations.view(Vector3)
        self.scale_rows = self.scales.view(Vector3)
        self.position_cells = _cells(self.positions)
        self.rotation_cells = _cells(self.rotations)
        self.scale_cells = _cells(self.scales)
        self.dirty_cells = _cells(self.dirty)
        self.turned_cells = _cells(self.turned)


class Transform(Closed):
    """Transform of one object: position, rotation and scale; assign to change them.

    Single numbers can be assigned, too: `transform.position[2] = 1.0`. A value that you keep in a
    name is a copy: changing it does not move the object. The values are in the arrays of a
    `TransformStore`.
    """

    __slots__ = ("_slot", "_store")

    def __init__(self, store: TransformStore, slot: int) -> None:
        self._store = store
        self._slot = slot

    @property
    def slot(self) -> int:
        """The index in the store's arrays."""
        return self._slot

    def leave(self) -> None:
        """Release the object's index in the store; keep its values in a store of its own.

        A script may keep a transform longer than its object exists. Writing to it must not move
        another object that gets the same index.
        """
        store, slot = self._store, self._slot
        store.settle()
        self._store = alone = TransformStore(1)
        self._slot = alone.allocate()
        alone.positions[0] = store.positions[slot]
        alone.rotations[0] = store.rotations[slot]
        alone.scales[0] = store.scales[slot]
        store.release(slot)

    @property
    def position(self) -> Vector3:
        """Position relative to the parent, metres."""
        store = self._store
        if store.deferred is not None:
            store.settle()
        found: Vector3 = store.position_rows[self._slot].copy()
        found.origin = (self, "position")
        return found

    @position.setter
    def position(self, value: Sequence[float] | FloatArray) -> None:
        store, slot = self._store, self._slot
        if store.deferred is not None:
            store.settle()
        if _write(store.position_cells, 3 * slot, value, "position"):
            store.dirty_cells[slot] = True
            store.any_dirty = True

    @property
    def rotation(self) -> Vector3:
        """Heading, pitch and roll relative to the parent, degrees."""
        store = self._store
        if store.deferred is not None:
            store.settle()
        found: Vector3 = store.rotation_rows[self._slot].copy()
        found.origin = (self, "rotation")
        return found

    @rotation.setter
    def rotation(self, value: Sequence[float] | FloatArray) -> None:
        store, slot = self._store, self._slot
        if store.deferred is not None:
            store.settle()
        if _write(store.rotation_cells, 3 * slot, value, "rotation"):
            store.dirty_cells[slot] = store.turned_cells[slot] = True
            store.any_dirty = True

    @property
    def scale(self) -> Vector3:
        """Scale factors along the object's x, y and z axes."""
        store = self._store
        if store.deferred is not None:
            store.settle()
        found: Vector3 = store.scale_rows[self._slot].copy()
        found.origin = (self, "scale")
        return found

    @scale.setter
    def scale(self, value: Sequence[float] | FloatArray) -> None:
        store, slot = self._store, self._slot
        if store.deferred is not None:
            store.settle()
        if _write(store.scale_cells, 3 * slot, value, "scale"):
            store.dirty_cells[slot] = store.turned_cells[slot] = True
            store.any_dirty = True

    @property
    def matrix(self) -> Matrix44:
        """Matrix `[4, 4]` from the object's space to its parent's; assign to change the transform.

        What an object cannot have, such as shear, is left out.
        """
        self._store.settle()
        return self._handed(self._store.local_of(slice(self._slot, self._slot + 1))[0], "matrix")

    @matrix.setter
    def matrix(self, value: FloatArray) -> None:
        self.place(_checked(value, (4, 4), "matrix") @ self._above())

    @property
    def world_matrix(self) -> Matrix44:
        """Matrix `[4, 4]` from the object's space to the world; assign to move the object there.

        What an object cannot have, such as shear, is left out.
        """
        return self._handed(self._store.world_of(self._slot), "world_matrix")

    @world_matrix.setter
    def world_matrix(self, value: FloatArray) -> None:
        self.place(_checked(value, (4, 4), "world_matrix"))

    @property
    def world_position(self) -> Vector3:
        """Position in the world, metres; assign to move the object there."""
        return self._given(self._store.world_of(self._slot)[3, :3], "world_position")

    @world_position.setter
    def world_position(self, value: Sequence[float] | FloatArray) -> None:
        point = checked_vector(value, "world_position")
        self.position = (np.append(point, 1.0) @ self._from_world("world_position"))[:3]

    @property
    def world_rotation(self) -> Vector3:
        """Heading, pitch and roll in the world, degrees; assign to turn the object.

        Where the object or its parent is mirrored, it is the rotation without the mirroring.
        """
        world = self._store.world_of(self._slot)
        turned = rotation_of(without_signs(world, self._scale_in(world)))
        return self._given(turned, "world_rotation")

    @world_rotation.setter
    def world_rotation(self, value: Sequence[float]) -> None:
        wanted = turns(checked_vector(value, "world_rotation"))
        above = self._above()
        local = wanted @ turns(rotation_of(above)).T
        if is_mirrored(above):  # by its x axis, from both sides
            local[0] = -local[0]
            local[:, 0] = -local[:, 0]
        self.rotation = rotation_of(local)

    @property
    def world_scale(self) -> Vector3:
        """Scale factors in the world along the object's own axes; read-only.

        The signs are those of the object's own scale, with x reversed below a mirrored parent.
        """
        return self._given(self._scale_in(self._store.world_of(self._slot)), "world_scale")

    @property
    def quaternion(self) -> Quaternion:
        """Rotation relative to the parent as a unit quaternion; assign to turn the object."""
        h, p, r = np.radians(np.asarray(self.rotation))
        turn = Quaternion.from_z_rotation(h) * Quaternion.from_x_rotation(p)
        found: Quaternion = turn * Quaternion.from_y_rotation(r)
        found.origin = (self, "quaternion")
        return found

    @quaternion.setter
    def quaternion(self, value: Sequence[float] | FloatArray) -> None:
        numbers = _checked(value, (4,), "quaternion")
        if not numbers.any():
            raise ValueError(f"quaternion: expected a rotation, got {value!r:.200}")
        turn = Quaternion(numbers / np.linalg.norm(numbers))
        self.rotation = rotation_of(np.array([turn * axis for axis in np.eye(3)]))

    @property
    def forward(self) -> Vector3:
        """Unit vector in the world along the object's y axis."""
        return self._axis(1, "forward")

    @property
    def right(self) -> Vector3:
        """Unit vector in the world along the object's x axis."""
        return self._axis(0, "right")

    @property
    def up(self) -> Vector3:
        """Unit vector in the world along the object's z axis."""
        return self._axis(2, "up")

    def translate(self, offset: Sequence[float] | FloatArray) -> None:
        """Move the object by `offset`, metres along the axes of its parent."""
        self.position = np.asarray(self.position) + np.asarray(offset, dtype=np.float64)

    def look_at(self, target: Sequence[float]) -> None:
        """Turn the object so that its y axis points at `target`, a position in the parent's space.

        It does nothing if the object is at the target.
        """
        away = np.asarray(target, dtype=np.float64) - np.asarray(self.position)
        if self._store.scales[self._slot, 1] < 0.0:  # the axis runs the other way
            away = -away
        flat = math.hypot(away[0], away[1])
        if flat == 0.0 and away[2] == 0.0:
            return
        heading = math.degrees(math.atan2(-away[0], away[1])) if flat else 0.0
        self.rotation = (heading, math.degrees(math.atan2(away[2], flat)), 0.0)

    def look_along(self, direction: Sequence[float] | FloatArray) -> None:
        """Turn the object so that its y axis points in a direction of the world.

        Its z axis points up as far as that allows. It does nothing if the direction is 0.

        Args:
            direction: `[3]`, of any length.

        Raises:
            ValueError: the parent is scaled to nothing.
        """
        away = np.asarray(direction, dtype=np.float64)
        if not away.any():
            return
        flat = float(np.hypot(away[0], away[1]))
        heading = float(np.degrees(np.arctan2(-away[0], away[1]))) if flat else 0.0
        seen = (heading, float(np.degrees(np.arctan2(away[2], flat))), 0.0)
        above, signs = self._above()[:3, :3], np.where(np.asarray(self.scale) < 0.0, -1.0, 1.0)
        products = above @ above.T
        is_even = bool(np.abs(products - products[0, 0] * np.eye(3)).max() <= EVEN * products[0, 0])
        if is_even and products[0, 0] > 0.0 and (signs > 0.0).all() and not is_mirrored(above):
            self.world_rotation = seen
            return
        wanted = turns(seen) @ self._from_world("look_at")[:3, :3] * signs[:, None]
        ahead = wanted[1] / np.linalg.norm(wanted[1])
        up = wanted[2] - (wanted[2] @ ahead) * ahead
        up /= np.linalg.norm(up)
        self.rotation = rotation_of(np.stack([np.cross(ahead, up), ahead, up]))

    def to_world(self, point: Sequence[float] | FloatArray) -> Vector3:
        """Convert a position from the object's space to the world.

        Args:
            point: `[3]`, metres in the object's own axes.
        """
        place = checked_vector(point, "to_world")
        return Vector3((self.world_matrix * Vector4([*place, 1.0]))[:3])

    def to_local(self, point: Sequence[float] | FloatArray) -> Vector3:
        """Convert a position from the world to the object's space.

        Args:
            point: `[3]`, metres in the world.

        Raises:
            ValueError: the object is scaled to nothing.
        """
        place = checked_vector(point, "to_local")
        return Vector3((self._to_own("to_local") * Vector4([*place, 1.0]))[:3])

    def direction_to_world(self, direction: Sequence[float] | FloatArray) -> Vector3:
        """Convert a direction from the object's space to the world; it is not normalised.

        It is turned and scaled with the object, but not moved. So `direction_to_world((0, 1, 0))`
        points along `forward`, and is as long as the object's scale along its y axis.

        Args:
            direction: `[3]`, in the object's own axes.
        """
        way = checked_vector(direction, "direction_to_world")
        return Vector3(Matrix33(self.world_matrix[:3, :3]) * Vector3(way))

    def direction_to_local(self, direction: Sequence[float] | FloatArray) -> Vector3:
        """Convert a direction from the world to the object's space; it is not normalised.

        This is the inverse of `direction_to_world`: the length of the result differs from that of
        the argument if the object is scaled.

        Args:
            direction: `[3]`, in the world.

        Raises:
            ValueError: the object is scaled to nothing.
        """
        way = checked_vector(direction, "direction_to_local")
        return Vector3(Matrix33(self._to_own("direction_to_local")[:3, :3]) * Vector3(way))

    def place(self, world: FloatArray) -> None:
        """Set the transform so that the object has the world matrix `world`, `[4, 4]`.

        If this needs shear, which an object cannot have, the result is close to it. A mirroring is
        kept, by the signs of the scale.

        Raises:
            ValueError: the parent is scaled to nothing.
        """
        local = np.asarray(world, dtype=np.float64) @ self._from_world("place")
        scale = signed_scale(local, np.asarray(self.scale))
        self.position = local[3, :3]
        self.rotation = rotation_of(without_signs(local, scale))
        self.scale = scale

    @property
    def is_flat(self) -> bool:
        """Whether the object is scaled to nothing in the world, along any direction."""
        return is_flat(self._store.world_of(self._slot))

    def _above(self) -> FloatArray:
        parent = int(self._store.parents[self._slot])
        return np.eye(4) if parent == NO_PARENT else self._store.world_of(parent)

    def _from_world(self, name: str) -> FloatArray:
        """Return the matrix `[4, 4]` from the world to the parent's space.

        Args:
            name: what it is needed for, for the error message.

        Raises:
            ValueError: the parent is scaled to nothing.
        """
        return inverse_of(self._above(), name)

    def _to_own(self, name: str) -> Matrix44:
        """Return the matrix from the world to the object's space; arguments as in `_from_world`."""
        return Matrix44(inverse_of(self._store.world_of(self._slot), name))

    def _scale_in(self, world: FloatArray) -> FloatArray:
        """Return the scale `[3]` in the object's world matrix `[4, 4]`, with its signs."""
        return signed_scale(world, self._store.scales[self._slot])

    def _axis(self, row: int, name: str) -> Vector3:
        found = Vector3(self._store.world_of(self._slot)[row, :3]).normalized
        return self._given(found, name)

    def _given(self, numbers: FloatArray, name: str) -> Vector3:
        """Return numbers as a vector that knows which property it is a copy of.

        Args:
            numbers: `[3]`, an array that nothing else uses.
            name: name of the property.
        """
        found: Any = numbers.view(Vector3)
        found.origin = (self, name)
        return found  # type: ignore[no-any-return]  # no cast: it is a call

    def _handed(self, numbers: FloatArray, name: str) -> Matrix44:
        """Return numbers as a matrix that knows which property it is a copy of.

        Args:
            numbers: `[4, 4]`, an array that nothing else uses.
            name: name of the property.
        """
        found: Any = numbers.view(Matrix44)
        found.origin = (self, name)
        return found  # type: ignore[no-any-return]  # no cast: it is a call


def _checked(value: Sequence[float] | FloatArray, shape: tuple[int, ...], name: str) -> FloatArray:
    """Check that a value is an array of finite numbers; return it as one.

    Args:
        value: the numbers.
        shape: shape of the array.
        name: name of the value, for the error message.

    Raises:
        ValueError: it is no such array.
    """
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise ValueError(f"{name}: expected finite numbers {list(shape)}, got {value!r:.200}")
    return numbers


def _cells(values: npt.NDArray[np.generic]) -> Any:
    """Return a memory view of an array's numbers."""
    return memoryview(values.reshape(-1))  # type: ignore[arg-type]


def _write(
    cells: MutableSequence[float], at: int, value: Sequence[float] | FloatArray, name: str
) -> bool:
    """Write three numbers into a memory view; return whether any differs from the old one.

    Args:
        cells: the memory view.
        at: index of the first number.
        value: the numbers.
        name: name of the value, for the error message.
    """
    if type(value) is tuple and len(value) == 3:  # the common case, checked without NumPy
        x, y, z = value
        is_plain = type(x) is type(y) is type(z) is float and isfinite(x + y + z)
    else:
        is_plain = False
    if not is_plain:
        x, y, z = checked_vector(value, name).tolist()
    if cells[at] == x and cells[at + 1] == y and cells[at + 2] == z:
        return False
    cells[at] = x
    cells[at + 1] = y
    cells[at + 2] = z
    return True
