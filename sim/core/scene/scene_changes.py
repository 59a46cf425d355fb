"""Changes of a scene since the last drawn frame."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class SceneChanges:
    """Ids of objects added, removed or changed since the last drain."""

    created: set[str] = field(default_factory=set)
    destroyed: set[str] = field(default_factory=set)
    visual: set[str] = field(default_factory=set)
    painted: set[str] = field(default_factory=set)
    """objects of which only the texture's pixels changed"""
    pointed: set[str] = field(default_factory=set)
    """objects of which only the point cloud changed"""

    def remove(self, object_id: str) -> None:
        """Record a removal; an object added since the last drain is dropped from both sets."""
        if object_id in self.created:
            self.created.discard(object_id)
        else:
            self.destroyed.add(object_id)
        for others in (self.visual, self.painted, self.pointed):
            others.discard(object_id)

    def __bool__(self) -> bool:
        return bool(self.created or self.destroyed or self.visual or self.painted or self.pointed)
