"""Threads that help a search on the pattern core: they search the same position into one table.

Each has a position and a search's memory of its own. Only the transposition table is shared, so
that what one thread finds spares the others its work. Nothing else is agreed on ("lazy" parallel
search). The threads begin at different depths, so that they do not all do the same.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ai.game import Board, Rules
from ai.kernels.alpha_beta import layout
from ai.kernels.alpha_beta.root import search_roots
from ai.kernels.clock import CLOCK, UNLIMITED
from ai.kernels.jit import Record, fields_of, get_field, is_jit_enabled, new_record, set_field
from ai.kernels.position import KernelPosition
from ai.search.fours import FourSearch

MOST_THREADS: Final = 64


class _Helper:
    """One thread's position and memory."""

    def __init__(self, rules: Rules) -> None:
        self._position = KernelPosition(rules, knows_fouls=True)
        self._fours = FourSearch(rules, self._position)
        self._record: Record = new_record(layout.TREE)
        self._fields: Any = fields_of(self._record)
        self._clock: Record = new_record(CLOCK)

    def prepare(self, board: Board, record: Record, nodes: int | None) -> None:
        """Take over a position and what the main search knows of it.

        Args:
            board: the position.
            record: record of the main search, with its root moves listed.
            nodes: greatest number of positions; None for no limit.
        """
        self._position.follow(board)
        self._record[:] = record
        set_field(self._clock, "nodes", 0)
        set_field(self._clock, "is_stopped", 0)
        set_field(self._clock, "node_limit", UNLIMITED if nodes is None else nodes)

    def deepen(self, words: Any, first: int, last: int) -> None:
        """Search deeper and deeper until it is stopped, its budget is spent or the game decided.

        Args:
            words: the transposition table.
            first: depth in plies of the first search.
            last: that of the last one.
        """
        fields, position = self._fields, self._position
        for depth in range(first, last + 1):
            fields.low, fields.high = -layout.WIN, layout.WIN
            search_roots(
                position.record, position.table, self._record, self._fours.record, words,
                self._clock, depth,
            )  # fmt: skip
            is_decided = abs(int(fields.scores[0])) > layout.WIN - layout.LONGEST
            if fields.is_cut or fields.count == 1 or is_decided:
                return

    def stop(self) -> None:
        """End the search soon; for another thread."""
        set_field(self._clock, "is_stopped", 1)

    @property
    def nodes(self) -> int:
        """Positions that it has searched."""
        return get_field(self._clock, "nodes")


class Helpers:
    """The threads beside the main one. In plain Python, without compiled kernels, there are none.

    Args:
        rules: rules of the games.
        threads: number of threads, the main one included.
    """

    def __init__(self, rules: Rules, threads: int) -> None:
        count = min(threads, MOST_THREADS) - 1 if is_jit_enabled() else 0
        self._helpers = [_Helper(rules) for _ in range(max(count, 0))]
        self.nodes = 0
        """Positions that they searched in the last block of `at_work`."""

    def __len__(self) -> int:
        return len(self._helpers)

    @contextmanager
    def at_work(
        self, board: Board, record: Record, words: Any, depth: int, nodes: int | None
    ) -> Iterator[None]:
        """Context manager in which the threads search a position; they have ended after it.

        Args:
            board: the position.
            record: record of the main search, with its root moves listed.
            words: the transposition table.
            depth: greatest depth in plies.
            nodes: greatest number of positions of each thread; None for no limit.
        """
        self.nodes = 0
        threads = []
        for number, helper in enumerate(self._helpers):
            helper.prepare(board, record, nodes)
            target, arguments = helper.deepen, (words, min(2 - number % 2, depth), depth)
            threads.append(
                threading.Thread(target=target, args=arguments, name="search", daemon=True)
            )
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for helper in self._helpers:
                helper.stop()
            for thread in threads:
                thread.join()
            self.nodes = sum(helper.nodes for helper in self._helpers)
