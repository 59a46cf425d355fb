"""The built-in models: mesh, surface, collision shape and menu entry of each.

The engine has the basic solids; projects declare further models in `[models]` of `goishi.toml`. A
`ModelKind` holds everything about one model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from sim.core.geometry.meshes import (
    LONGEST,
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
"""A model in a scene file: `{"builtin": name, …}`."""
T = TypeVar("T")
Picture = npt.NDArray[np.uint8]
FLAT: Final = 0.1  # of its width: what is lower casts no soft shadow
SLENDER: Final = 4.0  # times its other side: what is longer, such as a wall, has no longer shadow
MOST_PAIRS: Final = 1000  # of a profile
ORIGINS: Final = ("center", "base")
WRONG_NUMBERS: Final = (TypeError, ValueError, KeyError, IndexError)


class Paints(Protocol):
    """Painting tools for a model's texture."""

    def wood(self, width: int, height: int, seed: int, *, dark: bool = False) -> Picture:
        """Return a picture of wood, `[height, width, 3]` BGR.

        The grain runs along the height.

        Args:
            width: pixels.
            height: pixels.
            seed: random seed; another seed gives another piece of wood.
            dark: whether the wood is dark.
        """
        ...

    def cached(self, name: str, paint: Callable[[], Picture]) -> Picture:
        """Return a picture from the user's cache; paint and store it if it is missing.

        Args:
            name: name of the picture in the cache.
            paint: called to paint the picture.
        """
        ...


@dataclass(frozen=True)
class ModelLook:
    """Surface of a model, for properties that the object's material does not set.

    Attributes:
        color: red, green and blue, sRGB, 0 to 1.
        roughness: 0 (mirror) to 1 (matt).
        coat: strength of a layer of clear varnish, 0 to 1.
        emission: strength of its own glow.
    """

    color: tuple[float, float, float] = (0.8, 0.8, 0.8)
    roughness: float = 0.5
    coat: float = 0.0
    emission: float = 0.0


@dataclass(frozen=True)
class ModelPart:
    """An additional mesh of a model, with its own surface and place.

    Attributes:
        mesh: its triangles; equal parts share one mesh.
        look: its surface; by default light grey.
        position: metres, in the model's coordinates.
        rotation: heading, pitch and roll, degrees.
    """

    mesh: Mesh
    look: ModelLook = ModelLook()
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float] = (0.0, 0.0, 0.0)


def _as_it_is(name: str, value: object) -> object:
    """Return a parameter's value unchanged: the check of parameters that allow any value.

    Args:
        name: name of the parameter, unused.
        value: the value.
    """
    return value


@dataclass(frozen=True)
class ModelKey:
    """A parameter of a built-in model in the scene file: its default value and its check.

    Attributes:
        default: value if the scene file has none.
        check: called with the parameter's name and the raw value; returns the valid value, or
            raises ValueError.
    """

    default: object = None
    check: Callable[[str, object], object] = _as_it_is

    @staticmethod
    def length(default: float) -> ModelKey:
        """Return a parameter that is a length in metres."""
        return ModelKey(default, _length)

    @staticmethod
    def radius(default: float) -> ModelKey:
        """Return a parameter that is a radius in metres, not negative."""
        return ModelKey(default, _radius)

    @staticmethod
    def count(default: int, *, most: int) -> ModelKey:
        """Return a parameter that is a whole number from 1 to `most`."""
        return ModelKey(default, lambda name, value: _count(name, value, most))

    @staticmethod
    def sizes(default: float, count: int) -> ModelKey:
        """Return a parameter that is `count` lengths in metres, or one number for all of them."""
        return ModelKey(default, lambda name, value: _sizes(name, value, count))

    @staticmethod
    def switch(default: bool) -> ModelKey:
        """Return a parameter that is true or false."""
        return ModelKey(default, lambda name, value: bool(value))


@dataclass(frozen=True, eq=False)
class ModelKind:
    """Everything about one built-in model, such as "sphere".

    Its functions are called with the checked parameters as keyword arguments.

    Attributes:
        mesh: function that returns its triangles.
        keys: its parameters in the scene file, by name.
        shape: its collision shape, "mesh" or "box". A model with a parameter `radius` may also have
            "sphere", "cylinder" or "capsule".
        look: its surface, or a function that returns it.
        paint: function that returns its texture, `[h, w, 3]` BGR; its first argument is the
            `Paints`. None for no texture.
        repeat: number of repetitions of the texture along a side.
        parts: function that returns its additional meshes; None for none.
        shadow: diameter in metres of the soft shadow below it; 0 for none. A number is for a model
            of size 1 or radius 0.5 and is scaled with the model. A function returns the actual
            diameter.
        surface: function for a model with a square top on which soft shadows fall; it returns half
            the side of the square in metres. None if no shadows fall on the model.
        drawn_as: "letters" or "points" if it is not drawn as its mesh; else empty.
        starts: parameters of a new object from the studio's menu; None to leave it out of the menu.
        has_origin: whether the parameter `origin` may move it. "center" puts its origin at the
            middle of its bounding box, "base" at the middle of the box's lower face.
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
    has_origin: bool = False

    def values(self, model: Model) -> dict[str, object]:
        """Return the checked value of each parameter of a model.

        Raises:
            ValueError: a value is invalid.
        """
        return {
            name: key.check(name, model.get(name, key.default)) for name, key in self.keys.items()
        }

    def made(self, model: Model) -> Mesh:
        """Return the mesh of a model, moved so that its parameter `origin` is fulfilled.

        Raises:
            ValueError: a parameter is invalid, or the mesh function fails.
        """
        mesh = self.unmoved(model)
        way = self.way_of(model, mesh)
        if not way.any():
            return mesh
        moved = Mesh()
        moved.join(mesh, move=way)
        return moved

    def unmoved(self, model: Model) -> Mesh:
        """Return the mesh of a model; its parameter `origin` is ignored.

        Raises:
            ValueError: a parameter is invalid, or the mesh function fails.
        """
        return self._called(self.mesh, model)

    def way_of(self, model: Model, mesh: Mesh) -> npt.NDArray[np.float64]:
        """Return the offset `[3]` in metres by which the parameter `origin` moves a model's mesh.

        Args:
            model: the model in the form of the scene file.
            mesh: its mesh before the move.

        Raises:
            ValueError: `origin` is neither "center" nor "base".
        """
        origin = model.get("origin")
        if origin is None or not self.has_origin:
            return np.zeros(3)
        if origin not in ORIGINS:
            raise ValueError(f"origin: expected {' or '.join(ORIGINS)}, found {origin!r:.80}")
        points = mesh.points.astype(np.float64)
        low, high = points.min(axis=0), points.max(axis=0)
        way: npt.NDArray[np.float64] = -(low + high) / 2.0
        if origin == "base":
            way[2] = -low[2]
        return way

    def look_of(self, model: Model) -> ModelLook:
        """Return the surface of a model with the given parameters."""
        return self.look if isinstance(self.look, ModelLook) else self._called(self.look, model)

    def painted(self, model: Model, paints: Paints) -> Picture | None:
        """Return the texture of a model, `[h, w, 3]` BGR; None if it has none.

        Args:
            model: the model in the form of the scene file.
            paints: painting functions.
        """
        if self.paint is None:
            return None
        return self._called(self.paint, model, paints)

    def parts_of(self, model: Model) -> Sequence[ModelPart]:
        """Return the additional meshes of a model."""
        return () if self.parts is None else self._called(self.parts, model)

    def shadow_of(self, model: Model) -> float:
        """Return the diameter in metres of a model's soft shadow; 0 for none."""
        if isinstance(self.shadow, int | float):
            return self.shadow * _reach(model) if self.shadow else 0.0
        return self._called(self.shadow, model)

    def surface_of(self, model: Model) -> float | None:
        """Return the size of a model's square top, on which soft shadows fall.

        Returns:
            Half the side of the square in metres; None if no shadows fall on the model.
        """
        return None if self.surface is None else self._called(self.surface, model)

    def _called(self, function: Callable[..., T], model: Model, *more: object) -> T:
        try:
            return function(*more, **self.values(model))
        except WRONG_NUMBERS:
            raise
        except Exception as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error


class ModelRegistry:
    """The built-in models that a scene can use: the engine's and the project's.

    Args:
        offered: names of the project's models.
        find: called with the name of a project's model; returns the model after importing its
            module, or None if that fails.
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
        """Return a built-in model by its name; None if there is none."""
        if not isinstance(name, str):
            return None
        if name not in MODELS and name not in self._found:
            self._found[name] = self._find(name) if name in self._offered else None
        return MODELS.get(name) or self._found[name]

    def forget(self, names: Iterable[str]) -> None:
        """Find models anew when they are next used, since their modules were reloaded."""
        for name in names:
            self._found.pop(name, None)

    def starting(self) -> dict[str, Model]:
        """Return the models in the studio's menu by name, with the parameters of a new object."""
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


def _radius(name: str, value: object) -> float:
    if _length(name, value) < 0.0:
        raise ValueError(f"{name}: expected a number from 0 to {LONGEST:g}, found {value!r:.80}")
    return _length(name, value)


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
    """Return the factor by which a model's shadow is larger than the one of a standard model.

    A standard model has radius 0.5 or size 1.
    """
    values: Any = model
    if "radius" in model:
        return 2.0 * float(values["radius"])
    size = values.get("size", 1.0)
    return float(size) if isinstance(size, int | float) else max(map(float, size[:2]))


def _box_shadow(size: tuple[float, float, float]) -> float:
    """Return the diameter of a box's soft shadow, metres; 0 for floors and other flat boxes."""
    narrow, wide = sorted(size[:2])
    return 0.0 if size[2] < FLAT * wide else 2.0 * min(wide, SLENDER * narrow)


def _cylinder_shadow(radius: float, height: float) -> float:
    return 0.0 if height < FLAT * 2.0 * radius else 1.8 * 2.0 * radius


def _box(size: tuple[float, float, float]) -> Mesh:
    return Mesh.box(*size, top=size[2] / 2)


LENGTH = ModelKey.length
RADIUS = ModelKey.radius
MODELS: Final[Mapping[str, ModelKind]] = {
    "box": ModelKind(
        _box, {"size": ModelKey.sizes(1.0, 3)}, shape="box", shadow=_box_shadow,
        starts={"size": [1.0, 1.0, 1.0]}, has_origin=True,
    ),
    "sphere": ModelKind(
        sphere, {"radius": RADIUS(0.5)}, shape="sphere", shadow=1.6, starts={"radius": 0.5},
        has_origin=True,
    ),
    "cylinder": ModelKind(
        cylinder, {"radius": RADIUS(0.5), "height": LENGTH(1.0)}, shape="cylinder",
        shadow=_cylinder_shadow,
        starts={"radius": 0.5, "height": 1.0, "origin": "center"}, has_origin=True,
    ),
    "capsule": ModelKind(
        capsule, {"radius": RADIUS(0.5), "height": LENGTH(2.0)}, shape="capsule",
        starts={"radius": 0.5, "height": 2.0}, has_origin=True,
    ),
    "lathe": ModelKind(
        lambda profile, sides, smooth: turned(profile, sides=int(sides), smooth=smooth),
        {"profile": ModelKey(VASE, _profile), "sides": ModelKey(48),
         "smooth": ModelKey.switch(True)},
        starts={"profile": [[0.0, 0.0], [0.4, 0.1], [0.2, 0.6], [0.3, 1.0]], "origin": "center"},
        has_origin=True,
    ),
    "plane": ModelKind(
        lambda size: plane(*size), {"size": ModelKey.sizes(1.0, 2)}, starts={"size": [4.0, 4.0]},
        has_origin=True,
    ),
    "ring": ModelKind(
        Mesh.ring, {"radius": RADIUS(0.3), "width": LENGTH(0.06)},
        starts={"radius": 0.5, "width": 0.1}, has_origin=True,
    ),
    "torus": ModelKind(
        torus, {"radius": RADIUS(0.3), "tube": LENGTH(0.08)}, shadow=1.05, has_origin=True,
    ),
    "bar": ModelKind(
        lambda length, width, height: Mesh.box(length, width, height, top=height),
        {"length": LENGTH(1.0), "width": LENGTH(0.1), "height": LENGTH(0.1)}, shape="box",
        has_origin=True,
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
"""The engine's own built-in models, by name."""
