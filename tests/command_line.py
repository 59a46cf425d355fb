"""Runs the command line for the tests of it: in a process of its own, or here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.commands.cli import application

ROOT = Path(__file__).resolve().parents[1]
MAIN = ROOT / "main.py"


def run_main(*words: str, python: tuple[str, ...] = (), **changes: str | None) -> tuple:
    """Run main.py in a process of its own; a change to None takes a variable away."""
    environment = {**os.environ, **{key: value for key, value in changes.items() if value}}
    for key in [key for key, value in changes.items() if value is None]:
        environment.pop(key, None)
    done = subprocess.run(
        [sys.executable, *python, str(MAIN), *words],
        capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def run_here(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command in this process."""
    code = application.run_application(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def is_one_line(text: str) -> bool:
    return text.endswith("\n") and text.count("\n") == 1 and text.startswith("goishi: ")


def install_fake_app(monkeypatch: pytest.MonkeyPatch, run: object) -> None:
    fake = type(sys)("sim.app.app")
    fake.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sim.app.app", fake)
