"""Hostile scenes and assets, opened one after another as the app opens them.

    python -m benchmarks.corpus_files [--scenes 300] [--assets 300] [--seed 0] [--keep DIR]

A scene is opened, drawn offscreen for some frames and closed; an asset (FBX, glTF, OBJ, WAV, PNG)
is read as a scene's would be. Each is either taken, or told in one clear line: what was expected
and what was found. Prints the counts, and each file that crashed, hung for more than 10 s, or said
anything else; the exit code is 1 where there is one. Those are kept in the folder of `--keep`.
"""

from __future__ import annotations

import argparse
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from base.errors import GoishiError
from base.files import SHIPPED_ROOT
from benchmarks.arguments import at_least_one
from benchmarks.corpus_made import assets, scenes, small_png

HANG_SECONDS: Final = 10.0
START_SECONDS: Final = 120.0
FRAMES: Final = 4
LONGEST_LINE: Final = 2_300
CHILD: Final = "--child"
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=at_least_one, default=300)
    parser.add_argument("--assets", type=at_least_one, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    parser.add_argument(CHILD, type=Path)
    given = parser.parse_args(arguments)
    if given.child is not None:
        return serve(given.child)
    is_bad = False
    with tempfile.TemporaryDirectory(prefix="goishi-corpus-") as folder:
        made = {
            "scenes": write_scenes(Path(folder) / "scenes_project", given.scenes, given.seed),
            "assets": write_assets(Path(folder) / "assets_project", given.assets, given.seed),
        }
        for title, files in made.items():
            begun = time.perf_counter()
            outcomes = list(open_all(files))
            is_bad |= report(title, outcomes, time.perf_counter() - begun)
            if given.keep is not None:
                keep(given.keep, files, outcomes)
    return int(is_bad)


def write_scenes(project: Path, count: int, seed: int) -> list[Path]:
    """Write the scenes of a project and return their files."""
    (project / "scenes").mkdir(parents=True)
    (project / "assets").mkdir()
    found = []
    for name, content in scenes(count, random.Random(seed)):
        found.append(project / "scenes" / f"{name}.scene.json")
        found[-1].write_bytes(content)
    return found


def write_assets(project: Path, count: int, seed: int) -> list[Path]:
    """Write the assets of a project and return their files."""
    (project / "assets").mkdir(parents=True)
    (project / "assets" / "beside.png").write_bytes(small_png())
    found = []
    for name, content in assets(count, random.Random(seed)):
        found.append(project / "assets" / name)
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
        child = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.corpus_files", CHILD, listed.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, cwd=SHIPPED_ROOT,
        )  # fmt: skip
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
    if file.suffix == ".wav":
        from sim.core.audio.sound_bank import sound_seconds

        try:
            sound_seconds(file.parents[1], f"assets/{file.name}")
        except GoishiError as error:
            return [str(error)]
        return []
    if file.suffix == ".png":
        from sim.render.materials.textures import picture_of

        try:
            picture_of(f"assets/{file.name}", file.parents[1])
        except (OSError, ValueError) as error:
            return [str(error)]
        return []
    return _of_model(file)


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

    options = RunOptions(
        scene=file, headless=True, seconds=60.0, speed=1.0, quality="low", window=(320, 200),
        panels=False,
    )  # fmt: skip
    try:
        app = App(options)
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
