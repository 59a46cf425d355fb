"""Start of Python processes that take no module from the folder in which they are started.

By `python -c` and `python -m`, Python looks for modules in the current folder first. A file
`pickle.py` in a downloaded folder would then run in each process that is started there. The option
`SAFE` prevents it. Where a library writes the command line, `safe_start` does the same.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Final

SAFE: Final = "-P"
"""Option of Python: the current folder is not searched for modules."""
VARIABLE: Final = "PYTHONSAFEPATH"
"""Environment variable with the same effect as `SAFE`."""
OURS: Final = "goishi"
"""Value of the variable where `safe_start` has set it, and not the user."""
_lock = threading.RLock()


@contextlib.contextmanager
def safe_start() -> Iterator[None]:
    """Context manager: Python processes started in its block ignore the current folder's modules.

    It is for `multiprocessing` and joblib, which write the command line themselves. Their processes
    call `started_safely`, so that programs that these start are started as usual.
    """
    with _lock:
        is_set = bool(os.environ.get(VARIABLE))
        if not is_set:
            os.environ[VARIABLE] = OURS
        try:
            yield
        finally:
            if not is_set:
                os.environ.pop(VARIABLE, None)


def usual_environment() -> dict[str, str]:
    """Return the environment for a program that needs its own folder on the path.

    It is the present one, without what `safe_start` sets while another thread is in its block.
    """
    found = dict(os.environ)
    if found.get(VARIABLE) == OURS:
        del found[VARIABLE]
    return found


def started_safely() -> None:
    """Take back in a started process what `safe_start` has set for its start."""
    if os.environ.get(VARIABLE) == OURS:
        del os.environ[VARIABLE]
