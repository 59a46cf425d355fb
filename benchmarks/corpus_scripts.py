"""Faulty and nasty scripts, run without a window: how many crash Goishi, hang it, or say nothing.

    python -m benchmarks.corpus_scripts [--part faults|nasty] [--only NAME …] [--jobs 2]

`faults`: 22 places of a script times 20 kinds of fault, each beside a component that goes on.
`nasty`: scripts that block, recurse, exit, patch and lie, each in a process of its own. Prints one
line for each that fails, then the counts; ends with 1 if one crashed, hung or was not told in one
line. What `NOT_PREVENTABLE` names may end the process, with one line and a code other than 0, or
with the code that the script chose.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.arguments import at_least_one
from benchmarks.nasty_scripts import NASTY, NOT_PREVENTABLE, QUIET
from sim.app.app import App
from sim.core.project.run_options import RunOptions

ROOT: Final = Path(__file__).resolve().parents[1]
FRAMES: Final = 8
HANG_SECONDS: Final = 10.0
KILL_SECONDS: Final = 90.0
OTHER: Final = """
class Other(Script):
    count = 0

    def update(self, dt):
        self.count += 1
        if self.count == 40:
            self.run.finish(0)
"""
KINDS: Final = {
    "division": "1 / 0",
    "name": "no_such_name",
    "attribute": "None.x",
    "type": "1 + 'a'",
    "index": "[][3]",
    "key": "{}['k']",
    "value": "int('x')",
    "assertion": "assert False, 'never'",
    "import": "import no_such_module",
    "recursion": "f = lambda: f(); f()",
    "memory": "raise MemoryError",
    "exit": "raise SystemExit(3)",
    "interrupt": "raise KeyboardInterrupt",
    "generator exit": "raise GeneratorExit",
    "base": "raise type('Rude', (BaseException,), {})('out')",
    "mute": "raise type('Mute', (Exception,), {'__str__': lambda s: 1 / 0})()",
    "surrogate": "raise OSError('a\\udcff')",
    "blank": "raise ValueError('\\n')",
    "endless": "while True: pass",
    "group": "raise ExceptionGroup('many', [ValueError(1), TypeError(2)])",
}
_HEAD: Final = "class One(Script):\n    size: float = field(1.0)\n    struck = signal(int)\n"
PLACES: Final = {
    "module": "{fault}\n" + _HEAD,
    "class body": _HEAD + "    {fault}\n",
    "new": _HEAD + "    def __new__(cls):\n        {fault}\n",
    "init": _HEAD + "    def __init__(self):\n        {fault}\n",
    "awake": _HEAD + "    def awake(self):\n        {fault}\n",
    "enable": _HEAD + "    def enable(self):\n        {fault}\n",
    "start": _HEAD + "    def start(self):\n        {fault}\n",
    "fixed_update": _HEAD + "    def fixed_update(self, dt):\n        {fault}\n",
    "update": _HEAD + "    def update(self, dt):\n        {fault}\n",
    "late_update": _HEAD + "    def late_update(self, dt):\n        {fault}\n",
    "disable": _HEAD + "    def start(self):\n        self.object.enabled = False\n"
    "    def disable(self):\n        {fault}\n",
    "destroy": _HEAD + "    def start(self):\n        self.object.destroy()\n"
    "    def destroy(self):\n        {fault}\n",
    "validate": _HEAD + "    def validate(self):\n        {fault}\n",
    "signal": _HEAD + "    def update(self, dt):\n        self.struck.emit(1)\n"
    "    @on('struck')\n    def hear(self, n):\n        {fault}\n",
    "coroutine": _HEAD + "    def start(self):\n        self.start_coroutine(self.go())\n"
    "    async def go(self):\n        await self.next_frame()\n        {fault}\n",
    "generator": _HEAD + "    def start(self):\n        self.start_coroutine(self.go())\n"
    "    def go(self):\n        yield 0.0\n        {fault}\n",
    "finally": _HEAD + "    def start(self):\n        self.start_coroutine(self.go())\n"
    "    async def go(self):\n        try:\n            await self.next_frame()\n"
    "        finally:\n            {fault}\n",
    "property": _HEAD + "    @property\n    def bad(self):\n        {fault}\n"
    "    def update(self, dt):\n        self.bad\n",
    "descriptor": "class D:\n    def __get__(self, i, o):\n        {fault}\n"
    + _HEAD
    + "    def update(self, dt):\n        type(self).__dict__['d'].__get__(1, 2)\n"
    "    d = D()\n",
    "getattr": _HEAD + "    def __getattr__(self, name):\n        {fault}\n"
    "    def update(self, dt):\n        self.no_such_thing\n",
    "helper": "def work():\n    {fault}\n" + _HEAD + "    def update(self, dt):\n        work()\n",
    "loop": _HEAD + "    def update(self, dt):\n        for n in range(3):\n"
    "            try:\n                {fault}\n"
    "            finally:\n                n = 1\n",
}


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


def write_project(root: Path, script: str, *, timeout: float) -> Path:
    """Write a project with one script beside one that ends the run; return its scene."""
    (root / "scenes").mkdir(parents=True)
    (root / "scripts").mkdir()
    for name, text in (("one", script), ("other", OTHER)):
        path = root / "scripts" / f"{name}.py"
        path.write_text(f"from sim import *\n{text}", encoding="utf-8", errors="surrogateescape")
    objects = {
        f"obj_{name}": {
            "name": name.title(),
            "components": {f"cmp_{name}": {"type": f"scripts.{name}:{name.title()}", "fields": {}}},
        }
        for name in ("one", "other")
    }
    scene = root / "scenes" / "a.scene.json"
    scene.write_text(
        json.dumps(
            {"format": "goishi.scene/1", "id": "scn_corpus",
             "settings": {"script_timeout": timeout}, "objects": objects}
        ),
        encoding="utf-8",
    )  # fmt: skip
    return scene


def fault(place: str, kind: str) -> Verdict:
    """Run one kind of fault in one place, in this process."""
    name = f"{place}, {kind}"
    with tempfile.TemporaryDirectory() as folder:
        text = PLACES[place].replace("{fault}", KINDS[kind])
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


def nasty(name: str) -> Verdict:
    """Run one nasty script in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        scene = write_project(Path(folder) / "p", textwrap.dedent(NASTY[name]), timeout=0.5)
        words = [sys.executable, "main.py", "run", str(scene), "--headless", "--no-graphics",
                 "--for", "60", "--trust"]  # fmt: skip
        begun = time.monotonic()
        with (Path(folder) / "said").open("w+b") as said:
            process = subprocess.Popen(
                words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                start_new_session=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )  # fmt: skip
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
        for place in PLACES:
            for kind in KINDS:
                if not only or f"{place}, {kind}" in only or place in only:
                    yield fault(place, kind)
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(nasty, [name for name in NASTY if not only or name in only])


def main() -> int:
    """Run the corpus; return 1 if anything was not stood."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--part", choices=("faults", "nasty"), action="append")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--jobs", type=at_least_one, default=2)
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
