"""Copies a Python for a script: the interpreter, the standard library and needed packages.

The folder can be moved, because it contains no absolute paths. Python never compares the compiled
files of itself and its packages with their sources. So copying or unpacking does not make these
files outdated, and none is written again. Only the compiled files of the script are compared with
their sources.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import py_compile
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path, PurePosixPath
from typing import Final

from base.errors import GoishiError, UsageError
from sim.export.bridge import SCRIPT_FOLDER
from sim.export.library import PythonFiles

BRIDGE: Final = Path(__file__).with_name("bridge.py")
BRIDGE_MODULE: Final = "goishi_bridge"
VERSION: Final = f"{sys.version_info[0]}.{sys.version_info[1]}"

_UNUSED: Final = (
    "test idlelib tkinter turtledemo ensurepip lib2to3 site-packages dist-packages lib-dynload "
    "__pycache__ pydoc_data turtle.py venv"
)
_LEFT_OUT: Final = frozenset(_UNUSED.split())
_EXTENSIONS_LEFT_OUT: Final = re.compile(
    r"_tkinter|_curses|readline|_dbm|_gdbm|nis|ossaudiodev|_test|_ctypes_test|_?xx"
)
_FOR_BUILDING: Final = (".pyi", ".pyx", ".pxd", ".pyc", ".h", ".hpp", ".c", ".cpp", ".a", ".pth")
_REQUIREMENT_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class RuntimeCopyError(GoishiError):
    """This machine's Python cannot be copied."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Modules and packages that a script needs besides the standard library."""

    packages: tuple[str, ...]
    """Import names of installed packages."""
    loaded: frozenset[str]
    """Modules that were loaded when the script was imported."""


class PythonFolder:
    """Builds a Python folder that can be moved to another place.

    Args:
        home: the folder to fill.
        leaves_out: returns whether a file of a package is not copied, by its path relative to
            `site-packages`; None to copy all that `is_wanted` wants.
        is_given: returns whether the target machine has a library, by its name.
    """

    def __init__(
        self,
        home: Path,
        leaves_out: Callable[[PurePosixPath], bool] | None = None,
        is_given: Callable[[str], bool] | None = None,
    ) -> None:
        self._leaves_out = leaves_out or (lambda path: False)
        self._is_given = is_given or is_of_the_system
        self.home = home
        self.library_folder = home / "lib"
        self.standard = home / sys.platlibdir / f"python{VERSION}"
        self.packages = self.standard / "site-packages"
        self.script = home / SCRIPT_FOLDER

    def fill(self, needs: Needs) -> tuple[PythonFiles, dict[str, str]]:
        """Copy Python, its standard library and packages into the folder.

        Args:
            needs: modules and packages that the script needs.

        Returns:
            (paths of the copied parts, version of each copied distribution by name).

        Raises:
            RuntimeCopyError: this Python has no shared library.
            UsageError: a package is not installed.
        """
        python, versions = self.copy_python(needs)
        shutil.copyfile(BRIDGE, self.standard / f"{BRIDGE_MODULE}.py")
        compile_all(self.standard, self.home, py_compile.PycInvalidationMode.UNCHECKED_HASH)
        compile_all(self.script, self.home, py_compile.PycInvalidationMode.CHECKED_HASH)
        preload = self.copy_native_libraries() if sys.platform == "linux" else ()
        standard = f"{sys.platlibdir}/python{VERSION}"
        return PythonFiles(f"lib/{python}", standard, preload), versions

    def copy_python(self, needs: Needs) -> tuple[str, dict[str, str]]:
        """Copy Python's shared library, the standard library and packages.

        Args:
            needs: modules and packages that are needed.

        Returns:
            (name of the shared library, version of each copied distribution by name).

        Raises:
            RuntimeCopyError: this Python has no shared library.
        """
        python = find_python_library()
        self.library_folder.mkdir(parents=True)
        shutil.copy2(python, self.library_folder / python.name)
        self._copy_standard_library(needs)
        return python.name, self._copy_packages(needs)

    def add_module(self, name: str, path: Path) -> None:
        """Copy a module of the script.

        Args:
            name: its module name, which decides the place.
            path: its file.
        """
        inside = Path(*name.split("."))
        inside = inside / "__init__.py" if path.name == "__init__.py" else inside.with_suffix(".py")
        self.add_file(path, inside)

    def add_file(self, path: Path, inside: Path) -> None:
        """Copy a file or a folder into the script's folder.

        Args:
            path: file or folder to copy.
            inside: path of the copy, relative to the script's folder.
        """
        target = self.script / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(path, target, dirs_exist_ok=True, ignore=ignored)
        else:
            shutil.copyfile(path, target)

    def _copy_standard_library(self, needs: Needs) -> None:
        source = Path(sysconfig.get_path("stdlib"))
        tops = {name.partition(".")[0] for name in needs.loaded}

        def ignore(folder: str, names: list[str]) -> list[str]:
            is_top = Path(folder) == source
            return [
                name
                for name in names
                if name == "__pycache__"
                or name.endswith(".pyc")
                or (is_top and name.startswith("config-"))
                or (is_top and name in _LEFT_OUT and name.removesuffix(".py") not in tops)
                or (name in ("tests", "test") and not is_top)
            ]

        shutil.copytree(source, self.standard, ignore=ignore)
        self.packages.mkdir(exist_ok=True)
        target = self.standard / "lib-dynload"
        target.mkdir(exist_ok=True)
        for path in extension_modules():
            name = path.name.partition(".")[0]
            if name in tops or not _EXTENSIONS_LEFT_OUT.match(name):
                shutil.copy2(path, target / path.name)

    def _copy_packages(self, needs: Needs) -> dict[str, str]:
        versions: dict[str, str] = {}
        tops = importlib.metadata.packages_distributions()
        for distribution in with_requirements(needs.packages, tops):
            versions[distribution.name] = distribution.version
            for file in distribution.files or ():
                path = PurePosixPath(file)
                if is_wanted(path, needs.loaded) and not self._leaves_out(path):
                    self._copy_package_file(Path(str(file.locate())), path)
        for name in needs.packages:
            if not any(self.packages.glob(f"{name}*")):
                self._copy_by_import(name)
        return dict(sorted(versions.items()))

    def _copy_package_file(self, source: Path, inside: PurePosixPath) -> None:
        target = self.packages / inside
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)

    def _copy_by_import(self, name: str) -> None:
        """Copy a module that no installed distribution lists; do nothing if it is not found.

        Such a module is found by PYTHONPATH, or was installed as editable.

        Args:
            name: import name of the module.
        """
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            spec = None
        if spec is None:
            return
        if spec.submodule_search_locations:
            ignored = shutil.ignore_patterns("__pycache__")
            for folder in spec.submodule_search_locations:
                shutil.copytree(folder, self.packages / name, dirs_exist_ok=True, ignore=ignored)
        elif spec.origin and Path(spec.origin).is_file():
            shutil.copy2(spec.origin, self.packages / Path(spec.origin).name)

    def copy_native_libraries(self) -> tuple[str, ...]:
        """Copy the libraries that extension modules need and the target machine may lack.

        Returns:
            Their paths in the folder; each after the libraries that it needs itself.
        """
        order: list[str] = []
        inside = {path.name for path in self.home.rglob("*.so*")}
        for path in sorted(self.home.rglob("*.so*")):
            self._bring(path, inside, order)
        return tuple(f"lib/{name}" for name in order)

    def _bring(self, path: Path, inside: set[str], order: list[str]) -> None:
        needed = (name for name in needed_libraries(path) if name not in inside)
        missing = [name for name in needed if not self._is_given(name)]
        places = find_libraries(path) if missing else {}
        for name in missing:
            if name in inside or name not in places:
                continue
            inside.add(name)
            target = self.library_folder / name
            shutil.copyfile(places[name], target)
            self._bring(target, inside, order)
            order.append(name)


def find_python_library() -> Path:
    """Return the path of this Python's shared library.

    Raises:
        RuntimeCopyError: this Python is linked statically.
    """
    variables = sysconfig.get_config_vars()
    names = [
        Path(str(variables[key])).name
        for key in ("INSTSONAME", "LDLIBRARY")
        if variables.get(key) and not str(variables[key]).endswith(".a")
    ]
    suffix = "dylib" if sys.platform == "darwin" else "so.1.0"
    names.append(f"libpython{VERSION}.{suffix}")
    library_folder = Path(str(variables.get("LIBDIR") or Path(sys.base_prefix) / "lib"))
    folders = [
        library_folder,
        library_folder / str(variables.get("MULTIARCH") or "."),
        Path(sys.base_prefix) / "lib",
        Path("/usr/lib") / str(variables.get("MULTIARCH") or "."),
    ]
    for path in (folder / name for name in names for folder in folders):
        if path.is_file():
            return path
    raise RuntimeCopyError(
        f"expected Python's shared library {names[-1]}, found none in {library_folder}: install it "
        f"(Debian, Ubuntu: apt install libpython{VERSION}), or use a Python that was built with "
        "--enable-shared"
    )


def extension_modules() -> list[Path]:
    """Return the paths of the standard library's extension modules."""
    folder = Path(str(sysconfig.get_config_var("DESTSHARED") or ""))
    if not folder.is_dir():
        folder = Path(sysconfig.get_path("platstdlib", vars={"base": sys.base_prefix}))
        folder = folder / "lib-dynload"
    return sorted(folder.glob("*.so"))


def is_wanted(path: PurePosixPath, loaded: Collection[str]) -> bool:
    """Return whether a file of a distribution is needed when the script runs.

    Files that serve only to build or to test are not.

    Args:
        path: path of the file, relative to `site-packages`.
        loaded: names of the modules that were loaded when the script was imported.
    """
    if path.is_absolute() or ".." in path.parts or "__pycache__" in path.parts:
        return False
    if path.name.endswith(_FOR_BUILDING):
        return False
    if "tests" in path.parts[:-1]:
        folder = path.parts[: path.parts.index("tests") + 1]
        return ".".join(folder) in loaded
    return True


def with_requirements(
    names: Iterable[str], tops: dict[str, list[str]] | object
) -> Iterator[Distribution]:
    """Yield the installed distributions that contain some packages, then those that these require.

    Requirements of requirements are included.

    Args:
        names: import names of the packages.
        tops: names of the distributions that contain a package, by the package's import name.
    """
    known = dict(tops) if isinstance(tops, dict) else {}
    waiting = [found for name in names for found in known.get(name, [name])]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in seen:
            continue
        seen.add(key)
        try:
            distribution = importlib.metadata.distribution(name)
        except PackageNotFoundError:
            continue
        yield distribution
        for requirement in distribution.requires or ():
            match = _REQUIREMENT_NAME.match(requirement)
            if match and "extra ==" not in requirement.replace("extra==", "extra =="):
                waiting.append(match[0])


def check_package(name: str) -> None:
    """Check that a requested package is installed.

    Raises:
        UsageError: neither a module nor a distribution has this name.
    """
    try:
        is_there = importlib.util.find_spec(name.partition(".")[0]) is not None
    except (ImportError, ValueError):
        is_there = False
    if is_there:
        return
    try:
        importlib.metadata.distribution(name)
    except PackageNotFoundError:
        raise UsageError(
            f"--packages: expected an installed package, found none named {name!r}"
        ) from None


def compile_all(folder: Path, home: Path, mode: py_compile.PycInvalidationMode) -> None:
    """Compile every module below a folder; modules with errors stay uncompiled.

    Args:
        folder: folder of the modules.
        home: the exported Python folder. Tracebacks show file names relative to it.
        mode: when Python compares a compiled file with its source.
    """
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(home).as_posix()
        try:
            py_compile.compile(
                str(path), dfile=inside, doraise=True, quiet=2, invalidation_mode=mode
            )
        except (py_compile.PyCompileError, OSError):  # templates of packages are no modules
            continue


def folder_size(folder: Path) -> int:
    """Return the total size in bytes of all files below a folder."""
    return sum(
        os.lstat(os.path.join(place, name)).st_size
        for place, _, names in os.walk(folder)
        for name in names
    )


_OF_THE_SYSTEM: Final = re.compile(
    r"(ld-linux|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|nsl|stdc\+\+|gcc_s|anl)\.so"
    r"|ld-musl|libc\.musl|lib(GL|EGL|OpenGL|gbm|drm|cuda|nv|X|xcb|ICE|SM|wayland))"
)
"""Libraries that are not copied: the C library, and those of the compiler and the display."""
_LOAD, _DYNAMIC_SEGMENT = 1, 2
_NEEDED, _STRINGS = 1, 5
_PYTHON: Final = re.compile(r"libpython3")


def is_of_the_system(soname: str) -> bool:
    """Return whether the target machine provides a library, so that it is not copied.

    Args:
        soname: name of the shared library, such as "libc.so.6".
    """
    return bool(_OF_THE_SYSTEM.match(soname) or _PYTHON.match(soname))


def needed_libraries(path: Path) -> list[str]:
    """Return the names of the libraries that a shared library needs (ELF `DT_NEEDED`).

    Empty for a file that is no 64-bit shared library.
    """
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        return []
    try:
        return _needed(data)
    except (struct.error, ValueError, OverflowError, LookupError):  # damaged
        return []


def _needed(data: bytes) -> list[str]:
    start, size, count = (*struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54))
    segments = [struct.unpack_from("<IIQQQQ", data, start + size * i) for i in range(count)]
    dynamic = [one for one in segments if one[0] == _DYNAMIC_SEGMENT]
    if not dynamic:
        return []
    entries: list[tuple[int, int]] = []
    for offset in range(dynamic[0][2], dynamic[0][2] + dynamic[0][5], 16):
        tag, value = struct.unpack_from("<qQ", data, offset)
        if tag == 0:
            break
        entries.append((tag, value))
    strings = dict(entries)[_STRINGS]
    loads = [one for one in segments if one[0] == _LOAD]
    base = max((one for one in loads if one[3] <= strings), key=lambda one: one[3])
    places = [strings - base[3] + base[2] + value for tag, value in entries if tag == _NEEDED]
    return [data[place : data.index(b"\0", place)].decode() for place in places]


def find_libraries(path: Path) -> dict[str, Path]:
    """Return the files of the libraries that a shared library needs, as `ldd` finds them here.

    Args:
        path: the shared library.

    Returns:
        Paths of the files by the libraries' names; empty if `ldd` fails.
    """
    try:
        done = subprocess.run(
            ["ldd", str(path)], capture_output=True, text=True, errors="replace", timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found = re.findall(r"^\s+(\S+) => (/\S+) \(", done.stdout, re.MULTILINE)
    return {name: Path(place) for name, place in found}
