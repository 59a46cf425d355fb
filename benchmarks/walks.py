"""The four walks through the code: click, choice, loss, action, and how many files each passes.

    python -m benchmarks.walks                 the product files of each walk, in order
    python -m benchmarks.walks --root TREE     of another checkout

A click becomes a stone, a choice becomes a stone, a loss becomes weights, and an action of a
program reaches an agent. The exit code is 1 if a walk does not arrive, or passes more files than
`MOST`.

A file is on a walk if one of its functions is given what walks: a click, a chosen move, or a
training's request, progress or weights. It is on the walk, too, if one of its functions is on the
stack when the walk arrives: when a player is asked, a stone is made, a network is fitted, weights
are loaded. A walk arrives only if something of it walked since the last arrival: a stone that is
drawn by lot is nobody's choice. The app runs headless, with its workers in processes of their own.
`sys.setprofile` watches all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of, verdict

CARRIED: Final = {
    "click": (),
    "choice": ("MoveChoice", "MoveChosen"),
    "action": (),
    "loss": ("TrainRequest", "TrainDone", "TrainedWeights", "LoadWeights", "WeightsLoaded"),
}
"""Types of what walks; a click and an action are followed by the stack alone."""
ARRIVALS: Final = {
    "click": (("board_view.py", "place"),),
    "choice": (("board_view.py", "place"),),
    "action": (("cart_pole.py", "act"),),
    "loss": (("trainer.py", "fit"), ("self_teaching.py", "fit")),
}
"""File and function whose stack counts, where they are there."""
ARRIVED: Final = ""
"""Stands among the files of a walk that arrived."""
MOST: Final = {"click": 5, "choice": 7, "loss": 8, "action": 4}
"""Files of a walk, at most."""
WATCHER: Final = """
import json, os, sys, threading
ROOT, OUT, CARRIED, ARRIVALS = {root!r}, {out!r}, {carried!r}, {arrivals!r}
STAGES = ("frame", "serve")
HOUSES = ("base", "sim", "ai", "scripts", "goishi")
PARTS = tuple(os.path.join(ROOT, name) + os.sep for name in HOUSES)
known, seen, walking = {{}}, set(), set()

def tell(walk, path):
    if (walk, path) not in seen:
        seen.add((walk, path))
        with open(os.path.join(OUT, "{{}}.jsonl".format(os.getpid())), "a") as stream:
            stream.write(json.dumps([walk, path and os.path.relpath(path, ROOT)]) + "\\n")

def watch(frame, event, argument):
    if event != "call":
        return
    code = frame.f_code
    name = known.get(code)
    if name is None:
        path = code.co_filename
        name = known[code] = path if path.startswith(PARTS) else ""
    if not name or code.co_name.startswith("<"):
        return
    kinds = {{type(value).__name__ for value in list(frame.f_locals.values())}}
    for walk, carried in CARRIED.items():
        if kinds.intersection(carried):
            walking.add(walk)
            tell(walk, name)
        if [os.path.basename(name), code.co_name] in ARRIVALS[walk] and (
            walk in walking or not carried
        ):
            walking.discard(walk)
            tell(walk, "")
            step = frame
            while step is not None:
                path = step.f_code.co_filename
                if path.startswith(PARTS):
                    tell(walk, path)
                if step.f_code.co_name in STAGES:
                    break  # below it stands what every frame and every worker stands on
                step = step.f_back

sys.setprofile(watch)
threading.setprofile(watch)
"""
CLICK: Final = """
from sim.testing import Pilot

if __name__ == "__main__":
    with Pilot(scene="scenes/self_teaching.scene.json", seed=1, player_black="human") as pilot:
        match, view = pilot.component("Match"), pilot.component("BoardView")
        pilot.wait_until(lambda: match.black._legal, frames=9000)
        move = min(match.black._legal)
        pilot.click(*pilot.pixel_of(view.object.transform.to_world(view.position_of(move))))
        pilot.wait_until(lambda: move in view.stones, frames=3000)
"""
"""A person's click on the first free point."""


ACTION: Final = """
import goishi

env = goishi.make("scenes/cart_pole.scene.json")
env.reset(seed=1)
env.step(0)
env.close()
"""
"""A program's action."""


def watched(root: Path, words: list[str]) -> dict[str, list[str]]:
    """Run a command of a tree under the watcher; return the files of each walk."""
    with tempfile.TemporaryDirectory() as folder:
        arrivals = {walk: [list(pair) for pair in pairs] for walk, pairs in ARRIVALS.items()}
        text = WATCHER.format(root=str(root), out=folder, carried=CARRIED, arrivals=arrivals)
        Path(folder, "sitecustomize.py").write_text(text, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((folder, str(root)))}
        subprocess.run(words, cwd=root, env=environment, check=True, capture_output=True)
        found: dict[str, list[str]] = {walk: [] for walk in CARRIED}
        for path in sorted(Path(folder).glob("*.jsonl"), key=lambda item: item.stat().st_ctime):
            for line in path.read_text(encoding="utf-8").splitlines():
                walk, name = json.loads(line)
                if name not in found[walk]:
                    found[walk].append(name)
    return found


def main() -> int:
    """Print the four walks; return the exit code."""
    options = parser_of(__doc__, root=(SHIPPED_ROOT, "another checkout")).parse_args()
    root = options.root.resolve()
    scene = ("run", "scenes/self_teaching.scene.json", "--headless", "--no-graphics")
    walks = watched(root, [sys.executable, "main.py", *scene, "--games", "2", "--seed", "1"])
    for walk, program in (("click", CLICK), ("action", ACTION)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{walk}.py")
            path.write_text(program, encoding="utf-8")
            walks[walk] = watched(root, [sys.executable, str(path)])[walk]
    verdicts = [report_walk(walk, files) for walk, files in walks.items()]
    return 0 if all(verdicts) else 1


def report_walk(walk: str, found: list[str]) -> bool:
    """Print a walk; return whether it arrives within as many files as it may pass."""
    files = [name for name in found if name != ARRIVED]
    is_met = ARRIVED in found and len(files) <= MOST[walk]
    said = verdict(is_met) if ARRIVED in found else "does NOT ARRIVE"
    print(f"{walk}: {len(files)} files (goal <= {MOST[walk]}: {said})")
    print("\n".join(f"  {name}" for name in files))
    return is_met


if __name__ == "__main__":
    sys.exit(main())
