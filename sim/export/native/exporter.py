"""Exports a script or a policy as a C library without Python.

DIR/
  libNAME.so             the exported functions; NAME.dll, libNAME.dylib or NAME.wasm elsewhere
  NAME.h                 for C and C++
  export.json            what was exported
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.files import SHIPPED_ROOT, replace_folder
from base.temporary import own_prefix
from base.values import JsonObject
from sim.core.native.exported import ExportError, Signature
from sim.export.exporter import (
    FORMAT,
    MANIFEST,
    ExportRequest,
    check_functions,
    check_request,
    script_place,
    signature_of,
)
from sim.export.native.c_source import NativeLibrary, c_text, header_text
from sim.export.native.linking import Linker
from sim.export.native.policy_script import policy_script
from sim.export.native.targets import Machine, Target, target_of

POLICY: Final = ".npz"
"""Suffix of policy files, which may stand in place of a script."""
_WORKER: Final = "sim.export.native.worker"
_ENVIRONMENT: Final = {
    "NUMBA_CACHE_DIR": "",
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "NUMBA_DISABLE_JIT": "0",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
}
"""What makes the machine code the same on every machine."""


class NativeReport:
    """Result of an export without Python.

    Attributes:
        functions: signatures of the exported functions.
        files: names of the library's files and its header.
        sizes: size of each library in bytes, by name of its file.
    """

    def __init__(
        self, functions: tuple[Signature, ...], files: tuple[str, ...], sizes: dict[str, int]
    ) -> None:
        self.functions = functions
        self.files = files
        self.sizes = sizes


def export_native(
    request: ExportRequest, targets: Sequence[str], tell: Callable[[str], object] = str
) -> NativeReport:
    """Export a script or a policy file as C libraries without Python.

    After an error the output folder is unchanged.

    Args:
        request: what to export; its packages and files are not used.
        targets: names of the systems, of `targets.TARGETS` or "here".
        tell: takes a line about what will take long.

    Raises:
        UsageError: the request is invalid.
        ExportError: the script cannot be imported, or a function cannot run without Python.
        GoishiError: there is no compiler.
    """
    wanted = list(dict.fromkeys(target_of(name) for name in targets))
    check_request(request, suffixes=(".py", POLICY))
    if request.packages or request.files:
        raise UsageError("--native: expected no --packages and no --data, as no Python is copied")
    linkers = [Linker(target, request.name, request.compiler) for target in wanted]
    for linker in linkers:
        if linker.is_first:
            tell(f"the first library for {linker.target.name} takes a minute or more")
    out = request.out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.unfinished-", dir=out.parent) as folder:
        staged = Path(folder) / "export"
        staged.mkdir()
        report = _write(request, linkers, staged)
        replace_folder(out, staged, Path(folder) / "before")
    return report


def _write(request: ExportRequest, linkers: Sequence[Linker], staged: Path) -> NativeReport:
    files: list[str] = []
    functions: tuple[Signature, ...] = ()
    with tempfile.TemporaryDirectory(prefix=own_prefix()) as folder:
        script = _script_of(request, Path(folder))
        for linker in linkers:
            place = Path(folder) / linker.target.name
            functions, objects = _compile(script, linker.target, place)
            check_functions(script, functions)
            library = NativeLibrary(request.name, script_place(request.script)[0], functions)
            header = f"{request.name}.h"
            (staged / header).write_text(header_text(library), encoding="utf-8", newline="\n")
            (place / header).write_text(header_text(library), encoding="utf-8", newline="\n")
            source = place / f"{request.name}.c"
            source.write_text(c_text(library), encoding="utf-8", newline="\n")
            symbols = [f"{request.name}_{one.name}" for one in functions]
            files += linker.link(staged, source, objects, symbols)
    sizes = {name: (staged / name).stat().st_size for name in files}
    report = NativeReport(functions, (*files, f"{request.name}.h"), sizes)
    _write_manifest(staged / MANIFEST, request, report)
    return report


def _script_of(request: ExportRequest, folder: Path) -> Path:
    """Return the script to export: the request's own, or one that is written for its policy."""
    if request.script.suffix != POLICY:
        return request.script
    script = folder / f"{request.name}.py"
    script.write_text(policy_script(request.script), encoding="utf-8")
    return script


def _compile(
    script: Path, target: Target, folder: Path
) -> tuple[tuple[Signature, ...], list[Path]]:
    """Compile a script's functions for each machine of a target.

    Args:
        script: the script.
        target: the system.
        folder: folder for what is made on the way.

    Returns:
        The signatures of the functions, and an object file for each machine.

    Raises:
        ExportError: the script cannot be imported, or a function cannot run without Python.
    """
    objects: list[Path] = []
    functions: tuple[Signature, ...] = ()
    for number, machine in enumerate(target.machines):
        place = folder / f"machine{number}"
        place.mkdir(parents=True)
        found = _run_worker(script, machine, place)
        functions = tuple(map(signature_of, found["functions"]))
        objects.append(place / "code.o")
    return functions, objects


def _run_worker(script: Path, machine: Machine, folder: Path) -> JsonObject:
    module, root = script_place(script)
    roots = [str(root)] if root == SHIPPED_ROOT else [str(root), str(SHIPPED_ROOT)]
    request = {"module": module, "roots": roots, "machine": asdict(machine), "folder": str(folder)}
    file, result = folder / "request.json", folder / "result.json"
    file.write_text(json.dumps(request), encoding="utf-8")
    paths = [str(SHIPPED_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-B", "-P", "-m", _WORKER, str(file)],
        env={**os.environ, **_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    sys.stderr.write(done.stdout + done.stderr)  # what the script prints
    if not result.is_file():
        raise ExportError(f"{module}: its process ended with code {done.returncode}")
    found: JsonObject = json.loads(result.read_text(encoding="utf-8"))
    if "error" in found:
        raise ExportError(found["error"])
    return found


def _write_manifest(path: Path, request: ExportRequest, report: NativeReport) -> None:
    manifest = {
        "format": FORMAT,
        "name": request.name,
        "script": request.script.name,
        "functions": [str(function) for function in report.functions],
        "python": None,
        "files": list(report.files),
    }
    text = json.dumps(manifest, indent=2) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
