"""Messages between the application and the process that compiles kernels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompileKernels:
    """Compile the kernels into the cache; answered with `CompileProgress`, then `CompileDone`."""


@dataclass(frozen=True, slots=True)
class CompileProgress:
    """One more group of kernels was compiled."""

    step: int
    steps: int
    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class CompileDone:
    """All kernels are compiled: players started from now on run compiled."""

    compiled: bool
    """False if this machine cannot compile; the Python twin remains in use."""
    seconds: float
    reason: str = ""
    """Why the compilation failed, else ""."""
