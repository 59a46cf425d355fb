"""A world that is watched while it runs: one can look back, and what is saved is reloaded."""

from __future__ import annotations

from sim.app.pacing import EAGER_SECONDS
from sim.app.world import LONGEST_ANSWER, World
from sim.core.assets.assets import IMPORT_SECONDS
from sim.core.host.reload import AssetReloader, Reloader
from sim.core.native.compile_service import CompileService
from sim.core.profiling.spans import Label, Phase
from sim.core.reporting.background import BackgroundFaults
from sim.core.rewind.rewind import Rewind

ANSWERS = Label("answers", Phase.WORKERS)
AWAITED = Label("coroutines that were answered", Phase.COROUTINES)
POLLS = Label("files and models", Phase.REST)
START = Label("awake and start", Phase.SCRIPTS)
FLUSH = Label("destroyed objects", Phase.REST)


class LiveWorld(World):
    """A world of an app.

    Attributes:
        rewind: its last seconds.
        compiling: compiles the `@compiled` functions of its scripts.
        reloader: reloads scripts that are saved.
        asset_reloader: reloads pictures, models and sounds that are saved.
    """

    def _open_more(self) -> None:
        """Open what hears of the scripts from the first on."""
        self.rewind = Rewind(self.host, self.run_context.data_dir)
        self._closing.callback(self.rewind.close)  # the scripts end in the present
        self.compiling = CompileService(self.links, self.console, self.loader.packages())
        self._closing.callback(self.compiling.close)
        host, scene, console = self.host, self.scene, self.console
        self.reloader = Reloader(host, scene, self.loader, console, host.watchdog)
        self._closing.callback(self.reloader.close)
        self.asset_reloader = AssetReloader(host, scene, self.assets, console, self.run_context)
        self._closing.callback(self.asset_reloader.close)

    def watch_files(self) -> None:
        """Reload from now on what is saved."""
        self.reloader.watch()
        self.asset_reloader.watch()

    def run(self, wall: float, patience: float, background: BackgroundFaults) -> None:
        """Run a frame of the scene's own time: messages, reloads, scripts.

        Args:
            wall: seconds since the frame before.
            patience: seconds that it may wait for workers.
            background: the faults of threads, which are told.
        """
        host = self.host
        mark = host.profiler.mark
        self._take_answers(patience)
        self.reloader.poll()
        self.asset_reloader.poll()
        self.compiling.poll()
        background.tell(host.watchdog.watching)
        mark(POLLS)
        host.begin_frame()
        mark(START)
        host.run_frame(self.clock.advance(wall))
        self.rewind.record()
        mark(FLUSH)

    def _take_answers(self, patience: float) -> None:
        """Give out what workers have answered, and take the models that were read."""
        mark = self.host.profiler.mark
        if self.clock.frame_step is not None:
            self.links.settle(LONGEST_ANSWER)  # what workers take is no part of a video
            mark(ANSWERS)
            self.assets.poll(IMPORT_SECONDS)
            return
        for _ in self.links.arrivals(patience):
            mark(ANSWERS)
            self.host.tasks.run_ready()
            mark(AWAITED)
        mark(ANSWERS)
        if self.clock.instant:  # a body may wait for its model
            self.assets.poll(EAGER_SECONDS)
