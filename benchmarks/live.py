"""Frames of the live view with and without training beside it.

    python -m benchmarks.live [FRAMES] [NODES]

Frames with and without training are measured in turn while a stone moves. The trainer gets lost
games back to back, with a memory of 1,000 situation nodes (NODES; to fill it takes minutes). Prints
timing.percentiles, their ratio, and the CPU time that the main thread spent in its worst frame.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ai import WHITE, Board, GameRecord, Rules
from ai.messages import OpenLearner, TrainRequest
from benchmarks import timing
from benchmarks.console import at_least_one, machine, parser_of
from benchmarks.games import any_point
from benchmarks.timing import THREAD, WALL, FloatArray
from sim.testing import Pilot

NODES = 1000
ARM_FRAMES = 125
FRAME_SECONDS = 1.0 / 30.0
RULES = Rules(7, 5, full_board_winner=WHITE)


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("frames", nargs="?", type=at_least_one, default=500)
    parser.add_argument("nodes", nargs="?", type=at_least_one, default=NODES)
    given = parser.parse_args()
    with Pilot(speed=1.0, player_white="random") as pilot:
        app = pilot.app
        print(machine(app.display.renderer if app.display else "-"))
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.current is not None and match.current.ply > 8)
        app.clock.pause()
        mover = timing.circling_stone(app)
        begun_cpu, begun = time.thread_time(), time.perf_counter()
        link = app.world.links.open("trainer", "ai.workers.trainer:main", {})
        print(
            f"starting the worker: main thread {(time.thread_time() - begun_cpu) * 1e3:.1f} ms CPU, "  # noqa: E501
            f"{(time.perf_counter() - begun) * 1e3:.1f} ms wall"
        )
        link.request(OpenLearner("cnn-ann", RULES, {"alpha": None}, 1, None, fresh=True))
        trainer = Trainer(link)
        nodes = trainer.fill(pilot, given.nodes)
        print(f"memory: {nodes} nodes; one training {trainer.seconds:.2f} s")
        idle: list[FloatArray] = []
        busy: list[FloatArray] = []
        while len(busy) * ARM_FRAMES < given.frames:
            idle.append(_arm(pilot, mover, None))
            busy.append(_arm(pilot, mover, trainer))
        _report(np.concatenate(idle), np.concatenate(busy))


class Trainer:
    """Keeps the trainer busy."""

    def __init__(self, link: Any) -> None:
        self.link = link
        self.rng = np.random.default_rng(1)
        self.game = 0
        self.seconds = 0.0
        self.pending: Any = None

    def feed(self) -> None:
        """Send the next lost game when the last one is learnt."""
        if self.pending is not None and not self.pending.done:
            return
        if self.pending is not None:
            self.seconds = float(self.pending.result().statistics.get("seconds", 0.0))
        self.game += 1
        request = TrainRequest(session=0, game=self.game, record=_lost_game(self.rng, self.game))
        self.pending = self.link.request(request)

    def fill(self, pilot: Pilot, wanted: int) -> int:
        """Train until the memory holds `wanted` nodes; return how many it holds."""
        nodes = 0
        while nodes < wanted:
            self.feed()
            pilot.wait_until(lambda: self.pending.done, frames=20_000)
            nodes = int(self.pending.result().statistics["nodes"])
        return nodes


def _lost_game(rng: np.random.Generator, game: int) -> GameRecord:
    """Return a random game that Black won."""
    while True:
        board = Board(RULES)
        draw = any_point(board, rng)
        while board.outcome() is None:
            board.push(draw())
        record = GameRecord.from_board(board, game)
        if record.winner != WHITE:
            return record


def _arm(pilot: Pilot, mover: Any, trainer: Trainer | None) -> FloatArray:
    """Draw frames at a steady rate; return the milliseconds of each, see `drawn_frames`."""

    def prepare(number: int) -> None:
        timing.circle(mover, number)
        if trainer is not None:
            trainer.feed()

    if trainer is None:
        pilot.wait_until(lambda: not any(link.is_busy for link in pilot.app.world.links.opened))
    return timing.drawn_frames(pilot.app, ARM_FRAMES, before=prepare, pace=FRAME_SECONDS)


def _report(idle: FloatArray, busy: FloatArray) -> None:
    for name, times in (("no training", idle), ("training", busy)):
        most = times[:, THREAD].max()
        print(
            f"{name:>12}: {timing.percentiles(times[:, WALL])}; main thread CPU max {most:.1f} ms"
        )
    quiet, trained = idle[:, WALL], busy[:, WALL]
    share = float((trained > 2 * np.percentile(quiet, 95)).mean())
    ratio = np.percentile(trained, 99) / np.percentile(quiet, 99)
    print(
        f"p99 ratio {ratio:.2f} (goal <= 1.25); frames over twice the idle p95: {share:.2%} "
        "(goal <= 1 %)"
    )


if __name__ == "__main__":
    main()
