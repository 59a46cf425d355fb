"""What a player is, what it may spend and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ai.players.explanation import Explanation, NetworkAnswer
from ai.search.base import Limit

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ai.game import Board, Move
    from ai.memory import MemoryNodes


class PlayerError(RuntimeError):
    """A player cannot do what was asked of it."""


@dataclass(frozen=True, slots=True)
class MoveChoice:
    """A move and why it was chosen."""

    move: Move
    value: float | None = None
    """Expected result in [-1, 1] for the side to move, where the player has one."""
    policy: NDArray[np.float32] | None = None
    """`[A]` share of each point in the choice, sum 1, where the player has one."""
    explanation: Explanation = field(default_factory=Explanation)
    """Why. A mapping of plain values is taken, too, and read by its keys."""

    def __post_init__(self) -> None:
        """Read an explanation that came as a mapping."""
        if not isinstance(self.explanation, Explanation):
            object.__setattr__(self, "explanation", Explanation.from_plain(self.explanation))

    @property
    def rank(self) -> int | None:
        """Where the move stood in a network's answer, from 1; None where none answered."""
        said = self.explanation
        return said.rank if isinstance(said, NetworkAnswer) else None


@runtime_checkable
class Player(Protocol):
    """Anything that chooses moves."""

    @property
    def name(self) -> str:
        """Name in the registry."""

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose a legal move for the side to move.

        Args:
            board: position to play in, not over; unchanged on return.
            limit: what the move may cost.
            rng: the only source of randomness; consumed.

        Raises:
            GameOverError: the game is already decided.
        """

    def close(self) -> None:
        """Give back what the player holds; harmless when called twice."""


@runtime_checkable
class LoadsWeights(Protocol):
    """A player whose network can be exchanged between games."""

    def load_weights(self, network_id: int, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Play with these weights from now on.

        Args:
            network_id: the network's number.
            weights: each array by its name in the architecture, `[…]` of its shape there.
        """


@runtime_checkable
class LoadsMemory(Protocol):
    """A player that looks into its learner's memory, or plays by it."""

    def load_memory(self, memory: MemoryNodes) -> None:
        """Know these situations from now on.

        Raises:
            ValueError: they are of another board.
        """


@runtime_checkable
class LoadsCheckpoints(Protocol):
    """A player that can read the network of a learner's checkpoint."""

    def load_checkpoint(self, network_id: int, directory: Path) -> None:
        """Play with the weights kept in `directory` from now on.

        Raises:
            OSError: the weights cannot be opened.
            ValueError: they are damaged or belong to another network.
        """


__all__ = [
    "Limit",
    "LoadsCheckpoints",
    "LoadsMemory",
    "LoadsWeights",
    "MoveChoice",
    "Player",
    "PlayerError",
]
