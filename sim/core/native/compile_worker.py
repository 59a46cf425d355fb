"""The compile worker: compiles to machine code and stores it in numba's file cache.

The app then calls `load_machine` as well, which only reads the cache there.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from base.values import JsonObject
from base.worker.process import Pipe, be_nice
from base.worker.service import Report, serve
from sim.core.native.compiled import Kind, Kinds

NICE = 10
ENVIRONMENT = {"NUMBA_CACHE_DIR": "", "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_PLACE = re.compile(r'File "([^"]+)", line (\d+)')
_NOISE = re.compile(r"^(Failed in|During: |Cannot unify|There are|Known signatures|>>>|\s*$)")


@dataclass(frozen=True)
class CompileFunction:
    """Request: compile a function of a module file for argument types; answered with `Compiled`."""

    file: Path
    name: str
    kinds: Kinds


@dataclass(frozen=True)
class Compiled:
    """Result: empty, or why numba cannot compile the function, and the module's line or 0."""

    reason: str = ""
    line: int = 0


def main(connection: Pipe, settings: JsonObject) -> None:
    """Answer compile requests until the connection ends."""
    be_nice(NICE)
    serve(connection, _answer)


def _answer(request: CompileFunction, report: Report) -> Compiled:
    try:
        load_machine(request.file, request.name, request.kinds)
    except Exception as error:  # numba raises what it likes
        return Compiled(*reason_of(error, request.file))
    return Compiled()


def load_machine(file: Path, name: str, kinds: Kinds) -> Callable[..., object]:
    """Return the machine code of a module file's function, from the cache if possible.

    Raises:
        Exception: numba cannot compile it.
    """
    import numba

    spec = importlib.util.spec_from_file_location(f"goishi_compiled_{file.parent.name}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"expected a Python module, found {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # numba's cache looks it up
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, ""  # beside the module, not elsewhere
    try:
        spec.loader.exec_module(module)
        types = tuple(_numba_type(numba, kind) for kind in kinds)
        make = numba.njit(types, cache=True, nogil=True, boundscheck=True)
        machine: Callable[..., object] = make(getattr(module, name))
    finally:
        numba.config.CACHE_DIR = before
    returned = machine.nopython_signatures[-1].return_type  # type: ignore[attr-defined]
    if not _is_plain(numba, returned):
        kind = re.sub(r"[\[(].*", "", str(returned))
        raise TypeError(f"returns {kind}: expected numbers, NumPy arrays or tuples of them")
    return machine


def _is_plain(numba: ModuleType, kind: object) -> bool:
    """Return whether numba's result type is the one that Python would return."""
    types = numba.types
    if isinstance(kind, types.BaseTuple):
        return all(_is_plain(numba, item) for item in kind)
    if isinstance(kind, types.Optional):
        return _is_plain(numba, kind.type)
    return isinstance(kind, types.Number | types.Boolean | types.Array | types.NoneType)


def _numba_type(numba: ModuleType, kind: Kind) -> object:
    import numpy as np

    if kind[0] == "tuple":
        return numba.types.Tuple([_numba_type(numba, item) for item in kind[1]])
    scalar = numba.from_dtype(np.dtype(kind[1]))
    if kind[0] == "scalar":
        return scalar
    _, _, dimensions, layout, is_writable = kind
    return numba.types.Array(scalar, dimensions, layout, readonly=not is_writable)


def reason_of(error: BaseException, file: Path) -> tuple[str, int]:
    """Return numba's reason in one short line, and the line in the module, 0 if unknown."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = [int(line) for name, line in _PLACE.findall(text) if Path(name).name == file.name]
    lines = [line.strip() for line in text.splitlines() if not _NOISE.match(line)]
    first = lines[0] if lines else type(error).__name__
    first = re.sub(r"\s+", " ", first).replace("<built-in function ", "<")
    return first[:160], places[-1] if places else 0
