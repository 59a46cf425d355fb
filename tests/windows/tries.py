"""What the product does on Windows, tried by programs that a user starts: one row of the table each.

Each try is a function of a `Place`. It returns what it saw, in some words, or raises `TryError`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from tests.windows.hand import Hand, Picture, read_picture, shows_something
from tests.windows.suite import ROOT
from tests.windows.wine import Finished, Wine, windows_path

LONG: Final = 600.0
"""Seconds within which a program has to end; no times are judged."""
STARTED: Final = 6.0
"""Seconds of computing after which a program runs."""
TRACE: Final = "Traceback (most recent call last)"
KOREAN: Final = "나의 게임"
Found = TypeVar("Found")


class TryError(Exception):
    """What was expected, and what was found."""


@dataclass(frozen=True)
class Place:
    """Where a try works.

    Attributes:
        wine: the Windows Python, with a display.
        scratch: an empty folder.
        pictures: a folder for pictures, which stay.
    """

    wine: Wine
    scratch: Path
    pictures: Path

    @property
    def hand(self) -> Hand:
        """A hand at the display."""
        return Hand(self.wine.variables["DISPLAY"])

    def wait_for_picture(
        self, name: str, is_meant: Callable[[Picture], bool], seconds: float = LONG
    ) -> Picture:
        """Return the first picture of the screen that is meant; see `Hand.wait_for`."""
        return self.hand.wait_for(self.pictures / f"{name}.png", is_meant, seconds)

    def main(self, *words: str, seconds: float = LONG, typed: str = "", code: int = 0) -> str:
        """Run `main.py` to its end and return what it wrote.

        Raises:
            TryError: it ended with another code than `code`, or wrote a traceback.
        """
        done = self.wine.run([str(ROOT / "main.py"), *words], self.scratch, seconds, typed=typed)
        return checked(done, code)

    def program(self, text: str, seconds: float = LONG) -> str:
        """Run a Python program of the user's and return what it wrote."""
        path = self.scratch / "program.py"
        path.write_text(f"import sys\nsys.path.insert(0, {windows_path(ROOT)!r})\n{text}", "utf-8")
        return checked(self.wine.run([str(path)], self.scratch, seconds), 0)

    @contextlib.contextmanager
    def started(self, *words: str, program: Path | None = None) -> Iterator[Running]:
        """Context manager that starts `main.py`, or another program; it ends with the block."""
        given = [*words] if program is not None else [str(ROOT / "main.py"), *words]
        process = self.wine.start(given, self.scratch, program=program)
        running = Running(process)
        try:
            yield running
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Running:
    """A program that runs, and the lines that it has written."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        if process.stdout is not None:
            os.set_blocking(process.stdout.fileno(), False)

    def wait_for(self, text: str, seconds: float = LONG) -> str:
        """Return the first new line with a text.

        Raises:
            TryError: none came, or a traceback.
        """
        begun, end = len(self.lines), time.monotonic() + seconds
        while time.monotonic() < end:
            self._read()
            for line in self.lines[begun:]:
                if text in line:
                    return line
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        raise TryError(f"expected a line with {text!r}, found {self.said()}")

    def wait(self, seconds: float = LONG) -> int:
        """Return its exit code when it has ended."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            self._read()
            time.sleep(0.2)
        self._read()
        if self.process.poll() is None:
            raise TryError(f"expected it to end, found {self.said()}")
        return int(self.process.returncode)

    def said(self) -> str:
        """Return the end of what it wrote."""
        return " | ".join(self.lines)[-600:] or "nothing"

    def _read(self) -> None:
        stream = self.process.stdout
        if stream is None:
            return
        with contextlib.suppress(BlockingIOError, TypeError):
            while line := stream.readline():
                self.lines.append(line.rstrip())


def checked(done: Finished, code: int) -> str:
    """Return what a program wrote, if it ended with a code and without a traceback."""
    if done.code != code or TRACE in done.text:
        raise TryError(f"expected exit code {code}, found {done.code}: {done.text[-900:]}")
    return done.text


def expect(is_so: bool, expected: str, found: object) -> None:
    """Raise TryError unless something is so."""
    if not is_so:
        raise TryError(f"expected {expected}, found {str(found)[-600:]}")


def picture_of(path: Path) -> str:
    """Return the size of a picture, if it shows something."""
    expect(path.is_file(), f"a picture {path.name}", "none")
    found = read_picture(path)
    if found is None or float(found.std()) < 5.0:
        raise TryError(f"expected a picture of something, found {path.name}")
    return f"{found.shape[1]} x {found.shape[0]} pixels"


def version(place: Place) -> str:
    """Try the command that needs nothing."""
    return place.main("--version").strip().splitlines()[-1]


def players(place: Place) -> str:
    """Try the list of players."""
    text = place.main("players")
    expect("alpha-beta" in text, "alpha-beta among the players", text)
    return "listed"


def usage(place: Place) -> str:
    """Try what is told of a wrong path: one line, exit code 2."""
    text = place.main("run", r"Z:\not there\a.scene.json", code=2)
    line = text.strip().splitlines()[-1]
    expect(line.startswith("goishi: "), "one line", text)
    return "one line"


def project(place: Place) -> str:
    """Try a project in a folder with spaces and Korean letters: make, check, draw, test it."""
    folder = place.scratch / "새 폴더" / KOREAN
    folder.parent.mkdir()
    place.main("new", "project", windows_path(folder))
    scene = folder / "scenes" / "main.scene.json"
    place.main("check", windows_path(scene))
    picture, film = folder / "그림 1.png", folder / "영화 1.mp4"
    place.main("run", windows_path(scene), "--headless", "--no-ui", "--for", "1",
               "--screenshot", windows_path(picture), "--video", windows_path(film))  # fmt: skip
    expect(film.is_file() and film.stat().st_size > 1000, "a film", film)
    tests = place.main("test", windows_path(folder))
    expect("1 passed" in tests, "its test to pass", tests)
    return f"its picture: {picture_of(picture)}"


def lines_of_windows(place: Place) -> str:
    """Try a scene file and a script with the ends of lines that Windows' editors write."""
    folder = place.scratch / "lines"
    place.main("new", "project", windows_path(folder))
    for path in (*folder.rglob("*.json"), *folder.rglob("*.py"), *folder.rglob("*.toml")):
        path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    scene = windows_path(folder / "scenes" / "main.scene.json")
    place.main("check", scene)
    place.main("run", scene, "--headless", "--no-graphics", "--for", "1")
    return "checked and run"


def brain(place: Place) -> str:
    """Try alpha-beta as an engine of a manager."""
    with place.started("brain", "alpha-beta", "--set", "depth=2") as engine:
        return game_of(engine)


def game_of(engine: Running) -> str:
    """Play two moves with an engine that speaks the Gomocup protocol."""
    stream = engine.process.stdin
    if stream is None:
        raise TryError("expected an engine that reads, found none")

    def ask(line: str, answer: str) -> str:
        stream.write(f"{line}\r\n")
        stream.flush()
        return engine.wait_for(answer)

    ask("START 15", "OK")
    stream.write("INFO timeout_turn 5000\r\n")
    first = ask("BEGIN", ",")
    second = ask("TURN 0,0", ",")
    stream.write("END\r\n")
    stream.flush()
    code = engine.wait()
    expect(code == 0, "exit code 0", code)
    return f"it answers {first} and {second}"


def launcher(place: Place) -> str:
    """Try what `brain --package` writes for managers, in a folder with Korean letters."""
    folder = place.scratch / "엔진"
    place.main("brain", "pattern", "--package", windows_path(folder))
    seen = []
    for path in sorted(folder.glob("pbrain-*")):
        with place.started(program=path) as engine:
            game_of(engine)
        seen.append(path.suffix)
    expect(bool(seen), "a launcher pbrain-…", list(folder.iterdir()))
    return f"{' and '.join(seen)} play"


def installed(place: Place) -> str:
    """Try a wheel that pip installs: the command goishi.exe, as an engine and otherwise."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place.scratch)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = place.scratch.glob("*.whl")
    folder = place.scratch / "설치"
    words = ["-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile",
             "--prefix", windows_path(folder), windows_path(wheel)]  # fmt: skip
    checked(place.wine.run(words, place.scratch, LONG), 0)
    site = {"PYTHONPATH": windows_path(folder / "Lib" / "site-packages")}
    there = replace(place, wine=replace(place.wine, variables={**place.wine.variables, **site}))
    program = folder / "Scripts" / "goishi.exe"
    checked(there.wine.run(["check", "bouncing_balls"], place.scratch, LONG, program=program), 0)
    with there.started("brain", "pattern", program=program) as engine:
        game_of(engine)
    return "goishi.exe checks a scene, and plays as an engine"


def match(place: Place) -> str:
    """Try a match without a window: two games, and a training after each."""
    data = place.scratch / "match"
    place.main("run", windows_path(ROOT / "scenes" / "self_teaching.scene.json"), "--headless",
               "--no-graphics", "--games", "2", "--seed", "1", "--data-dir", windows_path(data))  # fmt: skip
    return games_in(data)


def games_in(data: Path) -> str:
    """Return how many games the database of a data folder holds, and of checkpoints."""
    games = count_games(data)
    expect(games >= 2, "two games", games)
    return f"{games} games, {len(list(data.rglob('manifest.json')))} checkpoints"


def count_games(data: Path) -> int:
    """Return how many games the database of a data folder holds; 0 if it is not there yet."""
    files = [*data.rglob("*.sqlite*"), *data.rglob("*.db")]
    if not files:
        return 0
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(files[0])) as database,
    ):
        return int(database.execute("select count(*) from games").fetchone()[0])
    return 0


def killed_worker(place: Place) -> str:
    """Try a match, one of whose workers is ended amid a game: a line tells it, no game is lost."""
    data = place.scratch / "killed"
    with place.started("run", windows_path(ROOT / "scenes" / "self_teaching.scene.json"),
                       "--headless", "--no-graphics", "--games", "3", "--seed", "1",
                       "--data-dir", windows_path(data)) as app:  # fmt: skip
        wait_until(lambda: count_games(data), "a game")
        os.kill(wait_until(lambda: workers_of(place), "a worker")[0], signal.SIGKILL)
        code = app.wait()
        expect(code == 0, "exit code 0", f"{code}: {app.said()}")
        told = [line for line in app.lines if "was restarted" in line]
        expect(len(told) == 1 and TRACE not in app.said(), "one line of it", app.said())
    expect(count_games(data) == 3, "three games", count_games(data))
    return f"{games_in(data)}; told: {told[0]}"


def workers_of(place: Place) -> list[int]:
    """Return the worker processes of the Windows Python, oldest first, as Linux numbers them."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().replace(b"\\", b"/")
                environment = (entry / "environ").read_bytes()
                if (
                    b"multiprocessing-fork" in words
                    and str(place.wine.prefix).encode() in environment
                ):
                    found.append(int(entry.name))
    return sorted(found)


def wait_until(look: Callable[[], Found], what: str, seconds: float = LONG) -> Found:
    """Return what a function finds as soon as it finds something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.2)
    raise TryError(f"expected {what}, found none")


RELOADED: Final = """\
from sim import Script


class Hello(Script):
    def start(self):
        self.paint()

    def reloaded(self, old):
        self.paint()

    def paint(self):
        self.object.model = {{"builtin": "box", "size": 9.0}}
        self.object.material = {{"color": {color}}}
        self.log.info("painted")
"""
RED: Final = "[1.0, 0.0, 0.0]"
GREEN: Final = "[0.0, 1.0, 0.0]"


def reload(place: Place) -> str:
    """Try a script that is saved again while its scene runs in a window."""
    folder = place.scratch / "재 시작"
    place.main("new", "project", windows_path(folder))
    script = folder / "scripts" / "hello.py"
    script.write_text(RELOADED.format(color=RED), "utf-8")
    scene = windows_path(folder / "scenes" / "main.scene.json")
    with place.started("run", scene, "--trust", "--quality", "low") as app:
        app.wait_for("painted")
        redness = place.wait_for_picture("before_reload", lambda seen: reddish(seen) > 5.0)
        script.write_text(RELOADED.format(color=GREEN), "utf-8")
        app.wait_for("reloaded scripts")
        place.wait_for_picture("after_reload", lambda seen: reddish(seen) < reddish(redness) - 10.0)
        expect(TRACE not in app.said(), "no traceback", app.said())
    return "the picture is another one without a restart"


def reddish(picture: Picture) -> float:
    """Return by how much red is above green in a picture, on average, of 255."""
    blue_green_red = picture.reshape(-1, 3).mean(axis=0)
    return float(blue_green_red[2] - blue_green_red[1])


def studio(place: Place) -> str:
    """Try the keys of the window: the studio by F4, Preferences by Ctrl+comma, F11 for full screen."""
    scene = windows_path(ROOT / "scenes" / "bouncing_balls.scene.json")
    with place.started("run", scene, "--quality", "low") as app:
        place.hand.focus("Goishi")
        place.hand.tap("F3")  # the layout of the last time may be the studio
        seen = place.wait_for_picture("watch", shows_something)
        for name, key, part in KEYS:
            place.hand.tap(key)
            was = seen
            seen = place.wait_for_picture(
                name, lambda new, old=was, of=part: is_other(new, old, of)
            )
        expect(TRACE not in app.said(), "no traceback", app.said())
    return "the studio, Preferences, full screen"


KEYS: Final = (
    ("studio", "F4", 1.0),
    ("preferences", "ctrl+comma", 0.27),
    ("full_screen", "F11", 1.0),
)
"""Name of a picture, the key before it, and which part of the width changes, from the right."""


def is_other(picture: Picture, before: Picture, part: float = 1.0) -> bool:
    """Whether a picture is not empty, and differs from one before.

    More than a twentieth of it does; of a panel's part, where nothing else moves, a fiftieth.

    Args:
        picture: the picture.
        before: the one before.
        part: which part of the width is compared, from the right.
    """
    left = round(picture.shape[1] * (1.0 - part))
    change = abs(picture[:, left:].astype(int) - before[:, left:].astype(int)).max(axis=-1)
    share = float((change > 24).mean())
    return share > (0.05 if part == 1.0 else 0.02) and shows_something(picture)


JOB: Final = """\
import os
import time

from sim import Script, job


@job
def long_sum(count):
    time.sleep(0.5)
    return [os.getpid(), sum(range(count))]


class Hello(Script):
    def start(self):
        self.start_coroutine(self.work())

    async def work(self):
        process, found = await self.background(long_sum(1000))
        print("job:", process != os.getpid(), found, flush=True)
"""


def jobs(place: Place) -> str:
    """Try a `@job` of a script: it runs in a process of its own."""
    folder = place.scratch / "jobs"
    place.main("new", "project", windows_path(folder))
    (folder / "scripts" / "hello.py").write_text(JOB, "utf-8")
    scene = windows_path(folder / "scenes" / "main.scene.json")
    with place.started("run", scene, "--headless", "--no-graphics", "--speed", "1", "--for", "300",
                       "--trust") as app:  # fmt: skip
        app.wait_for("job: True 499500")
    return "its answer comes from another process"


def environments(place: Place) -> str:
    """Try an environment, and a vector of eight copies in two processes."""
    text = place.program(
        "if __name__ == '__main__':\n"
        "    import goishi\n"
        "    one = goishi.make('goishi/CartPole-v0')\n"
        "    one.reset(seed=1)\n"
        "    print('one', one.step(one.action_space.sample())[1])\n"
        "    one.close()\n"
        "    many = goishi.make_vec('goishi/CartPole-v0', num_envs=8, workers=2)\n"
        "    many.reset(seed=1)\n"
        "    for _ in range(20):\n"
        "        rewards = many.step(many.action_space.sample())[1]\n"
        "    many.close()\n"
        "    print('many', rewards.shape)\n"
    )
    expect("one 1.0" in text and "many (8,)" in text, "both to step", text)
    return "one, and eight in two processes"


def training(place: Place) -> str:
    """Try a short training by PPO, and the policy that it writes."""
    out = place.scratch / "훈련"
    place.main("train", "ppo", "--scene", "cart_pole", "--steps", "4096", "--episodes", "5",
               "--seed", "1", "--set", "envs=4", "--out", windows_path(out))  # fmt: skip
    policies = [*out.glob("*.npz"), *out.glob("*.policy*")]
    expect(bool(policies), "a policy", [path.name for path in out.iterdir()])
    return f"4,096 steps, {policies[0].name}"


def user_folders(place: Place) -> str:
    """Try where settings and what players learn are kept: below %LOCALAPPDATA%."""
    text = place.program(
        "from sim.core.project.data_dir import user_cache_dir, user_data_dir\n"
        "print('data', user_data_dir())\nprint('cache', user_cache_dir())\n"
    )
    expect(text.count(r"AppData\Local\goishi") == 2, r"two folders in AppData\Local", text)
    return r"%LOCALAPPDATA%\goishi, and Cache in it"


def stopped(place: Place) -> str:
    """Try Ctrl+C in a terminal: a run that it stops ends by itself, with exit code 130."""
    keyboard, terminal = os.openpty()
    words = ["setsid", "--ctty", "wine", str(place.wine.python), str(ROOT / "main.py"), "run", "car",
             "--headless", "--no-graphics", "--for", "600"]  # fmt: skip
    process = subprocess.Popen(words, cwd=place.scratch, env=place.wine.environment(),
                               stdin=terminal, stdout=terminal, stderr=terminal)  # fmt: skip
    os.close(terminal)
    with os.fdopen(keyboard, "r+b", buffering=0) as stream:
        wait_until(lambda: processor_seconds(place) > STARTED, "a run that computes")
        stream.write(b"\x03")
        code = process.wait(LONG)
    expect(code == 130, "exit code 130", code)
    return "exit code 130"


def processor_seconds(place: Place) -> float:
    """Return the seconds that the programs of `main.py` have computed."""
    ticks = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes()
                if b"main.py" in words and str(place.wine.python).encode() in words:
                    fields = (entry / "stat").read_text("utf-8").rpartition(")")[2].split()
                    ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def window(place: Place) -> str:
    """Try the window with its panels: a match, seen in a picture."""
    picture = place.pictures / "window.png"
    picture.unlink(missing_ok=True)
    place.wine.run(
        [str(ROOT / "main.py"), "run", windows_path(ROOT / "scenes" / "self_teaching.scene.json"),
         "--for", "40", "--screenshot", windows_path(picture)],
        place.scratch, LONG,
    )  # fmt: skip
    return picture_of(picture)


def packed(place: Place) -> str:
    """Try a game that is packed here for Windows, in a Windows of its own without Python."""
    words = [sys.executable, "-m", "benchmarks.packed", "--targets", "windows", "--out"]
    done = subprocess.run(
        [*words, str(place.scratch)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    expect(done.returncode == 0, "a game that plays", done.stdout + done.stderr)
    for path in (place.scratch / "windows played").glob("*.png"):
        shutil.copyfile(path, place.pictures / f"packed_{path.name}")
    return "it plays, saves, and loads in another run"


@dataclass(frozen=True)
class Try:
    """A row of the table.

    Attributes:
        name: what it is called on the command line.
        what: what is tried, for the table.
        run: does it.
        minutes: after which it has failed.
    """

    name: str
    what: str
    run: Callable[[Place], str]
    minutes: float = 2.0


TRIES: Final = (
    Try("version", "`main.py --version`", version),
    Try("players", "the list of players", players),
    Try("usage", "a wrong path: one line, exit code 2", usage),
    Try("project", "a project in a folder with spaces and Korean letters", project),
    Try("lines", "scene files and scripts with CRLF", lines_of_windows),
    Try("folders", "the user's folders", user_folders),
    Try("reload", "a script that is saved while its scene runs", reload),
    Try("jobs", "a `@job` of a script", jobs),
    Try("brain", "`brain alpha-beta` by the Gomocup protocol", brain),
    Try("launcher", "launchers for managers such as Piskvork", launcher),
    Try("installed", "the command goishi.exe that pip installs", installed, 3),
    Try("stop", "Ctrl+C in a terminal: a run that is stopped", stopped),
    Try("environments", "`goishi.make` and a vector in two processes", environments, 3),
    Try("training", "a short training by PPO", training, 4),
    Try("match", "a match without a window: two games, two trainings", match, 5),
    Try("killed", "a match whose worker is killed", killed_worker, 5),
    Try("window", "the window with its panels", window),
    Try("packed", "a game that was packed on Linux", packed, 8),
    Try("studio", "the studio, Preferences and full screen, by keys", studio, 4),
)
