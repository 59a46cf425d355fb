"""The guard around the functions that make a project's models and sounds.

It is to them what `ScriptGuard` is to hooks: an exception, a call that takes too long or a wrong
result becomes one `MakerError`, which names file and line. What uses the model or sound then goes
on without it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from base.errors import MakerError, ScriptTimeout
from base.interruption import Interruption
from sim.core.audio.sound_bank import RATE, SoundKind
from sim.core.geometry.builtin_models import ModelKey, ModelKind, ModelLook, ModelPart
from sim.core.geometry.meshes import Mesh
from sim.core.hangs.watchdog import Watchdog
from sim.core.reporting.console import Console
from sim.core.reporting.failure_text import describe, is_kind, late, user_traceback

Check = Callable[[Any], Any]
LONGEST_SOUND: Final = 600.0
"""Maximum duration of a synthesised sound, seconds."""
MOST_VARIANTS: Final = 64
LARGEST_PICTURE: Final = 8192
"""Maximum side of a model's texture, pixels."""
SHAPES: Final = ("mesh", "box", "sphere", "cylinder", "capsule")


@dataclass(frozen=True)
class MakerGuard:
    """Calls the functions of models and sounds.

    Args:
        console: knows the project, whose files errors name.
        watchdog: interrupts calls that take too long; None for no limit.
    """

    console: Console
    watchdog: Watchdog | None

    def model(self, kind: ModelKind) -> ModelKind:
        """Return a model like another one, whose functions are called behind this guard.

        Args:
            kind: the model of a project.

        Raises:
            TypeError: one of its attributes is invalid.
        """
        _check_model(kind)
        keys = {
            name: replace(key, check=self._guarded(key.check, lambda value: value))
            for name, key in kind.keys.items()
        }
        look, shadow = kind.look, kind.shadow
        return replace(
            kind,
            mesh=self._guarded(kind.mesh, _mesh),
            keys=keys,
            look=look if isinstance(look, ModelLook) else self._guarded(look, _look),
            paint=None if kind.paint is None else self._guarded(kind.paint, _picture),
            parts=None if kind.parts is None else self._guarded(kind.parts, _parts),
            shadow=self._guarded(shadow, _number) if callable(shadow) else _number(shadow),
            surface=None if kind.surface is None else self._guarded(kind.surface, _size),
        )

    def sound(self, kind: SoundKind) -> SoundKind:
        """Return a sound like another one, whose function is called behind this guard.

        Args:
            kind: the sound of a project.

        Raises:
            TypeError: one of its attributes is invalid.
        """
        _whole("variants", kind.variants, 1, MOST_VARIANTS)
        _whole("version", kind.version, 0, 10**9)
        return replace(kind, make=self._guarded(kind.make, _samples))

    def _guarded(self, function: Callable[..., Any], check: Check) -> Callable[..., Any]:
        """Return a function that calls another one behind this guard.

        Args:
            function: the project's function.
            check: called with its result; returns a valid result, or raises TypeError.
        """

        @functools.wraps(function)
        def call(*arguments: object, **named: object) -> Any:
            try:
                with self._watching():
                    return check(function(*arguments, **named))
            except (Interruption, MakerError):
                raise
            except BaseException as error:
                raise self._error(error, function) from None

        return call

    def _watching(self) -> AbstractContextManager[None]:
        is_main = threading.current_thread() is threading.main_thread()
        if self.watchdog is None or not is_main:
            return contextlib.nullcontext()
        return self.watchdog.watching()

    def _error(self, error: BaseException, function: object) -> MakerError:
        """Return an exception of a project's function as one with file and line.

        Args:
            error: the exception.
            function: the function, whose own place is named if the exception has none.
        """
        if is_kind(error, ScriptTimeout) and self.watchdog is not None:
            error = late(error, self.watchdog.timeout)
        file, line = self.console.place_of(error)
        code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
        if not file and code is not None:
            file, line = self.console.short_path(code.co_filename), code.co_firstlineno
        text = describe(error).splitlines()[0]
        return MakerError(text, file=file, line=line, details=user_traceback(error))


def _check_model(kind: ModelKind) -> None:
    """Check the attributes of a model that are no functions.

    Raises:
        TypeError: one of them is invalid.
    """
    keys: Any = kind.keys
    if not isinstance(keys, Mapping) or not all(
        isinstance(name, str) and isinstance(key, ModelKey) for name, key in keys.items()
    ):
        raise TypeError(f"keys: expected a ModelKey for each name, found {keys!r:.80}")
    if kind.shape not in SHAPES:
        raise TypeError(f"shape: expected one of {', '.join(SHAPES)}, found {kind.shape!r:.80}")
    if not callable(kind.mesh):
        raise TypeError(f"mesh: expected a function, found {kind.mesh!r:.80}")
    if not isinstance(kind.look, ModelLook) and not callable(kind.look):
        raise TypeError(f"look: expected a ModelLook, found {kind.look!r:.80}")
    if isinstance(kind.look, ModelLook):
        _look(kind.look)
    if kind.starts is not None and not isinstance(kind.starts, Mapping):
        raise TypeError(f"starts: expected values by name, found {kind.starts!r:.80}")
    if kind.drawn_as not in ("", "letters", "points"):
        raise TypeError(f"drawn_as: expected '', found {kind.drawn_as!r:.80}")
    _number(kind.repeat)


def _mesh(found: Any) -> Mesh:
    if not isinstance(found, Mesh) or not found.count:
        raise TypeError(f"mesh: expected a Mesh with triangles, found {found!r:.80}")
    points, indices = found.points, found.indices
    if not np.isfinite(points).all():
        raise TypeError("mesh: expected points of finite numbers, found others")
    if not indices.size or int(indices.max()) >= len(points):
        raise TypeError(f"mesh: expected corners among its {len(points)} points, found others")
    return found


def _look(found: Any) -> ModelLook:
    if not isinstance(found, ModelLook):
        raise TypeError(f"look: expected a ModelLook, found {found!r:.80}")
    if not isinstance(found.color, Sequence) or len(found.color) != 3:
        raise TypeError(f"look: expected a color of three numbers, found {found.color!r:.80}")
    for value in (*found.color, found.roughness, found.coat, found.emission):
        _number(value)
    return found


def _picture(found: Any) -> np.ndarray[Any, Any]:
    is_picture = isinstance(found, np.ndarray) and found.dtype == np.uint8 and found.ndim == 3
    if (
        not is_picture
        or found.shape[2] != 3
        or not all(0 < side <= LARGEST_PICTURE for side in found.shape[:2])
    ):
        shape = getattr(found, "shape", "")
        raise TypeError(
            f"paint: expected [height, width, 3] of uint8, found {type(found).__name__} {shape}"
        )
    picture: np.ndarray[Any, Any] = found
    return picture


def _parts(found: Any) -> tuple[ModelPart, ...]:
    parts = tuple(found)
    for part in parts:
        if not isinstance(part, ModelPart):
            raise TypeError(f"parts: expected ModelPart, found {part!r:.80}")
        _mesh(part.mesh)
        _look(part.look)
        for place in (part.position, part.rotation):
            if len(place) != 3:
                raise TypeError(f"parts: expected three numbers, found {place!r:.80}")
            for value in place:
                _number(value)
    return parts


def _size(found: Any) -> float | None:
    return None if found is None else _number(found)


def _number(found: Any) -> float:
    try:
        number = float(found)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise TypeError(f"expected a finite number, found {found!r:.80}")
    return number


def _samples(found: Any) -> np.ndarray[Any, Any]:
    samples = np.asarray(found)
    most = int(LONGEST_SOUND * RATE)
    is_sound = samples.ndim == 1 and samples.dtype.kind in "fiu" and 0 < samples.size <= most
    if not is_sound or not np.isfinite(samples).all():
        raise TypeError(
            f"expected samples [n] of finite numbers, at most {LONGEST_SOUND:g} s, "
            f"found {samples.dtype} {list(samples.shape)}"
        )
    return samples


def _whole(name: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise TypeError(
            f"{name}: expected a whole number from {least} to {most}, found {value!r:.80}"
        )
