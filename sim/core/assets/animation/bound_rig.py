"""The rig of one object's model, once that is loaded, and what it is asked for by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from base.errors import GoishiError
from sim.core.assets.animation.rig import Clip, Rig, RigError
from sim.core.geometry.transform import Transform

Found = TypeVar("Found")


class Animated(Protocol):
    """What animation needs of an object of the scene."""

    id: str
    is_alive: bool
    transform: Transform

    @property
    def path(self) -> str:
        """Names from the root, joined by slashes."""

    @property
    def model(self) -> Mapping[str, object] | None:
        """What is drawn: `{"builtin": name, …}` or `{"asset": path}`."""

    @property
    def is_active(self) -> bool:
        """Enabled, and so is everything above it."""

    @property
    def parent(self) -> Animated | None:
        """The object above it."""

    def subtree(self) -> Sequence[Animated]:
        """Return the object and everything below it, parents first."""


class AnimationError(GoishiError, ValueError):
    """A clip or joint that the model does not have; the message lists those it has."""


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
        """Whether the model is loaded.

        Raises:
            AnimationError: it never will be: it is a builtin one.
        """
        if self.rig is None and not self.can_load:
            raise AnimationError(
                f"animation of {self._object.path}: expected a model from a file, "
                f"found the builtin {(self._object.model or {}).get('builtin')!r}"
            )
        return self.rig is not None

    def clip(self, name: str) -> Clip:
        """Return a clip.

        Raises:
            AnimationError: the model has no such clip, or is not loaded yet.
        """
        return self._look_up(Rig.clip, name)

    def joint(self, name: str) -> int:
        """Return the number of a joint.

        Raises:
            AnimationError: the model has no such joint, or is not loaded yet.
        """
        return self._look_up(Rig.joint, name)

    def check_clip(self, name: str) -> None:
        """Refuse a clip that the model does not have; until it is loaded none is.

        Raises:
            AnimationError: it has no such clip.
        """
        if self.is_there():
            self.clip(name)

    def check_joint(self, name: str) -> None:
        """Refuse a joint that the model does not have; until it is loaded none is.

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
