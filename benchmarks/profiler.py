"""What the profiler costs: off, on for the panel, and on into a file; and what three scenes take.

    python -m benchmarks.profiler [--frames N] [--rounds N] [--scenes]

Measures a thousand objects with an `update` each, and an empty scene, in the app's own frames
without graphics, in turn in one process. Figures are medians over all frames of all rounds, in
processor time of the thread. A profiler that is off costs too little to be seen between two frames.
So every call that a frame makes of it is counted and timed by itself. The exit code is 1 if the
profiler takes more than 1 % of a frame with a thousand scripts while it is off.

With `--scenes` three scenes run at maximum speed without graphics: an empty one, 64 cart-poles, a
thousand scripts. Prints their phases as the profiler sees them, in microseconds a frame.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from base.files import SHIPPED_ROOT
from benchmarks.console import machine, parser_of
from benchmarks.objects import SCRIPT, mover_fields
from benchmarks.programs import grid_of_objects, write_project
from benchmarks.timing import milliseconds
from sim.app.app import App
from sim.core.profiling.spans import Frame, Phase, SpanLabel
from sim.core.project.run_options import RunOptions

OBJECTS: Final = 1000
CARTS: Final = 64
GOAL: Final = 0.01
WARM_FRAMES: Final = 30
CALLS: Final = 20_000
"""Of which the time of one is the mean."""


def cart_poles(count: int) -> dict[str, Any]:
    """Return the objects of the shipped cart-pole scene, the cart so many times."""
    shipped = SHIPPED_ROOT / "scenes" / "cart_pole.scene.json"
    objects: dict[str, Any] = json.loads(shipped.read_text(encoding="utf-8"))["objects"]
    text = json.dumps(objects).replace('"scripts.', '"goishi:scripts.')
    found: dict[str, Any] = {}
    for number in range(count):
        renamed = text
        for key in _ids(objects):
            renamed = renamed.replace(f'"{key}"', f'"{key}{number:03d}"')
        found |= json.loads(renamed)
    return found


def _ids(objects: dict[str, Any]) -> list[str]:
    inner = [name for item in objects.values() for name in item.get("components", {})]
    return [*objects, *inner]


def opened(scene: Path, **options: Any) -> App:
    """Open a scene without graphics at maximum speed, and let it settle."""
    app = App(RunOptions(scene=scene, graphics=False, seconds=1e6, trust=True, **options))
    for _ in range(WARM_FRAMES):
        app.frame()
    return app


def calls_of(app: App) -> dict[str, int]:
    """Return how often a frame calls what of the profiler and of the gauge while it is off."""
    counts: dict[str, int] = {}
    profiler: Any = app.host.profiler
    gauge: Any = app.gauge

    def counted(owner: Any, name: str) -> None:
        usual = getattr(owner, name)

        def call(*arguments: Any) -> Any:
            counts[name] = counts.get(name, 0) + 1
            return usual(*arguments)

        setattr(owner, name, call)

    followed = [
        *((profiler, name) for name in ("begin", "mark", "end", "add", "label")),
        *((gauge, name) for name in ("add", "restart")),
    ]
    for owner, name in followed:
        counted(owner, name)
    app.frame()
    for owner, name in followed:
        delattr(owner, name)
    return counts


def seconds_off(app: App) -> float:
    """Return the processor seconds that a frame spends on a profiler that is off."""
    profiler, gauge, label = app.host.profiler, app.gauge, SpanLabel("any", Phase.REST)
    counts = calls_of(app)
    each: dict[str, Callable[[], object]] = {
        "begin": lambda: profiler.begin(0.0, 1),
        "mark": lambda: profiler.mark(label),
        "end": lambda: profiler.end(1, 1),
        "add": lambda: gauge.add(0.0, 0.0, 1),
        "restart": gauge.restart,
    }
    found = 0.0
    for name, count in counts.items():
        found += count * seconds_of_call(each[name])
    gauge.restart()
    begun = time.thread_time()
    for _ in range(CALLS):
        _ = profiler.is_on, profiler.is_on, profiler.is_on, profiler.is_on, profiler.is_on
    return found + (time.thread_time() - begun) / CALLS


def seconds_of_call(call: Callable[[], object]) -> float:
    """Return the mean processor seconds of a call."""
    begun = time.thread_time()
    for _ in range(CALLS):
        call()
    return (time.thread_time() - begun) / CALLS


def compare(name: str, app: App, frames: int, rounds: int, file: Path) -> float:
    """Measure one scene off and on, print; return the share of a frame that off costs."""
    profiling, profiler = app.host.profiling, app.host.profiler
    times: dict[str, list[float]] = {"off": [], "panel": [], "file": []}
    profiling.write_to(file, "Goishi")
    listeners = {"off": (), "panel": (profiling.history.add,), "file": tuple(profiler._hearers)}
    for _ in range(rounds):
        for arm, hears in listeners.items():
            profiler._hearers = list(hears)
            times[arm] += milliseconds(app.frame, frames)
    profiler._hearers = []
    profiling.close()
    off = statistics.median(times["off"])
    share = seconds_off(app) * 1000.0 / off
    print(f"{name}: off: {off:.3f} ms a frame, of which the profiler {share:.2%}")
    for arm in ("panel", "file"):
        middle = statistics.median(times[arm])
        print(f"{name}: on ({arm}): {middle:.3f} ms a frame, {middle / off - 1.0:+.1%}")
    return share


def phases_of(name: str, app: App, frames: int) -> None:
    """Print what a scene takes at maximum speed: frames a second, and each span of the engine."""
    rate = 1000.0 * frames / sum(milliseconds(app.frame, frames))
    print(f"{name}: {rate:,.0f} frames a second of processor time, the profiler off")
    found: list[Frame] = []
    app.host.profiler.listen(found.append)
    for _ in range(frames):
        app.frame()
    app.host.profiler.unlisten(found.append)
    names = dict.fromkeys(span.label for frame in found for span in frame.marks)
    for label in names:
        spent = [
            sum(span.ended - span.begun for span in frame.marks if span.label is label)
            for frame in found
        ]
        print(f"    {label.phase:>10}  {label.name:<30} {1e6 * statistics.median(spent):9.1f} us")


def main() -> int:
    """Run the benchmark; 1 where the goal is missed."""
    parser = parser_of(
        __doc__,
        frames=(100, "of one kind in a round"),
        rounds=5,
        scenes=(False, "profile three scenes instead"),
    )
    given = parser.parse_args()
    print(machine())
    share = 0.0
    with tempfile.TemporaryDirectory() as folder:
        movers = grid_of_objects(OBJECTS, "scripts.many:Mover", mover_fields)
        scenes = {"empty": {}, "1,000 scripts": movers}
        if given.scenes:
            scenes["64 cart-poles"] = cart_poles(CARTS)
        for number, (name, objects) in enumerate(scenes.items()):
            app = opened(write_project(Path(folder) / str(number), objects, {"many": SCRIPT}))
            if given.scenes:
                phases_of(name, app, given.frames)
            else:
                file = Path(folder) / f"{number}.json"
                share = compare(name, app, given.frames, given.rounds, file)
            app.close()
    print(f"off: {share:.2%} of a frame with {OBJECTS:,} scripts, goal at most {GOAL:.0%}")
    return int(share > GOAL)


if __name__ == "__main__":
    sys.exit(main())
