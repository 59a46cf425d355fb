"""Imports a script in a child process; records what it exports, imports and opens.

The child runs this file as a program: `python inspection.py RESULT.json MODULE ROOT...`. The last
ROOT is Goishi's own folder. From it the child imports only the bridge, which imports nothing else
of Goishi. So every other module that is loaded afterwards was loaded by the script.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sim.core.native.exported import ExportedType, Signature

_READ_ELSEWHERE: Final = (".py", ".pyc", ".so", ".pth")


def inspect_module(name: str, roots: list[str]) -> dict[str, object]:
    """Import a module and return its exports and dependencies as plain values.

    Args:
        name: name of the module.
        roots: folders to import from; the last one is Goishi's own.

    Returns:
        A dict with three keys. `functions`: signatures of the exported functions, in order.
        `modules`: file of each loaded module by name. `opened`: files below `roots` that were read.
    """
    opened: list[str] = []
    folders = tuple(root + os.sep for root in roots)

    def listen(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], str | os.PathLike):
            return
        path = os.path.abspath(os.fspath(arguments[0]))
        is_read = arguments[1] is None or not set("wax+") & set(str(arguments[1]))
        if is_read and path.startswith(folders) and not path.endswith(_READ_ELSEWHERE):
            opened.append(path)

    bridge = importlib.import_module("bridge")  # beside this program
    sys.path[0:1] = roots
    bridge.let_import_shipped(roots[-1])
    sys.dont_write_bytecode = True
    sys.addaudithook(listen)
    before = set(sys.modules)  # what site-packages load at every start is not the script's doing
    module = __import__(name, fromlist=["*"])
    functions = [
        as_plain(value.exported)
        for value in vars(module).values()
        if getattr(value, "__module__", None) == name and hasattr(value, "exported")
    ]
    modules = {
        loaded: getattr(one, "__file__", None) or ""
        for loaded, one in list(sys.modules.items())
        if loaded not in before
    }
    return {
        "functions": functions,
        "modules": modules,
        "opened": sorted({path for path in opened if os.path.isfile(path)}),
    }


def as_plain(signature: Signature) -> dict[str, object]:
    """Return a signature as values for JSON."""
    return {
        "name": signature.name,
        "parameters": [value_as_plain(value) for value in signature.parameters],
        "result": None if signature.result is None else value_as_plain(signature.result),
        "document": signature.document,
    }


def value_as_plain(value: ExportedType) -> dict[str, object]:
    """Return a parameter's or a result's type as values for JSON."""
    return {
        "name": value.name,
        "kind": value.kind,
        "dtype": value.dtype,
        "sizes": list(value.sizes),
        "is_written": value.is_written,
    }


def describe(error: BaseException, roots: list[str]) -> str:
    """Return an exception as one line of text.

    The line names the last place in the traceback that lies in one of the folders.

    Args:
        error: the exception.
        roots: folders of the script and of Goishi.
    """
    text = (
        str(error) if type(error).__name__ == "ExportError" else f"{type(error).__name__}: {error}"
    )
    place = ""
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(tuple(roots)):
            place = f"{file}:{trace.tb_lineno}: "
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{error.filename}:{error.lineno}: "
    if getattr(error, "file", ""):
        place = f"{getattr(error, 'file', '')}:{getattr(error, 'line', 0)}: "
    return place + " ".join(text.split())


def main(result: str, name: str, *roots: str) -> int:
    """Inspect a module and write the result, or its error, to a JSON file.

    Args:
        result: path of the file.
        name: name of the module.
        roots: folders to import from; the last one is Goishi's own.

    Returns:
        The exit code, always 0.
    """
    try:
        found = inspect_module(name, list(roots))
    except BaseException as error:  # a script may raise anything, SystemExit too
        found = {"error": describe(error, list(roots))}
    with open(result, "w", encoding="utf-8") as file:
        json.dump(found, file)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
