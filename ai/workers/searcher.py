"""The search worker: searches a position with a pair of networks and reports the visits."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ai.evaluators.policy_value import PolicyValueEvaluator
from ai.game import Board, Rules, as_board, replayed
from ai.messages.curriculum import GrowSearch, SearchGrown
from ai.nets.policy_value import load_pair
from ai.search.puct import PuctResult, PuctSettings, PuctTree
from ai.workers.settings import WorkerSettings, choose_kernels, settle
from base.worker.process import Pipe
from base.worker.service import Report, WorkerRequestError, serve

MEMORY = 24
"""Memory of the search tree in MiB."""
HELD = 2
"""Number of network pairs kept in memory, so that two can be compared in each position."""


def main(connection: Pipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings)
    choose_kernels(settings)
    serve(connection, SearchService().handle)


class SearchService:
    """Searches positions and caches the network pairs used last; `main` runs it in a process."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, int, Rules], PolicyValueEvaluator] = {}

    def handle(self, payload: object, report: Report) -> SearchGrown:
        """Search a position.

        Args:
            payload: a `GrowSearch` message.
            report: called with the result so far, each time `payload.step` simulations are done.

        Raises:
            WorkerRequestError: `payload` is another message, or the game is over.
            OSError: there is no file of networks at the requested path.
            CardFileError: the file does not hold a pair of networks.
        """
        if not isinstance(payload, GrowSearch):
            raise WorkerRequestError(
                f"expected GrowSearch, found {type(payload).__name__} {payload!r:.100}"
            )
        board = as_board(replayed(payload.rules, payload.moves))
        if board.outcome() is not None:
            raise WorkerRequestError("expected an unfinished game, found one that is over")
        return self._search(payload, board, self._evaluator_of(payload), report)

    def _evaluator_of(self, request: GrowSearch) -> PolicyValueEvaluator:
        """Return the evaluator for the requested networks; a changed file is read again."""
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
    """Run a batch of simulations and add their new positions (leaves) to a search tree.

    Args:
        tree: the tree.
        evaluator: evaluates the new leaves.
        most: maximum number of simulations.
        rng: the only source of random numbers.

    Returns:
        The number of simulations, and the value of the first leaf (0 if there is no leaf).
    """
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
        board: the searched position.
        network_value: value of the position by the network alone, for the side to move.
    """
    return SearchGrown(
        tuple(board.moves), result.nodes, result.visits, result.prior, result.policy,
        result.value, tuple(result.principal_variation), network_value,
    )  # fmt: skip


__all__ = ["SearchService", "main"]
