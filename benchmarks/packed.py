"""Packs a game for Linux and Windows; plays it where neither Python nor Goishi is.

    python -m benchmarks.packed [--targets linux,windows] [--out DIR]

The game is `tests/drive/cave_game`. Its project, its title and the folder where its zip file is
unpacked have spaces and Korean letters in their names. As root on Debian it is then played in a
folder of its own as the root of the system (chroot), with nothing but libc, Mesa and the X client
libraries; elsewhere with an empty environment. By keys it is paused, saved and ended, and started
again. The saved game must still be there. Without a display, or a library of the system, it must
say so in one line. The game for Windows is played in the same way by Wine, in a Windows of its own
without any other Python. The exit code is 1 if anything else was found, or if a zip file is larger
than 250 MB. Needs Xvfb and xdotool.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of
from sim.export.runtime import folder_size
from sim.pack.packer import PackRequest, executable_name, pack
from tests.windows.c_runtime import add_missing
from tests.windows.hand import Hand, HandError, shows_something
from tests.windows.setting_up import install_programs
from tests.windows.wine import Wine

GAME: Final = SHIPPED_ROOT / "tests" / "drive" / "cave_game"
SEARCHED: Final = "The Cave"
"""The part of the title that xdotool finds whatever the locale is."""
TITLE: Final = f"{SEARCHED} 동굴"
NAME: Final = executable_name(TITLE)
MOST_MEGABYTES: Final = 250
TOO_MUCH: Final = (
    "tensorflow", "keras", "numba", "llvmlite", "matplotlib", "ray", "mujoco", "imgui_bundle",
    "pandac", "direct", "typer", "debugpy", "pip",
)  # fmt: skip
"""Packages that this game does not need."""
MESA: Final = "libc6 libgl1 libegl1 libgl1-mesa-dri libglx-mesa0 libegl-mesa0 libx11-6 libxext6"
PATIENCE: Final = 300.0
MENU_ROWS: Final = (1, 2)
"""Rows of the pause menu that are chosen in turn: save, then load."""
NOT_OURS: Final = re.compile("wine: |ALSA lib ")
"""Beginnings of lines that Wine writes of itself, and of a machine without a sound card."""
NO_DISPLAY: Final = "goishi: no display found: set DISPLAY"
FIRST_OF_ALL: Final = ("libGL.so.1", "libX11.so.6")
"""Libraries of the system without which no game is seen; each is taken away in turn."""


def main() -> int:
    """Pack, play and print; return the exit code."""
    parser = parser_of(__doc__)
    parser.add_argument("--targets", default="linux,windows")
    parser.add_argument("--out", type=Path, help="keep the games and pictures here")
    options = parser.parse_args()
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="goishi-packed-") as scratch:
        folder = options.out or Path(scratch)
        project = _project(folder / "내 놀이 project")
        for target in options.targets.split(","):
            begun = time.monotonic()
            report = pack(PackRequest(project, folder / target, target))
            megabytes = report.zip.stat().st_size / 1e6
            print(
                f"{target}: zip {megabytes:.0f} MB, unpacked {report.size / 1e6:.0f} MB, "
                f"{len(report.versions)} packages, {time.monotonic() - begun:.0f} s; "
                f"needs {report.needs}"
            )
            faults += _faults_of(folder / target, target, megabytes)
            play = _play if target == "linux" else _play_by_wine
            faults += play(report.zip, folder / f"{target} played")
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


def _project(folder: Path) -> Path:
    shutil.copytree(GAME, folder, dirs_exist_ok=True)
    table = f'\n[game]\ntitle = "{TITLE}"\nscene = "scenes/hall.scene.json"\n'
    manifest = folder / "goishi.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8") + table, encoding="utf-8")
    return folder


def _faults_of(folder: Path, target: str, megabytes: float) -> Iterator[str]:
    """Yield what is wrong with a packed folder."""
    if megabytes > MOST_MEGABYTES:
        yield f"{target}: expected a zip of {MOST_MEGABYTES} MB at most, found {megabytes:.0f} MB"
    site = next(path for path in (folder / "python").rglob("site-packages"))
    for name in TOO_MUCH:
        if (site / name).exists():
            yield f"{target}: expected no package {name}, found it"
    names = ["NAME.exe", "python/python.exe", "python/python3.dll"]
    wanted = names if target == "windows" else ["NAME", "python/bin/python3"]
    for name in (*wanted, "LICENSES.txt", "goishi/main.py", "project/scripts/hero.py"):
        if not (folder / name.replace("NAME", NAME)).is_file():
            yield f"{target}: expected the file {name}, found none"


def _play(archive: Path, folder: Path) -> Iterator[str]:
    """Yield what goes wrong when the game is unpacked and played twice.

    Args:
        archive: the zip file.
        folder: a folder to make, for all that this writes.
    """
    place = _unpack(archive, folder)
    with ExitStack() as stack:
        home = folder / "home"
        home.mkdir()
        command = [str(place / NAME)]
        if os.geteuid() == 0 and shutil.which("dpkg"):
            root = stack.enter_context(_root(folder / "root", place))
            command, home = ["chroot", str(root), f"/game/{NAME}"], root / "root"
        environment = {
            "HOME": "/root" if command[0] == "chroot" else str(home),
            "PATH": "/usr/sbin",
        }
        yield from _says(re.escape(NO_DISPLAY), command, environment)
        if command[0] == "chroot":
            for name in FIRST_OF_ALL:
                library = re.escape(name.partition(".so")[0])
                missing = rf"goishi: [\w, ]*\b{library}\b[\w, ]* not found: sudo apt-get install "
                with _without(folder / "root" / "root", name):
                    yield from _says(missing, command, environment)
        display = stack.enter_context(_screen())
        environment["DISPLAY"] = display
        hand = Hand(display)
        for number, rows in enumerate(MENU_ROWS, 1):
            game = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
            yield from _session(game, hand, rows, folder / f"{number}.png")
            yield from _saved_below(home, number)


def _says(line: str, command: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a fault unless a program ends with the exit code 1 and one line.

    Args:
        line: pattern of the line's beginning.
        command: the program.
        environment: its environment.
    """
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    said = done.stderr.strip()
    if done.returncode != 1 or not re.match(line, said) or "\n" in said:
        yield f"expected {line!r}, found {done.returncode} {said!r}"
    else:
        print(said)


@contextmanager
def _without(root: Path, name: str) -> Iterator[None]:
    """Context manager: a root lacks a library."""
    found = [path for path in (root / "usr" / "lib").rglob(name) if "game" not in path.parts]
    hidden = [path.rename(path.with_name(f"{name}.away")) for path in found]
    try:
        yield
    finally:
        for path in hidden:
            path.rename(path.with_name(name))


def _play_by_wine(archive: Path, folder: Path) -> Iterator[str]:
    """Yield what goes wrong when the game for Windows is unpacked and played twice.

    Args:
        archive: the zip file.
        folder: a folder to make, for all that this writes.
    """
    place = _unpack(archive, folder)
    try:
        install_programs()
        (folder / "work").mkdir()
        add_missing(place / "python", folder / "work")  # what Wine lacks, and Windows has
    except RuntimeError as error:
        yield f"windows: {error}"
        return
    with _screen() as display:
        wine = Wine(place / f"{NAME}.exe", folder / "prefix", {"DISPLAY": display})
        for number, rows in enumerate(MENU_ROWS, 1):
            game = wine.start([], place)
            yield from _session(game, Hand(display), rows, folder / f"{number}.png")
            wine.end_all(game)
            yield from _saved_below(wine.prefix / "drive_c" / "users", number)


def _unpack(archive: Path, folder: Path) -> Path:
    """Unpack a game into a folder whose name has a space; return the game's folder."""
    place = folder / "다른 곳 another place"
    with zipfile.ZipFile(archive) as packed:
        for item in packed.infolist():
            path = Path(packed.extract(item, place))
            path.chmod(item.external_attr >> 16 & 0o777 or 0o644)
    print(f"unpacked: {folder_size(place) / 1e6:.0f} MB")
    return place / archive.stem


def _saved_below(home: Path, number: int) -> Iterator[str]:
    """Yield a fault if there is no saved game below a folder.

    Args:
        home: the folder.
        number: of the session, for the fault.
    """
    if not list(home.rglob("slot 1.json")):
        yield f"session {number}: expected a saved game below {home}, found none"


def _session(game: subprocess.Popen[str], hand: Hand, rows: int, picture: Path) -> Iterator[str]:
    """Choose a row of a started game's pause menu and end it; yield what goes wrong.

    Args:
        game: the game.
        hand: a hand at its display.
        rows: how many rows below the first one the chosen one is.
        picture: file for a picture of the screen at the end.
    """
    try:
        hand.focus(SEARCHED, PATIENCE, is_over=lambda: game.poll() is not None)
        hand.wait_for(picture, shows_something, PATIENCE)
    except HandError as error:
        game.kill()
        yield f"{error}: {game.communicate()}"
        return
    hand.tap("p", *["Down"] * rows, "Return")
    time.sleep(5.0)
    hand.picture(picture)
    hand.tap("ctrl+q")
    try:
        said = "".join(text or "" for text in game.communicate(timeout=PATIENCE)).strip()
    except subprocess.TimeoutExpired:
        game.kill()
        yield "expected an end by Ctrl+Q, found none"
        return
    said = "\n".join(line for line in said.splitlines() if not NOT_OURS.match(line))
    if game.returncode or said:
        yield f"expected the exit code 0 and no word, found {game.returncode} {said!r}"


@contextmanager
def _screen() -> Iterator[str]:
    """Context manager: an X server of its own without authorization; yields its display."""
    reader, writer = os.pipe()
    words = ["Xvfb", "-displayfd", str(writer), "-ac", "-screen", "0", "1440x900x24"]
    server = subprocess.Popen(words, pass_fds=(writer,), stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as said:
            yield f":{said.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def _root(folder: Path, game: Path) -> Iterator[Path]:
    """Context manager: a root with libc, Mesa, X client libraries, the game, nothing else."""
    packages = folder / "packages"
    (packages / "partial").mkdir(parents=True)
    root = folder / "root"
    words = ["apt-get", "-y", "-qq", "--download-only", "--no-install-recommends", "-o",
             "Dir::State::status=/dev/null", "-o", f"Dir::Cache::archives={packages}", "install",
             *MESA.split()]  # fmt: skip
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name in ("proc", "dev", "tmp", "root", "game"):
        (root / name).mkdir(parents=True)
    for package in sorted(packages.glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(root)], check=True)
    bound = [("--bind", str(game), "game"), ("--bind", "/dev", "dev"), ("--bind", "/proc", "proc")]
    with ExitStack() as stack:
        for how, source, name in bound:
            subprocess.run(["mount", how, source, str(root / name)], check=True)
            stack.callback(subprocess.run, ["umount", "-l", str(root / name)], check=False)
        yield root


if __name__ == "__main__":
    sys.exit(main())
