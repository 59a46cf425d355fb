"""Builds C hosts for exported libraries and runs them with nothing of ours around them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COMPILER = shutil.which("gcc") or shutil.which("cc")

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler: install gcc")


def build_host(source: str, target: Path, *words: str) -> Path:
    """Compile a host; every warning is an error."""
    command = [
        str(COMPILER),
        "-std=gnu11",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        str(HERE / source),
    ]
    command += ["-o", str(target), *words, "-ldl", "-lpthread"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return target


def link_words(folder: Path, name: str) -> tuple[str, ...]:
    return (f"-I{folder}", f"-L{folder}", f"-l{name}", f"-Wl,-rpath,{folder}")


def run_host(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a host in an empty environment, away from the sources."""
    return subprocess.run(
        list(words), capture_output=True, text=True, encoding="utf-8", env=environment, cwd="/",
        timeout=120,
    )  # fmt: skip


def copy_by_links(source: Path, target: Path) -> Path:
    """Copy a folder without its bytes, where the file system can."""

    def link(one: str, other: str) -> None:
        try:
            os.link(one, other)
        except OSError:
            shutil.copy2(one, other)

    shutil.copytree(source, target, copy_function=link)
    return target
