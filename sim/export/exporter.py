"""Exports a script as a C library: a folder that runs without Goishi and without Python.

DIR/
  libNAME.so             the exported functions; loads the shim
  libgoishi_shim.so      starts Python and calls the functions
  NAME.h                 for C and C++
  python/                Python with the packages the script needs; `python/script` holds it
  export.json            what was exported, with versions
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.files import SHIPPED_ROOT, replace_folder
from base.spelling import files_like
from base.storage.run_folder import require_empty
from base.temporary import own_prefix
from base.values import JsonObject
from sim.core.native.exported import ExportedType, ExportError, Signature
from sim.export.bridge import SHIPPED
from sim.export.build import COMPILE, PREBUILT, SOURCES, CompilerError, compile_c, find_compiler
from sim.export.import_graph import ImportGraph
from sim.export.library import Argument, Library, arguments_of, declaration, describe, header_text
from sim.export.runtime import VERSION, Needs, PythonFolder, check_package, folder_size
from sim.export.stubs import SHIM, library_bytes

FORMAT: Final = "goishi.export/1"
MANIFEST: Final = "export.json"
MOST_ARGUMENTS: Final = 64
PYTHON: Final = "python"
_RESERVED: Final = ("init", "shutdown", "last_error")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to export as a C library.

    Attributes:
        script: Python file to export.
        out: folder to write.
        name: name of the library, a C identifier.
        packages: names of modules and packages to copy besides those that the script imports.
    """

    script: Path
    out: Path
    name: str
    packages: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    """Further files and folders that the script reads and that are to be copied."""
    compiler: str | None = None
    """C compiler that builds the library; None to write it without one if possible."""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Result of an export.

    Attributes:
        library: the exported library.
        files: names of the library's files and its header.
        versions: version of each copied package by name.
    """

    library: Library
    files: tuple[str, ...]
    versions: dict[str, str]
    size: int
    """Size of the folder in bytes."""


@dataclass(frozen=True, slots=True)
class _Script:
    """A script, and what was found out by importing it in a child process.

    Attributes:
        module: name of its module.
        roots: folders from which it imports.
        functions: signatures of its exported functions.
        graph: modules that it can import, directly or indirectly.
        loaded: names of the modules that were loaded by the import.
        opened: files that were read during the import.
    """

    module: str
    roots: tuple[Path, ...]
    functions: tuple[Signature, ...]
    graph: ImportGraph
    loaded: frozenset[str]
    opened: tuple[Path, ...]


def export(request: ExportRequest) -> ExportReport:
    """Export a script as a C library; after an error the output folder is unchanged.

    Raises:
        UsageError: the request is invalid.
        ExportError: the script cannot be imported, or a function cannot be exported.
        GoishiError: a tool or library is missing on this machine.
    """
    check_request(request)
    if sys.platform == "win32":
        raise UsageError(
            "export: expected Linux or macOS, found Windows, where only `export --native` works"
        )
    script = _inspect(request)
    out = request.out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.unfinished-", dir=out.parent) as folder:
        staged = Path(folder) / "export"
        staged.mkdir()
        report = _write(request, script, staged)
        _check_alone(staged / PYTHON, report.library)
        replace_folder(out, staged, Path(folder) / "before")
    return report


def check_request(request: ExportRequest, *, suffixes: Sequence[str] = (".py",)) -> None:
    """Check the script, the name and the folder of a request.

    Args:
        request: what to export.
        suffixes: suffixes that the script's file may have.

    Raises:
        UsageError: one of them is not as expected.
    """
    if not request.script.is_file() or request.script.suffix not in suffixes:
        found = f"no such file {request.script}{files_like(request.script)}"
        if request.script.is_file():
            found = f"{request.script.name}: a policy file (.npz) needs --native"
        raise UsageError(f"SCRIPT: expected a Python file, found {found}")
    if not _NAME.fullmatch(request.name):
        raise UsageError(f"--name: expected a C name such as player, found {request.name!r}")
    require_empty(request.out, holds=_is_export)


def _is_export(folder: Path) -> bool:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and manifest.get("format") == FORMAT


# -- what the script is --------------------------------------------------------------------------


def script_place(script: Path) -> tuple[str, Path]:
    """Return a script's module name and the folder from which it is imported.

    If the script lies in a folder `scripts`, its name is `scripts.…`, as in scenes. Otherwise it is
    the file's name without its suffix.

    Args:
        script: path of the script.
    """
    path = script.resolve()
    for folder in path.parents:
        if folder.name == "scripts":
            parts = path.with_suffix("").relative_to(folder.parent).parts
            return ".".join(parts), folder.parent
    return path.stem, path.parent


def _inspect(request: ExportRequest) -> _Script:
    module, root = script_place(request.script)
    roots = (root,) if root == SHIPPED_ROOT else (root, SHIPPED_ROOT)
    found = _run_inspection(module, roots)
    functions = tuple(map(signature_of, found["functions"]))
    check_functions(request.script, functions)
    graph = ImportGraph(roots)
    graph.follow(module)
    loaded: dict[str, str] = found["modules"]
    for name, file in loaded.items():
        if file and graph.find(name) == Path(file):
            graph.follow(name)
        elif file:
            graph.others.add(name)
    for name in request.packages:
        if graph.find(name) is not None:
            graph.follow(name)
        else:
            check_package(name)
            graph.others.add(name)
    opened = tuple(map(Path, found["opened"]))
    return _Script(module, roots, functions, graph, frozenset(loaded), opened)


def _run_inspection(module: str, roots: Sequence[Path]) -> JsonObject:
    program = Path(__file__).with_name("inspection.py")
    with tempfile.TemporaryDirectory(prefix=own_prefix()) as folder:
        result = Path(folder) / "result.json"
        words = [sys.executable, "-B", str(program), str(result), module, *map(str, roots)]
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
        )
        sys.stderr.write(done.stdout + done.stderr)  # what the script prints
        if not result.is_file():
            raise ExportError(f"{module}: its process ended with code {done.returncode}")
        found: JsonObject = json.loads(result.read_text(encoding="utf-8"))
    if "error" in found:
        raise ExportError(found["error"])
    return found


def signature_of(plain: JsonObject) -> Signature:
    """Return a signature from the values for JSON that `inspection.as_plain` made."""
    result = plain["result"]
    return Signature(
        plain["name"],
        tuple(_value(value) for value in plain["parameters"]),
        None if result is None else _value(result),
        plain["document"],
    )


def _value(plain: JsonObject) -> ExportedType:
    sizes, is_written = tuple(plain["sizes"]), bool(plain["is_written"])
    return ExportedType(plain["name"], plain["kind"], plain["dtype"], sizes, is_written)


def check_functions(script: Path, functions: Sequence[Signature]) -> None:
    """Check that there are functions to export, and that C can have them all.

    Args:
        script: the script, for the error message.
        functions: signatures of its exported functions.

    Raises:
        ExportError: there is none, or one has names or arguments that C cannot have.
    """
    if not functions:
        raise ExportError(
            f"{script}: expected a function marked @exported, found none; see docs/export.md"
        )
    for function in functions:
        names = [argument.name for argument in arguments_of(function)]
        double = next((name for name in names if names.count(name) > 1), None)
        where = f"{script}: {function.name}"
        if double:
            raise ExportError(f"{where}: expected different names in C, found {double} twice")
        if len(names) > MOST_ARGUMENTS:
            raise ExportError(
                f"{where}: expected at most {MOST_ARGUMENTS} arguments in C, found {len(names)}"
            )
        if function.name in _RESERVED:
            raise ExportError(
                f"{where}: expected a name other than {', '.join(_RESERVED)}, which every library "
                "has for itself"
            )


# -- the folder ----------------------------------------------------------------------------------


def _write(request: ExportRequest, script: _Script, folder: Path) -> ExportReport:
    python = PythonFolder(folder / PYTHON)
    for name, path in script.graph.own.items():
        python.add_module(name, path)
    for path in _files(request, script):
        inside = _inside(path, script.roots)
        python.add_file(path, inside)
        if script.graph.has_shipped and path.is_relative_to(SHIPPED_ROOT / "scripts"):
            python.add_file(path, SHIPPED / inside)  # beside the shipped script that reads it
    python_files, versions = python.fill(_needs(script))
    library = Library(request.name, script.module, script.functions, python_files)
    (folder / f"{library.name}.h").write_text(header_text(library), encoding="utf-8")
    files = _write_library(request, library, folder)
    report = ExportReport(library, files, versions, folder_size(folder))
    _write_manifest(folder / MANIFEST, report)
    return report


def _needs(script: _Script) -> Needs:
    tops = {name.partition(".")[0] for name in script.graph.others}
    packages = tops - set(sys.stdlib_module_names) - {"__main__", "__mp_main__"}
    return Needs(tuple(sorted(packages)), script.loaded)


def _files(request: ExportRequest, script: _Script) -> list[Path]:
    for path in request.files:
        if not path.exists():
            raise UsageError(f"--data: expected a file or a folder, found none at {path}")
    return [*script.opened, *(path.resolve() for path in request.files)]


def _inside(path: Path, roots: Sequence[Path]) -> Path:
    for root in roots:
        if path.is_relative_to(root):
            return path.relative_to(root)
    raise UsageError(f"--data: expected a file below {roots[0]}, found {path}")


def _write_library(request: ExportRequest, library: Library, folder: Path) -> tuple[str, ...]:
    """Write the library and return the names of its files.

    Without a compiler the machine code is written directly. A compiler is used if the request names
    one, or if this machine is not x86-64 Linux.

    Args:
        request: what to export.
        library: contents of the library.
        folder: folder to write to.

    Raises:
        CompilerError: there is no compiler, or it failed.
    """
    header = f"{library.name}.h"
    suffix = "dylib" if sys.platform == "darwin" else "so"
    target = folder / f"lib{library.name}.{suffix}"
    if request.compiler is None and is_writable_here():
        target.write_bytes(library_bytes(library, soname=target.name))
        shutil.copyfile(PREBUILT, folder / SHIM)
        return target.name, SHIM, header
    try:
        compile_library(library, folder, target, request.compiler)
    except CompilerError as error:
        reason = "" if request.compiler else f" ({platform.system()} on {platform.machine()})"
        raise CompilerError(f"{error}{reason}") from None
    return target.name, header


def is_writable_here() -> bool:
    """Return whether this machine is x86-64 Linux, where no compiler is needed."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and sys.maxsize > 2**32


def _write_manifest(path: Path, report: ExportReport) -> None:
    library = report.library
    manifest = {
        "format": FORMAT,
        "name": library.name,
        "script": library.module,
        "functions": [str(function) for function in library.functions],
        "platform": f"{sys.platform}-{platform.machine()}",
        "python": platform.python_version(),
        "packages": report.versions,
        "files": list(report.files),
    }
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _check_alone(home: Path, library: Library) -> None:
    """Check that the exported script can be imported with nothing but the copied Python folder.

    Args:
        home: the copied Python folder.
        library: contents of the exported library.

    Raises:
        ExportError: it cannot be imported.
    """
    program = (
        "import sys, goishi_bridge as bridge\n"
        "try:\n    bridge.open_script(*sys.argv[1:])\n"
        "except BaseException as error:\n    sys.exit(bridge.describe(error))\n"
    )
    signatures = "\n".join(map(str, library.functions))
    executable = getattr(sys, "_base_executable", None) or sys.executable
    done = subprocess.run(
        [executable, "-s", "-B", "-P", "-c", program, str(home), library.module, signatures],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
        cwd=home,
        env={"PYTHONHOME": str(home), "PYTHONUTF8": "1"},
    )
    if done.returncode:
        said = " | ".join(done.stderr.strip().splitlines()[-6:])
        raise ExportError(
            f"{library.module} does not run on its own: {said}; name what is missing by --packages "
            "or --data"
        )


def python_text(versions: dict[str, str]) -> str:
    """Return the versions of Python and the packages as one line of text."""
    packages = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"Python {platform.python_version()}" + (f" with {packages}" if packages else "")


_START: Final = """\
#include "{name}.h"
#include <stddef.h>
#include <string.h>

int32_t goishi_shim_init(const void *library, const char *home);
int32_t goishi_shim_shutdown(const void *library);
const char *goishi_shim_last_error(void);
int32_t goishi_shim_call_slots(const void *library, uint32_t index, const uint64_t *slots);

#define PUBLIC __attribute__((visibility("default")))

static const union {{ unsigned char bytes[{size}]; uint64_t aligned; }} library = {{{{
{data}
}}}};

PUBLIC int32_t {name}_init(const char *home) {{ return goishi_shim_init(&library, home); }}
PUBLIC int32_t {name}_shutdown(void) {{ return goishi_shim_shutdown(&library); }}
PUBLIC const char *{name}_last_error(void) {{ return goishi_shim_last_error(); }}
"""


def c_text(library: Library) -> str:
    """Return the C source of a library, to be compiled together with its header and the shim."""
    data = describe(library)
    rows = [", ".join(map(str, data[i : i + 20])) for i in range(0, len(data), 20)]
    start = _START.format(name=library.name, size=len(data), data=",\n".join(rows))
    functions = [
        _function(library.name, number, function)
        for number, function in enumerate(library.functions)
    ]
    return start + "".join(functions)


def _function(prefix: str, number: int, function: Signature) -> str:
    arguments = arguments_of(function)
    lines = [f"    uint64_t slots[{max(len(arguments), 1)}] = {{0}};"]
    lines += [f"    {_fill(slot, argument)}" for slot, argument in enumerate(arguments)]
    lines.append(f"    return goishi_shim_call_slots(&library, {number}, slots);")
    return "\nPUBLIC " + declaration(prefix, function) + " {\n" + "\n".join(lines) + "\n}\n"


def _fill(slot: int, argument: Argument) -> str:
    if argument.is_real:
        return f"memcpy(&slots[{slot}], &{argument.name}, sizeof {argument.name});"
    cast = "(uintptr_t)" if argument.type.endswith("*") else "(int64_t)"
    return f"slots[{slot}] = (uint64_t){cast}{argument.name};"


def compile_library(library: Library, folder: Path, target: Path, compiler: str | None) -> None:
    """Compile the shim and the exported functions into one library.

    Args:
        library: contents of the library.
        folder: folder that holds the header. The C source is written there and deleted again.
        target: file to write.
        compiler: name or path of a compiler; None for the first one found.

    Raises:
        CompilerError: there is no compiler, or it failed.
    """
    source = folder / f"{library.name}.c"
    source.write_text(c_text(library), encoding="utf-8")
    if sys.platform == "darwin":
        link = ["-dynamiclib", f"-Wl,-install_name,@rpath/{target.name}"]
    else:
        link = ["-shared", "-s", "-Wl,-z,nodelete", f"-Wl,-soname,{target.name}"]
    threads = ["-ldl", "-lpthread"] if platform.system() == "Linux" else []
    words = [
        *COMPILE.split(),
        *link,
        f"-I{folder}",
        "-o",
        str(target),
        *map(str, SOURCES),
        str(source),
        *threads,
    ]
    try:
        compile_c(find_compiler(compiler), words)
    finally:
        source.unlink()


__all__ = ["VERSION", "ExportReport", "ExportRequest", "export", "python_text", "script_place"]
