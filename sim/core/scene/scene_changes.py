"""What changed in a scene since the picture was last drawn."""

from __future__ import annotations

from dataclasses import dataclass, field


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
