"""Faulty and nasty scripts, run without a window: how many crash Goishi, hang it, or say nothing.

    python -m benchmarks.corpus_scripts [--part faults|nasty] [--only NAME …] [--jobs 2]

The scripts are in `corpus_scripts.toml`. `faults` are 22 places of a script times 20 kinds of
fault, each beside a component that goes on. `nasty` scripts block, recurse, exit, patch, lie and
keep the process from ending, each in a process of its own. Prints a line for each that fails, then
the counts. The exit code is 1 if a script crashed or hung Goishi, or was not told in one line.
Those of `NOT_PREVENTABLE` may end the process, with one line and a code other than 0, or with the
code that the script chose.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import subprocess
import sys
import tempfile
import textwrap
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks import programs
from benchmarks.console import parser_of
from sim.app.app import App
from sim.core.project.run_options import RunOptions

FRAMES: Final = 8
HANG_SECONDS: Final = 10.0
KILL_SECONDS: Final = 300.0
"""Of a process: the watch over a run leaves out what it waits for a busy processor."""
DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY")
"""Environment variables that a run without a window does not get."""
OTHER: Final = """
class Other(Script):
    count = 0

    def update(self, dt):
        self.count += 1
        if self.count == 40:
            self.run.finish(0)
"""
CORPUS: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""The scripts, by what they do."""
HEAD: Final = "class One(Script):\n    size: float = field(1.0)\n    struck = signal(int)\n"
"""First lines of the component, at `{head}` in a script of the corpus."""
FAULTY_HOOK: Final = "\n\nclass One(Script):\n    def update(self, dt):\n        1 / 0\n"
MADE: Final = {
    "deep syntax": "x = " + "(" * 5000 + ")" * 5000,
    "deep sum": "x = " + "+".join(["1"] * 100_000),
    "not utf-8": "x = '\udcff'",
    "large": "#" * 41_000_000,
}
"""Modules that no file should hold."""
NOT_PREVENTABLE: Final = frozenset(
    f"ends: {name}"
    for name in ("os._exit", "os._exit 0", "abort", "kill", "null", "null write", "libc exit")
)
"""They end the process at once; a process beside it says so in one line."""
QUIET: Final = frozenset(
    {
        "ends: os._exit 0",
        "ends: finish 7",
        "ends: interrupt main",
        "ends: raise signal",
        "ends: terminates itself",
        "ends: hangs up",
        "ends: quits",
        "ends: user signal",
        "ends: alarm",
        "blocks: shell",
        "module: slots",
        "around: patched print",
        "around: no modules",
    }
)
"""They are told by the exit code alone, or do no harm."""


def nasty_scripts() -> dict[str, str]:
    """Return the text of each nasty script, a module with a component `One`, by its name."""
    found = {f"blocks: {name}": hook(*lines) for name, lines in CORPUS["blocks"].items()}
    for kind in ("computes", "ends", "lies", "around"):
        found |= {f"{kind}: {name}": hook("", body) for name, body in CORPUS[kind].items()}
    quiet = "\n\nclass One(Script):\n    pass\n"
    found |= {f"exit: {name}": top + quiet for name, top in CORPUS["exits"].items()}
    modules = {name: top + FAULTY_HOOK for name, top in CORPUS["modules_with_hook"].items()}
    modules |= {**CORPUS["modules"], **MADE}
    return found | {f"module: {name}": text for name, text in modules.items()}


def hook(top: str, body: str) -> str:
    """Return a module with some first lines, whose component does something in `update`."""
    lines = textwrap.indent(body, " " * 8, lambda line: True)
    return f"{top}\n\nclass One(Script):\n    def update(self, dt):\n{lines}\n"


@dataclass(frozen=True)
class Verdict:
    """How one script ended: "one line", "quiet", "ended", or what is wrong."""

    name: str
    kind: str
    detail: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether Goishi did not stand it."""
        return self.kind in ("crash", "hang", "silent", "many lines", "other stopped")


def write_project(root: Path, script: str, *, timeout: float, ending: float = 2.0) -> Path:
    """Write a project with one script beside one that ends the run; return its scene.

    Args:
        root: folder of the project.
        script: text of the script after its first line, with a component `One`.
        timeout: seconds that a call may take.
        ending: seconds that the process may take to end after the run.
    """
    texts = {"one": f"from sim import *\n{script}", "other": f"from sim import *\n{OTHER}"}
    objects = {
        f"obj_{name}": {
            "name": name.title(),
            "components": {f"cmp_{name}": {"type": f"scripts.{name}:{name.title()}", "fields": {}}},
        }
        for name in texts
    }
    settings = {"script_timeout": timeout, "exit_timeout": ending}
    return programs.write_project(root, objects, texts, settings)


def fault(place: str, kind: str) -> Verdict:
    """Run one kind of fault in one place, in this process."""
    name = f"{place}, {kind}"
    with tempfile.TemporaryDirectory() as folder:
        text = CORPUS["places"][place].replace("{head}\n", HEAD)
        text = text.replace("{fault}", CORPUS["faults"][kind])
        scene = write_project(Path(folder), text, timeout=0.1)
        begun = time.monotonic()
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                app = App(RunOptions(scene=scene, graphics=False, speed=1.0, seconds=600.0))
                app.clock.frame_step = 1.0 / 60.0
                for frame in range(FRAMES):
                    slot = app.scene.component("cmp_one")
                    if place == "validate" and frame == 3 and slot is not None:
                        app.host.set_field(slot, "size", 2.0)
                    app.frame()
                lines = {str(item.key) for item in app.console.records if item.level == "error"}
                other = app.scene.component("cmp_other")
                count = getattr(other.instance, "count", 0) if other is not None else 0
                app.close()
        except BaseException as error:
            return Verdict(name, "crash", repr(error))
    if time.monotonic() - begun > HANG_SECONDS:
        return Verdict(name, "hang")
    if count < FRAMES - 1:
        return Verdict(name, "other stopped", f"{count} updates")
    if len(lines) == 1:
        return Verdict(name, "one line")
    return Verdict(name, "many lines" if lines else "silent", "; ".join(sorted(lines))[:300])


def nasty(name: str, script: str) -> Verdict:
    """Run one nasty script in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        scene = write_project(Path(folder) / "p", textwrap.dedent(script), timeout=0.5)
        words = ("run", str(scene), "--headless", "--no-graphics", "--for", "60", "--trust")
        begun = time.monotonic()
        with (Path(folder) / "said").open("w+b") as said:
            kept = {key: value for key, value in os.environ.items() if key not in DISPLAYS}
            environment = {**kept, "PYTHONUNBUFFERED": "1"}
            process = programs.start_main(
                *words, env=environment, stderr=said, start_new_session=True
            )
            try:
                code: int | None = process.wait(KILL_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait() and None
            time.sleep(0.2)  # a line of the process beside it
            said.seek(0)
            text = said.read(1_000_000).decode("utf-8", "replace")
        seconds = time.monotonic() - begun
    return judged(name, code, text, seconds)


def judged(name: str, code: int | None, text: str, seconds: float) -> Verdict:
    """Judge one run of a nasty script by its exit code, None for none, and what it said."""
    told = [line for line in text.splitlines() if line.startswith(("ERROR", "WARNING"))]
    detail = f"exit {code}, {seconds:.1f} s: {text[-300:]!r}"
    if name in NOT_PREVENTABLE:
        is_told = len(told) == 1 and (code != 0 or name in QUIET)
        return Verdict(name, "ended" if is_told else "silent", detail)
    if code is None:
        return Verdict(name, "hang", detail)
    if code < 0 or "Fatal Python" in text or (code and "Traceback (most" in text):
        return Verdict(name, "crash", detail)
    if "Traceback (most" in text:
        return Verdict(name, "many lines", detail)
    if not told:
        return Verdict(name, "quiet" if name in QUIET else "silent", detail)
    if len(told) > 2:
        return Verdict(name, "many lines", detail)
    return Verdict(name, "one line" if code == 0 else "ended", detail)


def verdicts(part: str, only: list[str], jobs: int) -> Iterator[Verdict]:
    """Run a part of the corpus."""
    if part == "faults":
        for place, kind in itertools.product(CORPUS["places"], CORPUS["faults"]):
            if not only or f"{place}, {kind}" in only or place in only:
                yield fault(place, kind)
        return
    scripts = nasty_scripts()
    names = [name for name in scripts if not only or name in only]
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(nasty, names, map(scripts.get, names))


def main() -> int:
    """Run the corpus; return 1 if anything was not stood."""
    parser = parser_of(__doc__, jobs=2)
    parser.add_argument("--part", choices=("faults", "nasty"), action="append")
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    failed = 0
    for part in options.part or ("faults", "nasty"):
        counts: Counter[str] = Counter()
        for verdict in verdicts(part, options.only, options.jobs):
            counts[verdict.kind] += 1
            if verdict.is_fault or options.only:
                print(f"{verdict.name}: {verdict.kind} {verdict.detail}", flush=True)
            failed += verdict.is_fault
        said = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
        print(f"{part}: {counts.total()} scripts: {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
