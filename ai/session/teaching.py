"""The self-teaching run: play a game, learn from it, swap the network in; then the next one.

`LearnerSession` is the learning alone, for where the games are played elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ai.game import BLACK, Board, GameRecord, Rules
from ai.learning.learner import Learner, Progress, TrainedWeights
from ai.players.base import Player
from ai.session.game import GameSession
from ai.store.learner_checkpoints import LearnerCheckpoints


class LearnerSession:
    """A learner at work: whether a training is due, and whether a checkpoint holds what it knows.

    Attributes:
        learner: takes in the games.
        checkpoints: of the learner; None: nothing is written.
        is_training_due: whether the games taken in are to be trained on.
        is_unsaved: whether it knows something that no checkpoint holds.
    """

    def __init__(self, learner: Learner, directory: Path | None) -> None:
        self.learner = learner
        self.checkpoints = None if directory is None else LearnerCheckpoints(learner, directory)
        self.is_training_due = False
        self.is_unsaved = False

    def observe(self, record: GameRecord) -> None:
        """Take in a finished game; one that is known changes nothing."""
        if record.game > self.learner.games_learnt:
            self.is_unsaved = True
        self.is_training_due = self.learner.observe(record) or self.is_training_due

    def train(self, progress: Progress | None = None) -> float:
        """Train on what was taken in, due or not; return the wall seconds, to the microsecond.

        A training that raises stays due.

        Raises:
            LearnerError: there is nothing to train on.
        """
        started = time.perf_counter()
        self.learner.train(progress)
        self.is_training_due = False
        self.is_unsaved = True
        return round(time.perf_counter() - started, 6)

    def save(self) -> None:
        """Write a checkpoint of what is unsaved, unless a training is due.

        A game whose training is due must come again after a restart, so it must not be known then.

        Raises:
            CheckpointError: it cannot be written; the last good one is kept.
        """
        if self.checkpoints is not None and self.is_unsaved and not self.is_training_due:
            self.checkpoints.save()
            self.is_unsaved = False


class TeachingRun:
    """Games of one player, White, that learns from each lost game before the next one begins.

    Attributes:
        learning: the learner and what is due.
        games: played so far, those of earlier runs included.
        losses: of them.
    """

    def __init__(
        self,
        rules: Rules,
        learning: LearnerSession,
        *,
        seed: int,
        opponent: Callable[[int], Player],
        player: Player,
        swap: Callable[[TrainedWeights], None],
    ) -> None:
        """Begin before the first game.

        Args:
            rules: what is played.
            learning: of White's learner.
            seed: of the run; decides all randomness of all games.
            opponent: returns Black's player of a game by its number, from 1.
            player: plays White.
            swap: lets White play with new weights; called between games only.
        """
        self.rules = rules
        self.learning = learning
        self.seed = seed
        self.games = 0
        self.losses = 0
        self._opponent = opponent
        self._player = player
        self._swap = swap

    def play(self, on_move: Callable[[Board], None] = lambda board: None) -> GameSession:
        """Play the next game and let the learner take it in; nothing is trained yet.

        Args:
            on_move: called after each stone; what it raises stops the game, which then never was.
        """
        session = GameSession(self.rules, self.games + 1, seed=self.seed)
        record = session.play_out(self._opponent(session.game), self._player, on_move)
        self.learning.observe(record)
        self.count(record)
        return session

    def learn(self, progress: Progress | None = None) -> float | None:
        """Train where the last game asks for it, and swap; return the seconds of the training."""
        if not self.learning.is_training_due:
            return None
        seconds = self.learning.train(progress)
        self.swap()
        return seconds

    def swap(self) -> None:
        """Let the player play with the learner's newest weights."""
        self._swap(self.learning.learner.weights())

    def count(self, record: GameRecord) -> None:
        """Count a finished game."""
        self.games += 1
        self.losses += record.winner == BLACK

    def resume(
        self,
        records: Sequence[GameRecord],
        told: Callable[[GameRecord, float | None], None] = lambda record, seconds: None,
    ) -> None:
        """Go on after the games of earlier runs; those that the learner does not know are learnt.

        Args:
            records: games 1, 2, 3, …
            told: called with each game that was learnt anew, and the seconds of its training.
        """
        for record in records:
            self.count(record)
        for record in records[self.learning.learner.games_learnt :]:
            self.learning.observe(record)
            told(record, self.learning.train() if self.learning.is_training_due else None)
        self.swap()
