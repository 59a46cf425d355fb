"""The player protocol, optional protocols of players, and the choice of a move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ai.players.explanation import Explanation, NetworkAnswer, SentExplanation
from ai.players.view import ExplainedMove
from ai.search.base import Limit as Limit

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ai.game import Move, OpeningPhase, Position, Said
    from ai.memory import MemoryNodes


class PlayerError(RuntimeError):
    """A player refuses a request."""


@dataclass(frozen=True, slots=True)
class MoveChoice:
    """A move and why it was chosen."""

    move: Move
    value: float | None = None
    """Expected result in [-1, 1] for the side to move; None if the player has no value."""
    policy: NDArray[np.float32] | None = None
    """`[A]` policy over all points, sum 1; None if the player has no policy."""
    explanation: Explanation = field(default_factory=Explanation)
    """Explanation of the choice. A mapping of plain values is converted by its keys."""
    forfeit: str = ""
    """Why the player resigns instead of moving (`move` is PASS then); empty: it plays."""

    def __post_init__(self) -> None:
        """Convert an explanation given as a mapping."""
        if not isinstance(self.explanation, Explanation):
            object.__setattr__(self, "explanation", Explanation.from_plain(self.explanation))

    @property
    def rank(self) -> int | None:
        """Rank of the move in the network's answer, from 1; None without a network."""
        said = self.explanation
        return said.rank if isinstance(said, NetworkAnswer) else None

    def readable(self, board: Position, explains: str) -> MoveChoice:
        """Return the choice with an explanation that processes without the player can read.

        Args:
            board: the position before the move.
            explains: what the player's explanations show, see `PlayerInfo`.
        """
        if self.explanation.is_shipped or self.forfeit:
            return self
        at = ExplainedMove(
            board.rules,
            tuple(map(int, board.stones)),
            self.move,
            board.to_move,
            policy=() if self.policy is None else tuple(map(float, self.policy)),
            explains=explains,
        )
        return replace(self, explanation=SentExplanation.of(self.explanation, at))


@runtime_checkable
class Player(Protocol):
    """Chooses moves."""

    @property
    def name(self) -> str:
        """Name in the registry."""

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose a legal move for the side to move.

        Args:
            board: position to play in, not over, with a point to play; unchanged on return.
            limit: budget of the move.
            rng: the only source of randomness; consumed.

        Raises:
            GameOverError: the game is already decided.
        """

    def close(self) -> None:
        """Release resources; may be called twice."""


@runtime_checkable
class LoadsWeights(Protocol):
    """A player whose network can be replaced between games."""

    def load_weights(self, network_id: int, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Use these weights from now on.

        Args:
            network_id: id of the network.
            weights: arrays by name, with the shapes of the architecture.
        """


@runtime_checkable
class LoadsMemory(Protocol):
    """A player that uses its learner's memory, to play or to explain."""

    def load_memory(self, memory: MemoryNodes) -> None:
        """Use these situation nodes from now on.

        Raises:
            ValueError: they belong to another board size.
        """


@runtime_checkable
class LoadsCheckpoints(Protocol):
    """A player that can read the network of a learner's checkpoint."""

    def load_checkpoint(self, network_id: int, directory: Path) -> None:
        """Use the weights of the checkpoint in `directory` from now on.

        Raises:
            OSError: the weights cannot be opened.
            ValueError: the weights are damaged or belong to another network.
        """


@runtime_checkable
class PlansTime(Protocol):
    """A player that obeys soft limits, and whose best move so far can be read during the search.

    Other players use all of their limit and have no move before they have chosen.
    """

    @property
    def plans_time(self) -> bool:
        """Whether it obeys a soft limit in its game."""

    @property
    def best_now(self) -> Move | None:
        """Best move so far of the running search; None before there is one. Thread-safe."""


@runtime_checkable
class ChoosesOpenings(Protocol):
    """A player that decides in openings itself; for others `ai.session.opening` decides."""

    def choose_opening(
        self, phase: OpeningPhase, board: Position, limit: Limit, rng: np.random.Generator
    ) -> tuple[Said, ...]:
        """Return this player's decision: one of `phase.choices`, or points for stones.

        Args:
            phase: an unfinished opening, in which this player is the decider.
            board: position of the opening's stones; unchanged on return.
            limit: budget of the answer.
            rng: the only source of randomness; consumed.

        Returns:
            One choice, or `phase.stones_wanted` points in the order in which they are placed.
        """
