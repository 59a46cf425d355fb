"""The kernels are compiled beside the games, at the first start on a machine."""

from __future__ import annotations

from ai.messages import CompileDone, CompileKernels
from sim import Script

TEXT = "preparing fast kernels (first start only)"


async def compile_kernels(script: Script) -> CompileDone:
    """Compile them in a process of its own, told in the status bar; return what came out.

    Args:
        script: waits for it; the process ends with it.
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
