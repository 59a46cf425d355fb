"""Messages between the application and the process that compiles kernels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompileKernels:
    """Compile all kernels into the cache; answered with `CompileProgress`, then `CompileDone`.

    Kernels are the time-critical functions that exist in a compiled and a Python version.
    """


@dataclass(frozen=True, slots=True)
class CompileProgress:
    """One more group of kernels was compiled."""

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
