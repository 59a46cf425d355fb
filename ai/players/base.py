"""`Player`, the protocol of all players; optional protocols; and `MoveChoice`, a chosen move."""

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
    from ai.search.base import Stop


class PlayerError(RuntimeError):
    """A player refuses a request."""


@dataclass(frozen=True, slots=True)
class MoveChoice:
    """A chosen move, with its value, the policy behind it and an explanation."""

    move: Move
    value: float | None = None
    """Expected result in [-1, 1] for the side to move; None if the player does not estimate it."""
    policy: NDArray[np.float32] | None = None
    """Probabilities of all points, `[points]`, sum 1; None if the player does not compute them."""
    explanation: Explanation = field(default_factory=Explanation)
    """Why the move was chosen.

    A mapping of plain values may be given. It becomes an object of the explanation class that its
    keys identify.
    """
    forfeit: str = ""
    """Why the player gives the game up; "" if it plays a move.

    If the player gives up, `move` is PASS.
    """

    def __post_init__(self) -> None:
        """Convert an explanation given as a mapping."""
        if not isinstance(self.explanation, Explanation):
            object.__setattr__(self, "explanation", Explanation.from_plain(self.explanation))

    @property
    def rank(self) -> int | None:
        """Place of the move in the answer of network or memory, from 1; None without an answer."""
        said = self.explanation
        return said.rank if isinstance(said, NetworkAnswer) else None

    def readable(self, board: Position, explains: str) -> MoveChoice:
        """Return the choice with an explanation that other processes can read.

        They may not have the class of the explanation, if a project's own player defines it. Then a
        `SentExplanation` takes its place.

        Args:
            board: the position before the move.
            explains: kind of the player's explanations, see `PlayerInfo.explains`.
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
    """A player: chooses moves in one game with fixed settings."""

    @property
    def name(self) -> str:
        """The player's name in `ai.registry.players`."""

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose a legal move for the side to move.

        Args:
            board: position to play in; not over, with a legal point; unchanged on return.
            limit: budget of time and searched positions for the move.
            rng: the only source of randomness; drawing from it changes its state.

        Raises:
            GameOverError: the game is already over.
        """

    def close(self) -> None:
        """Release resources; may be called twice."""


@runtime_checkable
class LoadsWeights(Protocol):
    """A player whose network can be replaced between games."""

    def load_weights(self, network_id: int, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Use these weights from now on.

        Args:
            network_id: number of the network.
            weights: arrays by name; their shapes must be those of the player's network.
        """


@runtime_checkable
class LoadsMemory(Protocol):
    """Protocol of players that use their learner's memory of positions, to play or to explain."""

    def load_memory(self, memory: MemoryNodes) -> None:
        """Use these remembered positions from now on.

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
    """Protocol of players that plan their time and show their best move while they search.

    They obey `Limit.soft_seconds` and may stop earlier or later than that. Other players use all of
    their limit and have no move before they have chosen.
    """

    @property
    def plans_time(self) -> bool:
        """Whether the player obeys `Limit.soft_seconds` in its game."""

    @property
    def best_now(self) -> Move | None:
        """Best move so far of the running search; None before there is one. Thread-safe."""


@runtime_checkable
class Ponders(Protocol):
    """Protocol of players that can think while the other side does, and remember what they find."""

    def ponder(self, board: Position, stop: Stop) -> None:
        """Think about a position in which the other side is to move.

        Args:
            board: the position, after a move of this player.
            stop: when it is set, the method returns soon.
        """


@runtime_checkable
class ChoosesOpenings(Protocol):
    """Protocol of players that make their own decisions in openings.

    For all other players `ai.session.opening` decides.
    """

    def choose_opening(
        self, phase: OpeningPhase, board: Position, limit: Limit, rng: np.random.Generator
    ) -> tuple[Said, ...]:
        """Return this player's decision in an opening: a choice, or points for stones.

        Args:
            phase: an unfinished opening, in which this player is the decider.
            board: position with the opening's stones; unchanged on return.
            limit: budget of the answer.
            rng: the only source of randomness; drawing from it changes its state.

        Returns:
            One of `phase.choices`, or `phase.stones_wanted` points in the order of placement.
        """
