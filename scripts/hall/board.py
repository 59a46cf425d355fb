"""One board of the hall: its settings, its results, and its appearance from a distance."""

from __future__ import annotations

import hashlib
import json
import math
from collections import deque
from dataclasses import replace
from typing import Any

from ai import BLACK, WHITE, GameRecord
from ai.messages import BoardLoaded, BoardOpened, GameFinished, GameLearnt, StonePlaced
from scripts.gomoku.board.board_view import look_of
from scripts.gomoku.board.picture_board import PictureBoard
from scripts.gomoku.board.view_state import ViewState, states_of
from scripts.gomoku.seats.cnn_ann_seat import KIND_HELP, KINDS, OPTIONS
from scripts.gomoku.seats.pending import read_pairs
from scripts.pieces.goban import MARGIN
from sim import SceneObject, Script, field, signal, tr, tr_many, wording

GROUP = 5
RECENT = 50
LONG_SECONDS = 1.5
SIZE = 7
MOST_GAMES = 1_000_000  # of one folder; how many are played is said board by board
BOARD_HEIGHT = 0.62
STAND_HEIGHT = 2.0
PLATE_WIDTH = 12.6
WON, LOST, DRAWN = 1, 0, 2
SEEDS_OF_AN_ATTEMPT = 1000


class HallBoard(Script):
    """A match on one board: the genetic algorithm (Black) against a learner (White)."""

    player: str = field(KINDS[0], choices=KINDS, help=KIND_HELP)
    records: int = field(OPTIONS["records"])
    alpha: float | None = field(replace(OPTIONS["alpha"], default=None))
    further: str = field("", title=tr("More settings"), help=tr("As in: steps=30 symmetries=false"))
    seed: int = field(1, min=0, help=tr("Random seed of this board"))

    changed = signal(object)

    def awake(self) -> None:
        self.session = 0
        self.seated = ""
        self._parameters = self._present_parameters
        self.forget()
        self.far: PictureBoard | None = None
        self.plate: SceneObject | None = None
        self.painter: Any = None

    def validate(self) -> None:
        if self._parameters != self._present_parameters:
            self._parameters = self._present_parameters
            self.changed.emit(self)

    @property
    def _present_parameters(self) -> tuple[object, ...]:
        return (self.player, self.records, self.alpha, self.further, self.seed)

    def forget(self) -> None:
        """Reset all results."""
        self.results = bytearray()
        self.base: int | None = None  # games of earlier runs
        self.target: int | None = None
        self.learnt = 0
        self.retrains = 0
        self.retrain_seconds = 0.0
        self.statistics: dict[str, Any] = {}
        self.stopped = ""
        self.finished_at: deque[float] = deque(maxlen=30)
        self.newest: tuple[int, tuple[int, ...]] = (0, ())
        self.record: GameRecord | None = None  # to be shown from afar
        self.shown_record: GameRecord | None = None
        self.shown = ViewState.empty(SIZE)
        self.needs_board = self.needs_plate = True
        self.is_learning_shown = False

    # -- what is played -----------------------------------------------------------------------

    def configuration(self, player: str | None, ga: str, attempt: int = 1) -> dict[str, Any]:
        """Return the experiment configuration of this board, from its fields.

        Args:
            player: name of White's player; None for the field `player`.
            ga: Black's strength as population x generations, such as "10x10".
            attempt: number of the attempt, from 1; each has other dice.
        """
        settings = {"records": self.records, "alpha": self.alpha, **read_pairs(self.further)}
        self.seated = player or self.player
        return {
            "player": self.seated,
            "seed": self.seed + SEEDS_OF_AN_ATTEMPT * (attempt - 1),
            "ga": ga,
            "randomness": "fresh",
            "games": MOST_GAMES,
            "settings": settings,
        }

    @property
    def title(self) -> str:
        """The learner's settings as text."""
        back = tr_many("Looks back {count} move", "Looks back {count} moves", self.records)
        merging = (
            tr("no merging")
            if self.alpha is None
            else tr("merges below {alpha:g}").format(alpha=self.alpha)
        )
        return wording(" · ").join(filter(None, (back, merging, self.further)))

    @property
    def plate_title(self) -> str:
        """The learner's settings as short text, readable on a plate from a distance."""
        merging = (
            tr("no merging")
            if self.alpha is None
            else tr("merges < {alpha:g}").format(alpha=self.alpha)
        )
        return wording(" · ").join(
            filter(None, (tr("{records} back").format(records=self.records), merging, self.further))
        )

    @property
    def merging(self) -> str:
        """The distance below which White merges positions, as text.

        An example is "< 5"; "none" means that White never merges. A star at the end says that White
        has further settings.
        """
        merging = tr("none") if self.alpha is None else f"< {self.alpha:g}"
        return merging + (" *" if self.further else "")

    # -- what has happened --------------------------------------------------------------------

    @property
    def games(self) -> int:
        """Games played, those of earlier runs included."""
        return len(self.results)

    @property
    def played(self) -> int:
        """Games played in this run."""
        return self.games - (self.base or 0)

    @property
    def losses(self) -> int:
        """Number of games that White lost, those of earlier runs included."""
        return self.results.count(LOST)

    @property
    def share(self) -> float | None:
        """Share of the last 50 games that White won, 0 to 1; None before the first game."""
        recent = self.results[-RECENT:]
        return recent.count(WON) / len(recent) if recent else None

    @property
    def groups(self) -> tuple[float, ...]:
        """Share of games that White won in each full group of five, 0 to 1."""
        full = len(self.results) // GROUP * GROUP
        return tuple(
            self.results[at : at + GROUP].count(WON) / GROUP for at in range(0, full, GROUP)
        )

    @property
    def is_done(self) -> bool:
        """Whether the board has stopped, or all requested games are played and learnt."""
        return bool(self.stopped) or (self.target is not None and self.learnt >= self.target)

    @property
    def advice(self) -> str:
        """Warning about the last training if it failed, else empty."""
        return str(self.statistics.get("advice") or "")

    @property
    def held(self) -> float | None:
        """Share of the memory's nodes that the network has learnt, 0 to 1.

        A node is learnt if the network answers it with a point of the node's highest label. The
        share is measured after each training. It is None before the first.
        """
        held = self.statistics.get("held")
        return None if held is None else float(held)

    @property
    def is_learning(self) -> bool:
        """Whether learning from the last game takes so long that the plate shows it."""
        if self.learnt >= self.games or not self.finished_at or self.stopped:
            return False
        return self.run.elapsed - self.finished_at[-1] > LONG_SECONDS

    @property
    def pace(self) -> float:
        """Speed in games per minute over the last 30 games; 0 if unknown."""
        if len(self.finished_at) < 2 or self.is_done:
            return 0.0
        passed = max(self.run.elapsed, self.finished_at[-1]) - self.finished_at[0]
        return (len(self.finished_at) - 1) / max(passed, 1e-3) * 60.0

    def on_stone(self, message: StonePlaced) -> None:
        """Store the moves of the present game after a stone has been played.

        Args:
            message: the worker's message, with the number and the moves of the game.
        """
        self.newest = (message.game, message.moves)

    def on_game(self, message: GameFinished, *, show_every: int) -> bool:
        """Count a finished game, unless it was counted before.

        Args:
            message: the worker's message about the game.
            show_every: the board shows each game whose number is a multiple of this.

        Returns:
            Whether the game was new and has been counted.
        """
        record = message.record
        if record.game != self.games + 1:
            return False
        winner = {WHITE: WON, BLACK: LOST}.get(record.winner, DRAWN)
        self.results.append(winner)
        self.finished_at.append(self.run.elapsed)
        self.newest = (record.game, record.moves)
        self.statistics = dict(message.statistics)
        self.needs_plate = True
        if self.record is None or record.game % show_every == 0:
            self.record = record
        return True

    def on_loaded(self, message: BoardLoaded) -> None:
        """Store the statistics of what was loaded from a file.

        Args:
            message: the worker's answer.
        """
        self.statistics = dict(message.statistics)
        self.needs_plate = True

    def begin(self, played: int, more: int) -> None:
        """Set the number of games played before, and with it the total to reach.

        Args:
            played: number of games of earlier runs.
            more: number of games to play now.
        """
        self.base = played
        self.target = played + more

    def stop(self, reason: str) -> None:
        """Record why the board has stopped; the plate then shows that it has."""
        self.stopped = reason
        self.needs_plate = True

    def on_opened(self, message: BoardOpened) -> None:
        """Process the state of the board in a new or restarted worker.

        A restarted worker may have learnt games that were not reported before.
        """
        if self.base is not None:
            known, now = (item.get("retrains", 0) for item in (self.statistics, message.statistics))
            self.retrains += max(now - known, 0)
        self.statistics = dict(message.statistics)
        self.learnt = message.games
        self.needs_plate = True

    def on_learnt(self, message: GameLearnt) -> None:
        """Record that a game is learnt."""
        self.learnt = message.game
        self.statistics = dict(message.statistics)
        if message.retrain_seconds is not None:
            self.retrains += 1
            self.retrain_seconds += message.retrain_seconds
            self.needs_plate = True  # it may have failed, or hold again
        self.needs_plate = self.needs_plate or self.is_done

    def report(self) -> dict[str, Any]:
        """Return the board's statistics of this run.

        Only `share_of_last_50` counts games of earlier runs, too.
        """
        results = self.results[self.base or 0 :]
        names = {LOST: "black", WON: "white", DRAWN: "draw"}
        return {
            "name": self.object.name,
            "player": self.seated or self.player,
            "records": self.records,
            "alpha": self.alpha,
            "seed": self.seed,
            "games": len(results),
            "results": {name: results.count(code) for code, name in names.items()},
            "winners": [names[code] for code in results],
            "share_of_last_50": self.share,
            "nodes": self.statistics.get("nodes", 0),
            "held": self.held,
            "failed": self.statistics.get("failed", 0),
            "retrains": self.retrains,
            "retrain_seconds": round(self.retrain_seconds, 3),
            "stopped": self.stopped or None,
        }

    # -- the picture from afar ----------------------------------------------------------------

    def build(self, painter_module: Any) -> None:
        """Create the objects of the board: a stand, the board and its name plate.

        Args:
            painter_module: the module `scripts.hall.painter`, which needs graphics.
        """
        self.painter = painter_module
        width = SIZE - 1 + 2 * MARGIN
        spawn = self.scene.spawn
        stand = spawn(
            "Stand",
            model={"builtin": "box", "size": [width + 1.3, width + 1.3, STAND_HEIGHT]},
            parent=self.object,
            position=(0.0, 0.0, -BOARD_HEIGHT - STAND_HEIGHT / 2),
            material={"color": [0.27, 0.17, 0.115], "roughness": 0.38},
        )
        self.far = PictureBoard(
            self.object, tr("Far board"), SIZE, BOARD_HEIGHT, look_of(self.scene)
        )
        across, up = painter_module.PLATE_SIZE
        size = (PLATE_WIDTH, PLATE_WIDTH * up / across)
        self.plate = spawn(
            "Plate",
            model={"builtin": "plane", "size": list(size)},
            parent=self.object,
            position=(0.0, width / 2 + 1.15, size[1] / 2 - 0.2),
            rotation=(0.0, 48.0, 0.0),
            material={"roughness": 0.55, "emission": 0.0},
        )
        for item in (stand, self.plate):
            item.casts_shadow = False
        self.paint_plate()
        self.start_coroutine(self._play_back())

    async def _play_back(self) -> None:
        """Replay finished games on the distant board, stone by stone, always the newest one."""
        await self.seconds(float(self.rng.uniform(0.0, 0.8)))
        while True:
            await self.until(lambda: self.record not in (None, self.shown_record))
            record = self.shown_record = self.record
            if record is None:
                continue
            *states, end = states_of(record.rules, record.moves)
            for state in states:
                self._show(state)
                await self.seconds(0.55)
            self._show(end)
            await self.seconds(2.5)

    def _show(self, state: ViewState) -> None:
        self.shown = state
        self.needs_board = True

    def late_update(self, dt: float) -> None:  # also while the scene is paused
        if self.far is not None:
            self.far.follow_look()

    def paint_board(self) -> None:
        """Redraw the picture of the distant board."""
        self.needs_board = False
        if self.far is not None:
            self.far.show(self.shown)

    def paint_plate(self) -> None:
        """Redraw the name plate."""
        self.needs_plate = False
        if self.plate is None:
            return
        self.is_learning_shown = self.is_learning
        text = tr_many("{count} game", "{count} games", self.games)
        if self.stopped:
            text = tr("stopped")
        elif self.is_done:
            text = tr("{games} · done").format(games=self.games)
        elif self.base is None:
            text = tr("starting")
        elif not self.games:
            text = tr("first game")
        elif self.is_learning_shown:
            text = tr("{games} · learning").format(games=self.games)
        if self.advice and not self.stopped:
            text = tr("{games} · learnt {held:.0%}").format(games=self.games, held=self.held or 0.0)
        plate = self.painter.Plate(
            self.plate_title, text, self.share, self.groups, has_failed=bool(self.advice)
        )
        self.plate.texture = self.painter.plate(plate)

    def folder_name(self, configuration: dict[str, Any]) -> str:
        """Return the name of the folder for a configuration; each configuration has its own."""
        digest = hashlib.sha256(json.dumps(configuration, sort_keys=True).encode()).hexdigest()[:8]
        return f"board_{self.session:02}_{digest}"

    def is_under(self, origin: Any, direction: Any) -> float | None:
        """Return the distance along a ray to this board or its plate; None if the ray misses.

        Args:
            origin: start of the ray in world coordinates, metres.
            direction: direction of the ray in world coordinates.
        """
        x, y, z = self.object.transform.world_position
        if abs(direction[2]) < 1e-9:
            return None
        along = (z - origin[2]) / direction[2]
        across, deep = origin[0] + along * direction[0] - x, origin[1] + along * direction[1] - y
        is_inside = abs(across) <= PLATE_WIDTH / 2 and -4.8 <= deep <= 8.2
        return float(along) if along > 0 and is_inside and math.isfinite(along) else None
