"""The rig of one object's model, and its clips and joints by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from base.errors import GoishiError
from sim.core.assets.animation.rig import Clip, Rig, RigError
from sim.core.geometry.transform import Transform

Found = TypeVar("Found")


class Animated(Protocol):
    """The part of a scene object that animation uses."""

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
    """The rig of an object's model.

    Attributes:
        rig: None until the model is loaded.
    """

    def __init__(self, obj: Animated) -> None:
        self.rig: Rig | None = None
        self._object = obj

    @property
    def can_load(self) -> bool:
        """Whether the object's model is one from a file, or none yet."""
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
        """Return the number of a joint by name.

        Raises:
            AnimationError: the model has no such joint, or is not loaded yet.
        """
        return self._look_up(Rig.joint, name)

    def check_clip(self, name: str) -> None:
        """Check that the model has a clip; passes until the model is loaded.

        Raises:
            AnimationError: it has no such clip.
        """
        if self.is_there():
            self.clip(name)

    def check_joint(self, name: str) -> None:
        """Check that the model has a joint; passes until the model is loaded.

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
