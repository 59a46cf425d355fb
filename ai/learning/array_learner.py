"""Base class of projects' own learners, whose knowledge is a few arrays.

    class Pupil(ArrayLearner):
        def begin(self):
            return {"worth": np.zeros(10)}

        def learn(self, arrays, games, progress):
            return {"worth": better(arrays["worth"], games)}

and `learner = "scripts.pupil:Pupil"` beside `create` in the project's `goishi.toml`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, GameRecord
from ai.learning.learner import LearnerError, Progress, TrainedWeights
from ai.store.checkpoints import ArraysForm, LearnerState, folder_name
from base.values import JsonObject

Arrays: TypeAlias = dict[str, NDArray[np.float32]]


class ArrayLearner:
    """Base class of learners whose whole knowledge is a few arrays.

    A subclass defines `begin`, which returns the first arrays, and `learn`, which improves them. It
    learns from lost games only; override `is_lesson` to change that. This class keeps track of
    games, network ids and checkpoints; see `ai.learning.learner.Learner`. The player receives the
    arrays through its method `load_weights(network_id, weights)`.

    Attributes:
        rules: rules of the game.
        settings: all settings of the player, by their names in `goishi.toml`.
        rng: random generator of this training, seeded from the run's seed.
        games: the games to learn from, at most `most_games`, the oldest first.
    """

    most_games = 50

    def __init__(
        self,
        rules: Game,
        settings: Mapping[str, object],
        seed: int = 0,
        *,
        threads: int = 1,
        share: float = 1.0,
    ) -> None:
        self.rules = rules
        self.settings = dict(settings)
        self.seed = seed
        self.threads = threads
        self.share = share
        self.games: list[GameRecord] = []
        self.rng = np.random.default_rng([seed, 0])
        self._games_learnt = 0
        self._network_id = 0
        self._retrains = 0
        self._trained = TrainedWeights(0, self._checked("begin", self.begin()))

    # -- yours --------------------------------------------------------------------------------

    def begin(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the initial arrays by name."""
        raise NotImplementedError(f"{type(self).__name__}: expected a method begin")

    def learn(
        self, arrays: Arrays, games: Sequence[GameRecord], progress: Progress
    ) -> Mapping[str, NDArray[np.generic]]:
        """Return the improved arrays, with the same names and shapes as `arrays`.

        Args:
            arrays: copies of the current arrays by name, float32, each with its shape `[...]`.
            games: the games to learn from, the newest last.
            progress: call it with (step, steps, loss, accuracy) from time to time; the values of
                the last call are shown in the charts.
        """
        raise NotImplementedError(f"{type(self).__name__}: expected a method learn")

    def is_lesson(self, record: GameRecord) -> bool:
        """Return whether to learn from a game; by default only from lost games."""
        return record.winner == -record.learner_color

    # -- what a learner does ------------------------------------------------------------------

    @property
    def games_learnt(self) -> int:
        """Number of the last game passed to `observe` or `skip`; 0 before the first."""
        return self._games_learnt

    @property
    def network_id(self) -> int:
        """Id of the newest network: 0 at first, one more after each training."""
        return self._network_id

    def observe(self, record: GameRecord) -> bool:
        """Store a finished game if it is one to learn from; return whether it is.

        A game that was observed or skipped before is ignored.

        Raises:
            LearnerError: the game was played by other rules.
        """
        if record.rules != self.rules:
            raise LearnerError(f"expected a game by {self.rules}, found {record.rules}")
        if record.game <= self._games_learnt:
            return False
        self._games_learnt = record.game
        if not self.is_lesson(record):
            return False
        self.games = [*self.games, record][-self.most_games :]
        return True

    def train(self, progress: Progress | None = None) -> TrainedWeights:
        """Call `learn` with the stored games and return the new weights.

        Args:
            progress: called with (step, steps, loss, accuracy) as often as `learn` does; None for
                no calls.

        Raises:
            LearnerError: there is no game to learn from yet, or the result of `learn` does not fit.
        """
        if not self.games:
            raise LearnerError("expected a game to learn from, found none")
        started = time.perf_counter()
        self.rng = np.random.default_rng([self.seed, self._network_id + 1])
        told = _ProgressReporter(progress, self.share)
        arrays = {name: array.copy() for name, array in self._trained.arrays.items()}
        found = self._checked("learn", self.learn(arrays, tuple(self.games), told))
        self._network_id += 1
        self._retrains += 1
        self._trained = TrainedWeights(
            self._network_id, found, told.loss, told.accuracy, time.perf_counter() - started
        )
        return self._trained

    def weights(self) -> TrainedWeights:
        """Return the current network."""
        return self._trained

    def statistics(self) -> JsonObject:
        """Return plain numbers for charts, by name; `nodes` is the number of games in memory."""
        trained = self._trained
        return {
            "nodes": len(self.games),
            "records": len(self.games),
            "retrains": self._retrains,
            "games_learnt": self._games_learnt,
            "network_id": trained.network_id,
            "loss": trained.loss,
            "accuracy": trained.accuracy,
            "seconds": trained.seconds,
        }

    def change_settings(self, settings: Mapping[str, object]) -> None:
        """Change the settings, keeping the learnt state.

        Raises:
            LearnerError: with these settings `begin` returns arrays of other shapes; nothing is
                changed.
        """
        before, self.settings = self.settings, dict(settings)
        if _shapes(self._checked("begin", self.begin())) != _shapes(self._trained.arrays):
            self.settings = before
            raise LearnerError("expected settings of the same arrays, found those of others")

    def skip(self, game: int) -> None:
        """Mark the games up to `game` as known, without learning from them."""
        self._games_learnt = max(self._games_learnt, game)

    def prepare(self) -> None:
        """Do nothing: there is nothing to compile."""

    def reset(self) -> None:
        """Forget all games and start again with the arrays of `begin`."""
        self.games = []
        self.rng = np.random.default_rng([self.seed, 0])
        self._games_learnt = self._network_id = self._retrains = 0
        self._trained = TrainedWeights(0, self._checked("begin", self.begin()))

    # -- checkpoints --------------------------------------------------------------------------

    @property
    def checkpoint_form(self) -> ArraysForm:
        """Storage format of the checkpoints: all arrays in one file."""
        name = type(self).__name__.lower()
        known = [name, self.rules.as_dict(), _shapes(self._trained.arrays)]
        return ArraysForm(folder_name(f"{name}-{self.rules.size}x{self.rules.rows}", known))

    def state(self) -> LearnerState:
        """Return the complete state, for a checkpoint."""
        values = {
            **self.statistics(),
            "seed": self.seed,
            "newest_network_id": self._network_id,
            "games": [record.as_dict() for record in self.games],
        }
        return LearnerState(values, self._trained.arrays)

    def restore(self, state: LearnerState) -> None:
        """Restore the state of a checkpoint.

        Raises:
            KeyError: a value is missing; nothing is changed.
            LearnerError: the arrays do not fit; nothing is changed.
            RecordError: a game is malformed; nothing is changed.
        """
        values = state.values
        arrays = self._checked("load", state.weights)
        games = [GameRecord.from_dict(record) for record in values["games"]]
        trained = TrainedWeights(
            int(values["network_id"]),
            arrays,
            values["loss"],
            values["accuracy"],
            float(values["seconds"]),
        )
        numbers = [int(values[k]) for k in ("games_learnt", "newest_network_id", "retrains")]
        self._games_learnt, newest, self._retrains = numbers
        self._network_id = max(newest, trained.network_id)
        self.games, self._trained = games, trained

    def _checked(self, method: str, found: Mapping[str, NDArray[np.generic]]) -> Arrays:
        """Check the names, shapes and values of arrays; return them as float32.

        Args:
            method: where the arrays come from, for the error message: "begin", "learn" or "load".
                Arrays from "begin" may have any names and shapes.
            found: the arrays by name.

        Raises:
            LearnerError: names or shapes differ from the current ones, or a number is not finite.
        """
        where = f"{type(self).__name__}.{method}"
        if not isinstance(found, Mapping):
            raise LearnerError(f"{where}: expected arrays by name, found {found!r:.80}")
        arrays = {str(name): np.array(array, np.float32) for name, array in found.items()}
        known = _shapes(self._trained.arrays) if method != "begin" else _shapes(arrays)
        if _shapes(arrays) != known:
            raise LearnerError(f"{where}: expected arrays {known}, found {_shapes(arrays)}")
        for name, array in arrays.items():
            if not np.isfinite(array).all():
                raise LearnerError(f"{where}: expected finite numbers in {name}, found others")
        return arrays


class _ProgressReporter:
    """Progress function that keeps the last loss and accuracy, and passes each call on.

    It also sleeps after each call, so that the training uses only a share of the time.
    """

    def __init__(self, progress: Progress | None, share: float) -> None:
        self.loss: float | None = None
        self.accuracy: float | None = None
        self._progress = progress
        self._rest = (1.0 - share) / share
        self._since = time.perf_counter()

    def __call__(self, step: int, steps: int, loss: float, accuracy: float) -> None:
        self.loss, self.accuracy = float(loss), float(accuracy)
        if self._progress is not None:
            self._progress(step, steps, self.loss, self.accuracy)
        if self._rest > 0.0:
            time.sleep((time.perf_counter() - self._since) * self._rest)
        self._since = time.perf_counter()


def _shapes(arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, list[int]]:
    return {name: list(arrays[name].shape) for name in sorted(arrays)}
