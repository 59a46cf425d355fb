"""Frames of the live view with and without training beside it.

    python -m benchmarks.live [FRAMES] [NODES]

Arms with and without training in turn, a stone always moving, the trainer fed with lost games back
to back from a memory of 1,000 situation nodes (NODES; to fill it takes minutes). Prints
percentiles, their ratio, and the CPU time that the main thread spent in its worst frame.
"""

from __future__ import annotations

import math
import platform
import sys
import time

import numpy as np

from ai import WHITE, Board, GameRecord, Rules
from ai.messages import OpenLearner, TrainRequest
from sim.testing import Pilot

NODES = 1000
ARM_FRAMES = 125
FRAME_SECONDS = 1.0 / 30.0
RULES = Rules(7, 5, full_board_winner=WHITE)


def main() -> None:
    """Run the benchmark."""
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with Pilot(speed=1.0, player_white="random") as pilot:
        app = pilot.app
        print(f"machine: {platform.platform()}; {app.display.renderer if app.display else '-'}")
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.current is not None and match.current.ply > 8)
        app.clock.pause()
        mover = app.scene.spawn(
            "Mover", model={"builtin": "stone", "color": "white"}, parent=app.scene.find("Board")
        )
        begun_cpu, begun = time.thread_time(), time.perf_counter()
        link = app.world.links.open("trainer", "ai.workers.trainer:main", {})
        print(
            f"starting the worker: main thread {(time.thread_time() - begun_cpu) * 1e3:.1f} ms CPU, "  # noqa: E501
            f"{(time.perf_counter() - begun) * 1e3:.1f} ms wall"
        )
        link.request(OpenLearner("cnn-ann", RULES, {"alpha": None}, 1, None, fresh=True))
        trainer = Trainer(link)
        nodes = trainer.fill(pilot, int(sys.argv[2]) if len(sys.argv) > 2 else NODES)
        print(f"memory: {nodes} nodes; one training {trainer.seconds:.2f} s")
        idle: list[tuple[float, float]] = []
        busy: list[tuple[float, float]] = []
        while len(idle) < frames or len(busy) < frames:
            idle += _arm(pilot, mover, None)
            busy += _arm(pilot, mover, trainer)
        _report(np.array(idle), np.array(busy))


class Trainer:
    """Keeps the trainer busy."""

    def __init__(self, link: object) -> None:
        self.link = link
        self.rng = np.random.default_rng(1)
        self.game = 0
        self.seconds = 0.0
        self.pending: object = None

    def feed(self) -> None:
        """Send the next lost game when the last one is learnt."""
        if self.pending is not None and not self.pending.done:  # type: ignore[attr-defined]
            return
        if self.pending is not None:
            self.seconds = float(self.pending.result().statistics.get("seconds", 0.0))  # type: ignore[attr-defined]
        self.game += 1
        request = TrainRequest(session=0, game=self.game, record=_lost_game(self.rng, self.game))
        self.pending = self.link.request(request)  # type: ignore[attr-defined]

    def fill(self, pilot: Pilot, wanted: int) -> int:
        """Train until the memory holds `wanted` nodes; return how many it holds."""
        nodes = 0
        while nodes < wanted:
            self.feed()
            pilot.wait_until(lambda: self.pending.done, frames=20_000)  # type: ignore[attr-defined]
            nodes = int(self.pending.result().statistics["nodes"])  # type: ignore[attr-defined]
        return nodes


def _lost_game(rng: np.random.Generator, game: int) -> GameRecord:
    """Return a random game that Black won."""
    while True:
        board = Board(RULES)
        while board.outcome() is None:
            board.push(int(rng.choice(list(board.legal_moves))))
        record = GameRecord.from_board(board, game)
        if record.winner != WHITE:
            return record


def _arm(pilot: Pilot, mover: object, trainer: Trainer | None) -> list[tuple[float, float]]:
    """Draw frames at a steady rate; return wall and main-thread CPU milliseconds of each."""
    if trainer is None:
        pilot.wait_until(lambda: not any(link.is_busy for link in pilot.app.world.links.opened))
    times: list[tuple[float, float]] = []
    for index in range(ARM_FRAMES):
        angle = index * 0.15
        mover.transform.position = (  # type: ignore[attr-defined]
            2.0 * math.cos(angle),
            2.0 * math.sin(angle),
            0.8 + 0.5 * math.sin(angle * 3),
        )
        if trainer is not None:
            trainer.feed()
        wall, cpu = time.perf_counter(), time.thread_time()
        pilot.app.frame()
        if pilot.app.display is not None:
            pilot.app.display.image()
        now = time.perf_counter()
        times.append(((now - wall) * 1e3, (time.thread_time() - cpu) * 1e3))
        time.sleep(max(0.0, FRAME_SECONDS - (now - wall)))
    return times


def _report(idle: np.ndarray, busy: np.ndarray) -> None:
    for name, values in (("no training", idle), ("training", busy)):
        p50, p95, p99 = np.percentile(values[:, 0], [50, 95, 99])
        print(f"{name:>12}: {len(values)} frames, p50 {p50:.1f}, p95 {p95:.1f}, p99 {p99:.1f}, "
              f"max {values[:, 0].max():.1f} ms; main thread CPU max {values[:, 1].max():.1f} ms")  # fmt: skip  # noqa: E501
    limit = 2 * np.percentile(idle[:, 0], 95)
    share = float((busy[:, 0] > limit).mean())
    ratio = np.percentile(busy[:, 0], 99) / np.percentile(idle[:, 0], 99)
    print(
        f"p99 ratio {ratio:.2f} (goal <= 1.25); frames over twice the idle p95: {share:.2%} "
        "(goal <= 1 %)"
    )


if __name__ == "__main__":
    main()
