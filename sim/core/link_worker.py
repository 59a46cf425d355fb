"""The first thing that runs in a worker process: light, so that it starts fast."""

from __future__ import annotations

import importlib
import os
import signal
from typing import Any


def run_worker(connection: Any, target: str, settings: dict[str, Any]) -> None:
    """Call `module:function` with the pipe and the settings.

    Ctrl+C is the parent's to handle. `settings["environment"]` is set before any import.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(settings.get("environment", {}))
    module_name, _, function_name = target.partition(":")
    function = getattr(importlib.import_module(module_name), function_name)
    try:
        function(connection, settings)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent has gone
