"""Compiles the players' fast code while they play, those first who are waited for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ai.messages import AskKernels, CompileDone, CompileKernels, CompileProgress, KernelState
from sim import Script, WorkerError, tr

EVALUATION = "evaluation"
"""Stands for the evaluation of past games among the names of players."""
LOOK_SECONDS = 1.0  # between two looks at whether the code is there


async def compile_kernels(
    script: Script, first: Callable[[], Sequence[str]] = lambda: ()
) -> CompileDone:
    """Compile the players' fast code in a separate process, with progress in the status bar.

    Args:
        script: owner of the process, which ends with it.
        first: returns the players whose code is compiled next, the most urgent first. It is called
            before each part, so that a player who sits down meanwhile does not wait for the others.

    Returns:
        Whether the code was compiled, or the reason why not.
    """
    target, project = "ai.workers.compiler:main", str(script.run.offering)
    link = script.workers.open("compiler", target, {}, owner=script.slot, is_optional=True)
    said = ""
    try:
        while True:
            script.status.set(
                "kernels",
                tr("One-time speed-up{said}; until then players search less").format(said=said),
            )
            request = CompileKernels(tuple(first()), project)
            answer: CompileProgress | CompileDone = await script.background(link.request(request))
            if isinstance(answer, CompileDone):
                return answer
            said = tr(", {step} of {steps}").format(step=answer.step, steps=answer.steps)
    except WorkerError as error:
        return CompileDone(compiled=False, seconds=0.0, reason=str(error))
    finally:
        link.close()
        script.status.clear("kernels")


async def is_code_ready(script: Script, link: Any) -> bool:
    """Return whether a worker runs its fast code, or would run it if it were restarted.

    Args:
        script: owner of the worker.
        link: connection to a player's worker.

    Raises:
        WorkerError: the worker failed.
    """
    state: KernelState = await script.background(link.request(AskKernels()))
    return state.is_ready or not state.is_provisional


async def until_compiled(script: Script, link: Any) -> None:
    """Wait until a worker runs its fast code, or would run it if it were restarted.

    Args:
        script: owner of the worker.
        link: connection to a player's worker that runs provisionally.

    Raises:
        WorkerError: the worker failed.
    """
    while not await is_code_ready(script, link):
        looked = script.run.elapsed
        await script.until(lambda looked=looked: script.run.elapsed - looked >= LOOK_SECONDS)
