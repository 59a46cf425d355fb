"""Pictures of the window in every language, at 100 and 200 %, for eyes to judge.

    python -m benchmarks.language_pictures [--out DIR] [--only NAME …]

Five views: the first minute, a new game, a review, the studio and the preferences. Each is drawn
at 1280x720 in each language, with text at 100 and at 200 %. What is cut, or left in English, is for
the reader to find; `tests/drive/test_texts_are_whole.py` finds what a program can. All languages of
a view stand on one sheet, too.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from base.language.catalogs import ENGLISH, LANGUAGES, use
from benchmarks.console import machine, parser_of
from benchmarks.page_pictures import DECISIVE, EASY, SETTLE, by_people, open_review
from benchmarks.panel_pictures import bring, choose
from sim.testing import Pilot

WINDOW = (1280, 720)
SCALES = (1.0, 2.0)
PLAYED = 8  # plies, until there is something to see
SHEET = 2  # pictures side by side on a sheet


def first_minute(folder: Path) -> Pilot:
    """Open the first scene, as a new user sees it."""
    pilot = Pilot(window=WINDOW, quality="medium", seed=1, player_white="pattern",
                  data_dir=folder / "data")  # fmt: skip
    shell: Any = pilot.app.shell
    match = pilot.component("Match")
    pilot.wait_until(lambda: match.current is not None and match.current.ply >= PLAYED)
    shell.overlays.introduce(shell.do)
    pilot.app.clock.pause()
    return pilot


def new_game(folder: Path) -> Pilot:
    """Open the dialog of a new game against a level of a player."""
    pilot = Pilot(window=WINDOW, quality="medium", seed=1, **by_people(folder))
    match, new = pilot.component("Match"), pilot.component("NewGame")
    pilot.wait_until(lambda: match.current is not None)
    new.open()
    new.choose("white", "alpha-beta")
    new.choose("white_level", EASY)
    return pilot


def review(folder: Path) -> Pilot:
    """Show the mistake that decided the shipped game."""
    pilot = open_review(folder)
    pilot.component("Replay").by_hand("show_mistake", DECISIVE)
    pilot.app.clock.pause()
    return pilot


def studio(folder: Path) -> Pilot:
    """Open the studio, with an object chosen."""
    pilot = first_minute(folder)
    shell: Any = pilot.app.shell
    shell.overlays.dismiss()
    shell.preferences.arrange("studio")
    choose("Figure")(pilot)
    return pilot


def preferences(folder: Path) -> Pilot:
    """Open the preferences."""
    pilot = first_minute(folder)
    shell: Any = pilot.app.shell
    shell.overlays.dismiss()
    return pilot


VIEWS: dict[str, Callable[[Path], Pilot]] = {
    "first_minute": first_minute,
    "new_game": new_game,
    "review": review,
    "studio": studio,
    "preferences": preferences,
}


FRONTS = {"studio": ("Hierarchy", "Inspector", "Assets"), "preferences": ("Preferences",)}
"""Panels that are in front of their docks, by view."""


def draw(pilot: Pilot, view: str, language: str, scale: float) -> Any:
    """Return the picture of a view in a language, at a size of text."""
    shell: Any = pilot.app.shell
    use(language)
    shell.preferences.set_scale(scale)
    pilot.draw_panels(SETTLE)
    for title in FRONTS.get(view, ()):
        bring(title)(pilot)
        pilot.draw_panels(SETTLE)
    return pilot.picture()


def sheet(pictures: list[Any]) -> Any:
    """Return pictures side by side, some in a row."""
    blank = np.zeros_like(pictures[0])
    padded = pictures + [blank] * (-len(pictures) % SHEET)
    rows = [np.hstack(padded[first : first + SHEET]) for first in range(0, len(padded), SHEET)]
    return np.vstack(rows)


def main() -> None:
    """Draw the views that were asked for."""
    parser = parser_of(__doc__, out=Path("language_pictures"))
    parser.add_argument("--only", nargs="*", default=list(VIEWS), choices=list(VIEWS))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(machine())
    for name in options.only:
        begun, count = time.perf_counter(), 0
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CONFIG_HOME"] = folder
            with VIEWS[name](Path(folder)) as pilot:
                for scale in SCALES:
                    pictures = [draw(pilot, name, language, scale) for language in LANGUAGES]
                    for language, picture in zip(LANGUAGES, pictures, strict=True):
                        file = f"{name}_{language}_{scale:.0%}.png".replace("%", "")
                        cv2.imwrite(str(options.out / file), picture)
                        count += 1
                    cv2.imwrite(str(options.out / f"{name}_{scale:.0f}00.png"), sheet(pictures))
                use(ENGLISH)
        seconds = (time.perf_counter() - begun) / count
        print(f"{name}: {count} pictures, {seconds:.1f} s each", flush=True)


if __name__ == "__main__":
    main()
