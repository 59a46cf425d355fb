"""Makes what a release hands out: `python -m docs.release [--out dist] [--tag TAG] [--notes FILE]`.

The folder gets the wheel, the sdist, a bill of materials in CycloneDX's form and SHA256SUMS. The
wheel is built from the sdist, and must equal the one that is built from the clone. It is installed
into a fresh environment, where its command and an environment of it must run. The bill of materials
lists the packages of that environment with their licences. The notes are the version's part of
CHANGELOG.md. Exit code 1, a line each, where the version is not told alike everywhere, also by the
tag, or something is not as it should be (docs/releasing.md).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
DEFAULT_OUT: Final = ROOT / "dist"
SUMS: Final = "SHA256SUMS"
MOST_BYTES: Final = 45_000_000
"""Maximum size of a wheel."""
UNSTATED: Final = {"namex": "Apache-2.0", "ufbx": "MIT"}
"""Licences of packages whose metadata state none, as their own files say them."""
STATED: Final = (
    "import importlib.metadata as m, json; print(json.dumps("
    "{d.metadata['Name']: (d.metadata.get('License') or '').split(chr(10))[0]"
    " for d in m.distributions()}))"
)
STEP: Final = (
    "import goishi; env = goishi.make('goishi/CartPole-v0'); env.reset(seed=1);"
    "print(env.step(1)[1])"
)


def main(arguments: Sequence[str]) -> int:
    """Make everything and print sizes and seconds; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m docs.release", description=__doc__)
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="the folder [dist]")
    parser.add_argument(
        "--environment", type=Path, metavar="PYTHON", help="list the packages of this Python's "
        "environment, and install nothing",
    )  # fmt: skip
    parser.add_argument("--tag", default="", help="the tag that the version must have")
    parser.add_argument("--notes", type=Path, metavar="FILE", help="write what is new to this file")
    given = parser.parse_args(arguments)
    begun = time.perf_counter()
    if faults := tag_faults(ROOT, given.tag):
        sys.stdout.write("\n".join(faults) + "\n")
        return 1
    if given.notes is not None:
        given.notes.write_text(notes(ROOT), encoding="utf-8")
    faults = release(given.out.absolute(), given.environment)
    for path in sorted(given.out.iterdir()):
        sys.stdout.write(f"{path.stat().st_size:>12,}  {path.name}\n")
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    sys.stdout.write(f"made in {time.perf_counter() - begun:.0f} s\n")
    return 1 if faults else 0


def release(out: Path, environment: Path | None = None) -> list[str]:
    """Make everything in a folder, and return what is wrong.

    Args:
        out: the folder; earlier files of a release in it are removed.
        environment: a Python whose environment is listed; None for a fresh one.

    Raises:
        CalledProcessError: a program failed; it has said why.
        ValueError: the folder holds something else.
    """
    clear(out)
    with tempfile.TemporaryDirectory(prefix="goishi-release-") as folder:
        wheel, direct = build(out, Path(folder))
        faults = [*version_faults(ROOT), *differences(wheel, direct)]
        if wheel.stat().st_size > MOST_BYTES:
            faults.append(f"{wheel.name}: expected at most {MOST_BYTES:,} bytes")
        python = environment or installed(wheel, Path(folder) / "environment")
        bill = bill_of_materials(python, out / f"goishi-{version(ROOT)}.cdx.json")
    faults += [f"{name}: expected a licence, found none" for name in without_licence(bill)]
    write_sums(out)
    return faults


def clear(out: Path) -> None:
    """Make a folder, or remove an earlier release from it.

    Raises:
        ValueError: it holds something else.
    """
    out.mkdir(parents=True, exist_ok=True)
    for path in out.iterdir():
        if not path.name.startswith("goishi-") and path.name != SUMS:
            raise ValueError(f"{out}: expected a new folder or an earlier release, found {path}")
    for path in out.iterdir():
        path.unlink()


# -- version ------------------------------------------------------------------------------------


def version(root: Path) -> str:
    """Return the version that pyproject.toml tells."""
    return str(tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def version_faults(root: Path) -> list[str]:
    """Return where the version and its day are not told as in pyproject.toml.

    Args:
        root: folder of the clone.
    """
    wanted = version(root)
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    heads = re.findall(r"^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$", changes, re.MULTILINE)
    days = {name: day for name, day in heads if name == wanted and day}
    faults = []
    if wanted not in days:
        faults.append(f"CHANGELOG.md: expected a heading '## [{wanted}] - DAY', found none")
    if [name for name, _ in heads][:1] != ["Unreleased"]:
        faults.append("CHANGELOG.md: expected '## [Unreleased]' above all versions")
    citation = (root / "CITATION.cff").read_text("utf-8")
    expected = {"version": wanted, "date-released": days.get(wanted, "")}
    for key, value in expected.items():
        found = re.search(rf"^{key}: (\S+)$", citation, re.MULTILINE)
        if value and (found is None or found[1] != value):
            told = "none" if found is None else found[1]
            faults.append(f"CITATION.cff: {key}: expected {value}, found {told}")
    return faults


def tag_faults(root: Path, tag: str) -> list[str]:
    """Return a line where a tag is that of another version.

    Args:
        root: folder of the clone.
        tag: the tag; "" for none.
    """
    wanted = f"v{version(root)}"
    return [] if tag in ("", wanted) else [f"--tag: expected {wanted}, found {tag}"]


def notes(root: Path) -> str:
    """Return what CHANGELOG.md tells of the version, without its heading.

    Args:
        root: folder of the clone.
    """
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    heading = re.escape(f"## [{version(root)}]")
    found = re.search(rf"^{heading}[^\n]*\n(.*?)(?=^## \[|\Z)", changes, re.MULTILINE | re.DOTALL)
    return f"{found[1].strip()}\n" if found else ""


# -- wheel and sdist ----------------------------------------------------------------------------


def build(out: Path, spare: Path) -> tuple[Path, Path]:
    """Build the sdist and from it the wheel, and a second wheel from the clone itself.

    Args:
        out: folder of the sdist and its wheel.
        spare: folder of the second wheel.

    Returns:
        Paths of both wheels.
    """
    words = [sys.executable, "-m", "build", "--no-isolation", str(ROOT), "--outdir"]
    run(*words, str(out))
    run(*words, str(spare), "--wheel")
    return next(out.glob("*.whl")), next(spare.glob("*.whl"))


def differences(wheel: Path, other: Path) -> list[str]:
    """Return a line for each file that two wheels do not have alike.

    Args:
        wheel: the first wheel.
        other: the second one.
    """
    first, second = (_contents(path) for path in (wheel, other))
    names = sorted(
        name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
    )
    return [f"{name}: expected the same from the sdist and from the clone" for name in names]


def _contents(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        return {item.filename: item.CRC for item in archive.infolist()}


def installed(wheel: Path, folder: Path) -> Path:
    """Install a wheel with what it needs into a fresh environment, and try it there.

    Args:
        wheel: the wheel.
        folder: the environment, which is made.

    Returns:
        The environment's Python.
    """
    run(sys.executable, "-m", "venv", str(folder))
    inside = folder / ("Scripts" if os.name == "nt" else "bin")
    python = inside / ("python.exe" if os.name == "nt" else "python")
    begun = time.perf_counter()
    if (uv := shutil.which("uv")) is not None:
        run(uv, "pip", "install", "--quiet", "--python", str(python), str(wheel))
    else:
        run(str(python), "-m", "pip", "install", "--quiet", str(wheel))
    sys.stdout.write(f"installed in {time.perf_counter() - begun:.0f} s\n")
    with tempfile.TemporaryDirectory() as home:
        run(str(inside / "goishi"), "--version", home=home)
        run(str(python), "-c", STEP, home=home)
    return python


def run(*words: str, home: str = "") -> str:
    """Run a program, show what it writes if it fails, and return what it writes.

    Args:
        words: the program and its arguments.
        home: its working folder and home folder; "" for those of this process.

    Raises:
        CalledProcessError: its exit code is not 0.
    """
    environment = {**os.environ, "HOME": home, "USERPROFILE": home} if home else None
    done = subprocess.run(
        words, cwd=home or None, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.stderr.write(f"{done.stdout}{done.stderr}\n")
        done.check_returncode()
    return done.stdout


# -- bill of materials and checksums ------------------------------------------------------------


def bill_of_materials(python: Path, path: Path) -> Mapping[str, Any]:
    """Write which packages an environment holds, in CycloneDX's form, and return it.

    Args:
        python: the environment's Python.
        path: the file.
    """
    run(
        sys.executable, "-m", "cyclonedx_py", "environment", "--pyproject",
        str(ROOT / "pyproject.toml"), "--output-reproducible", "--output-format", "JSON",
        "--output-file", str(path), str(python),
    )  # fmt: skip
    bill: dict[str, Any] = json.loads(path.read_text("utf-8"))
    stated = {**json.loads(run(str(python), "-c", STATED)), **UNSTATED}
    for item in bill["components"]:
        if not item.get("licenses") and stated.get(item["name"]):
            item["licenses"] = [{"license": {"name": stated[item["name"]]}}]
    path.write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")
    return bill


def without_licence(bill: Mapping[str, Any]) -> list[str]:
    """Return the names of packages of a bill of materials that have no licence."""
    return sorted(item["name"] for item in bill["components"] if not item.get("licenses"))


def write_sums(out: Path) -> None:
    """Write the checksum of each file of a folder, as `sha256sum --check` reads them."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(out.iterdir())
        if path.name != SUMS
    ]
    (out / SUMS).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
