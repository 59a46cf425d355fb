"""Watches folders for saved files."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable
from pathlib import Path

DEBOUNCE, STEP = 50, 20  # milliseconds


class FileWatch:
    """Watches folders recursively, in a thread of its own.

    Args:
        name: of the thread.
        suffixes: suffixes of the files to report, such as ".py".
    """

    def __init__(self, name: str, suffixes: Iterable[str]) -> None:
        self._name = name
        self._suffixes = tuple(suffixes)
        self._saved: queue.SimpleQueue[Path] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._fault = ""

    def start(self, folders: Iterable[Path]) -> None:
        """Start watching those of the folders that exist."""
        found = [folder for folder in folders if folder.is_dir()]
        if found:
            self._thread = threading.Thread(
                target=self._watch, args=(found,), name=self._name, daemon=True
            )
            self._thread.start()

    def saved(self) -> list[Path]:
        """Return the files saved since the last call, each once."""
        if self._saved.empty():  # in nearly every frame
            return []
        paths: dict[Path, None] = {}
        while True:
            try:
                paths[self._saved.get_nowait()] = None
            except queue.Empty:
                return list(paths)

    def take_fault(self) -> str:
        """Return, once, why watching failed; empty while it works."""
        fault, self._fault = self._fault, ""
        return fault

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=2.0)

    def _watch(self, folders: list[Path]) -> None:
        try:
            from watchfiles import watch

            for changes in watch(*folders, stop_event=self._stop, debounce=DEBOUNCE, step=STEP):
                for _, name in changes:
                    if name.lower().endswith(self._suffixes):
                        self._saved.put(Path(name))
        except Exception as error:  # the system watches no more, such as where a limit is reached
            self._fault = f"{type(error).__name__}: {error}"
