"""Kills in the midst of saving, and a start after each: nothing learnt lost, no half file.

    python -m benchmarks.kills [--kills 200] [--seed 0] [--only app worker experiment scene store]

Each process runs with `slow_writes.c` preloaded (needs a C compiler and Linux). Below its folder
the n-th step of writing, n drawn from the seed, is stopped halfway, and there the process is killed
(SIGKILL). Steps are writes, cuts, syncs, renames and removals, those of SQLite and HDF5 included.

- `app`: the live match without a picture is killed while it saves a game or a setting, and started
  again on the same data folder, again and again;
- `worker`: its trainer is killed while it writes a checkpoint; the app goes on;
- `experiment`: a cell is resumed until it is finished;
- `scene`, `store`: a scene file; games, run database and checkpoints as such.

After each kill every stored game must be there once, every checkpoint that can be seen must be
whole, and no less must be learnt than before. The next start must go on at the newest of archive
and checkpoint. At the end there must be the same games as without a kill, and no unfinished file.
The exit code is 1 if anything else was found.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import psutil  # type: ignore[import-untyped]

from ai.nets.architecture import Architecture, draw_weights
from ai.nets.weights_file import weights_bytes
from ai.runs.results import GAMES_FILE
from ai.store.checkpoints import CheckpointError, CheckpointStore
from ai.store.runs import RunStore, RunStoreError
from base.files import SHIPPED_ROOT
from base.storage.json_file import LinesFile, LinesFileError, read_lines
from benchmarks.console import parser_of
from benchmarks.programs import build_c, start_main
from sim.core.files.scene_file import dumps, save

SHARES: Final = {"app": 0.25, "worker": 0.15, "experiment": 0.25, "scene": 0.2, "store": 0.15}
"""Which part of all kills each kind gets."""
PATIENCE: Final = 180.0
"""Seconds that a process may take to its end, or to the step where it is killed."""
GAMES: Final = 3
CELL_GAMES: Final = 12
UNFINISHED: Final = re.compile(r"\.(.+\.tmp|unfinished-.+|removed-.+)|damaged-.+|run\.lock")
SCENE: Final = ("run", "scenes/self_teaching.scene.json", "--no-graphics")
LIVE: Final = (*SCENE, "--seed", "7", "--player-white", "ann")
CELL: Final = ("experiment", "--player", "ann", "--games", str(CELL_GAMES), "--seed", "2")


class KillError(Exception):
    """Something was lost, doubled or left half written; says what, after which kill."""


def build(folder: Path) -> Path:
    """Compile `slow_writes.c` and return the library.

    Raises:
        SystemExit: there is no C compiler, or this is no Linux.
    """
    source = Path(__file__).with_name("slow_writes.c")
    flags = ("-O1", "-shared", "-fPIC", "-ldl")
    is_linux = sys.platform.startswith("linux")
    library = build_c(source, folder / "slow_writes.so", *flags) if is_linux else None
    if library is None:
        raise SystemExit("benchmarks.kills: expected Linux with a C compiler, found none")
    return library


class Slowed:
    """Starts processes whose n-th writing step is stopped halfway, and kills them there.

    Args:
        library: what `build` made.
        folder: whose writing is counted.
    """

    def __init__(self, library: Path, folder: Path) -> None:
        self.library = library
        self.folder = folder
        self.mark = library.with_name("mark")
        self.what: Counter[str] = Counter()
        """How often each kind of step was stopped."""

    def environment(self, who: str = "", step: int = 0) -> dict[str, str]:
        """Return the environment of a process; `who` is "app" or "worker"."""
        own = {"FOLDER": self.folder, "STEP": step, "WHO": who, "MARK": self.mark}
        told = {f"SLOW_{key}": str(value) for key, value in own.items()}
        return {**os.environ, "LD_PRELOAD": str(self.library), **told}

    def run(self, words: tuple[str, ...], who: str, step: int) -> tuple[bool, int, str]:
        """Run Goishi; return whether something was killed, the exit code, and what it said.

        Raises:
            KillError: it hangs.
        """
        self.mark.unlink(missing_ok=True)
        environment = self.environment(who, step)
        process = start_main(*words, env=environment, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + PATIENCE
        children: list[psutil.Process] = []
        while process.poll() is None and not self.mark.exists():
            if time.monotonic() > deadline:
                process.kill()
                raise KillError(f"step {step}: no end after {PATIENCE:.0f} s")
            time.sleep(0.01)
        is_killed = self.mark.exists()
        if is_killed:
            if who == "app":
                children = psutil.Process(process.pid).children(recursive=True)
            self.kill()
        try:
            _, said = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise KillError(f"step {step}: no end after the kill") from None
        _, alive = psutil.wait_procs(children, timeout=PATIENCE)
        if alive:
            raise KillError(f"step {step}: processes outlive the app: {alive}")
        return is_killed, process.returncode, said

    def kill(self) -> None:
        """Kill the process that has written the mark."""
        pid, _, what = self.mark.read_text(encoding="ascii").split()
        self.what[what] += 1
        os.kill(int(pid), signal.SIGKILL)


class Store:
    """What is kept of a match or a cell, looked at in a copy, so that looking changes nothing."""

    def __init__(self, folder: Path) -> None:
        self.games: dict[int, tuple[int, ...]] = {}
        self.learnt = 0
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch, "copy")
            shutil.copytree(folder, copy)
            for database in copy.rglob("runs.sqlite3"):
                store = RunStore.open(database)
                for item in store.games():
                    self._take(item.record.game, item.record.moves)
                store.close()
            for lines in copy.rglob(GAMES_FILE):
                for line in read_lines(lines):
                    self._take(line["game"], tuple(line["moves"]))
            for manifest in copy.rglob("[0-9]*/manifest.json"):
                checkpoints = CheckpointStore(manifest.parents[1])
                state = checkpoints.check(int(manifest.parent.name)).state
                self.learnt = max(self.learnt, int(state.get("games_learnt", 0)))
            for directory in copy.rglob("[0-9]" * 8):
                if not (directory / "manifest.json").exists():
                    raise KillError(f"{directory.name}: a checkpoint without its manifest")

    def _take(self, game: int, moves: tuple[int, ...]) -> None:
        if game in self.games:
            raise KillError(f"game {game} is kept twice")
        self.games[game] = moves

    @property
    def last(self) -> int:
        """The newest game of archive and checkpoints."""
        return max(self.learnt, max(self.games, default=0))

    def check_after(self, before: Store, where: str = "") -> None:
        """Compare with what was kept before the kill; `where` begins the text of a fault.

        Raises:
            KillError: something is missing or has changed.
        """
        changed = [game for game, moves in before.games.items() if self.games.get(game) != moves]
        fault = ""
        if sorted(self.games) != list(range(1, len(self.games) + 1)):
            fault = f"expected games 1, 2, 3, …, found {sorted(self.games)}"
        elif changed:
            fault = f"games {changed} are lost or changed"
        elif self.learnt < before.learnt:
            fault = f"games learnt: expected {before.learnt} or more, found {self.learnt}"
        elif self.learnt > len(self.games):
            fault = f"{self.learnt} games are learnt, and {len(self.games)} kept"
        if fault:
            raise KillError(f"{where}: {fault}")


def leftovers(folder: Path) -> list[str]:
    """Return what is unfinished below a folder."""
    return sorted(path.name for path in folder.rglob("*") if UNFINISHED.fullmatch(path.name))


class Steps:
    """Draws the steps at which processes are killed.

    Args:
        rng: draws them.
        most: number of steps of a process, at first guess.
    """

    def __init__(self, rng: np.random.Generator, most: int) -> None:
        self.rng, self.most, self.last = rng, most, most

    def draw(self, was_reached: bool) -> int:
        """Return the next step, told whether the last one was reached: lower ones if it was not."""
        if not was_reached:
            self.most = max(8, self.last - 1)
        self.last = int(self.rng.integers(1, self.most + 1))
        return self.last


def kill_app(slowed: Slowed, kills: int, rng: np.random.Generator, who: str) -> None:
    """Kill a match, or its trainer, again and again; each start goes on where it was.

    Raises:
        KillError: see the module.
    """
    data = slowed.folder / "data"
    words = (*LIVE, "--data-dir", str(data), "--games", str(GAMES))
    data.mkdir(parents=True)
    before, reached, done = Store(data), True, 0
    steps = Steps(rng, 200 if who == "worker" else 120)
    while done < kills:
        step = steps.draw(reached)
        reached, code, said = slowed.run(words, who, step)
        where = f"{who}, kill {done + 1} at step {step}"
        if (not reached or who == "worker") and code != 0:
            raise KillError(f"{where}: exit code {code}: {said[-500:]}")
        _check_resumed(said, before.last, where)
        now = Store(data)
        now.check_after(before, where)
        before = now
        done += reached
    _, code, said = slowed.run(words, who, 0)
    _check_resumed(said, before.last, "the last start", is_sure=True)
    now = Store(data)
    now.check_after(before, "the last start")
    if code or leftovers(data):
        raise KillError(f"the last start: exit code {code}, unfinished: {leftovers(data)}")
    whole = slowed.folder / "whole"
    slowed.run((*LIVE, "--data-dir", str(whole), "--games", str(len(now.games))), who, 0)
    if Store(whole).games != now.games:
        other = [game for game, moves in Store(whole).games.items() if now.games[game] != moves]
        raise KillError(f"from game {min(other)} on other games than without a kill")


def _check_resumed(said: str, last: int, where: str, *, is_sure: bool = False) -> None:
    found = re.search(r"resumed at game (\d+)", said)
    if (found is None and is_sure and last) or (found and int(found[1]) != last + 1):
        raise KillError(
            f"{where}: expected to go on at game {last + 1}, found {found and found[1]}"
        )
    if "Traceback" in said:
        raise KillError(f"{where}: {said[-1000:]}")


def kill_experiment(slowed: Slowed, kills: int, rng: np.random.Generator) -> None:
    """Kill a cell and resume it until it is finished, then the next one.

    Raises:
        KillError: see the module.
    """
    whole = slowed.folder / "whole"
    slowed.run((*CELL, "--out", str(whole)), "app", 0)
    expected = (whole / GAMES_FILE).read_bytes()
    done, number, reached = 0, 0, True
    steps = Steps(rng, 90)
    while done < kills:
        number += 1
        out = slowed.folder / f"cell{number}"
        before = None
        while True:
            step = steps.draw(reached) if done < kills else 0
            reached, code, said = slowed.run((*CELL, "--out", str(out), "--resume"), "app", step)
            where = f"experiment, kill {done + 1} at step {step}"
            done += reached
            now = Store(out)
            if before is not None:
                now.check_after(before, where)
            before = now
            if not reached:
                break
        if code or (out / GAMES_FILE).read_bytes() != expected or leftovers(out):
            raise KillError(f"{where}: exit code {code}, {leftovers(out)}: {said[-500:]}")


def fork_kills(
    slowed: Slowed,
    kills: int,
    rng: np.random.Generator,
    prepare: Callable[[Path], None],
    write: Callable[[Path], None],
    check: Callable[[Path], None],
    most: int,
) -> None:
    """Kill forks of this process, which runs with the library preloaded.

    Args:
        slowed: its folder is the one that `write` writes.
        kills: how many.
        rng: draws the steps.
        prepare: called once with the folder, before anything is killed.
        write: runs in the fork.
        check: called after each kill, and raises KillError.
        most: steps that `write` takes at first guess.
    """
    arm = ctypes.CDLL(None).slow_arm
    prepare(slowed.folder)
    done, reached = 0, True
    steps = Steps(rng, most)
    while done < kills:
        step = steps.draw(reached)
        slowed.mark.unlink(missing_ok=True)
        pid = os.fork()
        if pid == 0:
            arm(ctypes.c_long(step))
            write(slowed.folder)
            os._exit(0)
        deadline = time.monotonic() + PATIENCE
        ended = 0
        while not ended and not slowed.mark.exists() and time.monotonic() < deadline:
            time.sleep(0.001)
            ended, _ = os.waitpid(pid, os.WNOHANG)
        reached = slowed.mark.exists()
        if not ended:
            slowed.kill()
            os.waitpid(pid, 0)
        done += reached
        check(slowed.folder)
    write(slowed.folder)
    check(slowed.folder)
    if leftovers(slowed.folder):
        raise KillError(f"unfinished: {leftovers(slowed.folder)}")


def kill_scene(slowed: Slowed, kills: int, rng: np.random.Generator) -> None:
    """Kill what saves a scene: the file is the old one or the new one, and so is its backup.

    Raises:
        KillError: see the module.
    """
    objects = {f"obj_{number:08}": {"name": f"Stone {number}"} for number in range(400)}
    head = {"format": "goishi.scene/1", "id": "scn_one", "objects": objects}
    old, new = ({**head, "settings": {"seed": seed}} for seed in (1, 2))
    known = {dumps(old), dumps(new)}
    path = slowed.folder / "a.scene.json"

    def check(_: Path) -> None:
        backup = path.with_name(f"{path.name}.bak")
        found = [path, *([backup] if backup.exists() else [])]
        wrong = [item.name for item in found if item.read_bytes() not in known]
        if wrong:
            raise KillError(f"{wrong}: neither the old scene nor the new one")

    def write(_: Path) -> None:
        save(path, old if path.read_bytes() == dumps(new) else new)

    fork_kills(slowed, kills, rng, lambda _: save(path, old), write, check, 24)


def kill_store(slowed: Slowed, kills: int, rng: np.random.Generator) -> None:
    """Kill what stores a game in the database and in lines, and a checkpoint.

    Raises:
        KillError: see the module.
    """
    architecture = Architecture(5, 1)
    weights = draw_weights(architecture, np.random.default_rng(0))
    folder = slowed.folder
    seen = {"games": 0, "checkpoint": 0}

    def files() -> tuple[RunStore, CheckpointStore]:
        return RunStore.open(folder / "runs.sqlite3"), CheckpointStore(folder / "learner")

    def write(_: Path) -> None:
        database, checkpoints = files()
        number = database.start_run({})
        database.record_measures(1, number, {"loss": 1.0})
        with LinesFile(folder / "lines.jsonl") as lines:
            lines.append({"game": number, "moves": list(range(40))})
        content = {"w.weights.h5": weights_bytes(architecture, weights)}
        checkpoints.save({"games_learnt": number}, content)
        database.close()

    def check(_: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            for path in folder.glob("runs.sqlite3*"):
                shutil.copy(path, scratch)
            database = RunStore.open(Path(scratch, "runs.sqlite3"))
            games = len(database.measures())
            database.close()
        checkpoints = CheckpointStore(folder / "learner")
        learnt = [
            int(checkpoints.check(number).state["games_learnt"]) for number in checkpoints.numbers()
        ]
        read_lines(folder / "lines.jsonl")
        if games < seen["games"] or max(learnt, default=0) < seen["checkpoint"]:
            raise KillError(f"expected {seen} or more, found {games} games, learnt {learnt}")
        seen.update(games=games, checkpoint=max(learnt, default=0))

    fork_kills(slowed, kills, rng, write, write, check, 60)


KINDS: Final[dict[str, Callable[[Slowed, int, np.random.Generator], None]]] = {
    "app": lambda slowed, kills, rng: kill_app(slowed, kills, rng, "app"),
    "worker": lambda slowed, kills, rng: kill_app(slowed, kills, rng, "worker"),
    "experiment": kill_experiment,
    "scene": kill_scene,
    "store": kill_store,
}


def main() -> int:
    """Kill, and print what was found; return the exit code."""
    parser = parser_of(__doc__, kills=200, seed=0)
    parser.add_argument("--only", nargs="+", choices=tuple(KINDS), default=tuple(KINDS))
    options = parser.parse_args()
    preloaded = os.environ.get("SLOW_MARK")
    with tempfile.TemporaryDirectory(prefix="goishi-kills-") as scratch:
        if preloaded is None:
            library = build(Path(scratch))
            start = Slowed(library, Path(scratch, "work"))
            words = [sys.executable, "-m", "benchmarks.kills", *sys.argv[1:]]
            return subprocess.run(words, cwd=SHIPPED_ROOT, env=start.environment()).returncode
    return kill_all(Path(preloaded).parent, options.kills, options.seed, options.only)


def kill_all(scratch: Path, kills: int, seed: int, kinds: list[str]) -> int:
    """Kill each kind its share of times; return 1 where something was lost."""
    failed, total = [], 0
    whole = sum(SHARES[kind] for kind in kinds)
    for kind in kinds:
        number = max(1, round(kills * SHARES[kind] / whole))
        slowed = Slowed(scratch / "slow_writes.so", scratch / "work" / kind)
        slowed.folder.mkdir(parents=True)
        os.environ["SLOW_FOLDER"] = str(slowed.folder)
        started = time.monotonic()
        try:
            KINDS[kind](slowed, number, np.random.default_rng([seed, [*KINDS].index(kind)]))
        except (KillError, CheckpointError, LinesFileError, RunStoreError) as error:
            failed.append(kind)
            print(f"{kind}: FAILED: {error}", flush=True)
        found = sum(slowed.what.values())
        total += found
        at = ", ".join(f"{count} {what}" for what, count in slowed.what.most_common())
        print(f"{kind}: {found} kills ({at}), {time.monotonic() - started:.0f} s", flush=True)
    print(
        f"{total} kills, seed {seed}: "
        + (f"FAILED: {', '.join(failed)}" if failed else "nothing lost, doubled or half written")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
