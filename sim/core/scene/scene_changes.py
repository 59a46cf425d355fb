"""What a scene tells: the script host at once, the picture before the next frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sim.core.scene.scene_object import ComponentSlot


class ComponentHost(Protocol):
    """What the scene needs of the script host."""

    def attach(self, slot: ComponentSlot) -> None:
        """Load the script of a new component."""

    def detach(self, slot: ComponentSlot) -> None:
        """Run the last hooks of a component that goes."""

    def activity_changed(self, slot: ComponentSlot) -> None:
        """Run `enable` or `disable` when a component's activity changed."""


@dataclass
class SceneChanges:
    """Objects that came, went, or look different since the last drain."""

    created: set[str] = field(default_factory=set)
    destroyed: set[str] = field(default_factory=set)
    visual: set[str] = field(default_factory=set)
    painted: set[str] = field(default_factory=set)
    """those whose texture alone has new pixels, as many as before"""
    pointed: set[str] = field(default_factory=set)
    """those whose cloud of points alone is another"""

    def remove(self, object_id: str) -> None:
        """Note that an object went; one that came since the last drain was never there."""
        if object_id in self.created:
            self.created.discard(object_id)
        else:
            self.destroyed.add(object_id)
        for others in (self.visual, self.painted, self.pointed):
            others.discard(object_id)

    def __bool__(self) -> bool:
        return bool(self.created or self.destroyed or self.visual or self.painted or self.pointed)
