"""The player `ann-lines`: plays by a memory of line situations that it missed in lost games.

It has no network and no search. For each free point it adds what its lines are worth
(`ai.memory.line_memory`), and plays the point with the highest sum. So each of its weights can be
read, and says from which game and stone it comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, Position, playable, require_open
from ai.memory import NOTHING, LineMemory, LineReader, MemoryNodes
from ai.memory.lines import line_text
from ai.nets.features import learner_stones
from ai.players.base import Limit, MoveChoice
from ai.players.decision import decide, network_answer
from ai.players.explanation import MemoryReading, SpokenLine
from ai.players.line_settings import ANN_LINES
from base.policies.layers import softmax
from base.schema import OptionValue
from base.storage.card_file import read_arrays, reading

SETTINGS: Final = ANN_LINES
MEMORY_FILE: Final = "memory.npz"
"""Name of the file with the records in a learner's checkpoint."""
_TIES: Final = 1e-9
"""Largest number added to a score, so that equal scores have an order of their own."""


class LineKnowledge:
    """What a learner of lines knows, as its player gets it: the remembered lines and origins."""

    def __init__(self, rules: Game, settings: Mapping[str, OptionValue]) -> None:
        """Start with an empty memory.

        Args:
            rules: rules of the game.
            settings: values of all settings, defaults included.
        """
        self.reader = LineReader.of(rules)
        self._rules = rules
        self._settings = settings
        self._origins: NDArray[np.float32] | None = None
        nothing = np.zeros((0, self.reader.points))
        self._stones, self._labels = nothing.astype(np.int8), nothing.astype(np.float32)
        self.lines = self._empty_memory()

    def load(self, memory: MemoryNodes) -> None:
        """Remember the lines of these records, and forget others.

        Raises:
            ValueError: the records have no labels or stones, or belong to another board size.
        """
        shape = (len(memory.vectors), self.reader.points)
        stones, labels = memory.stones, memory.labels
        if stones is None or labels is None or stones.shape != shape or labels.shape != shape:
            raise ValueError(
                f"memory: expected stones and labels of the shape {shape}, "
                f"found {memory.vectors.shape}"
            )
        self.remember(stones.astype(np.int8), labels)
        self._origins = memory.origins

    def remember(self, stones: NDArray[np.int8], labels: NDArray[np.float32]) -> None:
        """Remember the lines of some records, and forget others.

        Args:
            stones: `[N, A]` positions of the records, from the learner's perspective.
            labels: `[N, A]` their labels.
        """
        known = len(self._stones)
        is_longer = (
            len(stones) >= known
            and np.array_equal(stones[:known], self._stones)
            and np.array_equal(labels[:known], self._labels)
        )
        if not is_longer:
            known, self.lines = 0, self._empty_memory()
        for position, label in zip(stones[known:], labels[known:], strict=True):
            self.lines.add(position, label, playable(position, self._rules))
        self._stones, self._labels = stones, labels

    def emptied(self, settings: Mapping[str, OptionValue] | None = None) -> LineKnowledge:
        """Return an empty copy for the same game.

        Args:
            settings: other settings; None for the same.
        """
        return LineKnowledge(self._rules, self._settings if settings is None else settings)

    def _empty_memory(self) -> LineMemory:
        return LineMemory(
            self.reader,
            alpha=cast("float | None", self._settings["alpha"]),
            width=cast("float", self._settings["width"]),
            prior=cast("float", self._settings["prior"]),
        )

    @property
    def sees_own(self) -> bool:
        """Whether the player's own lines count, too."""
        return self._settings["own"] != 0.0

    def own_worths(
        self, stones: NDArray[np.int8], worths: Callable[[NDArray[np.intp]], NDArray[np.floating]]
    ) -> NDArray[np.float64]:
        """Return `[A]` what the player's own lines add to each point, by the setting `own`.

        The colors change places: what was learnt of the opponent's lines is asked of one's own.

        Args:
            stones: `[A]` the position, from the learner's perspective.
            worths: returns what line situations are worth, given by their numbers.
        """
        factor = cast("float", self._settings["own"])
        codes = self.reader.codes(-stones[None])[0]  # [A, D]
        added: NDArray[np.float64] = factor * worths(codes).sum(axis=-1)
        return added

    def reading(self) -> MemoryReading:
        """Return the number of remembered lines, for an explanation."""
        return MemoryReading(len(self.lines), self.lines.alpha, width=self.lines.width)

    def spoken(
        self, codes: NDArray[np.intp], worths: NDArray[np.floating]
    ) -> tuple[SpokenLine, ...]:
        """Return the lines through a point, the greatest worth first.

        Args:
            codes: `[D]` their numbers, see `LineReader.codes`.
            worths: `[D]` what each adds to the point's score.
        """
        cells = self.reader.decode(codes)
        found = [
            self._spoken(int(code), float(worth), line_text(line))
            for code, worth, line in zip(codes, worths, cells, strict=True)
        ]
        return tuple(sorted(found, key=lambda line: -line.worth))

    def _spoken(self, code: int, worth: float, text: str) -> SpokenLine:
        near = self.lines.nearest(code)
        if near is None:
            return SpokenLine(text, worth)
        node, distance = near
        return SpokenLine(
            text,
            worth,
            round(node.hits),
            round(node.misses),
            distance,
            self._origin(node.first_record),
            self._origin(node.last_record),
        )

    def _origin(self, record: int) -> tuple[int, ...]:
        """Return the game and the number of the stone, from 1, of a record; () if unknown."""
        if record < 0 or self._origins is None or record >= len(self._origins):
            return ()
        game, ply = (int(value) for value in self._origins[record])
        return (game, ply + 1)


def in_order(scores: NDArray[np.float64], stones: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return scores that differ a little where they were equal, in an order of the position.

    Args:
        scores: `[A]` scores of the points.
        stones: `[A]` stones of the position, which alone decide the order.
    """
    draws = np.random.default_rng(list(stones.tobytes())).random(len(scores))
    ordered: NDArray[np.float64] = scores + _TIES * draws
    return ordered


class AnnLinesPlayer:
    """Plays the legal point whose lines are worth most; see the module docstring."""

    name = "ann-lines"

    def __init__(self, rules: Game, settings: Mapping[str, OptionValue]) -> None:
        """Start with an empty memory; `load_memory` fills it.

        Args:
            rules: rules of the game.
            settings: values of all settings, defaults included.
        """
        self.rules = rules
        self.network_id = 0
        self._known = LineKnowledge(rules, settings)

    def load_weights(self, network_id: int, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Store the number of the training; `load_memory` brings what was learnt.

        Args:
            network_id: number of the training.
            weights: unused, as there is no network.
        """
        self.network_id = network_id

    def load_memory(self, memory: MemoryNodes) -> None:
        """Play by the lines of these records from now on.

        Raises:
            ValueError: they belong to another board size.
        """
        self._known.load(memory)

    def load_checkpoint(self, network_id: int, directory: Path) -> None:
        """Use the records of a checkpoint from now on; see `LoadsCheckpoints`.

        Args:
            network_id: number of the training.
            directory: folder of the checkpoint.
        """
        self.load_memory(stored_records(directory))
        self.network_id = network_id

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose the legal point whose lines are worth most; see `Player.choose`.

        Does not use `rng`: the same board gets the same move, whatever the limit. Between equal
        points a pseudo-random order decides, which depends only on the position.
        """
        require_open(board)
        stones = learner_stones(board, board.to_move)  # [A]
        codes = self._known.reader.codes(stones[None])[0]  # [A, D]
        worths = self._known.lines.worths(codes)
        is_free = playable(stones, self.rules)
        total = worths.sum(axis=-1)
        if self._known.sees_own:
            total = total + self._known.own_worths(stones, self._known.lines.worths)
        scores = in_order(total, stones)
        decision = decide(np.where(is_free, scores, NOTHING), ~is_free)
        policy = softmax(np.where(is_free, scores, NOTHING)[None].astype(np.float32))[0]
        answer = network_answer(policy, decision, self.network_id, self._known.reading())
        spoken = self._known.spoken(codes[decision.move], worths[decision.move])
        return MoveChoice(decision.move, policy=policy, explanation=answer.with_lines(spoken))

    def close(self) -> None:
        """Do nothing: no resources are held."""


def stored_records(directory: Path) -> MemoryNodes:
    """Read the records of a learner's checkpoint.

    Args:
        directory: folder of the checkpoint.

    Raises:
        CardFileError: the file is unreadable or damaged.
    """
    with reading(directory / MEMORY_FILE, "records of lost games"):
        stored = read_arrays(directory / MEMORY_FILE)
        return MemoryNodes(
            stored["vectors"],
            stored["labels"],
            stored["stones"].astype(np.float32),
            origins=stored["origins"].astype(np.float32) if "origins" in stored else None,
        )


create: Final = AnnLinesPlayer
"""Creates the player; the registry calls it with the rules and the values of all settings."""
