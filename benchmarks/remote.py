"""What it costs a program to read the scene of a running app, beside a script that reads it.

    python -m benchmarks.remote [--rounds N] [--values N] [--frame SECONDS]

A script reads `transform.position` of an object in its own process. A program reads it by remote
control: one value after the other, and in batches. It asks for the object by its name, which takes
a message each time, as every first read does. The least that can take is a message of its size to
another process and back, which is measured, too. Rounds of the five take turns, and the best of
each counts. The program also steps the scene and reads the value after each step, of which the
median counts. Below, a script makes each frame take `--frame` seconds, and a program reads one
value after the other.

Goals: a value alone takes at most 20 times what it takes a script, and so does a value of a batch.
What is asked for by a message takes at most 8 times such a message. While the program reads, no
more than two frames of the slow app pass.
"""

from __future__ import annotations

import contextlib
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import goishi
from base.files import SHIPPED_ROOT
from benchmarks.console import machine, parser_of, verdict
from goishi.remote import RemoteTransform, RunningApp
from sim.testing import Pilot

SCENE = SHIPPED_ROOT / "scenes" / "cart_pole.scene.json"
MOST_RATIO = 20.0
MOST_MESSAGES = 8.0
MOST_FRAMES = 2
WAYS = ("script", "one by one", "batch", "message", "asked")
AFTER_STEP = "after step"
ECHO = """
import socket, sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as end:
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while said := end.recv(4096):
        end.sendall(said)
"""
SAID = bytes(120)
"""About as long as a question for a position, and its answer."""
SLOW = """
import time
from sim import Script, field

class Slow(Script):
    seconds: float = field(0.1, help="how long a frame takes")
    count: int = field(0, help="frames so far")

    def update(self, dt):
        time.sleep(self.seconds)
        self.count += 1
"""


def seconds_each(function: Callable[[], object], values: int) -> float:
    """Return the seconds that a call takes, for each of the values that it reads."""
    begun = time.perf_counter()
    function()
    return (time.perf_counter() - begun) / values


@contextlib.contextmanager
def echo() -> Iterator[Callable[[], object]]:
    """Start a process that sends back what it gets; yield a function that sends it a message."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        process = subprocess.Popen([sys.executable, "-c", ECHO, str(port)])
        end, _ = listener.accept()
    with process, end:
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def send() -> object:
            end.sendall(SAID)
            return end.recv(4096)

        yield send
        end.shutdown(socket.SHUT_RDWR)


def costs(rounds: int, values: int) -> dict[str, float]:
    """Return the seconds that one position takes in each of the `WAYS`, and after a step."""
    best = dict.fromkeys(WAYS, float("inf"))
    with (
        echo() as send,
        Pilot(scene=SCENE, graphics=False, paused=True) as pilot,
        goishi.launch(SCENE, graphics=False) as app,
    ):
        pilot.step(2)
        own, other = pilot.app.scene.find_all("Cart")[0], app.scene.find("Cart")
        pairs = [(other.transform, "position")] * values

        def by_script() -> None:
            for _ in range(values):
                _ = own.transform.position

        def one_by_one() -> None:
            for _ in range(values):
                _ = other.transform.position

        ways = (
            by_script,
            one_by_one,
            lambda: app.read(pairs),
            lambda: [send() for _ in range(values)],
            lambda: [app.scene.find("Cart") for _ in range(values)],
        )
        for _ in range(rounds):
            for name, way in zip(WAYS, ways, strict=True):
                best[name] = min(best[name], seconds_each(way, values))
        best[AFTER_STEP] = seconds_after_a_step(app, other.transform, values)
    return best


def seconds_after_a_step(app: RunningApp, transform: RemoteTransform, values: int) -> float:
    """Return the median of the seconds that the position takes that is read after each step."""
    passed = []
    for _ in range(values):
        app.step()
        begun = time.perf_counter()
        _ = transform.position
        passed.append(time.perf_counter() - begun)
    return statistics.median(passed)


def slow_scene(folder: Path, seconds: float) -> Path:
    """Write a project whose only script makes each frame slow; return its scene."""
    (folder / "scripts").mkdir()
    (folder / "scripts" / "slow.py").write_text(SLOW, encoding="utf-8")
    (folder / "goishi.toml").write_text("", encoding="utf-8")
    component = {"type": "scripts.slow:Slow", "fields": {"seconds": seconds}}
    slow = {"name": "Slow", "components": {"cmp_slow000001": component}}
    data = {
        "format": "goishi.scene/1",
        "id": "scn_slow000001",
        "objects": {"obj_slow000001": slow},
    }
    path = folder / "slow.scene.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def frames_passed(values: int, seconds: float) -> tuple[int, float]:
    """Read values of an app whose frames are slow.

    Args:
        values: number of values.
        seconds: what each frame takes.

    Returns:
        The number of frames that passed meanwhile, and the seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        scene = slow_scene(Path(folder), seconds)
        with goishi.launch(scene, graphics=False, trust=True) as app:
            app.play()
            thing = app.scene.find("Slow")
            slow = thing.component("Slow")
            begun, first = time.perf_counter(), app.frame
            for _ in range(values // 2):
                thing.transform.position  # noqa: B018
                slow.count  # noqa: B018
            return app.frame - first, time.perf_counter() - begun


def main() -> int:
    """Measure, print, and return the exit code."""
    found = parser_of(__doc__, rounds=20, values=100, frame=0.7).parse_args()
    print(machine())
    best = costs(found.rounds, found.values)
    for name, seconds in best.items():
        ratio = seconds / best["script"]
        print(f"{name:>12}: {1e6 * seconds:8.2f} us a value, {ratio:6.1f} times a script's")
    alone, batch = (best[name] / best["script"] for name in ("one by one", "batch"))
    messages = best["asked"] / best["message"]
    frames, seconds = frames_passed(found.values, found.frame)
    print(
        f"{found.values} values beside frames of {found.frame} s: {seconds:.2f} s, {frames} frames"
    )
    is_quick, is_lean = alone <= MOST_RATIO, messages <= MOST_MESSAGES
    is_dense, is_unhindered = batch <= MOST_RATIO, frames <= MOST_FRAMES
    print(f"a value alone takes {alone:.1f} times a script's: {verdict(is_quick)}")
    print(f"a value of a batch takes {batch:.1f} times a script's: {verdict(is_dense)}")
    print(
        f"a value asked for by a message takes {messages:.1f} times a message's: {verdict(is_lean)}"
    )
    print(f"{frames} frames passed: {verdict(is_unhindered)}")
    return int(not (is_quick and is_dense and is_lean and is_unhindered))


if __name__ == "__main__":
    raise SystemExit(main())
