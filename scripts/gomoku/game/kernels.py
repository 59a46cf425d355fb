"""Background compilation of the kernels at the first start on a machine."""

from __future__ import annotations

from ai.messages import CompileDone, CompileKernels
from sim import Script

TEXT = "preparing fast kernels (first start only)"


async def compile_kernels(script: Script) -> CompileDone:
    """Compile the kernels in a process, with a status line; return the result.

    Args:
        script: owner of the process, which is ended with it.
    """
    link = script.workers.open("compiler", "ai.workers.compiler:main", {}, owner=script.slot)
    pending = link.request(CompileKernels())
    script.status.set("kernels", TEXT, busy=True)
    pending.on_progress = lambda done: script.status.set(
        "kernels", f"{TEXT}: {done.step} of {done.steps}", busy=True
    )
    done: CompileDone = await script.background(pending)
    link.close()
    script.status.clear("kernels")
    return done
