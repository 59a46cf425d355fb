"""Alpha-beta search for five in a row on large boards, with pattern counters.

If a move is forced, or continuous fours win, nothing else is searched. Otherwise principal
variation search deepens ply by ply until the limit. Only the most promising moves that touch a
pattern are searched, so that scores of quiet positions are not proofs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Board, Move, Rule, Rules, RulesError, random_centre_point
from ai.kernels.alpha_beta import layout
from ai.kernels.alpha_beta.root import drop_refuted, list_roots, search_roots
from ai.kernels.alpha_beta.search import evaluate
from ai.kernels.jit import Record, fields_of, is_jit_enabled, new_record, zeros
from ai.kernels.layout import CLASSES, FOUR, OPEN_FOUR, OPEN_THREE, OPEN_TWO, POINTS, THREE
from ai.kernels.line_codes import row_table
from ai.kernels.moves import place, take_back
from ai.kernels.position import KernelPosition
from ai.nets.evaluation import LearnedEvaluation
from ai.search.alpha_beta import AlphaBetaResult
from ai.search.base import Limit, SearchClock, Stop, TimePlan
from ai.search.fours import FourSearch, FoursResult
from ai.search.parallel import Helpers

if TYPE_CHECKING:
    from ai.search.threes import ThreeSearch, ThreesResult

WIN_LENGTH: Final = 5
SMALLEST: Final = 9
"""Smallest board side that this search supports, in points."""
DEEPEST: Final = 40
"""Default and greatest depth in plies."""
MEMORY: Final = 16
"""Default size of the transposition table, MiB."""
FOURS_AT_ROOT: Final = 20_000
"""Greatest number of fours tried at the root for each side.

It is at most a quarter of the limit's nodes.
"""
THREES_AT_ROOT: Final = 2_000
"""Greatest number of nodes of the root's search for threes, if the move has no limit.

Positions and fours count as nodes.
"""
NARROW_DEPTH: Final = 4
"""First depth that is searched with an aspiration window: only scores near the last one."""
WIDER: Final = 3
"""Factor by which the aspiration window grows each time that the score is outside of it."""
FOURS_AFTER_ROOT: Final = 2_000
"""Greatest number of fours tried after each root move, if the other side threatens such a win."""
DROP_SHARE: Final = 0.25
"""Greatest share of what is left of the limit for dropping root moves that lose by fours.

The rest stays for the search itself: a root move that could not be checked is searched like the
others.
"""
NEAR: Final = 2
"""Rows and columns between a stone and the moves that are judged without looking ahead."""
EVEN_SCORE: Final = 330.0
"""Score that maps to the value 0.5.

A score of 300 points is one logit (natural unit) of the chance to win.
"""

OWN_VALUES: Final = {OPEN_TWO: 30, THREE: 60, OPEN_THREE: 500, FOUR: 700, OPEN_FOUR: 60_000}
OTHER_VALUES: Final = {OPEN_TWO: 25, THREE: 40, OPEN_THREE: 300, FOUR: 450, OPEN_FOUR: 20_000}
"""Scores in move ordering for a stone that blocks a pattern, by kind of pattern.

`OWN_VALUES` are those for a stone that makes one.
"""

WEIGHTS: Final = (
    {OPEN_TWO: 7, THREE: 17, OPEN_THREE: 54, FOUR: 113},
    {OPEN_TWO: -4, THREE: -13, OPEN_THREE: -33, FOUR: -108, OPEN_FOUR: -177},
)
"""Weights of the evaluation by kind of pattern, for the side to move and the other side.

A weight counts for every empty point and line where a stone would make the pattern. The weights
were fitted to self-play games, see `python main.py train patterns`.
"""
TEMPO: Final = 30
"""Score added for the side to move; fitted like the weights."""
LOGIT: Final = 300
"""Score that corresponds to one logit (natural unit) of the chance to win."""

TUNING: Final = MappingProxyType(
    {
        "fours": 16, "inner_fours": 0, "width_base": 8, "width_step": 4, "width_most": 28,
        "futility": 60, "futility_depth": 3, "reverse": 60, "reverse_depth": 4,
        "razor": 80, "razor_depth": 3, "count_base": 3, "count_step": 3, "count_depth": 4,
        "null_depth": 3, "null_less": 2, "null_slope": 4,
        "counter": 2000, "continuation_share": 8, "malus": 4,
        "is_reduced": 1, "reduction_base": 80, "reduction_slope": 60,
        "aspiration": 40, "learned": 1, "threes": 0,
        "policy": 800, "policy_less": 0, "policy_even": 0, "policy_count": 2,
        "count_worse": 0, "aspiration_steps": 2,
        "blind_depth": 4, "is_table_used": 1, "history_less": 15,
        "stand_pat": 0, "count_threats": 0, "lazy": 0, "doubt": 1, "any_rule": 1,
    }
)  # fmt: skip
"""Parameters of the search's latest version, see `ai.kernels.alpha_beta.layout`.

- `aspiration`: half of the width of the window around the score of the previous depth.
- `aspiration_steps`: how often the window grows by the factor `WIDER` before it has no bound.
- `threes`: percentage of a move's positions and seconds for a search at the root for threes.
- `learned`: 1 to add a learned evaluation to the patterns, if there is one.
- `any_rule`: 1 to add it under every rule; 0: in freestyle alone.
"""
PLAIN: Final = 5
"""Version of the search's parameters without a learned evaluation."""
VERSION: Final = 7
"""Version of the search's parameters with a learned evaluation."""
VERSIONS: Final[Mapping[int, Mapping[str, int]]] = MappingProxyType(
    {
        PLAIN: {
            "policy": 0, "policy_count": 0, "futility": 80, "reverse": 80, "razor": 100,
            "aspiration": 80, "aspiration_steps": 0,
            "blind_depth": 0, "is_table_used": 0, "history_less": 0, "any_rule": 0,
        },
        6: {"any_rule": 0},
        VERSION: {},
    }
)  # fmt: skip
"""For each version of the search, the parameters that differ from `TUNING`."""


def supports(rules: Rules) -> bool:
    """Return whether this search supports games of these rules."""
    return rules.is_plain and rules.win_length == WIN_LENGTH and rules.size >= SMALLEST


class PatternAlphaBeta:
    """Searches positions of successive games by iterative deepening.

    The transposition table is kept as long as each position continues the last one. So the same
    game with the same node limits always gives the same searches. Not thread-safe.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        tuning: Mapping[str, int] = MappingProxyType({}),
        memory: int = MEMORY,
        evaluation: LearnedEvaluation | None = None,
        threads: int = 1,
    ) -> None:
        """Create the search.

        Args:
            rules: rules of all its games.
            tuning: parameters that replace the defaults. The defaults are those of `TUNING`;
                without a learned evaluation they are those of the version `PLAIN`.
            memory: size of the transposition table in MiB, at least 1; rounded down to a power of
                two.
            evaluation: learned evaluation, added to the patterns; None for none.
            threads: number of threads that `search` uses, at least 1. With more than one, the same
                search may find something else each time.

        Raises:
            KeyError: the tuning has an unknown name.
            RulesError: these rules are not supported.
        """
        if not supports(rules):
            raise RulesError(
                f"expected five in a row on a square of {SMALLEST}x{SMALLEST} or larger, "
                f"found {rules!r}"
            )
        self.rules = rules
        self._position = KernelPosition(rules, knows_fouls=True)
        self._fours = FourSearch(rules, self._position)
        self._threes: ThreeSearch | None = None
        self._record: Record = new_record(layout.TREE)
        self._fields: Any = fields_of(self._record)
        self._words: Any = None
        self.best_now: Move | None = None
        """Best move of the running search so far; None if no search runs."""
        self._helpers = Helpers(rules, threads)
        self._memory = 1 << (20 + memory.bit_length() - 1)
        self._moves: list[Move] | None = None
        chosen = {**TUNING, **tuning}
        is_taught = rules.rule is Rule.FREESTYLE or chosen["any_rule"] != 0
        evaluation = evaluation if is_taught else None
        is_learned = evaluation is not None and chosen["learned"] != 0
        self._tune({**TUNING, **VERSIONS[VERSION if is_learned else PLAIN], **tuning})
        self._fields.full_score = rules.full_board_winner
        self._fields.packed[:] = packed_values()
        self.set_weights(_weights(), TEMPO)
        if evaluation is None:
            self._fields.learned = 0
        else:
            self._set_learned(evaluation)
        if not self._fields.learned or evaluation is None or evaluation.order is None:
            self._fields.policy = 0

    def _tune(self, tuning: Mapping[str, int]) -> None:
        """Write the search's parameters into the kernel's record.

        Args:
            tuning: parameters by name that replace the defaults.

        Raises:
            KeyError: a parameter has an unknown name.
        """
        unknown = sorted(set(tuning) - set(TUNING))
        if unknown:
            raise KeyError(f"tuning: expected some of {', '.join(TUNING)}, found {unknown[0]!r}")
        for name in layout.TUNING:
            setattr(self._fields, name, tuning[name])
        self._fields.reductions[:] = _reductions(tuning)
        self._aspiration = tuning["aspiration"]
        self._steps = tuning["aspiration_steps"]
        self._threes_share = tuning["threes"] / 100
        if self._threes_share:
            # Its kernels take a tenth of a second to load, and it is off unless asked for.
            from ai.search.threes import ThreeSearch

            self._threes = ThreeSearch(self.rules, self._position, self._fours)

    def set_weights(self, weights: list[int], tempo: int) -> None:
        """Set the weights of the evaluation.

        Args:
            weights: `[2 * CLASSES]` by kind of pattern: those of the side to move, then the other
                side's.
            tempo: score added for the side to move.
        """
        self._fields.weights[:] = weights
        self._fields.tempo = tempo

    def _set_learned(self, evaluation: LearnedEvaluation) -> None:
        """Write a learned evaluation into the kernel's record."""
        fields, head = self._fields, evaluation.head()
        fields.rows[:] = row_table().tolist()
        vectors = evaluation.rows().reshape(-1).tolist()
        fields.vectors[: len(vectors)] = vectors
        fields.features, fields.units = evaluation.features, evaluation.units
        for name, array in head.items():
            numbers = array.reshape(-1).tolist()
            getattr(fields, name)[: len(numbers)] = numbers
        fields.logit = LOGIT
        if evaluation.order is not None:
            fields.order_lines[:] = evaluation.order.rows().reshape(-1).tolist()
            fields.order_threats[:] = evaluation.order.threats.tolist()

    def score(self, board: Board) -> int:
        """Return the evaluation of a position for the side to move, without a search."""
        self._position.follow(board)
        return int(evaluate(self._position.record, self._record, 0))

    def search(
        self,
        board: Board,
        limit: Limit,
        rng: np.random.Generator,
        *,
        depth: int = DEEPEST,
        stop: Stop | None = None,
    ) -> AlphaBetaResult:
        """Search an unfinished game and return its best move with scores.

        Args:
            board: position of these rules; unchanged.
            limit: positions and seconds; forced moves are found whatever the limit. Threads share
                the positions.
            rng: draws the first stone on an empty board; otherwise unused.
            depth: plies to look ahead, at least 1; at most `DEEPEST` count.
            stop: ends the search early; None for none.

        Raises:
            RulesError: the board follows other rules.
        """
        if board.rules != self.rules:
            raise RulesError(f"expected {self.rules!r}, found {board.rules!r}")
        share = None if limit.nodes is None else limit.nodes // (len(self._helpers) + 1)
        if share is not None and limit.nodes is not None:
            limit = replace(limit, nodes=limit.nodes - share * len(self._helpers))
        clock, self.best_now = SearchClock(limit, stop), None
        if board.stone_count == 0:
            move = random_centre_point(self.rules, rng)
            return self._result((move,), {move: 0}, clock, 0, np.zeros(POINTS, np.int64))
        self._set_position(board)
        plan = TimePlan(limit)
        found = self._at_once(board, clock)
        found = found or self._deepen(board, clock, min(depth, DEEPEST), plan, share)
        self.best_now = None
        return found

    def score_moves(
        self,
        board: Board,
        limit: Limit,
        *,
        depth: int,
        margin: float,
        fours: int = 0,
        among: Sequence[Move] = (),
    ) -> AlphaBetaResult:
        """Search a position and return the scores of its best moves, each of them exact.

        `search` knows the score of its best move only; of the others it knows bounds. Earlier
        searches have no influence.

        Args:
            board: position of an unfinished game; unchanged.
            limit: positions and seconds.
            depth: plies to look ahead; 0: each move is judged by the position after it.
            margin: how much less than the best move others may be worth, in values from 0 to 2.
                Worse ones are left out. So are lost ones, and all but the fastest win.
            fours: greatest number of fours tried in search of a win by them, for each side; with 0
                only fives and open fours are found.
            among: moves that are compared; () for all that touch a pattern, or at depth 0 those
                near a stone.
        """
        clock = SearchClock(limit)
        if depth == 0:
            self._position.follow(board)
            roots = list(among) or _near_stones(board)
            return self._scored(self._judge_moves(roots, margin, clock), clock, 0)
        self.forget()
        self._set_position(board)
        won = self._fours.find_within(board, clock, fours)
        if won.line:
            score = layout.WIN - board.stone_count - won.plies
            return self._scored({won.line[0]: score}, clock, won.plies)
        roots = self._roots(board, among, fours, clock)
        return self._score_roots(board, roots, depth, margin, clock)

    def _roots(
        self, board: Board, among: Sequence[Move], fours: int, clock: SearchClock
    ) -> list[Move]:
        """Return the moves to compare, without those after which the other side wins by fours.

        Args:
            board: the position.
            among: moves that are compared; () for the usual ones.
            fours: greatest number of fours tried; 0: no move is left out.
            clock: clock of the move.
        """
        fields = self._fields
        list_roots(self._position.record, self._position.table, self._record)
        if among:
            fields.count = min(len(among), layout.WIDTH)
            fields.roots[: fields.count] = among[: fields.count]
        if fours and fields.count > 1:
            threat = self._fours.find_within(board, clock, fours, color=-board.to_move)
            if threat.line:
                self._drop_refuted(clock, fours)
        return [int(move) for move in fields.roots[: int(fields.count)]]

    def _drop_refuted(self, clock: SearchClock, fours: int) -> None:
        """Remove the root moves after which the other side wins by fours.

        It takes `DROP_SHARE` of what is left of the limit at most. Moves that could not be checked
        within it stay.

        Args:
            clock: clock of the move.
            fours: greatest number of fours tried after each move.
        """
        fields_of(self._fours.record).node_limit = fours
        part = SearchClock(clock.remaining(DROP_SHARE), clock.stop)
        with part.record() as spent:
            drop_refuted(
                self._position.record,
                self._position.table,
                self._record,
                self._fours.record,
                spent,
            )
        clock.count(part.nodes)

    def _judge_moves(
        self, roots: Sequence[Move], margin: float, clock: SearchClock
    ) -> dict[Move, int]:
        """Return the scores of the best moves by the evaluation of the positions after them.

        Args:
            roots: the moves.
            margin: see `score_moves`.
            clock: clock of the move; at least one move is judged.
        """
        scores: dict[Move, int] = {}
        position, table = self._position.record, self._position.table
        for move in roots:
            if scores and clock.remaining().nodes == 0:
                break
            clock.count(1)
            place(position, table, move)
            scores[move] = -int(evaluate(position, self._record, 0))
            take_back(position, table)
        floor = least_score(max(scores.values()), margin)
        return {move: score for move, score in scores.items() if score >= floor}

    def _score_roots(
        self, board: Board, roots: list[Move], depth: int, margin: float, clock: SearchClock
    ) -> AlphaBetaResult:
        """Deepen until a limit, and return the exact scores of the last finished depth.

        If the limit ends depth 1, the scores are those of the moves searched so far.

        Args:
            board: the position.
            roots: the moves, the most promising first.
            depth: greatest depth in plies.
            margin: see `score_moves`.
            clock: clock of the move.
        """
        result: dict[Move, int] = {}
        reached = 0
        for deeper in range(1, min(depth, DEEPEST) + 1):
            scores: dict[Move, int] = {}
            for move in roots:
                floor = least_score(max(scores.values()), margin) if scores else -layout.WIN
                score = self._score_root(move, deeper, floor - 1, clock)
                if score is None:
                    break
                if score >= floor:
                    scores[move] = score
            is_cut = bool(self._fields.is_cut)
            if is_cut and reached:
                break
            floor = least_score(max(scores.values()), margin) if scores else 0
            result = {move: score for move, score in scores.items() if score >= floor}
            if is_cut:
                break
            reached = deeper
            roots = sorted(roots, key=lambda move: -scores.get(move, -layout.WIN))
            if len(roots) == 1 or abs(max(scores.values())) > layout.LIKELY - layout.LONGEST:
                break
        return self._scored(result or {roots[0]: self.score(board)}, clock, reached)

    def _score_root(self, move: Move, depth: int, low: int, clock: SearchClock) -> int | None:
        """Return the score of one move.

        Args:
            move: the move.
            depth: depth in plies.
            low: a score above it is exact; otherwise the result is this one.
            clock: clock of the move.

        Returns:
            The score; None if a limit ended the search.
        """
        fields = self._fields
        arguments = (self._position.record, self._position.table, self._record)
        for high in (low + 1, layout.WIN) if low > -layout.WIN else (layout.WIN,):
            fields.roots[0], fields.visits[0], fields.count = move, 0, 1
            fields.low, fields.high = max(low, -layout.WIN), high
            with clock.record() as spent:
                search_roots(*arguments, self._fours.record, self._words, spent, depth)
            if fields.is_cut:
                return None
            if fields.missed < 0:
                return low
        return int(fields.scores[0])

    def _scored(self, scores: dict[Move, int], clock: SearchClock, depth: int) -> AlphaBetaResult:
        """Return the result of `score_moves`, the best move first."""
        ranked = dict(sorted(scores.items(), key=lambda item: -item[1]))
        line = (next(iter(ranked)),)
        return self._result(line, ranked, clock, depth, np.zeros(POINTS, np.int64))

    def forget(self) -> None:
        """Begin a new game: the next search clears the transposition table and the histories."""
        self._moves = None

    def _set_position(self, board: Board) -> None:
        """Set the position to search.

        If it does not continue the last game, the transposition table and the histories are
        cleared.

        Args:
            board: the position.
        """
        before, self._moves = self._moves, list(board.moves)
        is_later = before is not None and before == board.moves[: len(before)]
        if self._words is None:
            self._words = _new_words(self._memory)
        elif not is_later or len(board.moves) == len(before or ()):
            _clear(self._words)
            (self._threes or self._fours).forget()
            _clear_field(self._record, "continuation")
            _clear_field(self._record, "counters")
        fields = self._fields
        fields.age = board.ply % layout.AGES
        fields.killers[:] = [-1] * (2 * layout.LEVELS)
        fields.history[:] = [0] * (2 * POINTS)
        self._position.follow(board)

    def _at_once(self, board: Board, clock: SearchClock) -> AlphaBetaResult | None:
        """Return the result if a win by fours or threes is found at the root, else None.

        Args:
            board: the position.
            clock: clock of the move.
        """
        found: FoursResult | ThreesResult
        found = self._fours.find_within(board, clock, _fours_within(clock))
        if not found.line and self._threes is not None:
            part = SearchClock(_threes_within(clock, self._threes_share), clock.stop)
            found = self._threes.find_within(board, part)
            clock.count(part.nodes)
        if not found.line:
            return None
        visits = np.zeros(POINTS, np.int64)
        visits[found.line[0]] = found.nodes
        score = layout.WIN - board.stone_count - found.plies
        return self._result(found.line, {found.line[0]: score}, clock, found.plies, visits)

    def _deepen(
        self, board: Board, clock: SearchClock, depth: int, plan: TimePlan, share: int | None
    ) -> AlphaBetaResult:
        """Search deeper and deeper until a limit, and return the result of the last depth.

        Args:
            board: the position.
            clock: clock of the move.
            depth: greatest depth in plies.
            plan: decides after each depth whether to begin the next one.
            share: positions of each thread that helps; None for no limit.
        """
        fields = self._fields
        list_roots(self._position.record, self._position.table, self._record)
        if fields.count > 1:
            nodes = _fours_within(clock)
            threat = self._fours.find_within(board, clock, nodes, color=-board.to_move)
            if threat.line:
                self._drop_refuted(clock, FOURS_AFTER_ROOT)
        fields.scores[: int(fields.count)] = [self.score(board)] * int(fields.count)
        self.best_now = int(fields.roots[0])
        if len(self._helpers) and fields.count > 1:
            with self._helpers.at_work(board, self._record, self._words, depth, share):
                line, reached = self._deepen_alone(clock, depth, plan)
            clock.count(self._helpers.nodes)
        else:
            line, reached = self._deepen_alone(clock, depth, plan)
        count = int(fields.count)
        lost = layout.LONGEST - layout.WIN
        if fields.doubt and fields.scores[0] < lost and not fields.is_whole[0]:
            # A move that was not listed might not lose.
            fields.scores[0] += layout.WIN - layout.LIKELY
        scores = {int(fields.roots[k]): int(fields.scores[k]) for k in range(count)}
        visits = np.zeros(POINTS, np.int64)
        for place_at in range(count):
            visits[int(fields.roots[place_at])] = int(fields.visits[place_at])
        return self._result(line, scores, clock, reached, visits)

    def _deepen_alone(
        self, clock: SearchClock, depth: int, plan: TimePlan
    ) -> tuple[tuple[Move, ...], int]:
        """Search the listed root moves deeper and deeper in this thread, until a limit.

        Args:
            clock: clock of the move.
            depth: greatest depth in plies.
            plan: decides after each depth whether to begin the next one.

        Returns:
            The line that is expected, and the depth that was finished.
        """
        fields = self._fields
        line: tuple[Move, ...] = (int(fields.roots[0]),)
        reached = 0
        for deeper in range(1, depth + 1):
            line = self._search_to(deeper, clock) or line
            if fields.is_cut:
                break
            reached = deeper
            if fields.count == 1 or abs(int(fields.scores[0])) > layout.WIN - layout.LONGEST:
                break
            plan.record(clock.elapsed, line[0], to_value(int(fields.scores[0])))
            if plan.is_over(clock.elapsed):
                break
        return line, reached

    def _search_to(self, depth: int, clock: SearchClock) -> tuple[Move, ...]:
        """Search to one depth and return the moves that are expected from here on.

        Args:
            depth: depth in plies.
            clock: clock of the move.

        Returns:
            The principal variation; empty if no root move was finished.
        """
        fields = self._fields
        line: tuple[Move, ...] = ()
        position, table = self._position.record, self._position.table
        self._narrow(depth)
        attempt = 0
        while True:
            with clock.record() as spent:
                search_roots(
                    position, table, self._record, self._fours.record, self._words, spent, depth
                )
            if fields.finished > 0:
                line = tuple(int(move) for move in fields.lines[: int(fields.lengths[0])])
            if line:
                self.best_now = line[0]
            if fields.is_cut or not fields.missed:
                return line
            self._widen(attempt)
            attempt += 1

    def _narrow(self, depth: int) -> None:
        """Set the aspiration window, which bounds the scores, around the score of the last depth.

        Without such a score there are no bounds.

        Args:
            depth: depth in plies that is searched next.
        """
        fields, width = self._fields, self._aspiration
        score = int(fields.scores[0])
        is_decided = abs(score) > layout.LIKELY - layout.LONGEST
        is_expected = width > 0 and depth >= NARROW_DEPTH and not is_decided
        fields.low = score - width if is_expected else -layout.WIN
        fields.high = score + width if is_expected else layout.WIN

    def _widen(self, attempt: int) -> None:
        """Widen the aspiration window on the side where the score was outside of it.

        Args:
            attempt: number of times it was widened before. After `aspiration_steps` times, this
                side has no bound any more.
        """
        fields = self._fields
        wider = (
            self._aspiration * WIDER ** (attempt + 1) if attempt < self._steps else 2 * layout.WIN
        )
        if fields.missed < 0:
            fields.low = max(int(fields.low) - wider, -layout.WIN)
        else:
            fields.high = min(int(fields.high) + wider, layout.WIN)

    def _result(
        self,
        line: tuple[Move, ...],
        scores: dict[Move, int],
        clock: SearchClock,
        depth: int,
        visits: NDArray[np.int64],
    ) -> AlphaBetaResult:
        policy = np.zeros(self.rules.points, np.float32)
        policy[line[0]] = 1.0
        return AlphaBetaResult(
            move=line[0],
            value=to_value(scores[line[0]]),
            policy=policy,
            visits=visits[: self.rules.points],
            principal_variation=line,
            nodes=clock.nodes,
            scores=scores,
            depth=depth,
        )


def to_value(score: int) -> float:
    """Convert a score to a value in [-1, 1]; only won and lost games have the values 1 and -1.

    Args:
        score: the score.
    """
    if abs(score) > layout.WIN - layout.LONGEST:
        return 1.0 if score > 0 else -1.0
    return score / (abs(score) + EVEN_SCORE)


def least_score(best: int, margin: float) -> int:
    """Return the least score of a move that is at most `margin` worse than the best one.

    If the best one is won or lost, for certain or likely, it is the score of the best. Otherwise a
    lost move is below it.

    Args:
        best: score of the best move.
        margin: from 0 to 2, in values.
    """
    decided = layout.LIKELY - layout.LONGEST
    if margin <= 0.0 or abs(best) > decided:
        return best
    value = to_value(best) - margin
    if value <= -1.0:
        return -decided
    return max(math.ceil(EVEN_SCORE * value / (1.0 - abs(value))), -decided)


def _near_stones(board: Board) -> list[Move]:
    """Return the empty points at most two rows and columns from a stone.

    Args:
        board: a position with stones.
    """
    size = board.size
    stones = np.array(board.stones, np.int8).reshape(size, size) != 0
    padded = np.pad(stones, NEAR)
    near = np.zeros((size, size), np.bool_)
    for row in range(2 * NEAR + 1):
        for column in range(2 * NEAR + 1):
            near |= padded[row : row + size, column : column + size]
    legal = board.legal_moves
    return [int(move) for move in np.flatnonzero(near & ~stones) if move in legal] or list(legal)


def _fours_within(clock: SearchClock) -> int:
    """Return how many fours may be tried at the root: at most a quarter of the remaining nodes.

    Args:
        clock: clock of the move.
    """
    left = clock.remaining(0.25).nodes
    return FOURS_AT_ROOT if left is None else min(FOURS_AT_ROOT, left)


def _threes_within(clock: SearchClock, share: float) -> Limit:
    """Return the limit of the root's search for threes: a share of the remaining budget.

    If the move has no limit, it is a fixed number of nodes.

    Args:
        clock: clock of the move.
        share: share of the budget, 0 to 1.
    """
    left = clock.remaining(share)
    return Limit(nodes=THREES_AT_ROOT) if clock.is_unlimited else left


def _reductions(tuning: Mapping[str, int]) -> list[int]:
    """Return by how much the depth of late moves is reduced, in hundredths of a ply.

    Args:
        tuning: parameters of the search by name.

    Returns:
        A flat list of `[depth, place]`: plies left, and place of the move in its list.
    """
    logs = [math.log(max(number, 1)) for number in range(max(layout.LEVELS, layout.WIDTH) + 1)]
    base, slope = tuning["reduction_base"], tuning["reduction_slope"]
    return [
        round(base + slope * logs[depth] * logs[place + 1])
        for depth in range(layout.LEVELS)
        for place in range(layout.WIDTH)
    ]


def packed_values() -> list[int]:
    """Return the packed move score of a stone for each pair of patterns that it makes and blocks.

    A packed score holds a number and counts of threats (see `ai.kernels.alpha_beta.layout`).

    Returns:
        A flat list by side and line classes, for the kernel's record.
    """
    found = []
    for side in range(2):
        for classes in range(256):
            own, other = (classes >> 4 * side) & 15, (classes >> 4 * (1 - side)) & 15
            packed = OWN_VALUES.get(own, 0) + OTHER_VALUES.get(other, 0)
            packed |= int(own in (FOUR, OPEN_FOUR)) << layout.OWN_FOURS
            packed |= int(own == OPEN_THREE) << layout.OWN_THREES
            packed |= int(other in (FOUR, OPEN_FOUR)) << layout.OTHER_FOURS
            packed |= int(other == OPEN_THREE) << layout.OTHER_THREES
            found.append(packed)
    return found


def _weights() -> list[int]:
    """Return the weights of the evaluation, `[2 * CLASSES]`, for the kernel's record."""
    found = [0] * (2 * CLASSES)
    for place_at, values in enumerate(WEIGHTS):
        for line_class, weight in values.items():
            found[place_at * CLASSES + line_class] = weight
    return found


def _new_words(memory: int) -> Any:
    """Return an empty transposition table of `memory` bytes; in plain Python it is a list."""
    count = memory // layout.ENTRY_BYTES * 2
    return zeros(count, np.dtype(np.int64)) if is_jit_enabled() else [0] * count


def _clear_field(record: Record, name: str) -> None:
    """Set all numbers in one field of a record to 0.

    Args:
        record: the record.
        name: name of the field, an array.
    """
    if is_jit_enabled():
        record[name] = 0
    else:
        values = getattr(record[0], name)
        values[:] = [0] * len(values)


def _clear(words: Any) -> None:
    """Clear a transposition table."""
    words[:] = 0 if is_jit_enabled() else [0] * len(words)
