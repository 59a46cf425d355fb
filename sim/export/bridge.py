"""Runs inside an exported library: imports the script, converts arguments and results.

`export` copies this file into the library's Python folder as `goishi_bridge`. It needs only the
standard library, and NumPy if the script's functions use arrays. The shim, the library's code in C,
calls `open_script`, then the exported functions, `describe` after an error, and `close_script`.

A script may import the scripts of Goishi as `goishi.scripts.…`, as in the application. They lie in
the folder `goishi` of the exported script; inside it, `scripts.…` means these scripts, too.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import operator
import os
import sys
import tomllib
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import TYPE_CHECKING, Final, SupportsFloat, SupportsIndex, TypeAlias

if TYPE_CHECKING:
    from sim.core.native.exported import ExportedType, Signature

OK: Final = 0
SCRIPT_FAILED: Final = -7
WRONG_RESULT: Final = -8
SCRIPT_FOLDER: Final = "script"
SHIPPED: Final = "goishi"
SHIPPED_SCRIPTS: Final = f"{SHIPPED}.scripts"

Answer: TypeAlias = tuple[int, object]
"""Result of a call from C: (code, result).

The code is `OK` with the function's result, converted for the C code. Otherwise it is an error code
with the error's text.
"""


class WrongResultError(TypeError):
    """A function's result is not of the type that it declares."""


def open_script(home: str, module_name: str, signatures: str) -> tuple[Callable[..., Answer], ...]:
    """Import the script and return a function for C to call, for each exported function.

    Args:
        home: folder of the exported Python.
        module_name: name of the script's module in the folder "script" below `home`.
        signatures: the exported signatures, one a line.

    Returns:
        The functions to call, in the order of the signatures.

    Raises:
        LookupError: the script has changed since it was exported.
        BaseException: whatever importing the script raises.
    """
    sys.dont_write_bytecode = True
    script = os.path.join(home, SCRIPT_FOLDER)
    if script not in sys.path:
        sys.path.insert(0, script)
    packages = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages")
    if packages not in sys.path:  # Debian's Python looks elsewhere
        sys.path.append(packages)
    let_import_shipped(os.path.join(script, SHIPPED))
    importlib.invalidate_caches()
    module = importlib.import_module(module_name)
    entries = []
    for line in signatures.splitlines():
        name = line.partition("(")[0]
        function = getattr(module, name, None)
        found = getattr(function, "exported", None)
        if function is None or found is None or str(found) != line:
            raise LookupError(
                f"{module_name} was changed: expected {line}, found {found}: export it again"
            )
        entries.append(_entry(function, found))
    return tuple(entries)


def let_import_shipped(folder: str) -> None:
    """Make the folder `scripts` in `folder` importable as `goishi.scripts`."""
    known = [finder for finder in sys.meta_path if isinstance(finder, _ShippedScripts)]
    for finder in known:
        sys.meta_path.remove(finder)
    sys.meta_path.insert(0, _ShippedScripts(folder))


class _ShippedScripts(MetaPathFinder):
    """Finds `goishi.scripts.…` in a folder, and no other module of `goishi`."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == SHIPPED:
            return ModuleSpec(name, None, is_package=True)
        if name != SHIPPED_SCRIPTS and not name.startswith(f"{SHIPPED_SCRIPTS}."):
            return None
        spec = PathFinder.find_spec(name, [self.folder] if name == SHIPPED_SCRIPTS else path)
        if spec is None:
            return self._moved(name)
        if isinstance(spec.loader, SourceFileLoader):
            spec.loader = _ShippedLoader(name, spec.loader.path)
        return spec

    def _moved(self, name: str) -> ModuleSpec | None:
        """Find a module that has moved, by its former name.

        The exporter has copied such a module under its former name.

        Args:
            name: the former name, `goishi.scripts.…`.

        Returns:
            The spec of the module; None if there is none.
        """
        try:
            with open(os.path.join(self.folder, "scripts", "moved.toml"), "rb") as stream:
                present = tomllib.load(stream)["modules"].get(name.removeprefix(f"{SHIPPED}."), "")
        except (OSError, ValueError, LookupError):
            return None
        path = os.path.join(self.folder, *present.split(".")) + ".py"
        loader = _ShippedLoader(name, path)
        return spec_from_file_location(name, path, loader=loader) if present else None


class _ShippedLoader(SourceFileLoader):
    """Loads a script of Goishi so that its `import scripts.…` finds Goishi's scripts."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import_for_shipped}
        super().exec_module(module)


def _import_for_shipped(
    name: str,
    module_globals: Mapping[str, object] | None = None,
    module_locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """Import a module for one of Goishi's scripts, in place of the builtin `__import__`.

    In such a script the name `scripts.…` means `goishi.scripts.…`.

    Args:
        name: name of the module.
        module_globals: as for `__import__`.
        module_locals: as for `__import__`.
        fromlist: as for `__import__`.
        level: as for `__import__`.
    """
    own = not level and (name == "scripts" or name.startswith("scripts."))
    wanted = f"{SHIPPED}.{name}" if own else name
    module = builtins.__import__(wanted, module_globals, module_locals, fromlist or (), level)
    return sys.modules[SHIPPED_SCRIPTS] if own and not fromlist else module


def close_script() -> None:
    """Remove the script's modules from `sys.modules`, so that a later import runs them again."""
    folders = tuple(path + os.sep for path in sys.path if os.path.basename(path) == SCRIPT_FOLDER)
    own = []
    for name, module in list(sys.modules.items()):
        places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
        if any(place and place.startswith(folders) for place in places):
            own.append(name)
    for name in own:  # only now: a folder without __init__ asks for its parent
        del sys.modules[name]
    gc.collect()


def describe(error: BaseException) -> str:
    """Return an exception's message, followed by the lines of the script that led to it."""
    lines = ["".join(traceback.format_exception_only(error)).strip().replace("\n", " | ")]
    lines += [
        f"  {_short(frame.filename)}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and not frame.filename.startswith("<frozen")
    ]
    return "\n".join(lines)


def _short(path: str) -> str:
    for folder in sys.path:
        if folder and path.startswith(folder + os.sep):
            return path[len(folder) + 1 :]
    return path


def _entry(function: Callable[..., object], signature: Signature) -> Callable[..., Answer]:
    """Wrap an exported function so that C code can call it.

    Args:
        function: the exported function.
        signature: types of its parameters and of its result.

    Returns:
        A function that never raises. It converts the arguments and returns an `Answer`.
    """
    readers = [_reader(value) for value in signature.parameters]
    is_plain = not any(value.kind == "array" for value in signature.parameters)
    write = _writer(signature.result)

    def entry(*raw: object) -> Answer:
        try:
            given = raw if is_plain else [read(one) for read, one in zip(readers, raw, strict=True)]
            result = function(*given)
        except BaseException as error:
            return SCRIPT_FAILED, describe(error)
        try:
            return OK, write(result)
        except WrongResultError as error:
            return WRONG_RESULT, str(error)
        except BaseException as error:
            return WRONG_RESULT, describe(error)

    return entry


def _reader(value: ExportedType) -> Callable[..., object]:
    if value.kind != "array":
        return _as_it_is
    numpy = importlib.import_module("numpy")
    dtype = numpy.dtype("uint8" if value.dtype == "bool" else value.dtype)
    if value.dtype == "bool":
        return lambda raw: numpy.ndarray(raw[1], dtype, raw[0]) != 0
    return lambda raw: numpy.ndarray(raw[1], dtype, raw[0])


def _as_it_is(raw: object) -> object:
    return raw


def _writer(value: ExportedType | None) -> Callable[..., object]:
    if value is None:
        return _write_nothing
    if value.kind == "array":
        return _array_writer(value)
    writers: dict[str, Callable[..., object]] = {
        "int": _write_int,
        "float": _write_float,
        "bool": _write_bool,
        "str": _write_str,
    }
    return writers[value.kind]


def _write_nothing(result: object) -> int:
    if result is not None:
        raise _wrong("None", result)
    return 0


def _write_int(result: SupportsIndex) -> int:
    try:
        number = operator.index(result)
    except TypeError:
        raise _wrong("a whole number", result) from None
    if not -(2**63) <= number < 2**63:
        raise _wrong("a whole number of 64 bits", result)
    return number


def _write_float(result: SupportsFloat) -> float:
    if not hasattr(type(result), "__float__"):
        raise _wrong("a number", result)
    return float(result)


def _write_bool(result: object) -> int:
    if type(result).__name__ not in ("bool", "bool_"):
        raise _wrong("True or False", result)
    return 1 if result else 0


def _write_str(result: object) -> bytes:
    if not isinstance(result, str):
        raise _wrong("a text", result)
    return result.encode("utf-8")


def _array_writer(value: ExportedType) -> Callable[..., object]:
    numpy = importlib.import_module("numpy")
    dtype = numpy.dtype(value.dtype)
    expected = str(value).partition(": ")[2]

    def write(result: object) -> tuple[object, ...]:
        array = numpy.asarray(result)
        fits = len(array.shape) == len(value.sizes) and all(
            size in (None, found) for size, found in zip(value.sizes, array.shape, strict=True)
        )
        if not fits or not numpy.can_cast(array.dtype, dtype, "safe"):
            found = f"{array.dtype}[{', '.join(map(str, array.shape))}]"
            raise WrongResultError(f"expected the result {expected}, found {found}")
        return (array.astype(dtype, copy=False).tobytes(), *array.shape)

    return write


def _wrong(expected: str, found: object) -> WrongResultError:
    return WrongResultError(f"expected the result {expected}, found {found!r:.200}")
