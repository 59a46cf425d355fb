"""Objects at rest, kept in a static picture, and moving objects, redrawn each frame."""

from __future__ import annotations

import math

from panda3d.core import BitMask32

from sim.render.passes.atmosphere import Atmosphere
from sim.render.passes.layers import BAKING, MOVING, STILL
from sim.render.view.object_view import ObjectView

REST_SECONDS = 0.12  # what has not moved for so long is at rest
SETTLE_SECONDS = 1.5  # at least, between two whole pictures for the shadows of what came to rest


class StaticLayer:
    """Assigns each object to the resting or the moving layer.

    Attributes:
        is_stale: the resting picture must be redrawn completely.
        revision: how often it was said that it must.
        is_dirty: the moving layer must be redrawn.
        moving: the objects drawn in each frame.
        baking: objects to draw into the resting picture next: newly at rest, or with new pixels.
    """

    def __init__(self, atmosphere: Atmosphere) -> None:
        self._atmosphere = atmosphere
        self._settled_at = -math.inf
        self.revision = 0
        self.is_stale = True
        self.is_dirty = True
        self.moving: dict[ObjectView, None] = {}
        self.baking: dict[ObjectView, None] = {}
        self._drawn: list[ObjectView] = []

    @property
    def is_stale(self) -> bool:
        """Whether the resting picture must be redrawn completely."""
        return self._is_stale

    @is_stale.setter
    def is_stale(self, value: bool) -> None:
        self._is_stale = value
        self.revision += value

    @property
    def has_moving_shadows(self) -> bool:
        """Whether any moving object casts a shadow."""
        return any(view.casts for view in self.moving)

    def add(self, view: ObjectView, now: float, *, is_still: bool) -> None:
        """Add an object; `is_still` puts it into the resting layer at once."""
        if is_still:
            self._show(view, STILL)
            self.is_stale = True
        else:
            self._show(view, MOVING)
            self.move(view, now)

    def remove(self, view: ObjectView) -> None:
        """Remove an object."""
        if not view.is_moving:
            self.is_stale = True
        self.is_dirty = True
        self.moving.pop(view, None)
        self.baking.pop(view, None)

    def move(self, view: ObjectView, now: float) -> None:
        """Record that an object moved at wall time `now`, seconds."""
        view.note_move(now)
        self.is_dirty = True
        if not view.is_moving:
            if not view.node.is_hidden(STILL):
                self.is_stale = True  # it must leave the resting picture
            view.set_moving(is_moving=True)
            self.moving[view] = None
            self._show(view, MOVING)
        if self.baking:
            self.baking.pop(view, None)

    def paint(self, view: ObjectView) -> None:
        """Record that an object has new pixels; at rest, it is redrawn over its own picture."""
        self.is_dirty = True
        if not view.is_moving and view not in self.baking:
            view.node.hide(BitMask32.all_on())
            view.node.show(BAKING)
            self.baking[view] = None

    def settle(self, now: float) -> None:
        """Move objects that have not moved for a while to the resting layer."""
        is_shaded = self._atmosphere.now.casts
        if is_shaded and self._keeps_moving(now):
            return
        for view in list(self.moving):
            if now - view.moved_at < REST_SECONDS or view.is_glass or view.is_waiting:
                continue
            view.is_moving = False
            del self.moving[view]
            self._show(view, BAKING)
            self.baking[view] = None
            self.is_dirty = True
            if is_shaded:
                self.is_stale = True  # its shadow lies on what rests

    def _keeps_moving(self, now: float) -> bool:
        """Return whether newly resting objects should wait for others to share one full redraw."""
        if now - self._settled_at < SETTLE_SECONDS and any(
            now - view.moved_at < REST_SECONDS for view in self.moving
        ):
            return True
        self._settled_at = now
        return False

    def begin(self) -> None:
        """Record that the next present draws the pending layers."""
        if self.is_stale:
            for view in self.baking:
                self._show(view, STILL)
            self.baking.clear()
        self._drawn = list(self.baking)
        self.is_dirty = self.is_stale = False

    def presented(self) -> None:
        """Record that they were drawn: baked objects are now at rest."""
        for view in self._drawn:
            if view in self.baking:
                del self.baking[view]
                self._show(view, STILL)
        self._drawn = []

    def _show(self, view: ObjectView, mask: BitMask32) -> None:
        for node in (view.node, view.shadow):
            if node is not None:
                node.hide(BitMask32.all_on())
                node.show(self._atmosphere.mask(node, mask, casts=view.casts))
