"""A child process that steps scenes for a program: `python -c "... main()" KIND SCENE ...`.

Requests come as pickles on the standard input, answers go to what was the standard output: each is
`("ok", value)` or `("error", kind, values, text)`. What scripts print goes to stderr.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from base.errors import plain_error
from base.schema import OptionValue
from sim.app.copies import Column, Fault, Layout, told
from sim.app.episodes import Episodes
from sim.app.factories import open_unseen_physics
from sim.app.stepping.team_copies import COPIES
from sim.core.files.scene_file import load
from sim.core.hangs.watchdog import Watchdog
from sim.core.script.spaces import plain_space

if TYPE_CHECKING:
    from sim.app.drawn_world import Mode

Methods = dict[str, Callable[..., object]]
Options = dict[str, OptionValue]


def main() -> None:
    """Serve until the standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the program's to handle
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers, METHODS_OF)


def serve(
    requests: IO[bytes], answers: IO[bytes], makers: dict[str, Callable[..., Methods]]
) -> None:
    """Answer requests `(name, arguments)`: the first one names what is served."""
    methods: Methods = {}

    def opened(kind: str, *arguments: Any) -> object:
        methods.update(makers[kind](*arguments))
        return methods["about"]()

    methods["open"] = opened
    while True:
        try:
            name, arguments = pickle.load(requests)
        except (EOFError, pickle.UnpicklingError):
            break
        try:
            answer: object = ("ok", methods[name](*arguments))
        except Exception as error:  # the program is told, and may go on
            answer = plain_error(error)
        try:
            pickle.dump(answer, answers, protocol=5)
            answers.flush()
        except (BrokenPipeError, ValueError):
            break
    close = methods.get("close")
    if close is not None:
        close()


def serve_copies(
    scene: str, count: int, options: Options, kind: str = "copies", is_drawn: bool = False
) -> Methods:
    """Return the methods of several copies of a scene; one that is drawn is alone."""
    path = Path(scene)
    watchdog = Watchdog(load(path).settings.script_timeout)

    def opened() -> Episodes:
        if is_drawn:
            return drawn_episodes(path, "rgb_array", options)
        return Episodes.of_scene(path, watchdog, options, open_unseen_physics)

    try:
        copies = COPIES[kind](path, count, watchdog, options, opened)
    except BaseException:
        watchdog.close()
        raise

    def use(columns: Sequence[Column], rows: int, file: str, first: int) -> None:
        layout = Layout(rows, tuple(columns))
        with open(file, "r+b") as stream:
            memory = mmap.mmap(stream.fileno(), layout.size)
        own = slice(first, first + count)
        copies.use({name: array[own] for name, array in layout.arrays(memory).items()})

    def step() -> object:
        return outcome(copies.step())

    def close() -> None:
        copies.close()
        watchdog.close()

    def outcome(faults: list[Fault]) -> object:
        return [(item.row, plain_error(item.error)) for item in faults], dict(copies.infos)

    return {
        "about": lambda: copies.about,
        "use": use,
        "reset": lambda seeds, chosen: outcome(copies.reset(seeds, chosen)),
        "step": step,
        "close": close,
    }


def drawn_episodes(scene: Path, mode: Mode, options: Options) -> Episodes:
    """Open a scene with a picture, in this process: it holds one at a time."""
    from sim.app.drawn_world import DrawnWorld

    path = scene.resolve()
    return Episodes(lambda seed, files: DrawnWorld(path, seed, files, mode, options))


def serve_drawn(scene: str, mode: Mode, size: tuple[int, int], options: Options) -> Methods:
    """Return the methods of one scene with a picture."""
    episodes = drawn_episodes(Path(scene), mode, options)

    def picture() -> object:
        world: Any = episodes.world
        return world.picture(mode, size)

    return {
        "about": lambda: (
            episodes.names,
            [(plain_space(seat.sees), plain_space(seat.acts)) for seat in episodes.seats],
            episodes.rate,
            episodes.teams,
        ),
        "reset": episodes.reset,
        "step": lambda actions: [told(seat) for seat in episodes.step(actions)],
        "render": picture,
        "close": episodes.close,
    }


METHODS_OF: dict[str, Callable[..., Methods]] = {"copies": serve_copies, "drawn": serve_drawn}
"""What a program can ask for, by name."""
