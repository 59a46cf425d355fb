"""What it costs the main thread to ask a worker.

    python -m benchmarks.links [--rounds N] [--megabytes N] [--busy SECONDS]

A small request (a game's moves) goes to an idle worker and back, a large one to a worker that is
busy. The baseline, in turn in the same process, is a plain pipe to a second worker: the caller
pickles and writes, as `Connection.send` does. Goal: the call comes back within a frame.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import statistics
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.console import machine, parser_of, verdict
from benchmarks.timing import timed
from sim.core.reporting.console import Console
from sim.core.workers.link import WorkerLink
from sim.core.workers.pool import Links

TARGET = "benchmarks.links:echo"
LARGE_ROUNDS = 7
GOAL = 1.0 / 60.0  # seconds that a call may take: a frame


def echo(connection: Any, settings: dict[str, Any]) -> None:
    """Answer each request with its length, after as many seconds as it says."""
    while True:
        request_id, _, (seconds, content) = connection.recv()
        time.sleep(seconds)
        connection.send((request_id, True, len(content)))


def echo_plainly(connection: Any) -> None:
    """Do the same with a bare pipe, until it ends."""
    with contextlib.suppress(EOFError):
        echo(connection, {})


class PlainPipe:
    """A worker behind a pipe that the caller writes itself."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, there = context.Pipe()
        self.process = context.Process(target=echo_plainly, args=(there,), daemon=True)
        self.process.start()
        there.close()

    def ask(self, seconds: float, content: Any) -> float:
        """Send a request; return the seconds that the call took."""
        request = (1, True, (seconds, content))
        return timed(lambda: self.connection.send(request), time.perf_counter)[0]

    def wait(self) -> None:
        """Wait for an answer."""
        self.connection.recv()


class Linked:
    """A worker behind a link."""

    def __init__(self, links: Links) -> None:
        self.links = links
        self.link: WorkerLink = links.open("echo", TARGET)
        self.asked: list[Any] = []

    def ask(self, seconds: float, content: Any) -> float:
        """Send a request; return the seconds that the call took."""
        took, asked = timed(lambda: self.link.request((seconds, content)), time.perf_counter)
        self.asked.append(asked)
        return took

    def wait(self) -> None:
        """Wait for an answer."""
        pending = self.asked.pop(0)
        while not pending.done:
            self.links.pump(1.0)


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__, rounds=2000, megabytes=8, busy=(0.3, "seconds of the busy worker"))
    options = parser.parse_args()
    print(machine())
    links = Links(Console())
    links.on_message = lambda: None  # so that `pump` comes back with an answer
    plain = PlainPipe()
    ways: dict[str, PlainPipe | Linked] = {"Goishi": Linked(links), "plain pipe": plain}
    for way in ways.values():  # the processes run
        way.ask(0.0, b"")
        way.wait()
    _measure_small(ways, options.rounds)
    large = np.ones(options.megabytes * 1_000_000, np.uint8)
    busy: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(LARGE_ROUNDS):
        for name, way in ways.items():
            busy[name].append(_busy_call(way, options.busy, large))
    calls = {name: statistics.median(seconds) for name, seconds in busy.items()}
    for name, seconds in calls.items():
        print(f"{name:>12}: {options.megabytes} MB to a busy worker {seconds * 1000.0:.1f} ms")
    print(f"Goishi / plain pipe: {calls['Goishi'] / calls['plain pipe']:.3f}")
    said = verdict(calls["Goishi"] <= GOAL)
    print(f"goal: the call comes back within a frame of {GOAL * 1000.0:.1f} ms: {said}")
    plain.connection.close()
    links.close()


def _measure_small(ways: Mapping[str, PlainPipe | Linked], rounds: int) -> None:
    moves = tuple(range(100))
    trips: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begun = time.perf_counter()
            call = way.ask(0.0, moves)
            way.wait()
            trips[name].append((call, time.perf_counter() - begun))
    rows = {
        name: np.quantile(np.array(found), (0.5, 0.99), axis=0) * 1e6
        for name, found in trips.items()
    }
    for name, ((call, trip), (late_call, late_trip)) in rows.items():
        print(
            f"{name:>12}: small request: call {call:.0f} us (p99 {late_call:.0f}), "
            f"there and back {trip:.0f} us (p99 {late_trip:.0f})"
        )
    ratio = rows["Goishi"][0] / rows["plain pipe"][0]
    print(f"Goishi / plain pipe: {ratio[0]:.2f} for the call, {ratio[1]:.2f} there and back")


def _busy_call(way: PlainPipe | Linked, busy: float, large: Any) -> float:
    way.ask(busy, b"")
    call = way.ask(0.0, large)
    way.wait()
    way.wait()
    return call


if __name__ == "__main__":
    main()
