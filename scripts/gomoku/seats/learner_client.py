"""Client of the trainer worker: sends it games, and loads new networks into the seat."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ai import Game, GameRecord, KeptCheckpoint, RunSeries, find_player_info, get_player_info
from ai.messages import (
    ChangeSettings,
    CheckpointsListed,
    ExportRun,
    LearnerOpened,
    LearnerSaved,
    LearntSaved,
    ListCheckpoints,
    LoadLearnt,
    LoadWeights,
    OpenLearner,
    Retrain,
    RollBack,
    RunExported,
    SaveLearner,
    SaveLearnt,
    SkipGame,
    TrainDone,
    TrainProgress,
    TrainRequest,
)
from scripts.gomoku.seats.pending import ChangeLog, PendingChanges, clean_name, new_change
from scripts.gomoku.seats.seat import LoadableNetwork, Seat
from sim import FieldError, FormerName, Script, Task, WorkerError, field, signal, tr

EXPORTER = "ai.workers.exporter:main"
LEARNT = ".learnt"
"""Suffix of files with what a player has learnt."""


async def export_run(
    script: Script, run: RunSeries, game: int, chosen: str = ""
) -> tuple[str, bool]:
    """Write the charts and tables of a run to a folder.

    Args:
        script: script whose worker writes the files.
        run: values to write.
        game: number of the present game, which is part of the name of a new folder.
        chosen: path of the folder; empty for a new one beside what the run writes.

    Returns:
        A message for the user, and True if something failed.
    """
    folder = Path(chosen) if chosen else _new_folder(script, game)
    # A new process is sent its first request from a thread: the view does not wait.
    link = script.workers.open("export", EXPORTER, {}, owner=script.slot, is_optional=True)
    script.status.set("export", tr("Writing charts and tables"), busy=True)
    try:
        answer: RunExported = await script.background(
            link.request(ExportRun(str(folder), run), retry=False)
        )
    except WorkerError as error:
        return tr("not exported: {error}").format(error=error), True
    finally:
        link.say_goodbye()
        script.status.clear("export")
    if script.run.temporary_data and script.run.out is None and not chosen:
        script.log.warning(
            "this folder is deleted when the program ends; keep it with --out or --data-dir"
        )
    if answer.error:
        return tr("some files could not be exported to {folder}: {error}").format(
            folder=folder, error=answer.error
        ), True
    return tr("exported {files} files to {folder}").format(
        files=len(answer.files), folder=folder
    ), False


def _new_folder(script: Script, game: int) -> Path:
    """Return a path for an export folder that does not exist yet.

    Args:
        script: script whose run is exported.
        game: number of the present game, which is part of the name.
    """
    run = script.run
    above = (run.out or run.data_dir) / "exports"
    name = f"{run.scene_path.name.split('.')[0]}-game-{game:06d}"
    folders = (above / name, *(above / f"{name}-{number}" for number in range(2, 1000)))
    return next((folder for folder in folders if not folder.exists()), folders[-1])


MOST_NETWORKS = 48
NEWEST = 12
MOST_BYTES = 8_000_000
LEAST = 6
MEMORY_ARRAYS = ("vectors", "labels", "stones", "counts")


class NetworkCache:
    """Keeps copies of a run's networks to choose from; their number and total size are limited.

    The first network and the newest ones stay. Of those in between, some are removed so that the
    others are spread over the run. Fewer networks are kept if they are large.
    """

    def __init__(
        self, kept: int = MOST_NETWORKS, newest: int = NEWEST, most_bytes: int = MOST_BYTES
    ) -> None:
        """Create an empty cache.

        Args:
            kept: maximum number of networks; must be greater than the number of newest ones plus 1.
            newest: number of newest networks that are never removed, at most half of all.
            most_bytes: maximum size of all networks together, bytes. Six networks stay even if they
                are larger.
        """
        self._kept = kept
        self._newest = newest
        self._most_bytes = most_bytes
        self._networks: dict[int, LoadableNetwork] = {}
        self._bytes: dict[int, int] = {}

    def keep(self, network: LoadWeights) -> None:
        """Add a network, unless one with the same number is kept already.

        If a limit is then exceeded, other networks are removed. The network's memory of positions
        is not kept, unless the player has no weights.

        Args:
            network: the network.
        """
        number = network.network_id
        if number in self._networks:
            return
        own = replace(network, memory=None) if network.weights else network
        self._networks[number] = LoadableNetwork(tr("this run"), own)
        self._bytes[number] = _bytes_of(own)
        while len(self._networks) > self._kept or (
            len(self._networks) > LEAST and sum(self._bytes.values()) > self._most_bytes
        ):
            least = self._least_missed()
            del self._networks[least], self._bytes[least]

    def networks(self) -> list[LoadableNetwork]:
        """Return the networks, oldest first."""
        return [self._networks[number] for number in sorted(self._networks)]

    def _least_missed(self) -> int:
        """Return the number of the network to remove.

        It is the one whose neighbours, the networks just before and after it, have the closest
        numbers. The first network and the newest ones are left out.
        """
        numbers = sorted(self._networks)
        inner = range(1, len(numbers) - min(self._newest, len(numbers) // 2))
        return numbers[min(inner, key=lambda at: numbers[at + 1] - numbers[at - 1])]


def _bytes_of(network: LoadWeights) -> int:
    """Return the size of a network's arrays, and of its remembered positions, in bytes."""
    nodes = [getattr(network.memory, name, None) for name in MEMORY_ARRAYS]
    return sum(getattr(item, "nbytes", 0) for item in (*network.weights.values(), *nodes))


NetworkShelf = NetworkCache
"""Former name of `NetworkCache`; older scripts still use it."""


TRAINER = "ai.workers.trainer:main"
LOGGED = ("nodes", "loss", "accuracy", "held", "agrees", "variety")
"""Names of the learner's statistics that are logged as metrics and stored with the run."""


class LearnerClient(Script, title="Learner"):
    """Connects a seat's player to its learner, which trains in a separate process."""

    seat: Seat = field(None, help=tr("Whose player learns"))
    is_training_on: bool = field(
        True,
        title=tr("Learns"),
        help=tr("Off: the player is frozen, and games played meanwhile are never learnt"),
    )
    keep_every: int = field(
        25, min=0, max=10_000, help=tr("Games between checkpoints to roll back to; 0: none")
    )
    threads: int = field(1, min=1, max=64, help=tr("Cores that a training may use"))
    share: float = field(
        1.0,
        min=0.05,
        max=1.0,
        title=tr("Computing time"),
        help=tr("Part of the time that training computes; less is cooler"),
    )
    nice: int = field(
        10,
        min=0,
        max=19,
        title=tr("Niceness"),
        help=tr("0: as important as the rest; 19: yields to it"),
    )
    noted = signal(object)
    measured = signal(int, dict)

    def awake(self) -> None:
        self.link: Any = None
        self.statistics: dict[str, Any] = {}
        self.games_learnt = 0
        self.retrains = 0
        self.skipped = 0
        self.retrain_seconds: list[float] = []
        self.held: list[float | None] = []
        """For each training, the share of memory nodes that the network has learnt, 0 to 1.

        A node is learnt if the network answers it with a point of the node's highest label. The
        value is None for a training after which the share was not measured.
        """
        self.trained_game = 0
        self.pending = PendingChanges()
        self.checkpoints: tuple[KeptCheckpoint, ...] = ()
        self.roll_back_to: KeptCheckpoint | None = None
        self.notice = ""
        self._worker: Any = None
        self._opening: OpenLearner | None = None
        self._reopened: Any = None
        """Request that a restarted trainer process was sent, to open the learner as last saved.

        It is None if the process was not restarted, or its answer was used already.
        """
        self._players: set[str] = set()
        self.network_cache = NetworkCache()
        """The networks that the seat's player has had in this run."""
        self._learner = ""
        self._newest: LoadWeights | None = None
        self._training: Task | None = None
        self._progress: TrainProgress | None = None
        self._exporting: Task | None = None
        self._change_log = ChangeLog()

    @property
    def changes(self) -> list[dict[str, Any]]:
        """The changes of settings so far, each with the first game for which it holds."""
        return self._change_log.changes

    @property
    def is_training(self) -> bool:
        """Whether a training is running."""
        return self._training is not None and not self._training.done

    @property
    def advice(self) -> str:
        """Warning about the last training if it failed, else empty."""
        return str(self.statistics.get("advice") or "")

    @property
    def failed(self) -> int:
        """Number of failed trainings."""
        return int(self.statistics.get("failed") or 0)

    @property
    def is_exporting(self) -> bool:
        """Whether an export is running."""
        return self._exporting is not None and not self._exporting.done

    @property
    def can_retrain(self) -> bool:
        """Whether there are samples to train on."""
        return self.link is not None and int(self.statistics.get("nodes", 0)) > 0

    @property
    def _worker_settings(self) -> dict[str, Any]:
        return {
            "threads": self.threads,
            "share": self.share,
            "nice": self.nice,
            "project": str(self.run.offering),
        }

    @property
    def _folder(self) -> Path:
        """Folder below which each learner keeps what it learnt."""
        return Path(self.run.scene_dir) / "learner"

    def kept_players(self) -> list[str]:
        """Return the names of the players whose learning is stored for this scene."""
        if not self._folder.is_dir():
            return []
        folders = (item.name for item in self._folder.iterdir() if item.is_dir())
        return sorted({re.split(r"-(?=\d)", name, maxsplit=1)[0] for name in folders})

    # -- between games ------------------------------------------------------------------------

    def begin_game(self, game: int, black: Seat, white: Seat) -> None:
        """Apply the changes that wait for this game, and store what differs from the last game.

        Args:
            game: number of the game that begins.
            black: the seat that begins.
            white: the other seat.
        """
        for owner, key, value in self.pending.pop_all():
            try:
                setattr(owner, key, value)
            except FieldError as error:
                self.log.error(f"not changed: {error}")
        settings = {
            "player": white.chosen_player(),
            **white.chosen_settings(),
            "ga.player": black.chosen_player(),
            **{f"ga.{key}": value for key, value in black.noted_settings().items()},
            "training": "on" if self.is_training_on else "paused",
        }
        for change in self._change_log.begin(game, settings):
            self._note(change)

    def open_worker(self) -> None:
        """Start the trainer's process ahead of `prepare`, if the seat's next player learns."""
        if self._worker is not None or self.seat is None or self.seat.is_human:
            return
        if find_player_info(self.seat.sitting()[0], self.run.offering).learner is not None:
            self._worker = self._new_worker()

    def _new_worker(self) -> Any:
        return self.workers.open(
            "trainer",
            TRAINER,
            self._worker_settings,
            on_restart=self._open_again,
            owner=self.slot,
        )

    async def prepare(self, rules: Game) -> None:
        """Open the learner of the seat's player, if that player learns.

        Args:
            rules: rules of the next game.

        Raises:
            WorkerError: the trainer process failed.
        """
        if self.seat is None or (self.seat.is_human and not self.seat.player):
            return
        info = get_player_info(self.seat.player, self.run.offering)
        if info.learner is None:
            self.link = self._opening = None  # one that comes back is handed its weights anew
            return
        request = OpenLearner(
            player=info.name,
            rules=rules,
            settings=self.seat.seated_settings,  # the learner is the player's, to each setting
            seed=self.run.seed,
            directory=str(self._folder),
            fresh=self.run.fresh and info.name not in self._players,
        )
        if self._worker is not None and self._worker.settings != self._worker_settings:
            self._worker.restart(self._worker_settings)
        if self._worker is None:
            self._worker = self._new_worker()
        self.link = self._worker
        before = self._opening
        if before is None or (before.player, before.rules) != (request.player, request.rules):
            await self._open(request)
        elif before.settings != request.settings:
            await self._change_settings(request)
        await self._roll_back()

    async def _open(self, request: OpenLearner) -> None:
        if self.is_training and self._training is not None:
            await self._training  # what it brings is for the player that was here before
        self._newest = None
        self._players.add(request.player)
        if request.player != self._learner:  # the numbers begin anew
            self._learner, self.network_cache = request.player, NetworkCache()
        self.status.set("training", tr("Loading what was learnt"), busy=False)
        answer: LearnerOpened = await self.background(self.link.request(request))
        self._opening = request
        self.games_learnt = answer.games_learnt
        self.status.clear("training")
        await self._use(answer)
        self.start_coroutine(self._list_checkpoints())

    async def _change_settings(self, request: OpenLearner) -> None:
        """Send new settings to the learner, which keeps what it has learnt."""
        try:
            answer: LearnerOpened = await self.background(
                self.link.request(ChangeSettings(request.settings))
            )
        except WorkerError as error:
            self._show_status(
                tr("the learner's settings are not changed: {error}").format(error=error),
                is_error=True,
            )
            return
        self._opening = request
        await self._use(answer)
        self.start_coroutine(self._list_checkpoints())

    async def _roll_back(self) -> None:
        """Go back to the checkpoint requested with `ask_roll_back`, if there is one."""
        wanted, self.roll_back_to = self.roll_back_to, None
        if wanted is None:
            return
        # In its turn: what a training under way brings must not come over it afterwards.
        self._follow(lambda: self._return_to(wanted))
        if self._training is not None:
            await self._training

    async def _return_to(self, wanted: KeptCheckpoint) -> None:
        before = self._change_log.game - 1
        try:
            answer: LearnerOpened = await self.background(self.link.request(RollBack(wanted.place)))
        except WorkerError as error:
            self._show_status(tr("not rolled back: {error}").format(error=error), is_error=True)
            return
        self._newest = None
        await self._use(answer)
        self.log_statistics(before)
        self._note(new_change(self._change_log.game, tr("roll back"), before, wanted.game))
        self._show_status(
            tr("rolled back to {name}: network {network_id}").format(
                name=wanted.name, network_id=wanted.network_id
            )
        )

    async def _use(self, answer: LearnerOpened) -> None:
        self.statistics = dict(answer.statistics)
        if self.statistics.get("message"):
            self.log.warning(str(self.statistics["message"]))
        await self._load(LoadWeights(answer.network_id, answer.weights, answer.memory))

    async def _load(self, network: LoadWeights) -> None:
        """Load a network into the seat, and keep a copy with which others can be compared."""
        await self.seat.use_network(network)
        self.network_cache.keep(network)

    async def finish_training(self) -> None:
        """Wait until no training is running, then load the newest weights."""
        if self.is_training and self._training is not None:
            await self._training
        await self.swap()

    async def swap(self) -> None:
        """Load the newest weights into the seat, if there are any; call this only between games."""
        if self._newest is not None:
            newest, self._newest = self._newest, None
            await self._load(newest)
        for change in self._change_log.due():
            self._note(change)

    # -- learning -----------------------------------------------------------------------------

    def learn(self, record: GameRecord) -> None:
        """Send a finished game to the learner, which decides whether to train."""
        if self.link is None:
            return
        if not self.is_training_on:
            self.skipped += 1
            self.link.send(SkipGame(record.game))
            return
        self._follow(lambda: self._train(record))

    def retrain(self) -> None:
        """Train now on the whole memory; the weights are loaded at the next game."""
        if self.can_retrain:
            self._follow(self._retrain)

    def _follow(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start a training as soon as the present one, if there is one, has ended.

        Args:
            work: called without arguments; returns the coroutine of the training.
        """
        before = self._training
        if not self.is_training or before is None:
            self._training = self.start_coroutine(work())
            return

        async def follow() -> None:
            await before
            await work()

        self._training = self.start_coroutine(follow())

    async def _train(self, record: GameRecord) -> None:
        done = await self._trained(record)
        if done is None:
            return
        await self._apply_reopened(done)
        self._apply_training(done)
        self.games_learnt = max(self.games_learnt, done.game)
        if done.retrained:
            self.trained_game = record.game
            self.log_statistics(record.game)
        if self.keep_every and record.game % self.keep_every == 0:
            name = tr("game {game}").format(game=record.game)
            self.start_coroutine(self._keep(SaveLearner(name, is_automatic=True)))

    async def _trained(self, record: GameRecord) -> TrainDone | None:
        """Let the learner train on a game, and return the result.

        If the trainer process was given up, wait until it is started again, and ask again. Return
        None if the user has paused the training meanwhile.

        Raises:
            WorkerError: the learner failed.
        """
        while True:
            pending = self.link.request(TrainRequest(session=0, game=record.game, record=record))
            pending.on_progress = self._progress_of(record.game)
            try:
                done: TrainDone = await self.background(pending)
            except WorkerError:
                if not self.link.failure:
                    raise
            else:
                return done
            self.status.set(
                "training", tr("The trainer process was given up: restart it"), busy=False
            )
            await self.until(lambda: not self.link.failure or not self.is_training_on)
            self.status.clear("training")
            if self.link.failure:
                self.skipped += 1
                return None

    async def _apply_reopened(self, done: TrainDone) -> None:
        """Use a network that was saved just before the trainer process died.

        The restarted process knows the network, but does not report its training again.

        Args:
            done: result of the training; if it has a new network itself, nothing happens.
        """
        reopened, self._reopened = self._reopened, None
        if reopened is None or done.retrained:
            return
        answer: LearnerOpened = await self.background(reopened)
        if answer.network_id == done.network_id != self.seat.network_id:
            self._newest = LoadWeights(answer.network_id, answer.weights, answer.memory)

    async def _retrain(self) -> None:
        game = self._change_log.game
        before = self.statistics.get("network_id", 0)
        pending = self.link.request(Retrain(session=0, game=game))
        pending.on_progress = self._progress_of(game)
        try:
            done: TrainDone = await self.background(pending)
        except WorkerError as error:
            self.status.clear("training")
            self._show_status(tr("not retrained: {error}").format(error=error), is_error=True)
            return
        self._apply_training(done)
        self._change_log.expect("retrain", before, done.network_id)
        self.log_statistics(game)
        self._show_status(
            tr("retrained on {statistics} positions").format(
                statistics=self.statistics.get("nodes", 0)
            )
        )

    def _apply_training(self, done: TrainDone) -> None:
        """Store the result of a training: statistics, duration and the new network."""
        self._progress = None
        self.status.clear("training")
        self.statistics = dict(done.statistics)
        if self.statistics.get("checkpoint_error"):
            self.log.error(
                f"what was learnt could not be saved: {self.statistics['checkpoint_error']}"
            )
        if not done.retrained:
            return
        self.retrains += 1
        seconds = float(done.statistics.get("seconds", 0.0))
        self.retrain_seconds.append(seconds)
        self.held.append(self.statistics.get("held"))
        self._log(done.game, {"retrain_seconds": seconds})
        if self.advice:
            self.log.warning(f"game {done.game}: {self.advice}")
        if done.weights is not None:
            self._newest = LoadWeights(done.network_id, done.weights, done.memory)

    def log_statistics(self, game: int) -> None:
        """Log measures of memory and network after a game."""
        known = {name: self.statistics.get(name) for name in LOGGED}
        self._log(game, {name: float(value) for name, value in known.items() if value is not None})

    def _log(self, game: int, values: dict[str, float]) -> None:
        for name, value in values.items():
            self.metrics.log(name, value, step=game)
        self.measured.emit(game, values)

    def _progress_of(self, game: int) -> Callable[[TrainProgress], None]:
        text = tr("White is training on game {game}").format(game=game)

        def show(progress: TrainProgress) -> None:
            self._progress = progress
            self.status.set("training", text, busy=True)

        return show

    @property
    def training_left(self) -> float | None:
        """Seconds until the running training ends, by its steps; None if that is not known yet."""
        progress = self._progress
        if progress is None or not progress.step:
            return None
        return progress.seconds / progress.step * (progress.steps - progress.step)

    # -- checkpoints and exports --------------------------------------------------------------

    def checkpoint(self, name: str, note: str = "") -> None:
        """Save a checkpoint to which the learner can go back later.

        Args:
            name: its name; empty for the number of the last game.
            note: a note about it.
        """
        if self.link is not None:
            named = clean_name(name) or tr("game {games_learnt}").format(
                games_learnt=self.games_learnt
            )
            self.start_coroutine(self._keep(SaveLearner(named, clean_name(note))))

    async def _keep(self, request: SaveLearner) -> None:
        try:
            saved: LearnerSaved = await self.background(self.link.request(request))
        except WorkerError as error:
            self._show_status(tr("no checkpoint: {error}").format(error=error), is_error=True)
            return
        if saved.error:
            self._show_status(tr("no checkpoint: {error}").format(error=saved.error), is_error=True)
        elif not request.is_automatic:
            self._show_status(
                tr("checkpoint {name!r} saved at game {games_learnt}").format(
                    name=request.name, games_learnt=saved.games_learnt
                )
            )
        await self._list_checkpoints()

    def ask_roll_back(self, name: str | None) -> None:
        """Request that the learner goes back to a checkpoint before the next game.

        Args:
            name: name of the checkpoint, the newest of several; None cancels the request.

        Raises:
            LookupError: no checkpoint has this name.
        """
        names = [item.name for item in self.checkpoints]
        if name is not None and name not in names:
            raise LookupError(f"expected a checkpoint, one of {names}, found {name!r}")
        found = (item for item in reversed(self.checkpoints) if item.name == name)
        self.roll_back_to = next(found, None)

    def ask_save_learnt(self) -> None:
        """Ask for a file, and write into it what the player has learnt."""
        name = f"{self.seat.player_name()}-game-{self.games_learnt}{LEARNT}"
        save = partial(self.by_hand, "save_learnt")
        self.ask_save(save, tr("Save what was learnt"), [LEARNT], name=name)

    def ask_load_learnt(self) -> None:
        """Ask for a file, and load what it holds."""
        load = partial(self.by_hand, "load_learnt")
        self.ask_file(load, tr("Load what was learnt"), [LEARNT])

    def save_learnt(self, path: str) -> None:
        """Write what the player has learnt into one file, which another machine can load.

        Args:
            path: path of the file; one that is there is replaced.
        """
        if self.link is not None:
            self.start_coroutine(self._save_learnt(path))

    async def _save_learnt(self, path: str) -> None:
        try:
            saved: LearntSaved = await self.background(self.link.request(SaveLearnt(path)))
        except WorkerError as error:
            self._show_status(tr("not saved: {error}").format(error=error.reason), is_error=True)
            return
        self._show_status(tr("saved {path} ({word})").format(path=path, word=saved.words))

    def load_learnt(self, path: str) -> None:
        """Load what a file holds; what was learnt before becomes a checkpoint.

        The player has it from the next game on. A file that does not fit changes nothing.

        Args:
            path: path of the file.
        """
        if self.link is not None:
            self._follow(lambda: self._load_learnt(path))

    async def _load_learnt(self, path: str) -> None:
        game = self._change_log.game
        before = int(self.statistics.get("network_id") or 0)
        try:
            answer: LearnerOpened = await self.background(self.link.request(LoadLearnt(path)))
        except WorkerError as error:
            self._show_status(tr("not loaded: {error}").format(error=error.reason), is_error=True)
            return
        self.statistics = dict(answer.statistics)
        self.games_learnt = max(self.games_learnt, answer.games_learnt)
        self._newest = LoadWeights(answer.network_id, answer.weights, answer.memory)
        self._change_log.expect("loaded", before, answer.network_id)
        self.log_statistics(game)
        nodes = self.statistics.get("nodes", 0)
        self._show_status(
            tr("loaded {path}: {nodes} positions, played from the next game on").format(
                path=path, nodes=nodes
            )
        )
        await self._list_checkpoints()

    async def _list_checkpoints(self) -> None:
        try:
            listed: CheckpointsListed = await self.background(self.link.request(ListCheckpoints()))
        except WorkerError as error:
            self.log.warning(str(error))
            return
        self.checkpoints = listed.checkpoints

    def export(self, run: RunSeries, folder: str = "") -> None:
        """Export charts, tables and TensorBoard files in a separate process.

        Args:
            run: the run so far.
            folder: path of the folder; empty for a new one beside what the run writes.
        """
        if not self.is_exporting:
            self._exporting = self.start_coroutine(self._export(run, folder))

    def ask_export(self, chosen: Callable[[str], None]) -> None:
        """Ask for a folder into which charts and tables are exported.

        Args:
            chosen: called with the path of the folder, once it is chosen.
        """
        self.ask_save(
            chosen,
            tr("Export charts and tables into a folder"),
            name=_new_folder(self, self._change_log.game).name,
            is_folder=True,
        )

    async def _export(self, run: RunSeries, folder: str) -> None:
        text, is_error = await export_run(self, run, self._change_log.game, folder)
        self._show_status(text, is_error=is_error)

    # -- inside -------------------------------------------------------------------------------

    def restore(self, changes: list[dict[str, Any]], game: int) -> None:
        """Add the changes of settings that earlier runs have made.

        Args:
            changes: the changes, in order of the games.
            game: number of the next game.
        """
        self.changes[:0] = changes
        self._change_log.game = game

    take_up = FormerName("restore")

    def _note(self, change: Mapping[str, Any]) -> None:
        self.changes.append(dict(change))
        self.noted.emit(dict(change))

    def _show_status(self, text: str, *, is_error: bool = False) -> None:
        self.notice = text
        (self.log.error if is_error else self.log.info)(text)

    def _open_again(self, link: Any) -> None:
        """Open the learner in a restarted trainer process, from its last checkpoint."""
        if self._opening is not None:
            self._reopened = link.request(replace(self._opening, fresh=False))


Coach = LearnerClient
"""Former name of `LearnerClient`; older scenes and scripts still use it."""
