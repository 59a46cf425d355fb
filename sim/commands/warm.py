"""`warm`: compiles and caches what the first start needs, ahead of time."""

from __future__ import annotations

import sys
import time
from importlib import import_module

from ai.kernels.cache import cache_directory, compile_all, is_compiled
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.preflight import PreflightError, require_libraries
from sim.core.project.run_options import RunOptions


def warm() -> int:
    """Compile kernels and make textures ahead of time.

    They are stored in your cache folder, where the next start finds them.
    """
    _warm_kernels()
    return _warm_textures()


def _warm_kernels() -> None:
    if is_compiled():
        echo(f"kernels: compiled already, in {cache_directory()}")
        return
    seconds = compile_all(_report)
    echo(f"kernels: compiled in {seconds:.1f} s, in {cache_directory()}")


def _report(step: int, steps: int, name: str, seconds: float) -> None:
    sys.stderr.write(f"kernels: {step} of {steps}, {name}, {seconds:.1f} s\n")


def _warm_textures() -> int:
    """Draw the default scene once, offscreen and without its scripts, to create its textures.

    Returns:
        The exit code.
    """
    try:
        require_libraries()
    except PreflightError as error:
        echo(f"textures: not needed here, nothing can be drawn ({error})")
        return SUCCESS
    start = time.perf_counter()
    options = RunOptions(headless=True, seconds=0.001, safe=True, panels=False, quality="low")
    code = int(import_module("sim.app.app").run(options))
    if code == SUCCESS:
        echo(f"textures: ready, in {time.perf_counter() - start:.1f} s")
    return code
