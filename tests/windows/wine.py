"""Programs for Windows, run by Wine: a prefix of their own, and streams that are pipes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

QUIET: Final = {
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "winedbg.exe=;mscoree=;mshtml=",  # no dialog of a crash, no download
}
SETTINGS: Final = ("XDG_", "GOISHI_", "PYTHON", "WIN_PD_")
"""Variables with these beginnings are Linux' own: none of them is handed on."""
ENDED: Final = "(ended: it took too long)"


@dataclass(frozen=True)
class Finished:
    """What a program did: its exit code, None if its time was up, and what it wrote."""

    code: int | None
    text: str


@dataclass(frozen=True)
class Wine:
    """Runs a Windows Python.

    Attributes:
        python: path of its `python.exe`.
        prefix: folder of the Windows that Wine shows; made when it is missing.
        variables: environment variables for all programs.
    """

    python: Path
    prefix: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def user(self) -> Path:
        """The folder of the user's files in that Windows."""
        return self.prefix / "drive_c" / "users" / os.environ.get("USER", "root")

    def environment(self) -> dict[str, str]:
        """Return the environment of a program."""
        own = {name: text for name, text in os.environ.items() if not name.startswith(SETTINGS)}
        return {**own, **QUIET, "WINEPREFIX": str(self.prefix), **self.variables}

    def start(
        self, words: Sequence[str], where: Path, *, program: Path | None = None
    ) -> subprocess.Popen[str]:
        """Start the Windows Python; Wine gives Python pipes, but neither files nor /dev/null.

        Args:
            words: its words.
            where: its current folder, on this machine.
            program: another program that is started instead, a `.exe` or a `.bat` file.
        """
        shell = ["cmd", "/c"] if program is not None and program.suffix == ".bat" else []
        name = str(self.python) if program is None else windows_path(program)
        return subprocess.Popen(
            ["wine", *shell, name, *words],
            cwd=where,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )

    def run(
        self,
        words: Sequence[str],
        where: Path,
        seconds: float,
        *,
        typed: str = "",
        told: Callable[[str], None] | None = None,
        program: Path | None = None,
    ) -> Finished:
        """Run the Windows Python to its end.

        Args:
            words: its words.
            where: its current folder, on this machine.
            seconds: the longest time; then everything in the prefix is ended.
            typed: what it reads.
            told: is called with each line that it writes.
            program: another program that is run instead.
        """
        process = self.start(words, where, program=program)
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            self.end_all(process)

        timer = threading.Timer(seconds, end)
        timer.start()
        lines: list[str] = []
        try:
            with process:
                assert process.stdin is not None
                assert process.stdout is not None
                with contextlib.suppress(OSError):
                    process.stdin.write(typed)
                    process.stdin.close()
                for line in process.stdout:
                    lines.append(line)
                    if told is not None:
                        told(line)
                code = process.wait()
        finally:
            timer.cancel()
        text = "".join(lines)
        return Finished(None, f"{text}{ENDED}\n") if is_late.is_set() else Finished(code, text)

    def end_all(self, process: subprocess.Popen[str] | None = None, *, wait: bool = False) -> None:
        """End all programs of the prefix.

        Args:
            process: one that was started, ended with what it started.
            wait: whether to let them end by themselves, for up to five minutes.
        """
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                ["wineserver", "-w" if wait else "-k"],
                env=self.environment(),
                timeout=300 if wait else 20,
                capture_output=True,
            )
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def on(self, display: str) -> Wine:
        """Return the same with an X display, which Wine needs for any OpenGL."""
        return replace(self, variables={**self.variables, "DISPLAY": display})

    def make_prefix(self) -> None:
        """Make the prefix, unless it is whole.

        Raises:
            RuntimeError: it could not be made.
        """
        mark = self.prefix / "whole.txt"
        if mark.exists():
            return
        shutil.rmtree(self.prefix, ignore_errors=True)
        self.prefix.parent.mkdir(parents=True, exist_ok=True)
        done = self.run(["-c", "print('ready')"], self.prefix.parent, 600.0)
        if "ready" not in done.text:
            raise RuntimeError(f"expected a Windows Python that runs, found: {done.text[-600:]}")
        self.end_all(wait=True)
        mark.write_text("made to its end\n")


def windows_path(path: Path) -> str:
    r"""Return how Windows names a file of this machine: `Z:\...`."""
    return "Z:" + str(path.absolute()).replace("/", "\\")
