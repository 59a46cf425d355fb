"""Runs an engine as a child process, and kills it when the manager's process is gone.

    python -I -S guard.py FD PROGRAM ARGUMENT…

The engine uses this process's standard streams. FD is the reading end of a pipe that the manager
holds open. Once the manager is gone for any reason, all processes of this group are killed. The
script imports nothing of Goishi and little of Python, so that it starts at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

NOT_STARTED = 127


def main(arguments: list[str]) -> int:
    """Run the engine until it ends.

    Args:
        arguments: the pipe's descriptor, the program and its arguments.

    Returns:
        The engine's exit code; 128 plus the number of the signal that ended it; `NOT_STARTED` if it
        cannot be started.
    """
    lifeline = int(arguments[0])
    os.set_inheritable(lifeline, False)
    try:
        child = os.posix_spawnp(arguments[1], arguments[1:], os.environ)
    except OSError as error:
        sys.stderr.write(f"{arguments[1]}: {error.strerror}\n")
        return NOT_STARTED
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # from now on only the engine uses them
        os.dup2(nowhere, stream)
    threading.Thread(target=_watch, args=(lifeline,), daemon=True).start()
    _, status = os.waitpid(child, 0)
    # The engine may end before the manager and leave child processes: a copy watches on.
    if os.fork() == 0:
        _watch(lifeline)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _watch(lifeline: int) -> None:
    """Wait until the manager is gone, then kill all processes of this group.

    Args:
        lifeline: descriptor of the pipe that the manager holds open.
    """
    os.read(lifeline, 1)
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))
