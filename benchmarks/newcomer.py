"""A newcomer at the real window, with mouse and keys, and a picture of each stop.

    xvfb-run -a -s "-screen 0 1280x720x24" python -m benchmarks.newcomer --out DIR [--scale 2]

Starts with an empty home and data folder and a copy of the project. The stops are the first card,
White learning, a game as a person, its review, a script that is opened, changed, broken and mended,
and undo in the studio. A stop that is a dead end is an error. Needs xdotool, and Pillow for the
pictures.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from PIL import Image, ImageGrab

from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of
from tests.drive.x_person import Person

SETTLE = 1.5  # seconds, until a picture stands
LONGEST_START = 240.0  # seconds, in a cold start on a busy machine
LONGEST_STOP = 600.0  # seconds, that something is waited for
SEEN = 1000  # colours of a picture with the scene, small; the splash has fewer
STOPS = ("watch", "play", "review", "script", "studio")
GAMES = 4  # until White is said to learn
BROKEN = "\n\ndef broken(:\n"
SCRIPT = "scripts/gomoku/game/scoreboard.py"
SHOWN, FIELD = "SHOWN_GROUPS = 12", "    match: Match = field(None)"  # lines of it
FAULT = "; late_update = lambda self, dt: 1 / 0"
UNDONE = 60  # times, that Ctrl+Z is pressed for what was typed last
CORNER = (1270, 4)  # of the screen: nothing is under the pointer there
LONGEST_LOOK = 45.0  # seconds, for what may come later than the picture


class Newcomer:
    """Walks through the stops of a first day.

    Args:
        folder: an empty folder for home, data and the project's copy.
        out: where the pictures go.
        name: of this pass; the pictures' names begin with it.
    """

    def __init__(self, folder: Path, out: Path, name: str) -> None:
        self.out, self.name = out, name
        self.project = folder / "project"
        for part in ("scenes", "scripts", "assets"):
            shutil.copytree(SHIPPED_ROOT / part, self.project / part)
        home = folder / "home"
        home.mkdir()
        for key in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ.pop(key, None)
        os.environ["HOME"] = str(home)
        self.words = ("--data-dir", str(folder / "data"), "--seed", "1", "--quality", "low")
        self.person = Person(*self.words)
        self.count = 0

    def look(self, what: str) -> None:
        """Keep a picture of the screen."""
        time.sleep(SETTLE)
        self.count += 1
        path = self.out / f"{self.name}-{self.count:02}-{what}.png"
        self._screen().save(path)
        print(path, flush=True)

    def _screen(self) -> Image.Image:
        return ImageGrab.grab(xdisplay=os.environ["DISPLAY"])

    def _colors(self) -> int:
        """Return how many colours the screen has, small."""
        return len(self._screen().resize((320, 180)).getcolors(320 * 180) or ())

    def wait(
        self, expression: str, *, seconds: float = LONGEST_STOP, is_needed: bool = True
    ) -> None:
        """Ask at the prompt until something is so; what is not needed may come later."""
        deadline = time.monotonic() + seconds
        while self.person.ask(expression) != "True":
            if time.monotonic() > deadline:
                if not is_needed:
                    return
                raise SystemExit(f"{self.name}: a dead end, {expression} does not come")
            time.sleep(SETTLE)

    def do(self, statement: str) -> None:
        """Run a line at the prompt, and wait until it has run."""
        self.person.do(statement)
        self.person.wait_for(f">>> {statement}")

    def close_console(self) -> None:
        """Close what the prompt opened, and forget what was said there."""
        self.do("shell.open('Console', is_open=False); host.console.clear()")

    def point(self, name: str) -> tuple[float, float]:
        """Return the pixel of an expression's place in the world."""
        found = self.person.ask(f"view.camera.project({name})")
        x, y = (float(number) for number in re.findall(r"-?\d+\.\d+", found)[-2:])
        return x, y

    def in_view(self) -> tuple[float, float]:
        """Return a pixel of the view in which nothing lies."""
        left, top, _, high = map(int, re.findall(r"\d+", self.person.ask("view.camera.viewport")))
        return left + 6, top + high // 2

    # -- the stops ----------------------------------------------------------------------------

    def start(self, scale: float, theme: str) -> None:
        """The first card, in the wanted size and theme, once the scene is there."""
        self.look("opening")
        self._await_scene()
        if theme == "light":
            self.person.press("F9")
        for _ in range(round((scale - 1.0) / 0.25)):
            self.person.press("ctrl+equal")
        self.look("first-card")
        self.person.press("Escape")
        self.look("match")
        self.person.close()
        scene = str(self.project / "scenes/self_teaching.scene.json")
        self.person = Person(scene, "--trust", *self.words)  # its scripts may be changed
        self._await_scene()

    def _await_scene(self) -> None:
        deadline = time.monotonic() + LONGEST_START
        while self._colors() < SEEN:
            if time.monotonic() > deadline:
                raise SystemExit(f"{self.name}: the scene does not come")
            time.sleep(SETTLE)

    def watch(self) -> None:
        """White learns: trained fast, then watched."""
        self.person.press("f")
        self.wait(f'component("Match").played >= {GAMES}')
        self.close_console()
        self.look("training-fast")
        self.person.click(*self.in_view())
        self.person.press("f")
        self.close_console()
        self.look("watched")

    def play(self) -> None:
        """A game as a person: a move, and a hint."""
        self.person.click(*self.in_view())
        self.person.press("w")
        self.wait('component("Match").white.is_human')
        self.wait('bool(component("Match").white._legal)')
        self.close_console()
        self.look("my-turn")
        move = 'min(component("Match").white._legal)'
        place = f'component("BoardView").position_of({move})'
        self.point(place)  # opens the console, which moves the view
        self.person.click(*self.point(place))
        self.close_console()
        self.look("my-stone")
        self.wait('bool(component("Match").white._legal)')
        pixel = self.in_view()
        self.close_console()
        self.person.click(*pixel)
        self.person.press("h")
        self.wait('component("HumanControls").notice.startswith("Hint")')
        self.close_console()
        self.look("hint")

    def review(self) -> None:
        """A past game: the timeline, its panel, back with Escape."""
        self.do("shell.panel_windows.open_front('Games')")
        self.close_console()
        self.look("games")
        match = 'component("Match")'
        self.do(f"{match}.show_game({match}.records[-1].game)")
        self.wait("shell.is_open('Review')")
        place = self.in_view()
        self.close_console()
        self.person.click(*place)
        self.person.press("Home", *["Right"] * 8)
        running = 'component("Timeline").review.evaluation.is_running'
        self.wait(f"not {running}", seconds=LONGEST_LOOK, is_needed=False)
        self.close_console()
        self.look("review")
        self.person.click(*place)
        self.person.press("Escape")
        self.wait(f"not {match}.is_paused")

    def script(self) -> None:
        """A script: changed, broken, mended; and one that fails while it runs."""
        self.person.press("F4")
        self._go_to(SHOWN)
        self.look("script")
        self.person.press("End", "BackSpace", "BackSpace")
        self.person.type("6")
        self._save("reloaded")
        self.look("changed")
        self.person.press("ctrl+End")
        self.person.type(BROKEN)
        self.look("broken-typed")
        self._save("ERROR", "SyntaxError")
        self.look("broken-saved")
        self._take_back("mended")
        self._go_to(FIELD)
        self.person.press("End")
        self.person.type(FAULT)
        self._save("ERROR", "ZeroDivisionError")
        self.look("fault")
        self._take_back("mended-again")

    def _go_to(self, line: str) -> None:
        """Open the script at one of its lines, with the keyboard there."""
        number = self._text().splitlines().index(line) + 1
        self.do(f'shell.open_at("{SCRIPT}", {number})')

    def _text(self) -> str:
        return (self.project / SCRIPT).read_text(encoding="utf-8")

    def _save(self, *said: str) -> None:
        """Save the script, and wait for what the console says of it."""
        self.person.press("ctrl+s")
        self.person.wait_for(*said)

    def _take_back(self, what: str) -> None:
        """Undo all that was typed, save, and see that the script is as it was."""
        self.person.press(*["ctrl+z"] * UNDONE)
        self._save("reloaded")
        if self._text() != (SHIPPED_ROOT / SCRIPT).read_text(encoding="utf-8"):
            raise SystemExit(f"{self.name}: a dead end, {UNDONE} times Ctrl+Z undo not all")
        self.look(what)

    def studio(self) -> None:
        """The studio: an object is moved, and the move undone."""
        self.do('shell.choose(find("Board"))')
        self.do("do('studio.tool_move')")
        self.close_console()
        self.look("selected")
        self.do('find("Board").transform.position = (1.0, 0.0, 0.0)')
        self.close_console()
        self.look("moved")
        self.person.click(*self.in_view())
        self.person.press("ctrl+z")
        self.look("undone")
        self.person.move(*CORNER)
        for key in ("F1", "ctrl+e"):
            self.person.press(key)
            self.look(key)
            self.person.press("Escape")
        self.person.press("F11")
        self.look("presentation")
        self.person.press("Escape")

    def close(self) -> None:
        """End the run."""
        self.person.close()


def main() -> None:
    """Walk one pass."""
    parser = parser_of(__doc__, scale=1.0, cold=(False, "with an empty cache, too"))
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="+", choices=STOPS, default=STOPS, help="these stops")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    name = f"{options.theme}-{100 * options.scale:g}"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache" if options.cold else cache)
        newcomer = Newcomer(Path(folder), options.out.resolve(), name)
        try:
            newcomer.start(options.scale, options.theme)
            for stop in options.only:
                getattr(newcomer, stop)()
        finally:
            print("\n".join(newcomer.person.lines[-12:]))
            newcomer.close()


if __name__ == "__main__":
    main()
