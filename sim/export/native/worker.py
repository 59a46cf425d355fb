"""Makes machine code of a script's `@exported` functions in a child process.

The child runs `python -m sim.export.native.worker REQUEST.json`. The request names the script, the
machine and a folder. The child writes `code.o` and `result.json` into the folder.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import llvmlite.binding as llvm
import numba

from base.values import JsonObject
from sim.core.native.compile_source import ARRAYS, HELPER, ModuleSource, source_of
from sim.core.native.compile_worker import reason_of
from sim.core.native.compiled import CompiledFunction, NotCompilable
from sim.core.native.exported import ExportError, Signature
from sim.export import bridge, inspection
from sim.export.native import entries, machine_code
from sim.export.native.targets import Machine

CODE: Final = "code.o"
RESULT: Final = "result.json"
MOST_BYTES: Final = 1_000_000
"""Most bytes of the arrays at the top of a script that a function may use."""
OPTIONS: Final = {
    "nogil": True,
    "boundscheck": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
_IS_READ_ONLY: Final = ("readonly array", "read-only array")


class Worker:
    """Compiles the functions of one script for one machine.

    Args:
        machine: the machine.
        folder: where the generated modules are put.
    """

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine = machine
        self.folder = folder
        self._sources: dict[str, ModuleSource] = {}
        machine_code.use_machine(machine, self.error_text)

    def compile(self, functions: list[Any]) -> tuple[list[Signature], bytes]:
        """Compile functions and return their signatures and the object code.

        Args:
            functions: the exported functions, in the order of the library.

        Raises:
            ExportError: a function cannot run without Python; the message says what it needs.
        """
        signatures = []
        whole = llvm.parse_assembly(f'target triple = "{self.machine.triple}"')
        names = [entries.door_name(index) for index in range(len(functions))]
        for index, function in enumerate(functions):
            signature, module = self._compile_one(index, function)
            signatures.append(signature)
            whole.link_in(module)
        machine_code.optimise(whole, self.machine, names)
        return signatures, machine_code.object_code(whole, self.machine)

    def error_text(self, described: Any) -> str:
        """Return the text of an exception that compiled code raises.

        Args:
            described: numba's description: the exception's class, its arguments, and where it is
                raised as function, file and line.
        """
        kind, arguments, place = described
        text = ", ".join(map(str, arguments))
        text = f"{kind.__name__}: {text}" if text else str(kind.__name__)
        if place and (source := self._sources.get(Path(place[1]).stem)):
            file, line = _origin(source, place[2])
            text += f" ({Path(file).name}:{line})" if file else ""
        return text

    def _compile_one(self, index: int, function: Any) -> tuple[Signature, Any]:
        """Return the signature of a function, and its LLVM module with an outer door."""
        signature: Signature = function.exported
        for value in (*signature.parameters, signature.result):
            if value is not None and value.kind == "str":
                expected = "numbers and arrays of numbers"
                raise _needs_python(function, f"{value.name}: expected {expected}, found str")
        plain = function if isinstance(function, CompiledFunction) else CompiledFunction(function)
        try:
            source = source_of(plain, takes_arrays=True)
        except NotCompilable as fault:
            raise _needs_python(function, str(fault), fault.file, fault.line) from None
        size = sum(array.nbytes for value in source.arrays.values() for array in _arrays_of(value))
        if size > MOST_BYTES:
            raise _fault(function, f"expected arrays of at most 1 MB, found {size / 1e6:.1f} MB")
        module, file = self._run_module(index, source)
        machine = numba.njit(**OPTIONS)(getattr(module, source.name))
        setattr(module, source.name, machine)
        written = self._typed(function, machine, signature, source, file)
        changed = tuple(
            replace(value, is_written=value.name in written) for value in signature.parameters
        )
        signature = replace(signature, parameters=changed)
        finished = self._with_doors(index, module, signature, written)
        checked = finished.clone()
        machine_code.optimise(checked, self.machine, [entries.door_name(index)])
        if need := machine_code.need_of(checked):
            raise _needs_python(function, f"uses {need}")
        return signature, finished

    def _run_module(self, index: int, source: ModuleSource) -> tuple[ModuleType, Path]:
        """Write and run the generated module of a function; return it and its file."""
        file = self.folder / f"goishi_function_{index}.py"
        helper = ", ".join(f"{name}={value}" for name, value in OPTIONS.items())
        text = source.text.replace(HELPER.strip(), f"@_numba.njit({helper})")
        file.write_text(text, encoding="utf-8")
        self._sources[file.stem] = source
        spec = importlib.util.spec_from_file_location(file.stem, file)
        if spec is None or spec.loader is None:
            raise ImportError(f"expected a Python module, found {file}")
        module = importlib.util.module_from_spec(spec)
        vars(module)[ARRAYS] = source.arrays
        spec.loader.exec_module(module)
        return module, file

    def _typed(
        self, function: Any, machine: Any, signature: Signature, source: ModuleSource, file: Path
    ) -> tuple[str, ...]:
        """Compile a function; return the names of the arrays that it writes into.

        Raises:
            ExportError: numba cannot compile it, or its result is not that of its annotation.
        """
        written: tuple[str, ...] = ()
        error = _try(machine, signature, written)
        if error is not None and any(words in str(error) for words in _IS_READ_ONLY):
            arrays = [value.name for value in signature.parameters if value.kind == "array"]
            others = [(name, tuple(one for one in arrays if one != name)) for name in arrays]
            written = tuple(name for name, rest in others if _try(machine, signature, rest))
            error = _try(machine, signature, written)
        if error is not None:
            reason, line = reason_of(error, file)
            if reason.startswith("scipy"):
                reason = f"uses {machine_code.LINEAR_ALGEBRA}"
            raise _needs_python(function, reason, *_origin(source, line)) from None
        found = machine.nopython_signatures[-1].return_type
        if not entries.fits(numba, found, signature.result):
            wanted = "None" if signature.result is None else str(signature.result)
            expected = wanted.removeprefix("result: ")
            kind = f"{found.type} or None" if isinstance(found, numba.types.Optional) else found
            raise _fault(function, f"result: expected {expected}, found {kind}")
        return written

    def _with_doors(
        self, index: int, module: ModuleType, signature: Signature, written: tuple[str, ...]
    ) -> Any:
        """Return the LLVM module of a function with its inner and its outer door."""
        exec(compile(entries.inner_door(signature), "door", "exec"), vars(module))
        kinds = entries.argument_types(numba, signature, written)
        kinds += entries.result_types(numba, signature)
        door = numba.njit(numba.types.int64(*kinds), **OPTIONS)(vars(module)[entries.INNER])
        compiled = door.overloads[door.signatures[0]]
        finished = machine_code.finished_module(compiled.library)
        inner = compiled.fndesc.llvm_func_name
        name = compiled.fndesc.llvm_func_name
        taken = [str(argument.type) for argument in finished.get_function(name).arguments]
        finished.link_in(llvm.parse_assembly(entries.outer_door(index, signature, inner, taken)))
        return finished


def _try(machine: Any, signature: Signature, written: tuple[str, ...]) -> Exception | None:
    """Compile a function that may write into some arrays; return the error, None if all is well."""
    kinds = tuple(entries.argument_types(numba, signature, written))
    try:
        machine.compile(kinds)
    except Exception as error:  # numba raises what it likes
        return error
    return None


def _arrays_of(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _origin(source: ModuleSource, line: int) -> tuple[str, int]:
    """Return the file and the line of the script that a line of a generated module came from."""
    return source.lines[line - 1] if 0 < line <= len(source.lines) else ("", 0)


def _needs_python(function: Any, reason: str, file: str = "", line: int = 0) -> ExportError:
    return _fault(function, f"{reason}; it needs Python: export it without --native", file, line)


def _fault(function: Any, reason: str, file: str = "", line: int = 0) -> ExportError:
    plain = getattr(function, "function", function)
    code = plain.__code__
    text = f"{plain.__name__}: {reason}"
    return ExportError(text, file=file or code.co_filename, line=line or code.co_firstlineno)


def run(request: JsonObject) -> JsonObject:
    """Import a script, compile its exported functions and return their signatures.

    Args:
        request: the keys `module`, `roots`, `machine` and `folder`.

    Raises:
        ExportError: a function cannot run without Python.
    """
    folder = Path(request["folder"])
    sys.path[0:1] = request["roots"]
    sys.dont_write_bytecode = True
    bridge.let_import_shipped(request["roots"][-1])
    module = importlib.import_module(request["module"])
    functions = [
        value
        for value in vars(module).values()
        if getattr(value, "__module__", None) == module.__name__ and hasattr(value, "exported")
    ]
    signatures, code = Worker(Machine(**request["machine"]), folder).compile(functions)
    (folder / CODE).write_bytes(code)
    return {"functions": [inspection.as_plain(signature) for signature in signatures]}


def main(file: str) -> int:
    """Carry out a request from a JSON file and write the result, or the error, beside it."""
    request: JsonObject = json.loads(Path(file).read_text(encoding="utf-8"))
    try:
        found = run(request)
    except BaseException as error:  # a script may raise anything, SystemExit too
        found = {"error": inspection.describe(error, request["roots"])}
    result = Path(request["folder"]) / RESULT
    result.write_text(json.dumps(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
