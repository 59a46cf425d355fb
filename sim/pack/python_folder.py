"""Makes the Python of a packed game, for Linux from this machine's, for Windows from wheels.

A folder for Linux holds the Python that runs here, with the libraries that a plain system lacks. A
folder for Windows can be made on every system. Python's library and its extension modules lie in
the Windows wheel of panda3d, which brings them for this purpose. The standard library is this
machine's. The wheels of the packages are downloaded by pip, in the versions installed here.
"""

from __future__ import annotations

import importlib.metadata
import py_compile
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from base.errors import GoishiError
from base.worker.starting import SAFE
from sim.export.runtime import (
    VERSION,
    Needs,
    PythonFolder,
    compile_all,
    is_wanted,
    needed_libraries,
    with_requirements,
)
from sim.pack.build import launcher_of
from sim.pack.forwarding_dll import exported_names, forwarding_dll

GIVEN: Final = re.compile(
    r"(ld-linux|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|nsl|anl)\.so"
    r"|lib(GL|EGL|GLX|GLdispatch|OpenGL|gbm|drm|cuda|nv|X|xcb|ICE|SM|wayland)|libpython3)"
)
"""Libraries that every Linux with a window has, or that come with its graphics driver."""
SHARED: Final = re.compile(
    r"lib(stdc\+\+|gcc_s|z|zstd|expat|elf|ffi|lzma|tinfo|xml2|bsd|md|edit)\.so"
)
"""Libraries that graphics drivers load, too: the system's own comes first."""
LIST: Final = "libraries.txt"
UNUSED: Final = re.compile(
    r"(deploy_libs|panda3d_tools|pandac|direct)/"
    r"|panda3d/(models/|(lib)?(p3assimp|p3vrpn|p3vision|p3ptloader|p3tinydisplay|pandaode|pandaai"
    r"|pandafx|pandaskel)\b|(ai|fx|ode|skel|vision|vrpn|_rplight)\.)"
    r"|cv2/(qt/fonts|data|samples)/|numpy/(f2py|distutils|random/lib|_core/lib)/"
    r"|.*\.(pdb|lib|exe)$"
)
"""Files of packages that a game never loads: other engines, editors, examples, compilers."""
WHEELS: Final = ("--platform", "win_amd64", "--python-version", VERSION, "--implementation", "cp",
                 "--only-binary=:all:", "--no-deps")  # fmt: skip
RUNTIME: Final = "msvc-runtime"
"""Microsoft's C++ runtime, which wheels for Windows expect on the machine."""
_LOADER: Final = re.compile(r"load-file-type\s.*(p3assimp|p3ptloader)")
_GLIBC: Final = re.compile(rb"GLIBC_2\.(\d+)")
_NOT_COPIED: Final = (
    "test", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "lib-dynload",
    "site-packages", "dist-packages", "__pycache__", "config-*", "_sysconfigdata*",
)  # fmt: skip
_WINDOWS_UNUSED: Final = re.compile(r"_test|_tkinter|_?xx|tcl|tk8|api-ms")


class PackError(GoishiError):
    """A game cannot be packed on this machine; the message says what is missing."""


def is_left_out(path: PurePosixPath) -> bool:
    """Whether a file of a package is not packed, by its path relative to `site-packages`.

    >>> is_left_out(PurePosixPath("panda3d/libp3assimp.so"))
    True
    >>> is_left_out(PurePosixPath("panda3d/core.cpython-311-x86_64-linux-gnu.so"))
    False
    """
    return UNUSED.match(path.as_posix()) is not None


def make_linux(home: Path, needs: Needs) -> dict[str, str]:
    """Make a Python folder for Linux from the Python that runs here.

    Args:
        home: the folder to make.
        needs: the packages that the game needs.

    Returns:
        The version of each copied distribution by name.

    Raises:
        GoishiError: this Python has no shared library.
    """
    folder = PythonFolder(home, is_left_out, lambda name: GIVEN.match(name) is not None)
    library, versions = folder.copy_python(needs)
    drop_loaders(folder.packages)
    compile_all(folder.standard, home, py_compile.PycInvalidationMode.UNCHECKED_HASH)
    brought = [PurePosixPath(name).name for name in folder.copy_native_libraries()]
    lines = [f"?{name}" if SHARED.match(name) else name for name in brought]
    list_file = folder.library_folder / LIST
    list_file.write_text("\n".join([*lines, library]) + "\n", encoding="utf-8")
    place_launcher("linux", home / "bin" / "python3")
    return versions


def drop_loaders(site: Path) -> None:
    """Let Panda3D not look for the readers of models that are left out; Goishi has its own.

    Args:
        site: the folder `site-packages`.
    """
    for path in (site / "panda3d" / "etc").glob("*.prc"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not _LOADER.match(line)), "utf-8")


def place_launcher(target: str, path: Path) -> None:
    """Copy the shipped launcher of a system, executable, to a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(launcher_of(target), path)
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def oldest_glibc(folder: Path) -> str:
    """Return the oldest glibc with which the libraries below a folder load, such as "2.34"."""
    newest = 0
    for path in folder.rglob("*"):
        if path.is_file() and ".so" in path.name and needed_libraries(path):
            found = [int(number) for number in _GLIBC.findall(path.read_bytes())]
            newest = max(newest, *found, 0)
    return f"2.{newest}"


def make_windows(home: Path, needs: Needs) -> dict[str, str]:
    """Make a Python folder for Windows (x86-64).

    Args:
        home: the folder to make.
        needs: the packages that the game needs.

    Returns:
        The version of each distribution by name.

    Raises:
        PackError: a wheel cannot be downloaded, or has no Python in it.
    """
    site = home / "Lib" / "site-packages"
    site.mkdir(parents=True)
    wanted = dict(_wanted(needs))
    with tempfile.TemporaryDirectory(prefix="goishi-wheels-") as wheels:
        lines = [f"{name}=={version}" for name, version in wanted.items()]
        files = download([*lines, RUNTIME], Path(wheels))
        taken: set[str] = set()
        for file in files:
            _unpack(file, home, site, needs, taken)
    _copy_standard_library(home / "Lib")
    libraries = [path for path in home.glob("python3*.dll") if path.name != "python3.dll"]
    if [path.name for path in libraries] != [f"python{VERSION.replace('.', '')}.dll"]:
        raise PackError(f"expected Python {VERSION} in panda3d's wheel for Windows, found none")
    if not (home / "python3.dll").exists():
        names = exported_names(libraries[0].read_bytes())
        dll = forwarding_dll("python3.dll", libraries[0].name, names)
        (home / "python3.dll").write_bytes(dll)
    drop_loaders(site)
    compile_all(home / "Lib", home, py_compile.PycInvalidationMode.UNCHECKED_HASH)
    place_launcher("windows", home / "python.exe")
    return dict(sorted(wanted.items()))


def _wanted(needs: Needs) -> Iterator[tuple[str, str]]:
    """Yield the distributions of the needed packages, and what they require, with versions."""
    tops = importlib.metadata.packages_distributions()
    for distribution in with_requirements(needs.packages, tops):
        yield distribution.name, distribution.version


def download(requirements: Sequence[str], folder: Path) -> list[Path]:
    """Download wheels for Windows by pip.

    Args:
        requirements: what to download, as in a requirements file.
        folder: folder to write to.

    Returns:
        The wheels' files.

    Raises:
        PackError: pip is missing, or a wheel is not to be had.
    """
    words = [sys.executable, SAFE, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
    done = subprocess.run([*words, *WHEELS, "-d", str(folder), *requirements], check=False,
                          capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)  # fmt: skip
    if done.returncode:
        raise PackError(download_fault(done.stderr))
    return sorted(folder.glob("*.whl"))


def download_fault(said: str) -> str:
    """Return in one line why pip could not download.

    Args:
        said: what pip has written.

    >>> download_fault("ERROR: No matching distribution found for pyrr==9.9")
    'expected a wheel for Windows, found: No matching distribution found for pyrr==9.9'
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if "No module named pip" in said:
        return "expected pip beside this Python, found none: python -m ensurepip"
    if re.search(r"NewConnectionError|Name or service not known|ConnectTimeout|getaddrinfo", said):
        return "expected a network to download the wheels for Windows, found none"
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR:")]
    return f"expected a wheel for Windows, found: {(errors or lines or ['no answer'])[-1]:.300}"


def _unpack(wheel: Path, home: Path, site: Path, needs: Needs, taken: set[str]) -> None:
    """Unpack a wheel into `site-packages`, and Python's own files that it brings beside it.

    Args:
        wheel: the wheel.
        home: the Python folder.
        site: its `site-packages`.
        needs: says which packages of tests are needed.
        taken: paths that are written already, in lower case, as Windows compares them; extended.
    """
    with tempfile.TemporaryDirectory(prefix="goishi-wheel-") as folder:
        shutil.unpack_archive(wheel, folder, "zip")
        for file in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            target = _target_of(
                PurePosixPath(file.relative_to(folder).as_posix()), home, site, needs
            )
            if target is None or str(target).lower() in taken:
                continue
            taken.add(str(target).lower())
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(file, target)


def _target_of(path: PurePosixPath, home: Path, site: Path, needs: Needs) -> Path | None:
    """Return where a file of a wheel goes; None for nowhere.

    Args:
        path: its path in the wheel.
        home: the Python folder.
        site: its `site-packages`.
        needs: says which packages of tests are needed.
    """
    suffix = path.suffix.lower()
    if path.parts[0] == "deploy_libs":
        if suffix not in (".pyd", ".dll") or _WINDOWS_UNUSED.match(path.name):
            return None
        return home / "DLLs" / path.name if suffix == ".pyd" else home / path.name
    if path.parts[0].endswith(".data"):
        if suffix == ".dll" and path.parts[0].startswith("msvc_runtime"):
            return home / path.name
        if path.parts[1] not in ("purelib", "platlib"):
            return None
        path = PurePosixPath(*path.parts[2:])
    return site / path if is_wanted(path, needs.loaded) and not is_left_out(path) else None


def _copy_standard_library(folder: Path) -> None:
    """Copy this machine's standard library.

    One method became a class method within 3.11. So that the library of one patch release fits the
    interpreter of another, it is one in both.

    Args:
        folder: the folder `Lib`.
    """
    source = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns(*_NOT_COPIED), dirs_exist_ok=True)
    path = folder / "importlib" / "metadata" / "__init__.py"
    text = path.read_text(encoding="utf-8")
    if "@classmethod\n    def invalidate_caches(cls)" not in text:
        plain = "    def invalidate_caches(cls)"
        path.write_text(text.replace(plain, f"    @classmethod\n{plain}"), encoding="utf-8")
