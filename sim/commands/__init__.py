"""The commands of `python main.py`; importable before any package is installed."""

from __future__ import annotations

from sim.commands.cli.entry import main

__all__ = ["main"]
