"""The first thing that runs in a worker process: light, so that it starts fast."""

from __future__ import annotations

import importlib
import os
import signal
from typing import Any

GOODBYE = ("goodbye",)


class StartFailure(str):
    """Why a process could not be started, or cannot do its work; also a message from it."""

    __slots__ = ()


class WorkerPipe:
    """The worker's end of its pipe: a goodbye is its end, as the parent's death is."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def recv(self) -> Any:
        """Wait for the next message.

        Raises:
            EOFError: there is none to come.
        """
        message = self._connection.recv()
        if isinstance(message[2], tuple) and message[2] == GOODBYE:
            raise EOFError
        return message

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def run_worker(connection: Any, target: str, settings: dict[str, Any]) -> None:
    """Call `module:function` with the pipe and the settings.

    Ctrl+C is the parent's to handle. `settings["environment"]` is set before any import.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(settings.get("environment", {}))
    module_name, _, function_name = target.partition(":")
    try:
        function = getattr(importlib.import_module(module_name), function_name)
    except Exception as error:  # whatever the module's top does
        hint = ""
        if module_name.partition(".")[0] == "scripts" and isinstance(error, ModuleNotFoundError):
            hint = "; a project's scripts run in workers as @job functions"
        text = f"expected {target} to be importable, found {type(error).__name__}: {error}{hint}"
        connection.send((0, True, StartFailure(text)))
        return
    try:
        function(WorkerPipe(connection), settings)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent has gone
