"""The search worker: grows the tree of a position with a pair of networks, and sends its visits."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ai.evaluators.policy_value import PolicyValueEvaluator
from ai.game import Board, Rules
from ai.messages.curriculum import GrowSearch, SearchGrown
from ai.nets.policy_value import load_pair
from ai.search.puct import PuctResult, PuctSettings, PuctTree
from ai.workers.settings import WorkerSettings, choose_kernels, settle
from base.worker.process import Pipe
from base.worker.service import Report, WorkerRequestError, serve

MEMORY = 24
"""MiB of the tree."""
HELD = 2
"""Number of pairs kept in memory: two may be compared in each position."""


def main(connection: Pipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings)
    choose_kernels(settings)
    serve(connection, SearchService().handle)


class SearchService:
    """Searches positions, caching the last pairs; `main` runs it in a process."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, int, Rules], PolicyValueEvaluator] = {}

    def handle(self, payload: object, report: Report) -> SearchGrown:
        """Search a position, reporting the result so far every `step` simulations.

        Raises:
            WorkerRequestError: the message is unknown, or the game is over.
            OSError: there is no such file.
            CardFileError: the file holds no pair.
        """
        if not isinstance(payload, GrowSearch):
            raise WorkerRequestError(
                f"expected GrowSearch, found {type(payload).__name__} {payload!r:.100}"
            )
        board = Board.from_moves(payload.moves, payload.rules)
        if board.outcome() is not None:
            raise WorkerRequestError("expected an unfinished game, found one that is over")
        return self._search(payload, board, self._evaluator_of(payload), report)

    def _evaluator_of(self, request: GrowSearch) -> PolicyValueEvaluator:
        """Return the evaluator of a pair; its file is read again if it has changed."""
        path = Path(request.pair)
        known = (request.pair, path.stat().st_mtime_ns, request.rules)
        evaluator = self._held.pop(known, None)
        if evaluator is None:
            evaluator = PolicyValueEvaluator(request.rules, load_pair(path))
        self._held[known] = evaluator  # at the end: the first one was asked for longest ago
        while len(self._held) > HELD:
            del self._held[next(iter(self._held))]
        return evaluator

    def _search(
        self, request: GrowSearch, board: Board, evaluator: PolicyValueEvaluator, report: Report
    ) -> SearchGrown:
        rng = np.random.default_rng(len(request.moves))
        tree = PuctTree(
            request.rules,
            PuctSettings(decay=request.decay, temperature=request.temperature, memory=MEMORY),
        )
        tree.begin(board, rng)
        _, value = _grow(tree, evaluator, 1, rng)  # the root itself is no simulation
        done, told = 0, 0
        while done < request.simulations:
            found, _ = _grow(tree, evaluator, request.simulations - done, rng)
            done += found
            if done - told >= request.step and done < request.simulations:
                told = done
                report(grown(tree.result(board, done, rng), board, value))
            if not found:
                break
        return grown(tree.result(board, done, rng), board, value)


def _grow(
    tree: PuctTree, evaluator: PolicyValueEvaluator, most: int, rng: np.random.Generator
) -> tuple[int, float]:
    """Grow a tree by a batch of leaves; return its simulations and the first leaf's value."""
    waiting, ended = tree.collect(most)
    value = 0.0
    if waiting:
        found = evaluator.evaluate_planes(*tree.waiting())
        tree.absorb(found.policy, found.value, rng)
        value = float(found.value[0])
    return waiting + ended, value


def grown(result: PuctResult, board: Board, network_value: float) -> SearchGrown:
    """Convert the result of a search so far to a message.

    Args:
        result: result of the search.
        board: the position.
        network_value: the network's value of it, for the side to move.
    """
    return SearchGrown(
        tuple(board.moves), result.nodes, result.visits, result.prior, result.policy,
        result.value, tuple(result.principal_variation), network_value,
    )  # fmt: skip


__all__ = ["SearchService", "main"]
