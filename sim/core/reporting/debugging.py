"""Lets a debugger attach on request: from this machine, to scripts in this process."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Final

from base.errors import GoishiError
from base.program import INSTALL
from sim.core.reporting.console import Console

HOST: Final = "127.0.0.1"


class DebuggerError(GoishiError):
    """No debugger can attach; the message says why."""


def listen_for_debugger(port: int, console: Console, *, wait: bool = False) -> None:
    """Listen for a debugger.

    Scripts are slower from then on. The watchdog interrupts nothing while a debugger is attached.

    Args:
        port: port on this machine.
        console: receives a line with the address.
        wait: whether to block until a debugger has attached.

    Raises:
        DebuggerError: the port is in use, or debugpy is not installed.
    """
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # it would warn of frozen modules
    try:
        debugpy = import_module("debugpy")
    except ImportError as error:
        raise DebuggerError(
            f"--debug: expected the package debugpy, found none; run: {INSTALL}"
        ) from error
    debugpy.configure(subProcess=False)  # the workers import TensorFlow: not under a tracer
    try:
        debugpy.listen((HOST, port))
    except (RuntimeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise DebuggerError(
            f"--debug-port: expected a free port, found {port} taken: {reason}"
        ) from error
    console.info(f"debugger: {HOST}:{port}" + (", waiting" if wait else ", attach at any time"))
    if sys._xoptions.get("frozen_modules") != "off":
        console.info("debugger: python -Xfrozen_modules=off main.py … also stops in Python's own")
    if wait:
        debugpy.wait_for_client()
        console.info("debugger: attached")
