"""The alpha-beta player: exact in small games such as tic-tac-toe, by patterns in Gomoku.

For five in a row by any rule on 9x9 or larger it searches with pattern scores
(`ai.search.pattern_alpha_beta`). In every other game it searches positions by the game's rules
(`ai.search.alpha_beta`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

import numpy as np

from ai.evaluators.base import LineEvaluator
from ai.game import Board, Game, Move, Position, Rules, open_board, random_centre_point
from ai.nets.evaluation import (
    LearnedEvaluation,
    load_evaluation,
    shipped_evaluation,
)
from ai.players.any_game import Minimax
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import Opening, SearchedMoves
from ai.players.level_player import Compared, LevelPlayer, is_exact
from ai.players.levels import ALPHA_BETA, Level, level_of
from ai.players.levels import OPTION as LEVEL
from ai.search import alpha_beta
from ai.search.alpha_beta import LONGEST_GAME
from ai.search.base import Stop
from ai.search.parallel import MOST_THREADS
from ai.search.pattern_alpha_beta import (
    DEEPEST,
    MEMORY,
    VERSION,
    VERSIONS,
    PatternAlphaBeta,
    supports,
    to_value,
)
from base.schema import Option, OptionError, OptionValue
from base.storage.card_file import CardFileError

SMALL_DEPTH: Final = 9
SMALL_NODES: Final = 3000
"""Default limit of searched positions in small games."""
PATTERN_NODES: Final = 10_000
"""Limit of positions in the search with patterns, if neither the settings nor the move set one."""

PATTERNS: Final = "patterns"
SHIPPED: Final = "shipped"
"""Value of the setting `evaluation` that stands for Goishi's own learned evaluation.

The value `PATTERNS` stands for no learned evaluation.
"""
LEARNED_SIZE: Final = 11
"""Smallest board side on which the learned evaluation is used.

It was learned on 15x15. On 9x9 its gain in strength did not make up for the time that it takes
(docs/engine.md).
"""
LEVEL_MEMORY: Final = 4
"""MiB of the table of positions at a level of strength; it is cleared before each move."""

SETTINGS: Final = (
    Option(
        "depth",
        0,
        0,
        LONGEST_GAME,
        help="plies looked ahead at most; 0: 9, which plays tic-tac-toe perfectly without a bound "
        "on the nodes, and 40 for five in a row on 9x9 and larger",
    ),
    Option(
        "nodes",
        0,
        0,
        help="positions that one move may cost; 0: 3000, and for five in a row on 9x9 and larger "
        "what the move's limit allows, 10,000 without one; none: no bound",
        optional=True,
    ),
    Option(
        "memory",
        MEMORY,
        1,
        4096,
        help="MiB of the table of positions, for five in a row on 9x9 and larger; taken is the "
        "power of two below",
    ),
    Option(
        "evaluation",
        SHIPPED,
        help="what is added to the patterns on 11x11 and larger: a file that `train evaluation` "
        "wrote; shipped: ours; patterns: nothing",
        names=(SHIPPED, PATTERNS),
    ),
    Option(
        "version",
        VERSION,
        choices=tuple(VERSIONS),
        help="of the search, for five in a row on 9x9 and larger; the earlier ones are kept, so "
        "that what they played can be played again",
    ),
    Option(
        "threads",
        1,
        1,
        MOST_THREADS,
        help="threads that search together, for five in a row on 9x9 and larger; with more than 1 "
        "the same game may be played differently",
    ),
    Option(
        "threes",
        0,
        0,
        90,
        help="percent of a move, at most, in which the root looks for a win by continuous threats, "
        "for five in a row on 9x9 and larger; 0, the default, plays no weaker",
    ),
    LEVEL,
)


class AlphaBetaPlayer:
    """Plays the move with the best score; explained by `SearchedMoves`.

    In small games it chooses at random among equal moves.
    """

    name = "alpha-beta"

    def __init__(self, rules: Rules, settings: Mapping[str, OptionValue]) -> None:
        self._depth = cast("int", settings["depth"])
        self._nodes = cast("int | None", settings["nodes"])
        self._patterns = None
        evaluation = evaluation_of(cast("str", settings["evaluation"]))
        if supports(rules):
            self._patterns = PatternAlphaBeta(
                rules,
                memory=cast("int", settings["memory"]),
                tuning={
                    **VERSIONS[cast("int", settings["version"])],
                    "threes": cast("int", settings["threes"]),
                },
                evaluation=evaluation if rules.size >= LEARNED_SIZE else None,
                threads=cast("int", settings["threads"]),
            )
        self._evaluator = LineEvaluator(rules)
        self._table: alpha_beta.TranspositionTable = {}

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Search and choose a move; see `Player.choose`.

        The number of positions may be limited by the setting `nodes` and by the move's limit. If
        both are set, the smaller number applies.
        """
        board = open_board(board)
        if self._patterns is not None and board.stone_count == 0:
            move = random_centre_point(board.rules, rng)
            return MoveChoice(move, value=0.0, explanation=Opening())
        found = self._search(board, limit, rng)
        return MoveChoice(found.move, value=found.value, explanation=_explained(found))

    def ponder(self, board: Position, stop: Stop) -> None:
        """Search the other side's moves, so that the table knows the answers; see `Ponders`."""
        board = open_board(board)
        if self._patterns is not None and board.stone_count > 0 and not stop.is_set:
            rng = np.random.default_rng(0)
            self._patterns.search(board, Limit(), rng, depth=self._depth or DEEPEST, stop=stop)

    def _search(
        self, board: Board, limit: Limit, rng: np.random.Generator
    ) -> alpha_beta.AlphaBetaResult:
        own = self._nodes
        if self._patterns is not None:
            if own == 0:
                own = PATTERN_NODES if limit == Limit() else None
            bounded = replace(limit, nodes=_tighter(own, limit.nodes))
            return self._patterns.search(board, bounded, rng, depth=self._depth or DEEPEST)
        bounded = replace(limit, nodes=_tighter(SMALL_NODES if own == 0 else own, limit.nodes))
        return alpha_beta.search(
            board,
            self._evaluator,
            bounded,
            rng,
            depth=self._depth or SMALL_DEPTH,
            table=self._table,
        )

    @property
    def plans_time(self) -> bool:
        """Whether the player obeys `Limit.soft_seconds`: only in the search with patterns."""
        return self._patterns is not None

    @property
    def best_now(self) -> Move | None:
        """Best move of the last finished depth of the running search; None before the first."""
        return None if self._patterns is None else self._patterns.best_now

    def close(self) -> None:
        """Do nothing: no resources are held."""


def evaluation_of(name: str) -> LearnedEvaluation | None:
    """Return the learned evaluation for a value of the setting; None for `PATTERNS`.

    Args:
        name: `PATTERNS`, `SHIPPED` or the path of a file.

    Raises:
        OptionError: the file is missing or holds no evaluation.
    """
    if name == PATTERNS:
        return None
    try:
        return shipped_evaluation() if name == SHIPPED else load_evaluation(Path(name))
    except CardFileError as error:
        raise OptionError(f"evaluation: {error}") from None


def _tighter(first: int | None, second: int | None) -> int | None:
    """Return the smaller of two limits; None means no limit."""
    return min((bound for bound in (first, second) if bound is not None), default=None)


class LevelComparison:
    """Compares moves by the search of `alpha-beta`, for a level of strength.

    Args:
        level: the level.
        rules: rules of all games.
        evaluation: learned evaluation for large boards; None for none.
        depth: greatest depth in plies by the player's own setting; 0 for none.
        version: version of the search.
    """

    def __init__(
        self,
        level: Level,
        rules: Rules,
        evaluation: LearnedEvaluation | None,
        depth: int,
        version: int = VERSION,
    ) -> None:
        self._level = level
        self._depth = min(level.depth, depth or level.depth)
        self._evaluator = LineEvaluator(rules)
        self._patterns = None
        if supports(rules):
            learned = evaluation if rules.size >= LEARNED_SIZE else None
            self._patterns = PatternAlphaBeta(
                rules, tuning=VERSIONS[version], memory=LEVEL_MEMORY, evaluation=learned
            )

    def __call__(
        self, board: Board, limit: Limit, rng: np.random.Generator, needed: tuple[Move, ...]
    ) -> Compared:
        """Compare the moves of a position; see `Compare`."""
        if self._patterns is None:
            return self._compare_by_rules(board, limit, rng, needed)
        if board.stone_count == 0:
            return Compared({random_centre_point(board.rules, rng): 0.0}, Opening())
        found = self._patterns.score_moves(
            board,
            limit,
            depth=self._depth if is_exact(board.rules) else max(self._depth, 1),
            margin=self._level.margin,
            fours=self._level.fours,
            among=needed,
        )
        values = {move: to_value(score) for move, score in found.scores.items()}
        return Compared(values, _explained(found))

    def _compare_by_rules(
        self, board: Board, limit: Limit, rng: np.random.Generator, needed: tuple[Move, ...]
    ) -> Compared:
        """Compare the moves of a small game, or one with gravity.

        Args:
            board: the position.
            limit: budget of the move.
            rng: random generator of the search.
            needed: the moves to compare; () for all.
        """
        nodes = min(SMALL_NODES, limit.nodes or 0)
        found = alpha_beta.search(
            board,
            self._evaluator,
            replace(limit, nodes=nodes),
            rng,
            depth=min(max(self._depth, 1), SMALL_DEPTH),
        )
        scores = {move: found.scores[move] for move in needed or found.scores}
        best = max(scores.values())
        if alpha_beta.value_of(best, self._evaluator) >= 1.0:
            scores = {move: score for move, score in scores.items() if score == best}
        values = {
            move: alpha_beta.value_of(score, self._evaluator) for move, score in scores.items()
        }
        return Compared(values, _explained(found))


def _explained(found: alpha_beta.AlphaBetaResult) -> SearchedMoves:
    """Return the explanation of a search's result."""
    return SearchedMoves(
        scores=tuple(sorted(found.scores.items(), key=lambda item: -item[1])),
        nodes=found.nodes,
        depth=found.depth,
        principal_variation=found.principal_variation,
    )


def create(
    rules: Game, settings: Mapping[str, OptionValue]
) -> AlphaBetaPlayer | LevelPlayer | Minimax:
    """Create the player, at the level of its settings; called by the registry."""
    if not isinstance(rules, Rules):
        return Minimax(settings)
    level = level_of(settings, ALPHA_BETA)
    if level is None:
        return AlphaBetaPlayer(rules, settings)
    evaluation = evaluation_of(cast("str", settings["evaluation"]))
    depth, version = cast("int", settings["depth"]), cast("int", settings["version"])
    compare = LevelComparison(level, rules, evaluation, depth, version)
    return LevelPlayer(level, rules, compare, own=cast("int | None", settings["nodes"]) or None)
