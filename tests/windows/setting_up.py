"""A Windows Python with Goishi's requirements that Wine runs: built once, in some minutes and 3 GB.

`python3XX.dll` and the extension modules of the standard library lie in Panda3D's wheel for Windows,
which brings them for packed games. The rest of the standard library is this machine's, so it has to
be the same Python. `python.exe` is four lines of C. pip installs the wheels for Windows. It is built
on Debian and Ubuntu; as root, missing packages of the system are installed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

from platformdirs import user_cache_dir

from tests.windows.c_runtime import GCC, add_missing, run

ROOT: Final = Path(__file__).resolve().parents[2]
REQUIREMENTS: Final = ROOT / "requirements.txt"
PACKAGES: Final = ("wine", "wine64", "mingw-w64", "mingw-w64-tools", "xvfb")
PROGRAMS: Final = ("wine", GCC, "gendef", "Xvfb")
VERSION: Final = f"{sys.version_info.major}{sys.version_info.minor}"
TARGET: Final = (
    "--platform", "win_amd64", "--python-version", VERSION, "--implementation", "cp",
    "--only-binary=:all:",
)  # fmt: skip
RUNTIME: Final = "msvc-runtime"
"""Microsoft's C++ runtime, which wheels expect on the machine."""
NOT_TRIED: Final = re.compile(
    r"(ray|ruff|mypy|hatchling|ziglang|wasmtime|build|cyclonedx-bom)\b", re.IGNORECASE
)
"""Requirements that are left out: a cluster, and tools that do not run there."""
MARK: Final = "built.txt"
"""File with the digest of what was built and the installed requirements, written last."""
PYTHON_EXE: Final = """\
#include <wchar.h>
__declspec(dllimport) int Py_Main(int count, wchar_t **words);
int wmain(int count, wchar_t **words) { return Py_Main(count, words); }
"""


def folder() -> Path:
    """Return where it is kept; the variable `GOISHI_WINDOWS` names another place."""
    named = os.environ.get("GOISHI_WINDOWS")
    return Path(named or Path(user_cache_dir("goishi"), "windows")).resolve()


def set_up(root: Path) -> Path:
    """Build the Windows Python if it is not there, and install requirements that are new.

    Args:
        root: folder for it; what an earlier version of this code built there is removed.

    Returns:
        The path of its `python.exe`.

    Raises:
        RuntimeError: a program or a package could not be had.
    """
    python, work, lines = root / "python", root / "work", wanted(REQUIREMENTS)
    made, *known = (root / MARK).read_text().splitlines() if (root / MARK).is_file() else [""]
    if made != digest():
        build(root, lines)
        known = []
    new = [line for line in lines if line not in known]
    if new:
        (root / MARK).unlink(missing_ok=True)
        say(f"{len(new)} requirements")
        (work / "requirements.txt").write_text("\n".join(new) + "\n")
        pip("install", "--upgrade", "--target", python / "Lib" / "site-packages", *TARGET, "-r",
            work / "requirements.txt")  # fmt: skip
        say("what Wine lacks")
        add_missing(python, work)
        (root / MARK).write_text("\n".join((digest(), *lines)))
    return python / "python.exe"


def build(root: Path, lines: list[str]) -> None:
    """Build the Windows Python, without packages.

    Args:
        root: folder for it.
        lines: the requirements, of which Panda3D's brings the interpreter.

    Raises:
        RuntimeError: a program or a package could not be had.
    """
    for name in ("python", "work", "prefix"):
        shutil.rmtree(root / name, ignore_errors=True)
    (root / MARK).unlink(missing_ok=True)
    python, work = root / "python", root / "work"
    work.mkdir(parents=True)
    python.mkdir()
    install_programs()
    say("the interpreter")
    place_interpreter(python, work, next(line for line in lines if line.startswith("panda3d")))
    build_executable(python, work)
    with zipfile.ZipFile(download(work, RUNTIME)) as archive:
        for name in archive.namelist():
            target = python / Path(name).name
            if name.lower().endswith(".dll") and not target.exists():
                target.write_bytes(archive.read(name))


def digest() -> str:
    """Return a digest of what the interpreter is built from: Python's version, and this code."""
    parts = [sys.version]
    parts += [path.read_text() for path in sorted(Path(__file__).parent.glob("[cs]*_*.py"))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def say(what: str) -> None:
    """Tell what is being built."""
    sys.stdout.write(f"setting up Windows: {what}\n")
    sys.stdout.flush()


def install_programs() -> None:
    """Install Wine and a compiler for Windows where they are missing and this may be done.

    Raises:
        RuntimeError: they are missing, and only root or another system can install them.
    """
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if not missing:
        return
    if shutil.which("apt-get") is None or os.getuid() != 0:
        raise RuntimeError(
            f"expected the programs {', '.join(PROGRAMS)}, found no {', '.join(missing)}: "
            f"install them first (Debian and Ubuntu: apt-get install {' '.join(PACKAGES)})"
        )
    run("apt-get", "update")
    run("apt-get", "install", "-y", "--no-install-recommends", *PACKAGES)


def wanted(requirements: Path) -> list[str]:
    """Return the lines of a requirements file without comments and what is not tried, and pip."""
    lines = (line.split("#")[0].strip() for line in requirements.read_text().splitlines())
    return [*(line for line in lines if line and not NOT_TRIED.match(line)), "pip"]


def pip(*words: object) -> None:
    """Run this Python's pip."""
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", *words)


def download(work: Path, requirement: str) -> Path:
    """Return the wheel of a requirement for Windows."""
    into = work / re.split(r"[^\w-]", requirement)[0]
    pip("download", "--no-deps", *TARGET, "-d", into, requirement)
    return next(into.glob("*.whl"))


def place_interpreter(python: Path, work: Path, panda: str) -> None:
    """Put the interpreter's library, its extension modules and the standard library in place."""
    (python / "DLLs").mkdir()
    with zipfile.ZipFile(download(work, panda)) as archive:
        for name in archive.namelist():
            path = Path(name)
            kind = path.suffix.lower()
            if "deploy_libs" not in path.parts or path.name.startswith("api-ms"):
                continue
            if kind in (".pyd", ".dll"):
                into = python / "DLLs" if kind == ".pyd" else python
                (into / path.name).write_bytes(archive.read(name))
    skipped = shutil.ignore_patterns(
        "test", "lib-dynload", "site-packages", "dist-packages", "config-*", "__pycache__"
    )
    shutil.copytree(Path(os.__file__).parent, python / "Lib", ignore=skipped)
    path = python / "Lib" / "importlib" / "metadata" / "__init__.py"
    text = path.read_text(encoding="utf-8")  # this one method differs among patch releases of 3.11
    if "@classmethod\n    def invalidate_caches(cls)" not in text:
        method = "    def invalidate_caches(cls)"
        text = text.replace(method, f"    @classmethod\n{method}")
        path.write_text(text, encoding="utf-8")


def build_executable(python: Path, work: Path) -> None:
    """Build `python.exe`, and `python3.dll`, which passes the stable interface on."""
    library = f"python{VERSION}"
    source = work / "python.c"
    source.write_text(PYTHON_EXE)
    subprocess.run(
        ["gendef", str(python / f"{library}.dll")], cwd=work, check=True, capture_output=True
    )
    definitions = work / f"{library}.def"
    run("x86_64-w64-mingw32-dlltool", "-d", definitions, "-l", work / f"lib{library}.a")
    run(GCC, "-municode", "-O2", "-static", "-o", python / "python.exe", source,
        work / f"lib{library}.a")  # fmt: skip
    names = [
        line.split()[0]
        for line in definitions.read_text().splitlines()
        if line.strip() and not line.startswith((";", "LIBRARY", "EXPORTS"))
    ]
    stable = work / "python3.def"
    lines = "".join(f"  {name}={library}.{name}\n" for name in names)
    stable.write_text(f"LIBRARY python3.dll\nEXPORTS\n{lines}")
    run(GCC, "-shared", "-nostdlib", "-o", python / "python3.dll", stable)
