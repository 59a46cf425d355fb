"""Disk cache of compiled kernels.

numba does not notice that a function in *another* file changed. So the name of the cache folder is
a hash of all kernel sources and of everything else that makes old code unusable. This module
imports neither numpy nor numba: it must run before both.
"""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import platformdirs

from base.files import first_writable, private_temporary_folder
from base.worker.starting import SAFE

_PACKAGE: Final = "ai.kernels"
_MARKER: Final = "complete"
_DONE: Final = "compiled"
"""Folder in the cache with an empty file for each module that is compiled."""
_TOGETHER: Final = {"threats": "alpha_beta", "tree": "guided", "puct": "guided"}
"""For a folder's name, the folder compiled with it: kernels of one call kernels of the other."""


class KernelCompilationError(RuntimeError):
    """Kernels cannot be compiled in this process or on this machine."""


@cache
def kernel_modules() -> tuple[str, ...]:
    """Return the names of the modules with kernels; a module comes after those it imports."""
    folder = Path(__file__).parent
    sources = {
        ".".join((_PACKAGE, *path.relative_to(folder).with_suffix("").parts)): path
        for path in sorted(folder.rglob("*.py"))
    }
    trees = {name: ast.parse(path.read_bytes()) for name, path in sources.items()}
    ordered: dict[str, None] = {}
    for name in trees:
        _add_after_callees(name, trees, ordered)
    return tuple(name for name in ordered if _holds_kernels(trees[name]))


def _add_after_callees(
    name: str, trees: Mapping[str, ast.Module], ordered: dict[str, None]
) -> None:
    """Add a module to `ordered`, after the modules that it imports.

    Args:
        name: name of the module; nothing happens if it is not in `trees`.
        trees: parsed sources by module name.
        ordered: the modules so far, as the keys of a dict, which keeps their order.
    """
    if name in ordered or name not in trees:
        return
    for node in ast.walk(trees[name]):
        if isinstance(node, ast.ImportFrom) and node.module:
            for imported in (node.module, *(f"{node.module}.{item.name}" for item in node.names)):
                _add_after_callees(imported, trees, ordered)
    ordered[name] = None


def _holds_kernels(tree: ast.Module) -> bool:
    """Return whether a module decorates a function with `kernel(…)` of `ai.kernels.jit`."""
    decorators = [
        item for node in tree.body if isinstance(node, ast.FunctionDef)
        for item in node.decorator_list
    ]  # fmt: skip
    return any(
        isinstance(item, ast.Call) and isinstance(item.func, ast.Name) and item.func.id == "kernel"
        for item in decorators
    )


@cache
def fingerprint() -> str:
    """Return a hash of the kernel sources, the numba, numpy and Python versions, and the CPU.

    Where a source lies and when it was written are part of it: numba takes compiled code only for
    the same file of the same time.
    """
    digest = hashlib.sha256()
    folder = Path(__file__).resolve().parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path} {path.stat().st_mtime_ns}\n".encode())
        digest.update(path.read_bytes())
    for package in ("numba", "llvmlite", "numpy"):
        try:
            digest.update(f"{package} {version(package)}\n".encode())
        except PackageNotFoundError:
            digest.update(f"no {package}\n".encode())
    digest.update(f"{sys.implementation.cache_tag} {platform.machine()} {_cpu()}".encode())
    return digest.hexdigest()[:20]


def _cpu() -> str:
    """Describe the CPU; two CPUs that need different compiled code have different descriptions."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    wanted = ("model name", "flags", "Features")
    return "\n".join(dict.fromkeys(line for line in lines if line.startswith(wanted)))


@cache
def cache_directory() -> Path:
    """Return the folder of this version's compiled kernels; it is created if missing.

    It lies in the user's cache, or in the temporary folder if the cache is not writable.

    Raises:
        KernelCompilationError: neither folder is writable.
    """
    own = Path(platformdirs.user_cache_dir("goishi", appauthor=False))
    directory = first_writable([own / "kernels" / fingerprint()])
    if directory is not None:
        return directory
    try:
        directory = private_temporary_folder() / "kernels" / fingerprint()
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KernelCompilationError(
            f"expected a writable cache folder, found none: {own} and {error.filename} "
            f"({error.strerror})"
        ) from None
    return directory


def is_compiled() -> bool:
    """Return whether all kernels are in the cache; loading them then takes half a second."""
    try:
        return (cache_directory() / _MARKER).is_file()
    except KernelCompilationError:
        return False


def missing(names: Iterable[str]) -> tuple[str, ...]:
    """Return those kernel modules that are not in the cache yet.

    Args:
        names: names of kernel modules, as in `kernel_modules`.
    """
    if is_compiled():
        return ()
    try:
        folder = cache_directory() / _DONE
    except KernelCompilationError:
        return tuple(names)
    return tuple(name for name in names if not (folder / name).is_file())


def compile_module(name: str) -> None:
    """Compile the kernels of a module, and of those that it imports, into the cache.

    This process must have been configured for compiled kernels.

    Args:
        name: name of the module, as in `kernel_modules`.
    """
    import_module(name)
    folder = cache_directory() / _DONE
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("", encoding="utf-8")


def note_all_compiled() -> None:
    """Note in the cache that all kernels are in it."""
    (cache_directory() / _MARKER).write_text("", encoding="utf-8")


def configure_environment(*, jit: bool) -> None:
    """Choose compiled kernels or plain Python; call it before numba or any kernel is imported."""
    if not jit:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        return
    os.environ.pop("NUMBA_DISABLE_JIT", None)
    os.environ["NUMBA_CACHE_DIR"] = str(cache_directory())


def compile_all(
    progress: Callable[[int, int, str, float], None] | None = None, processes: int | None = None
) -> float:
    """Compile every kernel into the cache and return the wall-clock seconds it took.

    Args:
        progress: called with (modules done, modules in all, module name, seconds so far); None for
            no reports.
        processes: 2 to let a second process compile half of them; None for 2 if two cores are free.

    Raises:
        KernelCompilationError: numba is missing or switched off in this process.
    """
    begin_compiling()
    start = time.perf_counter()
    names = kernel_modules()
    others = share_of_another(names) if (processes or _cores()) > 1 else ()
    helper = compile_elsewhere(others) if others else None
    mine = [name for name in names if name not in others]
    for step, name in enumerate((*mine, *others), start=1):
        if helper is not None and name in others:
            helper.wait()  # what it compiled is loaded at once; what it did not is compiled here
        compile_module(name)
        if progress is not None:
            progress(step, len(names), name, time.perf_counter() - start)
    note_all_compiled()
    return time.perf_counter() - start


def begin_compiling() -> None:
    """Configure this process to compile kernels.

    Raises:
        KernelCompilationError: numba is missing or switched off in this process.
    """
    configure_environment(jit=True)
    if not _has_compiler():
        raise KernelCompilationError(
            "expected a process with numba switched on, found it missing or switched off"
        )


def _has_compiler() -> bool:
    """Return whether numba is installed and switched on in this process."""
    try:
        return not import_module("numba").config.DISABLE_JIT
    except ImportError:
        return False


def share_of_another(names: Sequence[str]) -> tuple[str, ...]:
    """Return about half of the modules, by source size, for a second process to compile.

    Kernels of one half call none of the other half, except those in modules directly in this
    folder.

    Args:
        names: names of the kernel modules.
    """
    folder = Path(__file__).parent
    sizes: dict[str, int] = {}
    for name in names:
        path = folder.joinpath(*name.split(".")[2:]).with_suffix(".py")
        part = _part_of(name)
        sizes[part] = sizes.get(part, 0) + (path.stat().st_size if path.is_file() else 0)
    mine, others = 0, 0
    given: set[str] = set()
    for part, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        if others < mine:
            others += size
            given.add(part)
        else:
            mine += size
    return tuple(name for name in names if _part_of(name) in given)


def _part_of(name: str) -> str:
    """Return the name of the group with which a module is compiled.

    A group is a folder, or several folders whose kernels call each other. A module directly in this
    folder is a group of its own.

    Args:
        name: full name of the module, as in `kernel_modules`.
    """
    words = name.split(".")[2:]
    return _TOGETHER.get(words[0], words[0])


def compile_elsewhere(names: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a process that compiles these modules without output, and return it."""
    program = f"import importlib\nfor name in {list(names)}: importlib.import_module(name)"
    return subprocess.Popen(
        [sys.executable, SAFE, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
