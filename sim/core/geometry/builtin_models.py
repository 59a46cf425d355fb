"""Models that a scene file names: how each is made, looks, is met and is shown in the panels.

The engine has plain bodies; what else there is, a project declares (`[models]` in `goishi.toml`).
Everything that is known of a model stands in its `ModelKind`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from sim.core.geometry.meshes import (
    TABLE_SIZE,
    UNKNOWN_SIZE,
    VASE,
    Mesh,
    capsule,
    cylinder,
    plane,
    sphere,
    text_block,
    torus,
    turned,
)

Model = Mapping[str, object]
"""What stands in a scene file: `{"builtin": name, …}`."""
T = TypeVar("T")
Picture = npt.NDArray[np.uint8]
LONGEST: Final = 1e6  # metres
MOST_PAIRS: Final = 1000  # of a profile
WRONG_NUMBERS: Final = (TypeError, ValueError, KeyError, IndexError)


class Paints(Protocol):
    """What a model's picture is painted with."""

    def wood(self, width: int, height: int, seed: int, *, dark: bool = False) -> Picture:
        """Return `[height, width, 3]` BGR wood, its grain along the height."""
        ...

    def cached(self, name: str, paint: Callable[[], Picture]) -> Picture:
        """Return the picture `name` from the user's cache; paint and keep it where it is not."""
        ...


@dataclass(frozen=True)
class ModelLook:
    """How a surface looks where the material says nothing.

    Attributes:
        color: sRGB, 0 to 1.
        roughness: 0 to 1.
        coat: of clear varnish, 0 to 1.
        emission: how much it glows by itself.
    """

    color: tuple[float, float, float] = (0.8, 0.8, 0.8)
    roughness: float = 0.5
    coat: float = 0.0
    emission: float = 0.0


@dataclass(frozen=True)
class ModelPart:
    """A mesh that stands in a model beside its own.

    Attributes:
        mesh: shared by the parts that are alike.
        look: of its surface.
        position: metres, in the model.
        rotation: heading, pitch and roll, degrees.
    """

    mesh: Mesh
    look: ModelLook
    position: tuple[float, float, float]
    rotation: tuple[float, float, float]


def _as_it_is(name: str, value: object) -> object:
    """Return what the scene file says, whatever it is."""
    return value


@dataclass(frozen=True)
class ModelKey:
    """A key that a model may have beside `builtin`.

    Attributes:
        default: its value where the scene file says nothing.
        check: returns a value that fits, given the key's name and what stands there; ValueError
            where it does not.
    """

    default: object = None
    check: Callable[[str, object], object] = _as_it_is

    @staticmethod
    def length(default: float) -> ModelKey:
        """Return a key for a length, metres."""
        return ModelKey(default, _length)

    @staticmethod
    def count(default: int, *, most: int) -> ModelKey:
        """Return a key for how many there are of something, from 1 to `most`."""
        return ModelKey(default, lambda name, value: _count(name, value, most))

    @staticmethod
    def sizes(default: float, count: int) -> ModelKey:
        """Return a key for `count` lengths, or one for all of them."""
        return ModelKey(default, lambda name, value: _sizes(name, value, count))

    @staticmethod
    def switch(default: bool) -> ModelKey:
        """Return a key that is true or false."""
        return ModelKey(default, lambda name, value: bool(value))


@dataclass(frozen=True, eq=False)
class ModelKind:
    """A model that scenes can name. Its functions are called with the checked value of each key.

    Attributes:
        mesh: makes its triangles.
        keys: what the scene file may say beside `builtin`, by name.
        shape: how rays and bodies meet it: "mesh", "box", or "sphere", "cylinder" or "capsule" by
            the key `radius`.
        look: of its surface; or what returns it.
        paint: returns the picture laid over it, `[h, w, 3]` BGR, given the `Paints` first; None for
            none.
        repeat: how often that picture is laid along a side.
        parts: returns what else stands in it.
        shadow: metres across of the soft shadow below it, for a body of size 1 or radius 0.5; or
            what returns it for this one; 0 for none.
        surface: returns half a side of the square, metres, on which the shadows of what stands
            on it fall; None where they fall below it.
        drawn_as: "letters" or "points" for what is not drawn as its mesh is.
        starts: the keys of a new one in the studio's menu; None: it is not offered there.
    """

    mesh: Callable[..., Mesh]
    keys: Mapping[str, ModelKey] = field(default_factory=dict)
    shape: str = "mesh"
    look: ModelLook | Callable[..., ModelLook] = ModelLook()
    paint: Callable[..., Picture] | None = None
    repeat: float = 1.0
    parts: Callable[..., Sequence[ModelPart]] | None = None
    shadow: float | Callable[..., float] = 0.0
    surface: Callable[..., float] | None = None
    drawn_as: str = ""
    starts: Model | None = None

    def values(self, model: Model) -> dict[str, object]:
        """Return the value of each key.

        Raises:
            ValueError: one does not fit.
        """
        return {
            name: key.check(name, model.get(name, key.default)) for name, key in self.keys.items()
        }

    def made(self, model: Model) -> Mesh:
        """Return the mesh.

        Raises:
            ValueError: a number is wrong, or the maker fails.
        """
        return self._called(self.mesh, model)

    def look_of(self, model: Model) -> ModelLook:
        """Return how the surface looks."""
        return self.look if isinstance(self.look, ModelLook) else self._called(self.look, model)

    def painted(self, model: Model, paints: Paints) -> Picture | None:
        """Return the picture laid over it, None for none."""
        if self.paint is None:
            return None
        return self._called(self.paint, model, paints)

    def parts_of(self, model: Model) -> Sequence[ModelPart]:
        """Return what else stands in it."""
        return () if self.parts is None else self._called(self.parts, model)

    def shadow_of(self, model: Model) -> float:
        """Return metres across of the soft shadow below it; 0 for none."""
        if isinstance(self.shadow, int | float):
            return self.shadow * _reach(model) if self.shadow else 0.0
        return self._called(self.shadow, model)

    def surface_of(self, model: Model) -> float | None:
        """Return half a side of the square on which shadows fall; None where it is none."""
        return None if self.surface is None else self._called(self.surface, model)

    def _called(self, function: Callable[..., T], model: Model, *more: object) -> T:
        try:
            return function(*more, **self.values(model))
        except WRONG_NUMBERS:
            raise
        except Exception as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error


class ModelRegistry:
    """The models that a scene can name: the engine's own, and those that projects declare.

    Args:
        offered: the names of those that are declared.
        find: returns the kind of an offered model, which may import its module; None without.
    """

    def __init__(
        self,
        offered: Sequence[str] = (),
        find: Callable[[str], ModelKind | None] = lambda name: None,
    ) -> None:
        self._offered = offered
        self._find = find
        self._found: dict[str, ModelKind | None] = {}

    def kind(self, name: object) -> ModelKind | None:
        """Return the kind of a model, None where nobody has made it known."""
        if not isinstance(name, str):
            return None
        if name not in MODELS and name not in self._found:
            self._found[name] = self._find(name) if name in self._offered else None
        return MODELS.get(name) or self._found[name]

    def starting(self) -> dict[str, Model]:
        """Return what the studio's menu offers: the model of a new object, by name."""
        kinds = {name: self.kind(name) for name in self.names}
        return {
            name: {"builtin": name, **kind.starts}
            for name, kind in kinds.items()
            if kind is not None and kind.starts is not None
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all models."""
        return (*MODELS, *(name for name in self._offered if name not in MODELS))


def _length(name: str, value: object) -> float:
    if not isinstance(value, int | float) or not abs(value) <= LONGEST:
        raise ValueError(f"{name}: expected a number up to {LONGEST:g}, found {value!r:.80}")
    return float(value)


def _count(name: str, value: object, most: int) -> int:
    if not isinstance(value, int | float) or not 1 <= value <= most or value != int(value):
        raise ValueError(f"{name}: expected a whole number from 1 to {most}, found {value!r:.80}")
    return int(value)


def _sizes(name: str, value: object, count: int) -> tuple[float, ...]:
    if isinstance(value, int | float):
        return (_length(name, value),) * count
    if not isinstance(value, list | tuple) or len(value) != count:
        raise ValueError(f"{name}: expected a number or {count} of them, found {value!r:.80}")
    return tuple(_length(name, item) for item in value)


def _profile(name: str, value: object) -> object:
    if hasattr(value, "__len__") and len(value) > MOST_PAIRS:
        raise ValueError(f"{name}: expected at most {MOST_PAIRS} pairs, found {len(value)}")
    return value


def _reach(model: Model) -> float:
    """Return how far a model reaches, as a multiple of one of radius 0.5 or size 1."""
    values: Any = model
    if "radius" in model:
        return 2.0 * float(values["radius"])
    size = values.get("size", 1.0)
    return float(size) if isinstance(size, int | float) else max(map(float, size[:2]))


def _box(size: tuple[float, float, float]) -> Mesh:
    return Mesh.box(*size, top=size[2] / 2)


LENGTH = ModelKey.length
MODELS: Final[Mapping[str, ModelKind]] = {
    "box": ModelKind(
        _box, {"size": ModelKey.sizes(1.0, 3)}, shape="box", shadow=2.0,
        starts={"size": [1.0, 1.0, 1.0]},
    ),
    "sphere": ModelKind(
        sphere, {"radius": LENGTH(0.5)}, shape="sphere", shadow=1.6, starts={"radius": 0.5}
    ),
    "cylinder": ModelKind(
        cylinder, {"radius": LENGTH(0.5), "height": LENGTH(1.0)}, shape="cylinder", shadow=1.8,
        starts={"radius": 0.5, "height": 1.0},
    ),
    "capsule": ModelKind(
        capsule, {"radius": LENGTH(0.5), "height": LENGTH(2.0)}, shape="capsule",
        starts={"radius": 0.5, "height": 2.0},
    ),
    "lathe": ModelKind(
        lambda profile, sides, smooth: turned(profile, sides=int(sides), smooth=smooth),
        {"profile": ModelKey(VASE, _profile), "sides": ModelKey(48),
         "smooth": ModelKey.switch(True)},
        starts={"profile": [[0.0, 0.0], [0.4, 0.1], [0.2, 0.6], [0.3, 1.0]]},
    ),
    "plane": ModelKind(
        lambda size: plane(*size), {"size": ModelKey.sizes(1.0, 2)}, starts={"size": [4.0, 4.0]}
    ),
    "ring": ModelKind(
        Mesh.ring, {"radius": LENGTH(0.3), "width": LENGTH(0.06)},
        starts={"radius": 0.5, "width": 0.1},
    ),
    "torus": ModelKind(torus, {"radius": LENGTH(0.3), "tube": LENGTH(0.08)}, shadow=1.05),
    "bar": ModelKind(
        lambda length, width, height: Mesh.box(length, width, height, top=height),
        {"length": LENGTH(1.0), "width": LENGTH(0.1), "height": LENGTH(0.1)}, shape="box",
    ),
    "table": ModelKind(
        lambda: plane(*TABLE_SIZE),
        look=ModelLook((1.0, 1.0, 1.0), roughness=0.55, coat=0.12),
        paint=lambda paints: paints.cached(
            "table", lambda: paints.wood(1024, 1024, 4, dark=True)
        ),
        repeat=5.0,
    ),
    "text": ModelKind(
        lambda **words: text_block(words),
        {"text": ModelKey("Text"), "size": ModelKey(1.0), "depth": ModelKey(),
         "align": ModelKey("center")},
        shape="box", drawn_as="letters",
    ),
    "points": ModelKind(
        lambda size, glow: Mesh.box(*UNKNOWN_SIZE, top=UNKNOWN_SIZE[2] / 2),
        {"size": ModelKey(0.05), "glow": ModelKey()}, shape="box", drawn_as="points",
    ),
}  # fmt: skip
"""The engine's own models."""
