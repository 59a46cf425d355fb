"""The compile worker: compiles functions to machine code and stores it in numba's file cache.

The app calls `load_machine` too, but there it only reads the cache.
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
    """Request to compile a function of a module file; answered with `Compiled`.

    Attributes:
        file: path of the module file.
        name: name of the function in it.
        kinds: argument types to compile for.
    """

    file: Path
    name: str
    kinds: Kinds


@dataclass(frozen=True)
class Compiled:
    """Answer to a compile request.

    Attributes:
        reason: why numba cannot compile the function; empty if it was compiled.
        line: line of the module that the reason is about; 0 if unknown.
    """

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
    """Return the machine code of a function, from numba's cache if possible, as a callable.

    Args:
        file: path of the generated module.
        name: name of the function in it.
        kinds: argument types to compile for.

    Raises:
        Exception: numba cannot compile it, or its result is no number, array or tuple of them.
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
    """Return whether compiled code gives a result of the type that Python would give.

    Args:
        numba: the numba module.
        kind: numba's type of the result.

    Returns:
        True for numbers, arrays, None and tuples of these.
    """
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
    """Return a one-line reason for numba's error, and the line of the module it is about.

    Args:
        error: the exception.
        file: path of the generated module.

    Returns:
        The reason, at most 160 characters, and the line; 0 if the line is unknown.
    """
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = [int(line) for name, line in _PLACE.findall(text) if Path(name).name == file.name]
    lines = [line.strip() for line in text.splitlines() if not _NOISE.match(line)]
    first = lines[0] if lines else type(error).__name__
    first = re.sub(r"Module\(<module '([\w.]+)'[^>]*>\)", r"module \1", first)
    first = re.sub(r"\s+", " ", first).replace("<built-in function ", "<")
    return first[:160], places[-1] if places else 0
