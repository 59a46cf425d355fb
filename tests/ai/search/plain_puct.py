"""The guided search one simulation at a time, written down plainly: what the kernels must equal."""

from __future__ import annotations

import math
import zlib
from functools import cache

import numpy as np

from ai.evaluators.base import Evaluation
from ai.evaluators.policy_value import planes_of
from ai.search.base import Limit
from ai.search.fours import FourSearch


class Drawn:
    """Evaluates by numbers that depend on the position alone, drawn once; notes what it is asked."""

    def __init__(self, spread=2.0, value=1.0):
        self.spread, self.value = spread, value
        self.asked = []
        self.batches = []

    def evaluate_planes(self, planes, colors):
        self.batches.append(len(planes))
        policy = np.zeros((len(planes), planes.shape[1] * planes.shape[2]), np.float32)
        value = np.zeros(len(planes), np.float32)
        for number, (seen, color) in enumerate(zip(planes, colors, strict=True)):
            self.asked.append((seen.tobytes(), int(color)))
            is_free = seen[..., :2].sum(-1).reshape(-1) == 0
            if not (self.spread or self.value):
                policy[number] = is_free / is_free.sum()
                continue
            rng = np.random.default_rng(zlib.crc32(seen.tobytes()) + int(color) + 1)
            raised = np.exp(rng.normal(0.0, self.spread, len(is_free))) * is_free
            policy[number] = raised / raised.sum()
            value[number] = self.value * rng.uniform(-0.9, 0.9)
        return Evaluation(policy, value)


class Node:
    def __init__(self, prior):
        self.prior, self.visits, self.total, self.children = prior, 0, 0.0, None
        self.known = None

    @property
    def mean(self):
        return self.total / self.visits if self.visits else 0.0


def plain_search(board, evaluator, nodes, *, c, decay, reduction=-1.0, forced=False, fours=0):
    """Return {move: (visits, mean)} after that many simulations below an evaluated root."""
    root = Node(1.0)

    def only(position):
        found = only_move(position, decay) if forced else None
        return found or (win_by_fours(position, decay, fours) if fours else None)

    for _ in range(nodes + 1):
        simulate(root, board.copy(), evaluator, c, decay, reduction, only)
        root.known = None  # it goes on from a root of sure value, too
    return {
        move: (child.visits, child.mean) for move, child in root.children.items() if child.visits
    }


def only_move(board, decay):
    """Return the move that the rules force and its value, where that is sure; None: free choice."""
    side = board.to_move
    wins = [move for move in sorted(board.legal_moves) if board.completes_row(move, side)]
    if wins:
        return wins[0], decay
    threats = [move for move in sorted(board.legal_moves) if board.completes_row(move, -side)]
    if threats:
        return threats[0], -(decay**2) if len(threats) > 1 else None
    return None


def win_by_fours(board, decay, fours):
    """Return the first move of a win by continuous fours and its value, None without one."""
    found = four_search(board.rules).find(board, Limit(nodes=fours))
    return (found.line[0], decay**found.plies) if found.line else None


@cache
def four_search(rules):
    return FourSearch(rules)


def simulate(node, board, evaluator, c, decay, reduction, only):
    """Return the value of the position for its side to move, after adding it to the node."""
    outcome = board.outcome()
    if outcome is not None:
        value = 0.0 if outcome.winner == 0 else (1.0 if outcome.winner == board.to_move else -1.0)
    elif node.known is not None:
        value = node.known
    elif node.children is None:
        colors = np.array([board.to_move], np.int8)
        found = evaluator.evaluate_planes(planes_of(board)[None], colors)
        shares = found.policy[0].astype(float)
        node.children = {move: Node(shares[move]) for move in sorted(board.legal_moves)}
        value = float(found.value[0])
        if known := only(board):
            move, node.known = known
            node.children = {move: Node(1.0)}
            value = value if node.known is None else node.known
    else:
        spread = c * math.sqrt(node.visits + 1)
        unseen = 0.0 if reduction < 0 else -node.mean - reduction
        move, child = max(
            node.children.items(),
            key=lambda item: (
                (item[1].mean if item[1].visits else unseen)
                + spread * item[1].prior / (1 + item[1].visits)
            ),
        )
        board.push(move)
        value = -decay * simulate(child, board, evaluator, c, decay, reduction, only)
    node.visits += 1
    node.total -= value
    return value
