"""Messages about kernels: to the process that compiles them, and to workers that use them.

Kernels are the time-critical functions that exist in a compiled and a Python version.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompileKernels:
    """Compile the next module of kernels into the cache.

    It is answered with `CompileProgress`, or with `CompileDone` when all are compiled.
    """

    first: tuple[str, ...] = ()
    """Whose kernels are compiled first: names of players, or "evaluation", the first most urgent.

    The kernels of others follow when these have theirs.
    """
    project: str | None = None
    """Folder of a project whose players may be among them; None for none."""


@dataclass(frozen=True, slots=True)
class CompileProgress:
    """One more module of kernels is compiled, and there are more."""

    step: int
    steps: int
    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class CompileDone:
    """The compilation has ended; players created from now on use the compiled kernels."""

    compiled: bool
    """False if this machine cannot compile; the Python version remains in use."""
    seconds: float
    reason: str = ""
    """Why the compilation failed, else ""."""


@dataclass(frozen=True, slots=True)
class AskKernels:
    """Ask a player's worker how its kernels run; answered with `KernelState`."""


@dataclass(frozen=True, slots=True)
class KernelState:
    """How the kernels of a player's worker run."""

    is_provisional: bool
    """Whether the Python version runs, only because the kernels were not compiled in time."""
    is_ready: bool
    """Whether the kernels are compiled by now: a restarted worker would run them."""
