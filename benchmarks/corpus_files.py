"""Hostile scenes and assets, opened one after another as the app opens them.

    python -m benchmarks.corpus_files [--scenes 300] [--assets 300] [--games 300] [--fields 9999] …

A scene is opened, drawn offscreen for some frames and closed. Scenes of `--fields` try every field
of every engine component (`corpus_fields.py`). An asset (FBX, glTF, OBJ, egg, PLY, STL, COLLADA,
WAV, PNG) is read as those of a scene are. A game file (SGF, Piskvork, text) is read as `replay` and
`review` read it, and is written again. Each is either taken, or told in one clear line: what was
expected and found.
Prints the counts, and each file that crashed, hung for more than 10 s, or said anything else. If
there is one, the exit code is 1; `--keep DIR` copies it to a folder.
"""

from __future__ import annotations

import contextlib
import json
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ai.formats import (
    GameFileError,
    is_game_file,
    read_game_file,
    variation_moves,
    write_game_file,
)
from base.errors import GoishiError
from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of
from benchmarks.corpus_fields import field_scenes
from benchmarks.corpus_made import assets, games, scenes, small_png

HANG_SECONDS: Final = 10.0
START_SECONDS: Final = 120.0
FRAMES: Final = 4
LONGEST_LINE: Final = 2_300
CLEAR: Final = re.compile(r"expected .+found|expected .+", re.S)
GOOD: Final = ("taken", "told")


@dataclass(frozen=True)
class Outcome:
    """What became of a file.

    Attributes:
        name: of the file.
        kind: "taken", "told", "crash", "hang" or "unclear".
        text: what was said.
    """

    name: str
    kind: str
    text: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the files, open them, print the counts; return 1 where one did harm."""
    parser = parser_of(
        __doc__,
        scenes=300,
        assets=300,
        fields=9999,
        games=300,
        seed=0,
        keep=Path,
        child=(Path, "used by itself"),
    )
    given = parser.parse_args(arguments)
    if given.child is not None:
        return serve(given.child)
    is_bad = False
    with tempfile.TemporaryDirectory(prefix="goishi-corpus-") as folder:
        scene_files = (
            (f"{name}.scene.json", content)
            for name, content in scenes(given.scenes, random.Random(given.seed))
        )
        field_files = (
            (f"{name}.scene.json", content)
            for name, content in islice(field_scenes(), given.fields)
        )
        asset_files = assets(given.assets, random.Random(given.seed))
        made = {
            "fields": write_files(Path(folder) / "fields_project" / "scenes", field_files),
            "scenes": write_files(Path(folder) / "scenes_project" / "scenes", scene_files),
            "assets": write_files(Path(folder) / "assets_project" / "assets", asset_files),
            "games": write_files(
                Path(folder) / "games", games(given.games, random.Random(given.seed))
            ),
        }
        for title, files in made.items():
            begun = time.perf_counter()
            outcomes = list(open_all(files))
            is_bad |= report(title, outcomes, time.perf_counter() - begun)
            if given.keep is not None:
                keep(given.keep, files, outcomes)
    return int(is_bad)


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> list[Path]:
    """Write files into a folder of a project, with a picture in its assets; return their paths."""
    beside = folder.parent / "assets" / "beside.png"
    for needed in (folder, beside.parent):
        needed.mkdir(parents=True, exist_ok=True)
    beside.write_bytes(small_png())
    found = []
    for name, content in files:
        found.append(folder / name)
        found[-1].write_bytes(content)
    return found


def report(title: str, outcomes: list[Outcome], seconds: float) -> bool:
    """Print the counts and what did harm; return whether anything did."""
    counts = Counter(outcome.kind for outcome in outcomes)
    bad = [outcome for outcome in outcomes if outcome.kind not in GOOD]
    print(
        f"{title}: {len(outcomes)}; taken {counts['taken']}, told in a line {counts['told']}, "
        f"crashes {counts['crash']}, hangs over {HANG_SECONDS:g} s {counts['hang']}, "
        f"not clear {counts['unclear']}; {seconds:.0f} s"
    )
    for outcome in bad:
        print(f"  {outcome.kind} {outcome.name}: {outcome.text[:500]}")
    return bool(bad)


def keep(folder: Path, files: list[Path], outcomes: list[Outcome]) -> None:
    """Copy what did harm."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, outcome in zip(files, outcomes, strict=True):
        if outcome.kind not in GOOD:
            shutil.copy(file, folder)


# -- the parent ---------------------------------------------------------------------------------


def open_all(files: list[Path]) -> Iterator[Outcome]:
    """Yield the outcome of each file; a process that ends or hangs is replaced."""
    left = list(files)
    while left:
        done = 0
        for outcome in _open_some(left):
            done += 1
            yield outcome
        left = left[done:]


def _open_some(files: list[Path]) -> Iterator[Outcome]:
    """Open files in a process of their own, up to the first that ends or hangs it."""
    with (
        tempfile.NamedTemporaryFile("w", suffix=".json") as listed,
        tempfile.TemporaryFile() as said,
    ):
        json.dump([str(file) for file in files], listed)
        listed.flush()
        words = [sys.executable, "-m", "benchmarks.corpus_files", "--child", listed.name]
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
        child = subprocess.Popen(words, **streams, stderr=said, cwd=SHIPPED_ROOT)
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        reader = threading.Thread(target=_read, args=(child, lines), daemon=True)
        reader.start()
        try:
            is_begun = False
            for file in files:
                try:
                    line = lines.get(timeout=HANG_SECONDS if is_begun else START_SECONDS)
                except queue.Empty:
                    yield Outcome(file.name, "hang", f"no answer within {HANG_SECONDS:g} s")
                    return
                if not line:
                    said.seek(0)
                    yield Outcome(file.name, "crash", said.read()[-2000:].decode(errors="replace"))
                    return
                is_begun = True
                yield Outcome(file.name, *json.loads(line))
        finally:
            child.kill()
            child.wait()
            reader.join()


def _read(child: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    assert child.stdout is not None  # noqa: S101
    for line in child.stdout:
        if line.startswith(b"["):
            lines.put(line)
    lines.put(b"")


# -- the child ----------------------------------------------------------------------------------


def serve(listed: Path) -> int:
    """Open the files that a file lists, and print the outcome of each."""
    for name in json.loads(listed.read_text(encoding="utf-8")):
        file = Path(name)
        try:
            said = look(file)
            found = "told" if said else "taken"
            if any(not is_clear(line) for line in said):
                found = "unclear"
            text = " | ".join(said)
        except BaseException as error:  # which the app would end with
            found, text = "crash", f"{type(error).__name__}: {error}"
        print(json.dumps([found, text[:5000]]), flush=True)
    return 0


def is_clear(line: str) -> bool:
    """Whether a line is one, not long, and says what was expected."""
    return "\n" not in line and len(line) <= LONGEST_LINE and CLEAR.search(line) is not None


def look(file: Path) -> list[str]:
    """Open a scene or read an asset, as the app does; return what was said."""
    if file.name.endswith(".scene.json"):
        return _of_scene(file)
    if is_game_file(file):
        return _of_games(file)
    if file.suffix not in (".wav", ".png"):
        return _of_model(file)
    from sim.core.audio.sound_bank import sound_seconds
    from sim.render.materials.textures import picture_of

    try:
        if file.suffix == ".wav":
            sound_seconds(file.parents[1], f"assets/{file.name}")
        else:
            picture_of(f"assets/{file.name}", file.parents[1])
    except (GoishiError, OSError, ValueError) as error:
        return [str(error)]
    return []


def _of_games(file: Path) -> list[str]:
    try:
        found = read_game_file(file)
        for number, game in enumerate(found, start=1):
            game.record(number, file.name).board()
            for item in game.variations:
                with contextlib.suppress(GameFileError):  # shown as no line
                    variation_moves(game, item)
        write_game_file(file.with_suffix(".again.sgf"), found)
        again = read_game_file(file.with_suffix(".again.sgf"))
    except GameFileError as error:
        return [str(error)]
    if [game.moves for game in again] != [game.moves for game in found]:
        return [f"{file.name}: other moves after it was written"]
    return []


def _of_model(file: Path) -> list[str]:
    from sim.core.assets.assets import AssetLibrary
    from sim.render.models.figures import read_figure

    library = AssetLibrary(file.parents[1])
    library.read_content = read_figure
    try:
        asset = library.get(f"assets/{file.name}")
        library.poll(HANG_SECONDS)
    finally:
        library.close()
    return [asset.error] if asset.error else []


def _of_scene(file: Path) -> list[str]:
    from sim.app.app import App
    from sim.core.project.run_options import RunOptions

    options = RunOptions(scene=file, headless=True, seconds=60.0, speed=1.0)
    small = replace(options, quality="low", window=(320, 200), panels=False)
    try:
        app = App(small)
    except GoishiError as error:
        return [str(error)]
    try:
        for _ in range(FRAMES):
            app.frame()
        app.draw_now()
        told = [record for record in app.console.records if record.level in ("warning", "error")]
        return [record.text for record in told]
    finally:
        app.close()


if __name__ == "__main__":
    sys.exit(main())
