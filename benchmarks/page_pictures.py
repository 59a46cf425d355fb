"""Pictures of pages that tell what a reader does: a plugin's game, the console's lines, a review.

    python -m benchmarks.page_pictures [projects] [copy_as_python] [review] [engines]
        [board_themes] [new_game] [teacher] [puzzle] [profiler] [rewind] [tournament]
        [training_hall] [swap2] [swap2_swapped]

Writes docs/images/NAME.png; without names, all. The project is built from docs/projects.md itself.
The lines of the console come from the mouse: a handle that is pulled, a file that is dropped. The
reviewed game ships. The engine is a player of ours as a program; the user's own are not read. The
hall plays its games before the picture, or has them from the folder of `--hall`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from imgui_bundle import imgui

from ai import Board, Rules, from_text
from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of
from benchmarks.studio_pictures import LANDING, WATCHED, settle, wait_for_a_row
from benchmarks.tutorial_pictures import small_png
from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.board_themes import THEMES
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from tests.project_page import SCENE, build_project

WINDOW = (1280, 720)
WIDTH = 960
SETTLE = 6
PULL = (0.3, 0.6, 1.0)
"""Parts of a way at which the pointer is seen on it."""
FIRST_FILE = (80, 78)  # pixels from the dock's corner
PLIES = 10  # on the project's board, at least
TURN = 60.0  # pixels that the ring is pulled
MODEL = "assets/models/figure.glb"
REVIEWED = "assets/recorded/alpha_beta.sgf"
DECISIVE = 18
PLACED = (40, 41, 31, 49, 50, 30, 22, 58, 39, 48, 13, 57, 42, 60)
"""Moves on a board of nine points."""
FROM_ABOVE = ("slate", "high-contrast")
EASY = 3
"""Level of the opponent of the new game."""
THREE = "h8 a1 i8 a3 j8"
"""Moves to an open three of Black."""
MISTAKE = "o15"
LONGEST = 60.0
"""Seconds that a judgement may take here."""
FALLING = 395
"""Frames of the bouncing balls before the profiler holds one."""
FALLS = 3
"""Episodes of the cart-pole of which the timeline tells."""
AGO = 3.0
"""Seconds that the timeline is turned back."""
KEPT = 30.0
"""Seconds that it holds, as in a window."""
RATED = 8
"""Games of the tournament after which its table is shown."""
PLAYED = 12
"""Games of each board of the hall."""
OPENED = ("f4", "k11", "l9", "g8", "e9")
"""Where a person puts the stones of an opening that may be put anywhere."""


def pull(pilot: Pilot, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Press, go from a pixel to another, and let go."""
    pilot.move(*start)
    pilot.draw_panels()
    pilot.app.inject(InputEvent("button_down", key="mouse1", x=start[0], y=start[1]))
    pilot.draw_panels(2)
    for part in PULL:
        x, y = (a + (b - a) * part for a, b in zip(start, end, strict=True))
        pilot.move(x, y)
        pilot.draw_panels(2)
    pilot.app.inject(InputEvent("button_up", key="mouse1", x=end[0], y=end[1]))
    pilot.draw_panels(SETTLE)


def draw_projects(folder: Path) -> Any:
    """Draw the game, the player and the panel that the page's project adds."""
    scene = build_project(folder / "four") / SCENE
    with Pilot(scene=scene, seed=1, window=WINDOW, quality="medium") as pilot:
        shell: Any = pilot.app.shell
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.played >= 3, frames=100_000)
        wait_for_a_row(pilot, least_plies=PLIES)
        pilot.app.clock.pause()
        shell.open_of_project("Tally")
        shell.panel_windows.open_front("Tally")
        pilot.draw_panels(SETTLE)
        return pilot.picture()


def draw_copy_as_python(folder: Path) -> Any:
    """Turn the figure by its ring, drop a second one onto the table, and show the lines."""
    options = {"seed": 1, "data_dir": folder, "player_white": "pattern"}
    with Pilot(window=WINDOW, quality="medium", **options) as pilot:
        shell: Any = pilot.app.shell
        match, figure = pilot.component("Match"), pilot.app.scene.find("Figure")
        pilot.app.clock.speed = WATCHED
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 8)
        pilot.step(LANDING)
        pilot.app.clock.pause()
        shell.preferences.arrange("studio")
        shell.panel_windows.open_front("Assets")
        shell.console.levels["debug"] = True
        pilot.app.console.clear()
        pilot.draw_panels(SETTLE)
        left, top, width, height = shell.viewport
        pull(pilot, place_of(pilot, MODEL), (left + width * 0.2, top + height * 0.85))
        shell.choose(figure)
        shell.do("studio.tool_rotate")
        pilot.draw_panels(SETTLE)
        x, y = ring_of(pilot, figure)
        pull(pilot, (x, y), (x + TURN, y + TURN / 4))
        for title in ("Console", "Inspector"):
            shell.panel_windows.open_front(title)
            pilot.draw_panels(SETTLE)
        pilot.move(left + width / 2, top + height / 2)
        pilot.draw_panels(SETTLE)
        return pilot.picture()


def draw_board_themes(folder: Path) -> Any:
    """Show a position in the four themes, two of them from above."""
    size = (WINDOW[0] // 2, WINDOW[1] // 2)
    options = {"seed": 5, "out": folder / "run", "scene": "scenes/replay.scene.json"}
    pictures = []
    with Pilot(window=size, quality="high", panels=False, **options) as pilot:
        board = pilot.component("BoardView")
        camera = pilot.app.scene.camera
        pilot.app.clock.frame_step = 1 / 60
        board.show(ViewState.of(Board.from_moves(PLACED, Rules(9, 5))))
        for name in THEMES:
            board.choose_theme(name)
            board.is_top_down = name in FROM_ABOVE
            pilot.step(2)
            pilot.wait_until(lambda: camera.view == camera.home)
            pilot.step(LANDING)
            pictures.append(pilot.picture())
    return np.vstack([np.hstack(pictures[:2]), np.hstack(pictures[2:])])


def place_of(pilot: Pilot, path: str) -> tuple[float, float]:
    """Return where a file stands in the list of Assets, searched for."""
    shell: Any = pilot.app.shell
    shell.studio.assets.search = Path(path).name
    pilot.draw_panels(SETTLE)
    corner = imgui.internal.dock_builder_get_node(shell.layout.nodes["bottom"]).pos
    return corner.x + FIRST_FILE[0], corner.y + FIRST_FILE[1]


def ring_of(pilot: Pilot, obj: Any) -> tuple[float, float]:
    """Return a pixel of the rings around an object, below it, where its heading is turned.

    Raises:
        LookupError: no ring is there.
    """
    shell: Any = pilot.app.shell
    x, y = pilot.pixel_of(obj.transform.world_position)
    for down in range(8, 90, 2):
        pilot.move(x, y + down)
        pilot.draw_panels(2)
        if shell.studio.gizmo.is_over:
            return x, y + down
    raise LookupError(f"expected a ring below {obj.name}, found none")


def open_review(folder: Path) -> Pilot:
    """Open the shipped game that is reviewed, and wait until all its moves are judged."""
    options = {"seed": 1, "out": folder / "run", "replay": str(SHIPPED_ROOT / REVIEWED)}
    options |= {"scene": "scenes/replay.scene.json"}
    pilot = Pilot(window=WINDOW, quality="medium", **options)
    replay = pilot.component("Replay")
    pilot.wait_until(lambda: replay.viewer.record is not None, frames=10_000)
    pilot.press("a")
    pilot.wait_until(lambda: replay.review is not None)
    pilot.draw_panels(SETTLE)
    pilot.wait_until(lambda: not replay.review.evaluation.is_running, frames=100_000)
    return pilot


def draw_review(folder: Path) -> Any:
    """Show the mistake of the shipped game that decides it, with the point that was better."""
    with open_review(folder) as pilot:
        pilot.draw_panels(SETTLE)
        pilot.component("Replay").by_hand("show_mistake", DECISIVE)
        pilot.step(LANDING)
        pilot.draw_panels(SETTLE)
        return pilot.picture()


def draw_engines(folder: Path) -> Any:
    """Check a program of our own in the panel Engines, and begin to add another."""
    os.environ["XDG_CONFIG_HOME"] = str(folder)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    table = {"command": ["python", "main.py", "brain", "pattern"], "folder": str(SHIPPED_ROOT)}
    options = {"seed": 1, "data_dir": folder / "data", "scene": "scenes/gomoku_15.scene.json"}
    with Pilot(window=WINDOW, quality="medium", **options) as pilot:
        shell: Any = pilot.app.shell
        shell.open_of_project("Engines")
        shell.panel_windows.open_front("Engines")
        pilot.draw_panels(SETTLE)
        panel, match = pilot.component("Engines"), pilot.component("Match")
        panel.add("our-pattern", table)
        pilot.wait_until(lambda: not panel.checking, frames=100_000)
        panel.sit("our-pattern", "black")
        pilot.app.clock.speed = WATCHED
        pilot.wait_until(
            lambda: (
                match.black.player == "gomocup:our-pattern"
                and match.current.ply >= PLIES
                and match.current.outcome() is None
            ),
            frames=1_000_000,
        )
        pilot.step(LANDING)
        pilot.app.clock.pause()
        panel.choose_program("engines/pbrain-another")
        pilot.draw_panels(SETTLE)
        return pilot.picture()


def draw_new_game(folder: Path) -> Any:
    """Show the dialog of a new game against a level of `alpha-beta`."""
    with Pilot(window=WINDOW, quality="medium", seed=1, **by_people(folder)) as pilot:
        match, new = pilot.component("Match"), pilot.component("NewGame")
        pilot.wait_until(lambda: match.current is not None)
        new.open()
        new.choose("white", "alpha-beta")
        new.choose("white_level", EASY)
        pilot.step(LANDING)
        pilot.draw_panels(SETTLE)
        return pilot.picture()


def draw_teacher(folder: Path) -> Any:
    """Let White answer an open three far away, and show what the teacher says of it."""
    with Pilot(window=WINDOW, quality="medium", seed=1, **by_people(folder)) as pilot:
        match, teacher = pilot.component("Match"), pilot.component("Teacher")
        board = pilot.component("BoardView")
        teacher.longest = LONGEST
        teacher.switch(is_on=True)
        pilot.wait_until(lambda: match.session is not None)
        for ply, word in enumerate((*THREE.split(), MISTAKE)):
            pilot.wait_until(lambda: board._asking() is not None)
            board.clicked.emit(from_text(word, 15))
            pilot.wait_until(partial(is_judged, teacher, match, ply), frames=100_000)
            if word != MISTAKE and teacher.verdict is not None:
                teacher.play_anyway()
                pilot.wait_until(partial(is_longer, match, ply))
        teacher.show_line()
        pilot.step(LANDING)
        pilot.draw_panels(SETTLE)
        return pilot.picture()


def is_judged(teacher: Any, match: Any, ply: int) -> bool:
    """Return whether the teacher has told a mistake, or the move after `ply` moves was made."""
    return teacher.verdict is not None or is_longer(match, ply)


def is_longer(match: Any, ply: int) -> bool:
    """Return whether more than `ply` moves were made in a match's game."""
    return bool(match.current.ply > ply)


def by_people(folder: Path) -> dict[str, Any]:
    """Return the options of a match on 15x15 between two persons, with a data folder of its own."""
    people = {"player_black": "human", "player_white": "human", "speed": WATCHED}
    return {"data_dir": folder / "data", "scene": "scenes/gomoku_15.scene.json", **people}


def draw_puzzle(folder: Path) -> Any:
    """Show the first puzzle."""
    options = {"data_dir": folder / "data", "scene": "scenes/puzzles.scene.json", "speed": WATCHED}
    with Pilot(window=WINDOW, quality="medium", seed=1, **options) as pilot:
        board = pilot.component("BoardView")
        pilot.wait_until(lambda: any(board.state.stones), frames=10_000)
        pilot.step(LANDING)
        pilot.draw_panels(SETTLE)
        return pilot.picture()


def draw_profiler(folder: Path) -> Any:
    """Hold a frame of the bouncing balls in the profiler."""
    options = {
        "data_dir": folder / "data",
        "scene": "scenes/bouncing_balls.scene.json",
        "speed": 1.0,
    }
    with Pilot(window=WINDOW, quality="medium", seed=1, **options) as pilot:
        shell: Any = pilot.app.shell
        pilot.app.clock.frame_step = 1 / 60
        shell.panel_windows.open_front("Profiler")
        pilot.step(FALLING)
        pilot.app.host.profiling.pause()
        return settle(pilot)


def draw_rewind(folder: Path) -> Any:
    """Turn the cart-pole back by some seconds, in the studio, with the cart chosen."""
    options = {"data_dir": folder / "data", "scene": "scenes/cart_pole.scene.json"}
    with Pilot(window=WINDOW, quality="medium", seed=1, speed=1.0, **options) as pilot:
        shell: Any = pilot.app.shell
        pilot.app.clock.frame_step = 1 / 60
        shell.preferences.arrange("studio")
        shell.studio.selection.choose(pilot.app.scene.find("Cart"))
        rewind = pilot.app.rewind
        rewind.seconds = KEPT  # without a window nothing is kept by itself
        pilot.wait_until(lambda: len(rewind.marks) >= FALLS, frames=10_000)
        pilot.step(int(AGO * 60))
        shell.timeline.toggle()
        rewind.seek_time(rewind.time - AGO)
        for title in ("Inspector", "Console"):
            shell.panel_windows.open_front(title)
        return settle(pilot)


def draw_tournament(folder: Path) -> Any:
    """Let the four players play some games, all boards at a time, and show the table."""
    options = {"data_dir": folder / "data", "scene": "scenes/tournament.scene.json"}
    with Pilot(window=WINDOW, quality="medium", seed=1, speed=1.0, **options) as pilot:
        tournament = pilot.component("LiveTournament")
        pilot.app.clock.frame_step = 1 / 30
        pilot.wait_until(lambda: len(tournament.lines) >= RATED, frames=100_000)
        pilot.wait_until(
            lambda: sum(board.has_moved for board in tournament.boards) == len(tournament.boards),
            frames=10_000,
        )
        pilot.step(4 * LANDING)
        return settle(pilot)


def draw_training_hall(folder: Path, hall: Path | None = None) -> Any:
    """Let all learners of the hall play and learn for some games, and show the hall.

    Args:
        folder: for the data of the hall.
        hall: folder of a hall that has played already.
    """
    options = {"data_dir": hall or folder / "data", "scene": "scenes/training_hall.scene.json"}
    with Pilot(window=WINDOW, quality="medium", seed=1, speed=1.0, **options) as pilot:
        floor = pilot.component("Hall")
        pilot.wait_until(
            lambda: min(board.games for board in floor.boards) >= PLAYED, frames=1_000_000
        )
        pilot.step(LANDING)
        return settle(pilot)


def draw_swap2(folder: Path) -> Any:
    """Put three stones by a random player, and show what White may choose."""
    options = by_people(folder) | {"player_black": "random", "opening": "swap2"}
    with Pilot(window=WINDOW, quality="medium", seed=1, **options) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(
            lambda: match.current is not None and is_longer(match, 2) and match.live.question,
            frames=10_000,
        )
        pilot.app.clock.speed = 1.0
        pilot.step(LANDING)
        return settle(pilot)


def draw_swap2_swapped(folder: Path) -> Any:
    """Open by swap2 as a person, until the player of White swaps, and show what the panel says."""
    options = by_people(folder) | {"player_white": "mcts", "opening": "swap2"}
    with Pilot(window=WINDOW, quality="medium", seed=1, **options) as pilot:
        match, board = pilot.component("Match"), pilot.component("BoardView")
        for word in OPENED[:3]:
            ply = match.current.ply if match.current is not None else 0
            pilot.wait_until(lambda: board._asking() is not None)
            board.clicked.emit(from_text(word, 15))
            pilot.wait_until(partial(is_longer, match, ply))
        pilot.wait_until(lambda: match.current.ply >= 4 and board._asking() is not None)
        pilot.step(LANDING)
        shell: Any = pilot.app.shell
        shell.panel_windows.open_front("Insight")
        return settle(pilot)


PICTURES: dict[str, Callable[..., Any]] = {
    "projects": draw_projects,
    "copy_as_python": draw_copy_as_python,
    "review": draw_review,
    "engines": draw_engines,
    "board_themes": draw_board_themes,
    "new_game": draw_new_game,
    "teacher": draw_teacher,
    "puzzle": draw_puzzle,
    "profiler": draw_profiler,
    "rewind": draw_rewind,
    "tournament": draw_tournament,
    "training_hall": draw_training_hall,
    "swap2": draw_swap2,
    "swap2_swapped": draw_swap2_swapped,
}


def main() -> None:
    """Draw the pictures that were asked for."""
    parser = parser_of(__doc__, out=SHIPPED_ROOT / "docs" / "images")
    parser.add_argument("--hall", type=Path, help="data folder of a hall that has played")
    parser.add_argument("names", nargs="*", help=" or ".join(PICTURES))
    options = parser.parse_args()
    drawings = PICTURES | {"training_hall": partial(draw_training_hall, hall=options.hall)}
    for name in options.names or PICTURES:
        if name not in PICTURES:
            parser.error(f"expected {' or '.join(PICTURES)}, found {name!r}")
        with tempfile.TemporaryDirectory() as folder:
            picture = drawings[name](Path(folder))
        path = options.out / f"{name}.png"
        path.write_bytes(small_png(picture, WIDTH))
        print(f"{path}  {path.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
