"""A world: one scene with its scripts and bodies, stepped from outside, without a window.

Nothing in it is global: no signal handler, no import guard, no thread, so that a program can have
many of them beside each other. Each frame is one fixed step, as at maximum speed.
"""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Mapping
from pathlib import Path

from base.errors import UsageError, WorldError
from base.files import SHIPPED_ROOT
from base.schema import OptionValue
from sim.app.factories import PhysicsMaker, open_physics, triangles_of
from sim.core.assets.assets import IMPORT_SECONDS, AssetLibrary
from sim.core.audio.sound_bank import NullSound
from sim.core.files.scene_file import SceneDocument
from sim.core.host.declared import declared_kinds
from sim.core.host.scene_options import options_of_scene
from sim.core.host.script_host import ScriptHost
from sim.core.host.script_loader import ScriptLoader
from sim.core.input.input_actions import InputActions
from sim.core.project.project import look_at_project
from sim.core.project.run_context import RunContext
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.metrics import MetricStore
from sim.core.scene.scene import Scene
from sim.core.script.panels import PanelRegistry, StatusBoard
from sim.core.tasks.clock import MAX_SPEED, Clock
from sim.core.tasks.watchdog import Watchdog
from sim.core.workers.pool import Links

log = logging.getLogger("goishi")

LONGEST_ANSWER = 120.0  # seconds that a frame waits for a worker, at most


class World:
    """One scene that runs without a window; the first frame awakes its scripts.

    Args:
        document: the scene, as `load` returns it; it is not changed.
        scene: its file.
        seed: the run's seed; None for the scene's own.
        data_dir: an empty folder for what its scripts write.
        watchdog: breaks calls that do not end; None for nobody.
        options: values of the options that its scripts declare, by name.
        physics_maker: makes the simulation of its bodies.

    Raises:
        WorldError: a script could not be loaded.
        UsageError: no script declares such an option, or a value does not fit.
    """

    def __init__(
        self,
        document: SceneDocument,
        scene: Path,
        seed: int | None,
        data_dir: Path,
        watchdog: Watchdog | None = None,
        options: Mapping[str, OptionValue] | None = None,
        physics_maker: PhysicsMaker = open_physics,
    ) -> None:
        self._options = dict(options or {})
        self._closing = contextlib.ExitStack()
        try:
            self._open(
                document, scene, seed, data_dir, watchdog or Watchdog(math.inf), physics_maker
            )
            self.raise_failure()
        except BaseException:
            self._closing.close()
            raise

    def _open(
        self,
        document: SceneDocument,
        path: Path,
        seed: int | None,
        data_dir: Path,
        watchdog: Watchdog,
        physics_maker: PhysicsMaker,
    ) -> None:
        project = document.project
        self.console = Console(stderr=False)
        self.console.project = project
        self.console.subscribe(_tell)
        self.run_context = RunContext(
            scene_path=path, project=project, data_dir=data_dir,
            seed=document.settings.seed if seed is None else seed, seeded=seed is not None,
            options=dict(self._options), headless=True, graphics=False, animated=False,
            seconds=math.inf, is_environment=True,
            manifest=look_at_project(project, self.console),
        )  # fmt: skip
        self.clock = Clock(document.settings.fixed_dt, speed=MAX_SPEED)
        self.links = Links(self.console)
        self._closing.callback(self.links.close)
        self.scene = Scene(document.settings)
        self.assets = AssetLibrary(project, self.console)
        self._closing.callback(self.assets.close)
        self.scene.animator.library = self.assets
        self.scene.physics_maker = physics_maker
        self.scene.space.read_triangles = lambda obj: triangles_of(self.assets, obj)
        metrics = MetricStore()
        self._closing.callback(metrics.close)
        loader = ScriptLoader(project, SHIPPED_ROOT)
        self.host = ScriptHost(
            self.scene, clock=self.clock, console=self.console, loader=loader,
            input_actions=InputActions(), metrics=metrics, panels=PanelRegistry(),
            status=StatusBoard(), run=self.run_context, links=self.links,
            watchdog=watchdog,
        )  # fmt: skip
        self._failure = FirstFailure(self.host)
        self.scene.models, bank = declared_kinds(loader, self.run_context.manifest, self.console)
        self.run_context.sound = NullSound(bank)
        self._closing.callback(loader.close)
        self._closing.callback(self.host.shutdown)
        self.scene.load_document(document)
        declared = options_of_scene(self.scene)
        for name, value in self._options.items():
            if name not in declared:
                known = ", ".join(declared) or "none"
                raise UsageError(
                    f"{path.name}: expected one of its options ({known}), found {name}"
                )
            declared[name].check(value)
        self.run_context.declared = frozenset(declared)

    def awake(self) -> None:
        """Awake and start the scripts that have not been, as a frame does first.

        Raises:
            WorldError: one failed.
        """
        self.host.begin_frame()
        self.assets.poll(IMPORT_SECONDS)
        self.raise_failure()

    def frame(self) -> None:
        """Run one frame, which is one fixed step.

        Raises:
            WorldError: a script failed.
        """
        if self.links.opened:
            self.links.settle(LONGEST_ANSWER)  # what workers take is no part of its time
        self.assets.poll(IMPORT_SECONDS)
        self.host.begin_frame()
        self.host.run_frame(self.clock.advance(0.0))
        if self._failure.found is not None:
            self.raise_failure()

    def close(self) -> None:
        """End the scripts and their workers. May be called twice."""
        self._closing.close()

    def raise_failure(self) -> None:
        """Raise what a script has raised first since the last call, if one has.

        Raises:
            WorldError: one has.
            KeyboardInterrupt: it was Ctrl+C.
        """
        self._failure.raise_it()


class FirstFailure:
    """Keeps the first exception that left a script of a host.

    Attributes:
        found: it and its record of the console; None for none.
    """

    def __init__(self, host: ScriptHost) -> None:
        self.found: tuple[BaseException, ConsoleRecord] | None = None
        host.listen_to_failures(self._note)

    def raise_it(self) -> None:
        """Raise it, once.

        Raises:
            WorldError: a script has failed.
            KeyboardInterrupt: it was Ctrl+C.
        """
        if self.found is None:
            return
        error, record = self.found
        self.found = None
        if isinstance(error, KeyboardInterrupt):
            raise error
        raise failure_of(record) from error

    def _note(self, error: BaseException, record: ConsoleRecord) -> None:
        if self.found is None:
            self.found = error, record


def _tell(record: ConsoleRecord) -> None:
    """Log what is wrong, once; what left a script (then a component is named) is raised instead."""
    if record.level in ("warning", "error") and record.count == 1 and not record.slot_id:
        log.log(logging.WARNING if record.level == "warning" else logging.ERROR, "%s", record)


def failure_of(record: ConsoleRecord) -> WorldError:
    """Return the error that says what a record of the console says."""
    where = f"{record.source} > {record.component}" if record.component else record.source
    hook = f".{record.hook}" if record.hook else ""
    place = f"  {record.place} " if record.place else ":"
    return WorldError(f"{where}{hook}{place} {record.text}", place=record.place)
