"""Imagined positions: training data between the memory's nodes.

A network that is trained on the nodes alone answers at random a few stones beside them. The
memory answers every position (kernel regression, `ai.memory.recall`), so it can teach: games are
imagined from positions that were met, White mostly following the memory, Black one of the points
that the memory names next or one beside his own stones, and each position on the way is a sample
whose label is the memory's first free answer (a distillation; Hinton, Vinyals, Dean 2015).
Of the opponent only the positions in which it was met are used.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, playable
from ai.memory import Recall
from ai.nets.features import StateEncoder

NODE_SHARE: Final = 0.1
"""Part of the samples that are the nodes themselves."""
LAST_SHARE: Final = 0.1
"""Part that are positions of the game just lost."""
MET_SHARE: Final = 0.2
"""Part that are positions met in any game."""

RESTART: Final = 0.25
"""Probability with which an imagined game is left for a new one after each round."""
FOLLOW: Final = (0.75, 0.15, 0.1)
"""White takes the memory's first answer; one drawn by a flat power of its shares; any point."""
OPPOSE: Final = (0.5, 0.4, 0.1)
"""Black takes one of the memory's next answers; a point beside his stones; any point."""
FLAT: Final = 0.15
"""Power of the shares where White does not follow."""
STOP_AT: Final = 3
"""Free points with which an imagined game ends."""


class ImaginedGames:
    """A population of imagined games, advanced one round at a time."""

    def __init__(
        self, met: NDArray[np.int8], recall: Recall, encoder: StateEncoder, rules: Game
    ) -> None:
        """Start the games from met positions.

        Args:
            met: `[M, A]` initial positions with the learner to move, from its perspective; M > 0.
            recall: the memory's answers.
            encoder: computes the memory's state vectors.
            rules: say which points can be played; stones must stay where they are, as in m,n,k.
        """
        self._met = met
        self._recall = recall
        self._encoder = encoder
        self._rules = rules
        self._beside = _neighbours(rules)
        self._games = met[:0]

    def answers(self, states: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the memory's answer `[B, A]` over the free points, each row's sum 1."""
        scores = self._recall.scores(self._encoder.vectors(states)).astype(np.float32)
        scores = np.where(playable(states, self._rules), scores, -np.inf)
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        result: NDArray[np.float32] = raised / raised.sum(axis=1, keepdims=True)
        return result

    def round(self, count: int, rng: np.random.Generator) -> NDArray[np.int8]:
        """Return `[count, A]` the next position of each game; finished games restart."""
        begun = self._met[rng.integers(len(self._met), size=count)]
        if len(self._games) != count:
            self._games = begun
            return self._games
        is_over = (rng.random(count) < RESTART) | (
            playable(self._games, self._rules).sum(axis=1) <= STOP_AT
        )
        self._games = np.where(is_over[:, None], begun, self._games)
        return self._games

    def advance(self, answers: NDArray[np.float32], rng: np.random.Generator) -> None:
        """Play one stone of each side in every game.

        Args:
            answers: `[count, A]` the memory's answers in the present positions.
            rng: draws the moves.
        """
        games, logs = self._games.copy(), np.log(answers + np.float32(1e-30))
        rows = np.arange(len(games))
        noise = _gumbel(rng, games.shape)
        kind = rng.choice(3, len(games), p=FOLLOW)[:, None]
        wanted = np.where(kind == 0, logs, np.where(kind == 1, FLAT * logs + noise, noise))
        games[rows, _best(wanted, playable(games, self._rules))] = -1
        noise = _gumbel(rng, games.shape)
        kind = rng.choice(3, len(games), p=OPPOSE)[:, None]
        beside = np.log((games == 1).astype(np.float32) @ self._beside + np.float32(1e-3))
        next_best = 2.0 * FLAT * logs + noise
        wanted = np.where(kind == 0, next_best, np.where(kind == 1, 2.0 * beside + noise, noise))
        games[rows, _best(wanted, playable(games, self._rules))] = 1
        self._games = games


def _best(wanted: NDArray[np.float32], free: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return `[B]` the free point with the highest number in each row."""
    best: NDArray[np.intp] = np.where(free, wanted, -np.inf).argmax(axis=1)
    return best


def _gumbel(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Draw Gumbel noise: the greatest of log p + noise is drawn with probability p."""
    uniform = rng.random(shape, dtype=np.float32)
    result: NDArray[np.float32] = -np.log(-np.log(uniform * np.float32(0.999998) + 1e-6))
    return result


def _neighbours(rules: Game) -> NDArray[np.float32]:
    """Return `[A, A]` 1 where two points touch, also across a corner."""
    down, across = np.divmod(np.arange(rules.points), rules.size)
    near = (np.abs(down[:, None] - down) <= 1) & (np.abs(across[:, None] - across) <= 1)
    result: NDArray[np.float32] = (near & ~np.eye(rules.points, dtype=bool)).astype(np.float32)
    return result
