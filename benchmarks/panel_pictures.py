"""Pictures of every panel, in both themes, three sizes of window and text, for eyes to judge.

    python -m benchmarks.panel_pictures [--games 50] [--data-dir DIR] [--out DIR] [--only NAME …]

Plays the games first (games in the data folder count), then opens the live match offscreen and
brings every panel and every tab to the front in turn. Says how many pictures of which sizes it
wrote, and how long one took. Nothing is compared: the question is whether a panel reads well.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from benchmarks.console import machine, parser_of
from sim.testing import Pilot

SIZES = ((1280, 720, 0.0), (1920, 1080, 0.0), (1920, 1080, 2.0))
THEMES = ("dark", "light")
SETTLE = 3  # pictures, until new windows stand and are filled
View = Callable[[Pilot], None]


def bring(*titles: str) -> View:
    """Return what opens panels and brings each to the front of its dock."""

    def act(pilot: Pilot) -> None:
        shell: Any = pilot.app.shell
        for title in titles:
            shell.panel_windows.open_front(title)
            pilot.picture()

    return act


def tab(name: str) -> View:
    """Return what opens a tab of the training panel."""

    def act(pilot: Pilot) -> None:
        bring("Training")(pilot)
        pilot.component("TrainingPanel").tab = name

    return act


def arrange(name: str) -> View:
    """Return what changes the arrangement, and closes what an earlier view had opened."""

    def act(pilot: Pilot) -> None:
        shell: Any = pilot.app.shell
        pilot.component("GameViewer").close()
        shell.panel_windows._open.clear()
        shell.preferences.arrange(name)
        pilot.picture()

    return act


def choose(name: str) -> View:
    """Return what chooses an object."""

    def act(pilot: Pilot) -> None:
        shell: Any = pilot.app.shell
        shell.studio.selection.choose(pilot.app.scene.find(name))

    return act


def script(pilot: Pilot) -> None:
    """Open a script at a line."""
    shell: Any = pilot.app.shell
    shell.open_at("scripts/gomoku/game/scoreboard.py", 30)


def past_game(pilot: Pilot) -> None:
    """Show a past game in the middle of it."""
    from scripts.gomoku.history.timeline import Filter

    shown = pilot.component("Timeline").games.shown(Filter.ALL)
    pilot.component("Match").show_game(shown[3].game)
    pilot.step(2)
    pilot.component("GameViewer").go_to(9)


def checkpoints(pilot: Pilot) -> None:
    """Keep what is learnt under two names."""
    coach = pilot.component("LearnerClient")
    if not coach.checkpoints:
        coach.checkpoint("before the change of alpha", "the best so far")


def debug_lines(pilot: Pilot) -> None:
    """Show the Python of what was done."""
    pilot.app.shell.console.levels["debug"] = True  # type: ignore[union-attr]


def popup(name: str) -> View:
    """Return what opens a menu of the bar."""

    def act(pilot: Pilot) -> None:
        from imgui_bundle import imgui

        shell: Any = pilot.app.shell
        real = shell.playback.draw

        def draw(width: float) -> None:
            real(width)
            imgui.open_popup(name)
            shell.playback.draw = real

        shell.playback.draw = draw
        pilot.draw_panels()

    return act


def command(name: str) -> View:
    """Return what does a command of the window, or undoes it."""

    def act(pilot: Pilot) -> None:
        shell: Any = pilot.app.shell
        shell.do(name)

    return act


WELCOME, PRESENT = command("app.welcome"), command("app.present")
"""The scenes there are to open, and the world alone."""


VIEWS: dict[str, tuple[View, ...]] = {
    "watch": (arrange("watch"),),
    "insight": (arrange("watch"), bring("Insight")),
    "studio": (arrange("studio"), choose("Board"), bring("Hierarchy", "Inspector", "Console")),
    "object": (arrange("studio"), choose("Camera"), bring("Hierarchy", "Inspector", "Console")),
    "nothing": (arrange("studio"), choose("no such thing"), bring("Inspector", "Recording")),
    "games": (arrange("studio"), bring("Games"), tab("Network"), script),
    "past": (arrange("studio"), past_game, bring("Games", "Recording"), tab("Black")),
    "past_watch": (arrange("watch"), past_game),
    "steer": (arrange("studio"), tab("Steer"), debug_lines, bring("Console")),
    "keep": (arrange("studio"), checkpoints, tab("Keep"), bring("Script")),
    "assets": (arrange("studio"), bring("Assets")),
    "keys": (arrange("studio"), bring("Keys")),
    "panels": (arrange("watch"), popup("panels")),
    "welcome": (arrange("watch"), WELCOME),
    "present": (PRESENT,),
}
AFTER: dict[str, View] = {"welcome": WELCOME, "present": PRESENT}


def main() -> None:
    """Play, draw, and say what was written."""
    parser = parser_of(__doc__, games=50, data_dir=Path, out=Path("panel_pictures"))
    parser.add_argument("--only", nargs="*", default=list(VIEWS), choices=list(VIEWS))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        for width, height, scale in SIZES:
            begun, count = time.perf_counter(), 0
            with Pilot(seed=1, data_dir=data, window=(width, height), quality="low") as pilot:
                count = draw_all(pilot, options, scale, f"{width}x{height}_{scale or 1:g}")
            seconds = (time.perf_counter() - begun) / max(1, count)
            print(f"{width}x{height} at {scale or 1:g}: {count} pictures, {seconds:.1f} s each")


def draw_all(pilot: Pilot, options: argparse.Namespace, scale: float, name: str) -> int:
    """Draw all views of one size; return how many."""
    shell: Any = pilot.app.shell
    match = pilot.component("Match")
    pilot.wait_until(lambda: match.game > options.games, frames=1_000_000)
    pilot.wait_until(lambda: match.current is not None and match.current.ply >= 8, frames=9000)
    pilot.app.clock.pause()
    if scale:
        shell.preferences.set_scale(scale)
    count = 0
    for theme in THEMES:
        shell.preferences.set_theme(theme)
        for view in options.only:
            for act in VIEWS[view]:
                act(pilot)
            for _ in range(SETTLE):
                pilot.draw_panels()
                picture = pilot.picture()
            cv2.imwrite(str(options.out / f"{view}_{name}_{theme}.png"), picture)
            count += 1
            if view in AFTER:
                AFTER[view](pilot)
    return count


if __name__ == "__main__":
    main()
