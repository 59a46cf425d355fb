"""The loop in which a player learns: play a game, train, load the new network, repeat.

`LearnerSession` is the learning part alone, for games played elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ai.game import BLACK, Game, GameRecord, Position
from ai.learning.learner import Learner, Progress, TrainedWeights
from ai.players.base import Player
from ai.session.game import GameSession
from ai.store.checkpoints import LearnerCheckpoints, LearnerOrigin
from ai.store.learnt_file import LearntFile, LearntFileError


class LearnerSession:
    """A learner, together with what it has still to do: a training, and saving its state.

    Attributes:
        learner: the learner.
        checkpoints: the learner's checkpoints; None to write nothing.
        is_training_due: whether the observed games require a training.
        is_unsaved: whether the state differs from the newest checkpoint.
    """

    def __init__(
        self, learner: Learner, directory: Path | None, origin: LearnerOrigin | None = None
    ) -> None:
        """Open a session; no checkpoint is read yet.

        Args:
            learner: the learner.
            directory: directory of the checkpoints; None to write nothing.
            origin: what the learner is made from, which the checkpoints tell; None for nothing.
        """
        self.learner = learner
        self.checkpoints = (
            None if directory is None else LearnerCheckpoints(learner, directory, origin)
        )
        self.is_training_due = False
        self.is_unsaved = False

    def observe(self, record: GameRecord) -> None:
        """Let the learner observe a finished game; a game that it knows changes nothing."""
        if record.game > self.learner.games_learnt:
            self.is_unsaved = True
        self.is_training_due = self.learner.observe(record) or self.is_training_due

    def train(self, progress: Progress | None = None) -> float:
        """Train on the observed games, even if no training is due.

        If the training raises, it stays due.

        Args:
            progress: receives the training's progress; None for no reports.

        Returns:
            The duration in seconds.

        Raises:
            LearnerError: there is nothing to train on.
        """
        started = time.perf_counter()
        self.learner.train(progress)
        self.is_training_due = False
        self.is_unsaved = True
        return round(time.perf_counter() - started, 6)

    def load_file(self, path: Path, *, games: int | None = None) -> LearntFile:
        """Restore what a file holds and write a checkpoint of it; see `LearnerCheckpoints`.

        Args:
            path: path of the file.
            games: number that the counter of games gets; None for the higher one.

        Returns:
            What was read.

        Raises:
            CheckpointError: it cannot be kept.
            LearntFileError: the file does not fit or is damaged, or there is no folder to keep
                what it holds; nothing is changed.
        """
        if self.checkpoints is None:
            raise LearntFileError("there is no folder for checkpoints")
        learnt = self.checkpoints.load_file(path, games=games)
        self.is_training_due = False
        self.is_unsaved = True
        self.save()
        return learnt

    def save(self) -> None:
        """Write a checkpoint if the state has changed and no training is due.

        A stored game counts as learned. So a game whose training is still due is not stored, and
        after a restart the learner observes it again.

        Raises:
            CheckpointError: the checkpoint cannot be written; the last good one is kept.
        """
        if self.checkpoints is not None and self.is_unsaved and not self.is_training_due:
            self.checkpoints.save()
            self.is_unsaved = False


class TeachingRun:
    """A series of games in which White's player learns from each lost game before the next one.

    Attributes:
        learning: the learner and its pending work.
        games: number of games played, those of earlier runs included.
        losses: number of games that White lost.
    """

    def __init__(
        self,
        rules: Game,
        learning: LearnerSession,
        *,
        seed: int,
        opponent: Callable[[int], Player],
        player: Player,
        swap: Callable[[TrainedWeights], None],
    ) -> None:
        """Prepare the series; no game is played yet.

        Args:
            rules: rules of the game.
            learning: White's learner.
            seed: seed of the run, for all randomness of all games.
            opponent: called with the number of a game, from 1; returns the player of Black.
            player: plays White.
            swap: called between games with new weights; loads them into White's player.
        """
        self.rules = rules
        self.learning = learning
        self.seed = seed
        self.games = 0
        self.losses = 0
        self._opponent = opponent
        self._player = player
        self._swap = swap

    def play(self, on_move: Callable[[Position], None] = lambda board: None) -> GameSession:
        """Play the next game and let the learner observe it, without training.

        Args:
            on_move: called with the board after each stone; an exception aborts and discards the
                game.
        """
        session = GameSession(self.rules, self.games + 1, seed=self.seed)
        record = session.play_out(self._opponent(session.game), self._player, on_move)
        self.learning.observe(record)
        self.count(record)
        return session

    def learn(self, progress: Progress | None = None) -> float | None:
        """Train if a training is due, and load the new weights into the player.

        Args:
            progress: receives the training's progress; None for no reports.

        Returns:
            The duration in seconds; None if no training was due.
        """
        if not self.learning.is_training_due:
            return None
        seconds = self.learning.train(progress)
        self.swap()
        return seconds

    def swap(self) -> None:
        """Load the learner's newest weights into the player."""
        self._swap(self.learning.learner.weights())

    def count(self, record: GameRecord) -> None:
        """Add a finished game to `games` and, if White lost, to `losses`."""
        self.games += 1
        self.losses += record.winner == BLACK

    def resume(
        self,
        records: Sequence[GameRecord],
        told: Callable[[GameRecord, float | None], None] = lambda record, seconds: None,
    ) -> None:
        """Continue after the games of earlier runs, and learn those that are not learned yet.

        Args:
            records: games 1, 2, 3, … of the earlier runs.
            told: called for each game that is learned now, with the game and the seconds of its
                training; None if no training was due.
        """
        for record in records:
            self.count(record)
        for record in records[self.learning.learner.games_learnt :]:
            self.learning.observe(record)
            told(record, self.learning.train() if self.learning.is_training_due else None)
        self.swap()
