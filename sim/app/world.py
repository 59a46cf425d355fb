"""A world: one scene with its scripts and physics, shown in a window or stepped by a program.

Nothing in it is global: it installs no signal handler or import hook and starts no thread. So one
process can have many worlds.
"""

from __future__ import annotations

import contextlib
import logging
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from base.errors import GoishiError, UsageError, WorldError
from base.files import SHIPPED_ROOT
from base.schema import OptionValue
from base.spelling import hint_of, near_names
from sim.core.assets.animation.animator import asset_paths
from sim.core.assets.assets import IMPORT_SECONDS, AssetLibrary
from sim.core.audio.sound_bank import NullSound
from sim.core.files.scene_file import SceneDocument
from sim.core.files.scene_settings import SceneSettings
from sim.core.geometry.builtin_models import MODELS
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.agents import Agents
from sim.core.host.declared import DeclaredKinds
from sim.core.host.profiling import Profiling
from sim.core.host.scene_options import options_of_scene
from sim.core.host.script_host import ScriptHost
from sim.core.host.script_loader import ScriptLoader
from sim.core.input.input_actions import InputActions
from sim.core.profiling.profiler import Profiler
from sim.core.project.manifest import look_at_project
from sim.core.project.run_context import RunContext
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.metrics import MetricStore
from sim.core.rewind.recorder import TapeRecorder
from sim.core.rewind.restoring import continue_from
from sim.core.rewind.tape import Moment
from sim.core.scene.look_check import look_faults
from sim.core.scene.scene import ComponentSlot, Scene
from sim.core.script.hud import HudBoard
from sim.core.script.panels import PanelRegistry, StatusBoard
from sim.core.script.runtime import ErrorPolicy
from sim.core.script.user_code import ScriptGuard, TaskRunner
from sim.core.tasks.clock import MAX_SPEED, Clock
from sim.core.workers.pool import Links

if TYPE_CHECKING:
    from sim.core.assets.assets import AssetLibrary
    from sim.core.geometry.rotations import FloatArray
    from sim.core.scene.scene import Physics, SceneObject


PhysicsMaker: TypeAlias = "Callable[[Scene], Physics]"


def open_physics(scene: Scene) -> Physics:
    """Create the physics simulation of a scene, loading Bullet.

    Raises:
        GoishiError: this Panda3D has no Bullet.
    """
    try:
        from sim.physics.world import PhysicsWorld
    except ImportError as error:
        raise GoishiError(f"physics: expected Panda3D with Bullet, found: {error}") from error
    return PhysicsWorld(scene)


def open_unseen_physics(scene: Scene) -> Physics:
    """Create the physics simulation for a process that draws nothing, with faster steps.

    Steps are not faster if Panda3D was loaded before, since its cache of transforms must then stay
    on.

    Raises:
        GoishiError: the installed Panda3D has no Bullet.
    """
    is_first = "panda3d.core" not in sys.modules
    physics = open_physics(scene)
    if is_first:
        from sim.physics.world import keep_no_places

        keep_no_places()
    return physics


def triangles_of(library: AssetLibrary, obj: SceneObject) -> FloatArray | None:
    """Return the triangles of an object's model file, in the pose without animation.

    Args:
        library: the models that have been loaded.
        obj: the object.

    Returns:
        Corners of the triangles, `[m, 3, 3]`; None while the file is loading.
    """
    from sim.physics.asset_mesh import triangles_of_asset

    return triangles_of_asset(library, obj)


log = logging.getLogger("goishi")

LONGEST_ANSWER = 120.0  # seconds that a frame waits for a worker, at most


class World:
    """One scene with all that runs it; the first frame awakes its scripts.

    Args:
        document: the scene, as `load` returns it; it is not changed.
        run: the run that the world is part of.
        console: receives warnings and errors.
        clock: the scene's clock.
        watchdog: interrupts calls of scripts that do not end.
        is_safe: whether the project's scripts do not run.
        policy: what happens after an error of a script; None for the scene's own setting.
        read_content: reads the drawable content of a model from a cache folder; None if nothing is
            drawn.
        physics_maker: creates the scene's physics simulation.

    Attributes:
        scene, assets: the objects, and the models, pictures and sounds that they show.
        host, loader, guard, tasks, agents: parts that load, call and step the scripts.
        kinds: the models and sounds that the project declares.
        links: connections to the scripts' worker processes.
        metrics, panels, status, hud, input: what scripts log, show and receive.
        profiler, profiling: measure how long frames take.
    """

    def __init__(
        self,
        document: SceneDocument,
        run: RunContext,
        *,
        console: Console,
        clock: Clock,
        watchdog: Watchdog,
        is_safe: bool = False,
        policy: ErrorPolicy | None = None,
        read_content: Callable[[Path], object] | None = None,
        physics_maker: PhysicsMaker = open_physics,
    ) -> None:
        self.run_context = run
        self.console = console
        self.clock = clock
        self.watchdog = watchdog
        self.is_safe = is_safe
        self._closing = contextlib.ExitStack()
        self._failure: tuple[BaseException, ConsoleRecord] | None = None
        try:
            self._open_scene(document.settings, read_content, physics_maker)
            self._open_scripts(policy)
            self._closing.callback(self.profiling.close)
            self._closing.callback(self.host.shutdown)
            self._open_more()
            self.scene.load_document(document)
            self._tell_missing(document)
            if not self.run_context.graphics or self.run_context.is_environment:
                self._tell_looks()
        except BaseException:
            self._closing.close()
            raise

    def _tell_missing(self, document: SceneDocument) -> None:
        """Write a line for each file that an object of the scene names and that is missing."""
        for file in document.missing:
            obj = self.scene.get(file.object_id)
            key, _, field_name = file.key.partition(".fields.")
            slot = self.scene.component(key)
            what = file.key if slot is None else f"{slot.class_name}.{field_name}"
            is_drawn = file.key in ("model.asset", "texture", "texture.asset")
            note = "; a placeholder stands there" if is_drawn else ""
            self.scene.missing_files.add(file.path)
            self.console.error(
                f"{file.object_id if obj is None else obj.path}: {what}: "
                f"expected a file of the project, found no {file.path}{note}"
            )

    def _tell_looks(self) -> None:
        """Write a line for each faulty model and material, which otherwise the picture tells.

        Models of the project's own are left out, since nobody needs their modules here.

        Raises:
            WorldError: a model of an environment is faulty. Nobody may learn in another world than
                was meant.
        """
        models = self.scene.models
        for obj in self.scene.objects.values():
            name = (obj.model or {}).get("builtin")
            if name in models.names and name not in MODELS:
                continue
            for text in look_faults(obj.model or {}, obj.material or {}, models):
                if self.run_context.is_environment and text.startswith("model"):
                    raise WorldError(f"{obj.path}: {text}")
                self.console.write("warning", text, source=obj.path)

    def _shown_by(self, path: str) -> str:
        """Return the path of the first object that shows a model file; "" for none."""
        objects = self.scene.objects.values()
        return next((obj.path for obj in objects if path in asset_paths(obj.model or {})), "")

    def _open_scene(
        self,
        settings: SceneSettings,
        read_content: Callable[[Path], object] | None,
        physics_maker: PhysicsMaker,
    ) -> None:
        out = self.run_context.out
        self.metrics = MetricStore(out and out / "metrics.jsonl", warn=self.console.error)
        self._closing.callback(self.metrics.close)
        self.links = Links(self.console)
        self._closing.callback(self.links.close)
        self.scene = Scene(settings)
        self.assets = AssetLibrary(self.run_context.project, self.console)
        self._closing.callback(self.assets.close)
        self.assets.read_content = read_content  # before anybody asks for a model
        self.assets.shown_by, self.assets.told = self._shown_by, self.scene.missing_files
        self.scene.animator.library = self.assets
        self.scene.physics_maker = physics_maker
        self.scene.space.read_triangles = self._triangles_of

    def _triangles_of(self, obj: SceneObject) -> FloatArray | None:
        if (obj.model or {}).get("asset") in self.scene.missing_files:
            return None  # as while it is being read: it may be mended
        with self.watchdog.uncounted():  # a script may have asked for them
            return triangles_of(self.assets, obj)

    def _open_scripts(self, policy: ErrorPolicy | None) -> None:
        is_safe, run, clock, console = self.is_safe, self.run_context, self.clock, self.console
        self.loader = ScriptLoader(run.project, SHIPPED_ROOT, is_safe=is_safe)
        self._closing.callback(self.loader.close)
        self.profiler = Profiler()
        self.profiling = Profiling(self.profiler, clock, console, run)
        policy = policy or ErrorPolicy(self.scene.settings.on_script_error)
        self.guard = ScriptGuard(clock, console, run, self.watchdog, self.profiler, policy)
        self.tasks = TaskRunner(self.guard, clock)
        self.agents = Agents(self.guard, self.scene, self.metrics, console.renamed)
        self.panels, self.status = PanelRegistry(), StatusBoard()
        self.hud, self.input = HudBoard(), InputActions()
        self.guard.on_failure.append(self._free_mouse)
        self.host = ScriptHost(
            scene=self.scene,
            clock=clock,
            console=console,
            loader=self.loader,
            metrics=self.metrics,
            run=run,
            links=self.links,
            watchdog=self.watchdog,
            profiler=self.profiler,
            profiling=self.profiling,
            guard=self.guard,
            tasks=self.tasks,
            agents=self.agents,
            panels=self.panels,
            status=self.status,
            hud=self.hud,
            input=self.input,
            is_safe=is_safe,
        )
        if run.is_environment:  # who steps it is told of each failure
            self.guard.on_failure.append(self._note_failure)
            self.guard.on_drawing_failure.append(self._note_failure)
        self.kinds = DeclaredKinds(
            self.loader, run.manifest, self.console, self.watchdog, is_safe=is_safe
        )
        self.scene.models = self.kinds.models
        run.sound = NullSound(self.kinds.sounds)

    def _free_mouse(self, slot: ComponentSlot, error: BaseException, record: ConsoleRecord) -> None:
        """Give the pointer back after an error of a script."""
        self.input.lock.ask(False)
        self.input.lock.let_go()

    def _open_more(self) -> None:
        """Open parts that must exist before scripts are loaded; subclasses override it."""

    def close(self) -> None:
        """End the scripts and their workers. May be called twice."""
        self._closing.close()

    def moment(self) -> Moment:
        """Return the scene as it is now, as rewind records it."""
        journal = self.scene.journal  # another recorder may be running
        recorder = TapeRecorder(
            self.scene, self.clock, self.console, self.agents, self.metrics, self.watchdog
        )
        try:
            return recorder.moment()
        finally:
            self.scene.journal = journal

    def continue_from(self, moment: Moment) -> None:
        """Continue the scene from a recorded moment; see `sim.core.rewind.restoring`.

        Raises:
            LimitError: the scene's limit of objects is reached.
        """
        continue_from(self.scene, self.host, self.agents, moment)

    # -- stepped from outside -----------------------------------------------------------------

    def awake(self) -> None:
        """Call `awake` and `start` of the scripts that are new, as the next frame would.

        Raises:
            WorldError: a script failed.
        """
        self.host.begin_frame()
        self.assets.poll(IMPORT_SECONDS)
        self.raise_failure()

    def settle(self) -> None:
        """Wait for the workers; this wait is no part of the scene's time."""
        if self.links.opened:
            self.links.settle(LONGEST_ANSWER)
        self.assets.poll(IMPORT_SECONDS)

    def frame(self) -> None:
        """Run one frame, which is one fixed step at maximum speed.

        Raises:
            WorldError: a script failed.
        """
        self.settle()
        self.host.begin_frame()
        self.host.run_frame(self.clock.advance(0.0))
        if self._failure is not None:
            self.raise_failure()

    def raise_failure(self) -> None:
        """Raise a script's first error since the last call, if there was one.

        Raises:
            WorldError: a script failed.
            KeyboardInterrupt: it was Ctrl+C.
        """
        if self._failure is None:
            return
        error, record = self._failure
        self._failure = None
        if isinstance(error, KeyboardInterrupt):
            raise error
        raise failure_of(record) from error

    def _note_failure(
        self, slot: ComponentSlot, error: BaseException, record: ConsoleRecord
    ) -> None:
        if self._failure is None:
            self._failure = error, record


def open_unseen(
    document: SceneDocument,
    scene: Path,
    seed: int | None,
    data_dir: Path,
    watchdog: Watchdog | None = None,
    options: Mapping[str, OptionValue] | None = None,
    physics_maker: PhysicsMaker = open_physics,
) -> World:
    """Open a scene that a program steps: without a window, at maximum speed.

    Args:
        document: the scene, as returned by `load`; it is not changed.
        scene: path of the scene file.
        seed: seed of the run; None for the scene's own.
        data_dir: an empty folder for files of its scripts.
        watchdog: interrupts calls of scripts that take too long; None for no limit.
        options: values of the options that its scripts declare, by name.
        physics_maker: creates the physics simulation of the scene.

    Raises:
        WorldError: a script could not be loaded.
        UsageError: no script declares such an option, or a value is invalid.
    """
    console = Console(stderr=False)
    console.project = document.project
    console.subscribe(_log)
    given = dict(options or {})
    run = RunContext(
        scene_path=scene, project=document.project, data_dir=data_dir,
        seed=document.settings.seed if seed is None else seed, seeded=seed is not None,
        options=given, headless=True, graphics=False, animated=False, seconds=math.inf,
        is_environment=True, manifest=look_at_project(document.project, console),
        scene_id=document.id,
    )  # fmt: skip
    world = World(
        document, run, console=console, clock=Clock(document.settings.fixed_dt, speed=MAX_SPEED),
        watchdog=watchdog or Watchdog(math.inf), physics_maker=physics_maker,
    )  # fmt: skip
    try:
        _declare_options(world, given)
        world.raise_failure()
    except BaseException:
        world.close()
        raise
    return world


def _declare_options(world: World, given: Mapping[str, OptionValue]) -> None:
    run = world.run_context
    declared = options_of_scene(world.scene)
    for name, value in given.items():
        if name not in declared:
            known = ", ".join(declared) or "none"
            hint = hint_of(near_names(declared, name), name)
            raise UsageError(
                f"{run.scene_path.name}: expected one of its options ({known}), found {name}{hint}"
            )
        declared[name].check(value)
    run.declared = frozenset(declared)


def _log(record: ConsoleRecord) -> None:
    """Pass a warning or error of the console to Python's logging; each repeated one only once.

    Errors of components are left out, since they are raised instead.
    """
    if record.level in ("warning", "error") and record.count == 1 and not record.slot_id:
        log.log(logging.WARNING if record.level == "warning" else logging.ERROR, "%s", record)


def failure_of(record: ConsoleRecord) -> WorldError:
    """Return an exception with the place and text of a console record."""
    where = f"{record.source} > {record.component}" if record.component else record.source
    hook = f".{record.hook}" if record.hook else ""
    place = f"  {record.place} " if record.place else ":"
    return WorldError(f"{where}{hook}{place} {record.text}", place=record.place)
