"""Monte Carlo tree search guided by policy-value networks (PUCT), after AlphaGomoku.

Z. Xie et al., "AlphaGomoku: An AlphaGo-based Gomoku Artificial Intelligence using Curriculum
Learning", section II-C. Each simulation descends by the largest Q + U: the mean value of a move
plus a bonus. The network evaluates the leaf: it gives the leaf's value and the priors of its moves.
The value is backed up, and it *decays* by a factor per ply. Terminal positions are backed up
without the network: -1 or 0. The document lacks the formula of U; here it is AlphaGo Zero's (Silver
et al. 2017), c P sqrt(N of the parent) / (1 + N), with prior P and visits N.

Several leaves are evaluated in one batch. *Virtual loss* makes the simulations of a batch differ.
None of them descends below a leaf on the *expanding list*, which waits for the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.policy_value import PlanesEvaluator
from ai.game import BLACK, PASS, WHITE, Board, Rules, RulesError
from ai.kernels.clock import CLOCK, UNLIMITED
from ai.kernels.jit import Record, fields_of, new_record, set_field
from ai.kernels.puct.descent import collect
from ai.kernels.puct.growth import absorb, plant
from ai.kernels.puct.layout import MAX_BATCH, PLANES, PUCT
from ai.kernels.threats.leaf_fours import settle_by_fours
from ai.kernels.tree.layout import cell_of, move_of, new_tree_board, open_everywhere
from ai.kernels.tree.nodes import PUCT_NODE, Child, column_of, write_column
from ai.search.base import Limit, SearchClock
from ai.search.fours import FourSearch
from ai.search.game_tree import LINES, GameTree, TreeResult, put_moves

Policy = Literal["deterministic", "stochastic", "semi-stochastic"]

C: Final = 2.0
"""Default exploration constant c; the document gives none."""
DECAY: Final = 0.99
"""Default factor by which a value decays per ply; the document gives none."""
TEMPERATURE: Final = 1.0
STOCHASTIC_PLIES: Final = 8
"""Default number of first plies in which the semi-stochastic policy draws its moves."""
BATCH: Final = 4
"""Default number of leaves per batch: more weaken the search ("dilution"), fewer take more time."""
NOISE_ALPHA: Final = 10.0
"""Dirichlet alpha of the noise at the root, multiplied by the number of moves.

With n moves the alpha is this divided by n. Silver et al. 2018 use 0.03 for Go.
"""
MEMORY: Final = 512
"""Default upper limit of the tree's memory in MiB."""
FOURS: Final = 20_000
"""Greatest number of fours tried at the root in the search for a win by fours."""
SIMULATIONS: Final = 400
"""Simulations per move if the limit has neither seconds nor nodes."""
MOST_ENDS: Final = 1024
"""Greatest number of simulations between two checks of the clock.

It counts only if all of them end without the network.
"""
_UNLIMITED: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class PuctSettings:
    """Settings of the PUCT search, and of how a move is chosen by the visits."""

    c: float = C
    """Weight of the priors; at least 0."""
    decay: float = DECAY
    """Factor by which a value decays per ply; above 0, at most 1."""
    policy: Policy = "deterministic"
    """How the move is chosen by the visits N.

    "deterministic": the most visited move; "stochastic": drawn in proportion to N^(1 /
    temperature); "semi-stochastic": drawn in the first `stochastic_plies` of the game, then the
    most visited.
    """
    temperature: float = TEMPERATURE
    """Temperature for drawing moves, above 0; a small one favours the most visited move."""
    stochastic_plies: int = STOCHASTIC_PLIES
    noise: float = 0.0
    """Share of Dirichlet noise in the root's priors, 0 to 1; AlphaZero trains with 0.25."""
    batch: int = BATCH
    """Number of leaves that the network evaluates in one batch."""
    virtual_loss: float = 1.0
    """Virtual loss: subtracted from a node's total while a leaf below it waits; at least 0."""
    reduction: float = -1.0
    """Value of a move that was never tried: the parent's mean value minus this.

    If it is negative, such a move has the value 0, as in the document. The term for this value is
    first-play urgency.
    """
    forced: bool = False
    """Whether a forced move is searched alone, without regard to the network's priors.

    A forced move completes a row, or else blocks one. Its position then has one child. The value of
    the position is certain if a row can be completed, or if the opponent can complete one at two
    points; otherwise it is the network's.
    """
    leaf_fours: int = 0
    """Greatest number of fours tried at each leaf in search of a win; 0: no such search.

    If a win by continuous fours is found, the leaf has one child, the first move of the win, and a
    certain value.
    """
    vcf: bool = False
    """Whether to look for a win by continuous fours at the root first, and to play it."""
    keeps_tree: bool = True
    """Whether the part of the tree below the played moves is kept for the next search."""
    memory: int = MEMORY
    """Upper limit of the tree's memory in MiB.

    When it is used up, leaves are no longer expanded.
    """

    def __post_init__(self) -> None:
        for name, is_right, expected in (
            ("c", self.c >= 0.0, "at least 0"),
            ("decay", 0.0 < self.decay <= 1.0, "above 0, at most 1"),
            ("temperature", self.temperature > 0.0, "above 0"),
            ("stochastic_plies", self.stochastic_plies >= 0, "at least 0"),
            ("noise", 0.0 <= self.noise <= 1.0, "0 to 1"),
            ("batch", 1 <= self.batch <= MAX_BATCH, f"1 to {MAX_BATCH}"),
            ("virtual_loss", self.virtual_loss >= 0.0, "at least 0"),
            ("leaf_fours", self.leaf_fours >= 0, "at least 0"),
            ("memory", self.memory >= 1, "at least 1 MiB"),
        ):
            if not is_right:
                raise ValueError(f"{name}: expected {expected}, found {getattr(self, name)!r}")
        policies = ("deterministic", "stochastic", "semi-stochastic")
        if self.policy not in policies:
            raise ValueError(f"policy: expected one of {policies}, found {self.policy!r}")


@dataclass(frozen=True, slots=True)
class PuctResult(TreeResult):
    """Result of a search.

    `policy` is N^(1 / temperature), normalised, where N are the visits. `visits` include those of
    the kept tree. If a win by fours was found, all of `policy` is on its first move. Then `visits`
    and `prior` are 0, since the network was not used.
    """

    prior: NDArray[np.float32]
    """`[points]` the network's priors at the root, without noise; 0 on occupied points."""
    is_won: bool = False
    """Whether `principal_variation` is a win by continuous fours."""


class PuctTree:
    """The search tree of one game, grown one batch at a time by `Puct` or `PuctMany`.

    If a position continues the last search, its subtree is kept; any other position begins a new
    tree. Not thread-safe.
    """

    def __init__(self, rules: Rules, settings: PuctSettings) -> None:
        """Create an empty tree.

        Raises:
            RulesError: the rules are not supported.
        """
        self.rules = rules
        self.settings = settings
        new_tree_board(rules, 1)  # checks the rules
        capacity = (settings.memory << 20) // (2 * PUCT_NODE.itemsize)
        self._tree = GameTree(rules, PUCT_NODE, max(capacity, 2 * rules.points))
        self._search = new_record(PUCT)
        self._fields = fields_of(self._search)
        self._board: Record = None
        self._planes = np.zeros((0, rules.size, rules.size, PLANES), np.float32)
        self._fours: FourSearch | None = None
        self._unlimited = new_record(CLOCK)
        set_field(self._unlimited, "node_limit", UNLIMITED)
        self._prior: NDArray[np.float32] | None = None
        self._kept = 0

    # -- one search: begin, then collect and absorb in turn, then the result --------------------

    def begin(self, board: Board, rng: np.random.Generator) -> None:
        """Begin the search of a position, with its subtree if the tree has one.

        Args:
            board: position of an unfinished game.
            rng: draws the noise at the root; its state changes if `noise` is set.

        Raises:
            RulesError: the board follows other rules.
        """
        if board.rules != self.rules:
            raise RulesError(f"expected {self.rules!r}, found {board.rules!r}")
        fields, size, settings = self._fields, board.size, self.settings
        if len(self._planes) != settings.batch:
            self._planes = np.zeros((settings.batch, size, size, PLANES), np.float32)
        fields.exploration, fields.decay = settings.c, settings.decay
        fields.reduction, fields.is_forced = settings.reduction, int(settings.forced)
        fields.virtual_loss, fields.batch = settings.virtual_loss, len(self._planes)
        fields.size, fields.capacity = size, self._tree.capacity
        has_last = bool(board.moves) and board.moves[-1] != PASS
        fields.last = cell_of(board.moves[-1], size) if has_last else -1
        fields.deepest = fields.collisions = 0
        fields.leaf_fours = settings.leaf_fours
        if settings.leaf_fours > 0:
            if self._fours is None:
                self._fours = FourSearch(self.rules)
            self._fours.forget()  # so that an answer does not depend on earlier searches
        self._board = new_tree_board(self.rules, 1)
        open_everywhere(self._board, self.rules)
        put_moves(self._board, board.moves, size)
        self._resume(board)
        self._prior = None
        self._mix_root_noise(rng)
        self._kept = int(column_of(self._tree.nodes, self._tree.root, "visits").sum())

    def collect(self, most: int) -> tuple[int, int]:
        """Run simulations until a batch of leaves waits for the network.

        Args:
            most: greatest number of simulations to begin.

        Returns:
            Number of waiting leaves, and number of simulations that ended without the network.
        """
        planes = self._planes.reshape(-1)
        waiting = collect(self._board, self._search, self._tree.nodes, planes, most)
        if waiting > 0 and self._fours is not None and self.settings.leaf_fours > 0:
            settle_by_fours(self._search, *self._fours.kernel_arguments, self._unlimited, planes)
        return waiting, int(self._fields.ended)

    def waiting(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return the network's input for the waiting leaves.

        Returns:
            Planes `[batch, n, n, 3]` for boards of n x n points, and sides to move `[batch]`, BLACK
            or WHITE.
        """
        count = int(self._fields.count)
        sides = np.array(self._fields.sides[:count], np.int8)
        return self._planes[:count], np.where(sides == 0, BLACK, WHITE).astype(np.int8)

    def absorb(
        self,
        policy: NDArray[np.float32],
        value: NDArray[np.float32],
        rng: np.random.Generator,
    ) -> None:
        """Expand the waiting leaves with the network's results, and back up their values.

        Args:
            policy: `[batch, points]` priors; those of occupied points are ignored.
            value: `[batch]` values for the side to move.
            rng: draws the noise if the root is among the leaves; its state changes if `noise` is
                set.
        """
        shares, values = policy.astype(np.float64).reshape(-1), value.astype(np.float64)
        absorb(self._search, self._tree.nodes, self._planes.reshape(-1), shares, values)
        self._mix_root_noise(rng)

    def result(self, board: Board, nodes: int, rng: np.random.Generator) -> PuctResult:
        """Return the result of the search.

        Args:
            board: the position passed to `begin`.
            nodes: number of simulations of the search.
            rng: draws the move if the policy is stochastic; its state changes then.
        """
        tree = self._tree
        children = tree.children()
        visits = tree.visits_of(children)
        policy = policy_of_visits(visits, self.settings.temperature)
        chosen = children[self._choose(board, children, policy, rng)]
        return PuctResult(
            move=move_of(chosen.cell, board.size),
            value=float(chosen.mean),
            policy=policy,
            visits=visits,
            principal_variation=tree.line_from(chosen),
            nodes=nodes,
            moves=tree.moves_of(children),
            prior=np.zeros(len(visits), np.float32) if self._prior is None else self._prior,
            lines=tuple(tree.line_from(child) for child in children[:LINES]),
            depth=int(self._fields.deepest),
            kept=self._kept,
        )

    @property
    def is_open(self) -> bool:
        """Whether the root has children, so that its moves can be compared."""
        return bool(self._at(self._tree.root).first)

    # -- the tree --------------------------------------------------------------------------------

    def _at(self, index: int) -> Any:
        """Return a node of the tree as an object with the fields as attributes.

        Args:
            index: index of the node.
        """
        nodes = self._tree.nodes
        is_array = isinstance(nodes, np.ndarray)
        return nodes[index : index + 1].view(np.recarray)[0] if is_array else nodes[index]

    def _resume(self, board: Board) -> None:
        """Keep the part of the tree below the position, or begin a new tree.

        A tree whose last search was interrupted is not kept: virtual losses of waiting leaves are
        left in it.

        Args:
            board: the position.
        """
        tree, fields = self._tree, self._fields
        tree.used = int(fields.used)
        if not self.settings.keeps_tree or int(fields.count) > 0:
            tree.moves = None
        if tree.resume(board.moves, self._unlimited):
            fields.root, fields.used = tree.root, tree.used
        else:
            plant(self._search, tree.nodes)
        tree.moves = tuple(board.moves)

    def _mix_root_noise(self, rng: np.random.Generator) -> None:
        """Store the priors of the root's moves once they are known, and mix noise into them.

        The stored priors are without noise. If the setting `noise` is 0, nothing is mixed in.

        Args:
            rng: draws the noise; its state changes then.
        """
        if self._prior is not None:
            return  # asked before the root is looked at, since this is called for each batch
        tree = self._tree
        priors = column_of(tree.nodes, tree.root, "prior")
        if not len(priors):
            return
        cells = column_of(tree.nodes, tree.root, "cell").tolist()
        self._prior = np.zeros(self.rules.points, np.float32)
        self._prior[[move_of(cell, self.rules.size) for cell in cells]] = priors
        share, count = self.settings.noise, len(priors)
        if share > 0.0:
            drawn = rng.dirichlet(np.full(count, NOISE_ALPHA / count))
            write_column(tree.nodes, tree.root, "prior", (1.0 - share) * priors + share * drawn)

    def _choose(
        self,
        board: Board,
        children: Sequence[Child],
        policy: NDArray[np.float32],
        rng: np.random.Generator,
    ) -> int:
        """Return which child is played, as an index in `children`.

        Args:
            board: the position.
            children: visited children of the root, the most visited first.
            policy: `[points]` probabilities of the moves.
            rng: draws the move if the policy is stochastic.
        """
        kind, early = self.settings.policy, board.ply < self.settings.stochastic_plies
        if kind == "deterministic" or (kind == "semi-stochastic" and not early):
            return 0
        shares = np.array([policy[move_of(at.cell, board.size)] for at in children], np.float64)
        return int(rng.choice(len(children), p=shares / shares.sum()))


class PuctMany:
    """Searches positions of several games at once, with their leaves in shared batches.

    Each game has its own tree. Its results do not depend on the other games, as long as the
    evaluator's result for a position does not depend on the rest of the batch.
    """

    def __init__(
        self,
        rules: Rules,
        evaluator: PlanesEvaluator,
        games: int,
        settings: PuctSettings = PuctSettings(),
    ) -> None:
        """Create the trees.

        Args:
            rules: a square board without gravity, freestyle or standard.
            evaluator: gives policies and values of positions.
            games: number of games.
            settings: settings of each search; all but `memory` may be replaced between searches.

        Raises:
            RulesError: the rules are not supported.
        """
        self.rules = rules
        self.evaluator = evaluator
        self._trees = [PuctTree(rules, settings) for _ in range(games)]
        self._fours: FourSearch | None = None
        self._settings = settings

    @property
    def settings(self) -> PuctSettings:
        """Settings of the searches; a change takes effect with the next search."""
        return self._settings

    @settings.setter
    def settings(self, settings: PuctSettings) -> None:
        self._settings = settings
        for tree in self._trees:
            tree.settings = settings

    def search(
        self,
        boards: Sequence[Board | None],
        limit: Limit,
        rngs: Sequence[np.random.Generator],
    ) -> list[PuctResult | None]:
        """Search a position of each game.

        Args:
            boards: for each tree, a position of an unfinished game, unchanged; None to skip the
                tree.
            limit: seconds for all games together; nodes are new simulations of each game.
                `SIMULATIONS` if neither is set.
            rngs: generator of each game, for noise and drawn moves; their states change.

        Returns:
            A result for each board; None for skipped ones.

        Raises:
            RulesError: a board follows other rules.
        """
        if limit.seconds is None and limit.nodes is None:
            limit = Limit(nodes=SIMULATIONS)
        clock = SearchClock(replace(limit, nodes=None))
        results: list[PuctResult | None] = [None] * len(boards)
        taken: dict[int, Board] = {}
        for at, board in enumerate(boards):
            results[at] = None if board is None else self._win_of(board, clock)
            if board is not None and results[at] is None:
                self._trees[at].begin(board, rngs[at])
                taken[at] = board
        unasked = [at for at in taken if not self._trees[at].is_open]
        self._evaluate_leaves(unasked, rngs, dict.fromkeys(unasked, 1))
        done = self._grow(list(taken), rngs, clock, limit.nodes)
        for at, board in taken.items():
            results[at] = self._trees[at].result(board, done[at], rngs[at])
        return results

    def _grow(
        self,
        numbers: list[int],
        rngs: Sequence[np.random.Generator],
        clock: SearchClock,
        nodes: int | None,
    ) -> dict[int, int]:
        """Grow trees until the time is over or each has its simulations; at least one each.

        Args:
            numbers: indices of the trees.
            rngs: generator of each game.
            clock: clock of all games together.
            nodes: simulations of each tree; None for no limit.

        Returns:
            Number of simulations by index of the tree.
        """
        most = max(1, _UNLIMITED if nodes is None else nodes)
        done = dict.fromkeys(numbers, 0)
        while numbers:
            is_late = clock.is_late()
            room = {at: 1 if is_late else min(most - done[at], MOST_ENDS) for at in numbers}
            for at, simulations in self._evaluate_leaves(numbers, rngs, room).items():
                done[at] += simulations
            if clock.is_late():
                break
            numbers = [at for at in numbers if done[at] < most]
        return done

    def _evaluate_leaves(
        self, numbers: Sequence[int], rngs: Sequence[np.random.Generator], most: dict[int, int]
    ) -> dict[int, int]:
        """Collect the leaves of some trees, evaluate them in one batch, and give them children.

        Args:
            numbers: indices of the trees.
            rngs: generator of each game.
            most: greatest number of simulations by index of the tree.

        Returns:
            Number of simulations done by index of the tree.
        """
        done, planes, colors, counts = {}, [], [], []
        for at in numbers:
            tree = self._trees[at]
            waiting, ended = tree.collect(most[at])
            done[at] = waiting + ended
            if waiting > 0:
                seen, to_move = tree.waiting()
                planes.append(seen)
                colors.append(to_move)
                counts.append((at, waiting))
        if not counts:
            return done
        if len(counts) == 1:
            found = self.evaluator.evaluate_planes(planes[0], colors[0])
        else:
            found = self.evaluator.evaluate_planes(np.concatenate(planes), np.concatenate(colors))
        start = 0
        for at, waiting in counts:
            here = slice(start, start + waiting)
            self._trees[at].absorb(found.policy[here], found.value[here], rngs[at])
            start += waiting
        return done

    def _win_of(self, board: Board, clock: SearchClock) -> PuctResult | None:
        """Return the result if the side to move wins by continuous fours, else None.

        If the setting `vcf` is off, nothing is searched.

        Args:
            board: the position.
            clock: clock of the move.
        """
        if not self._settings.vcf:
            return None
        if self._fours is None:
            self._fours = FourSearch(self.rules)
        self._fours.forget()  # so that an answer does not depend on earlier ones
        found = self._fours.find(board, replace(clock.remaining(), nodes=FOURS))
        if not found.line:
            return None
        points, value = self.rules.points, self._settings.decay ** (found.plies - 1)
        policy = np.zeros(points, np.float32)
        policy[found.line[0]] = 1.0
        return PuctResult(
            move=found.line[0],
            value=value,
            policy=policy,
            visits=np.zeros(points, np.int64),
            principal_variation=found.line,
            nodes=found.nodes,
            moves=(),
            prior=np.zeros(points, np.float32),
            lines=(found.line,),
            depth=found.plies,
            kept=0,
            is_won=True,
        )


class Puct:
    """Searches positions of successive games; keeps the tree within a game.

    If a position continues the last search, its subtree is kept. Not thread-safe.
    """

    def __init__(
        self,
        rules: Rules,
        evaluator: PlanesEvaluator,
        settings: PuctSettings = PuctSettings(),
    ) -> None:
        """Create the search.

        Args:
            rules: a square board without gravity, freestyle or standard.
            evaluator: gives policies and values of positions.
            settings: settings of the search; all but `memory` may be replaced between searches.

        Raises:
            RulesError: the rules are not supported.
        """
        self._many = PuctMany(rules, evaluator, 1, settings)

    @property
    def settings(self) -> PuctSettings:
        """Settings of the search; a change takes effect with the next search."""
        return self._many.settings

    @settings.setter
    def settings(self, settings: PuctSettings) -> None:
        self._many.settings = settings

    def search(self, board: Board, limit: Limit, rng: np.random.Generator) -> PuctResult:
        """Search a position of an unfinished game with at least one simulation.

        Args:
            board: position of these rules; unchanged.
            limit: budget; nodes are simulations. `SIMULATIONS` if neither seconds nor nodes are
                set.
            rng: draws noise and moves; its state changes.

        Raises:
            RulesError: the board follows other rules.
        """
        (found,) = self._many.search([board], limit, [rng])
        return cast("PuctResult", found)  # a board was given


def policy_of_visits(visits: NDArray[np.int64], temperature: float) -> NDArray[np.float32]:
    """Return a policy by the visits N of the moves: N^(1 / temperature), normalised.

    Args:
        visits: `[points]`, not all 0.
        temperature: above 0; the smaller it is, the more the most visited moves dominate.

    Returns:
        `[points]` with sum 1.
    """
    counts = visits.astype(np.float64)
    logs = np.full(len(counts), -np.inf)
    np.log(counts, out=logs, where=counts > 0.0)
    raised = np.exp((logs - logs.max()) / temperature)
    shares: NDArray[np.float32] = (raised / raised.sum()).astype(np.float32)
    return shares


__all__ = [
    "BATCH",
    "DECAY",
    "MEMORY",
    "SIMULATIONS",
    "STOCHASTIC_PLIES",
    "TEMPERATURE",
    "C",
    "Policy",
    "Puct",
    "PuctMany",
    "PuctResult",
    "PuctSettings",
    "PuctTree",
    "policy_of_visits",
]
