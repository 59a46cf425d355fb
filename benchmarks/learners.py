"""PPO and SAC beside Stable-Baselines3 and CleanRL; makes the tables of docs/studies/learners.md.

    python -m benchmarks.learners --out runs/learners --python PYTHON --cleanrl DIR    train
    python -m benchmarks.learners --out runs/learners --keep      take it into the page
    python -m benchmarks.learners --check                         exit code 1 if it would change

Each row of `CELLS` is trained with the seeds 0 to 2, each in a process of its own with one thread.
What is there already is not trained again, so an interrupted run goes on. All libraries have the
same environments, steps, seeds and discounts. Everything else is each library's own default.
Frozen policies are measured in the same 100 episodes. Runs of `train sac` and `train ppo` in
`OUT/scenes/LEARNER/SCENE/SEED` are taken into the page, too.

The outside libraries are optional. PYTHON is a Python that has stable-baselines3, torch, tyro and
what Goishi needs. DIR is a copy of CleanRL's repository, of which nothing is copied. What is
missing is left out, and said.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import numpy.typing as npt

from base.files import SHIPPED_ROOT
from base.storage.json_file import read_json, write_json
from benchmarks.console import parser_of, table
from benchmarks.learners_outside import MISSING, made, played
from benchmarks.study_tables import made_anew

DOCS: Final = SHIPPED_ROOT / "docs"
PAGE: Final = DOCS / "studies" / "learners.md"
STUDY: Final = DOCS / "studies" / "learners.json"
PICTURE: Final = DOCS / "images" / "learners.png"
FORMAT: Final = "goishi.learners/1"
SEEDS: Final = (0, 1, 2)
OURS: Final = "Goishi"
LIBRARIES: Final = (OURS, "Stable-Baselines3", "CleanRL")
PARTS: Final = 20
"""Points of a stored curve: the mean return of the episodes that ended in a part of the steps."""
CLEANRL: Final = {"sac": "sac_continuous_action.py", "ppo": "ppo_continuous_action.py"}
"""CleanRL's file of a method, for actions that are arrays."""
CLEANRL_WHOLE: Final = {"CartPole-v1": "ppo.py"}
"""Its file for an environment whose actions are whole numbers."""
COLORS: Final = {OURS: "#4c8fd0", "Stable-Baselines3": "#d08a3c", "CleanRL": "#58a86a"}


@dataclass(frozen=True)
class Cell:
    """What is trained: a method of a library in an environment.

    Attributes:
        library: its name.
        method: "ppo" or "sac".
        environment: its Gymnasium id.
        steps: number of steps.
        gamma: discount of later rewards.
    """

    library: str
    method: str
    environment: str
    steps: int
    gamma: float

    @property
    def name(self) -> str:
        """Name of its files."""
        words = f"{self.library} {self.method} {self.environment} {self.steps}"
        return "".join(letter if letter.isalnum() else "_" for letter in words.lower())


def _cells() -> Iterator[Cell]:
    for method, environment, steps, gamma in (
        ("ppo", "CartPole-v1", 50_000, 0.99),
        ("ppo", "Pendulum-v1", 100_000, 0.9),
        ("sac", "Pendulum-v1", 20_000, 0.99),
        ("sac", "goishi/Reacher-v0", 33_000, 0.95),
        ("ppo", "goishi/Reacher-v0", 100_000, 0.95),
    ):
        for library in LIBRARIES:
            yield Cell(library, method, environment, steps, gamma)


CELLS: Final = tuple(_cells())


class GymCopies:
    """Copies of a Gymnasium environment with one agent, as `VectorEnv` of our learners.

    Args:
        environment: its Gymnasium id.
        count: number of copies.
    """

    def __init__(self, environment: str, count: int) -> None:
        import gymnasium

        self.count, self.names, self.teams = count, ["agent"], [""]
        self._envs = gymnasium.vector.SyncVectorEnv([lambda: made(environment)] * count)
        sees: Any = self._envs.single_observation_space
        acts: Any = self._envs.single_action_space
        self.spaces = [(_plain(sees), _plain(acts))]
        self.arrays: dict[str, npt.NDArray[Any]] = {
            "observation.0": np.zeros((count, *sees.shape), sees.dtype),
            "action.0": np.zeros((count, *acts.shape), acts.dtype),
            "reward": np.zeros((count, 1)),
            "outcome": np.zeros((count, 1)),
            **{name: np.zeros((count, 1), bool) for name in ("terminated", "truncated", "decides")},
        }

    def begin(self, seed: int) -> None:
        """Start new episodes."""
        self.arrays["observation.0"][...] = self._envs.reset(seed=seed)[0]
        for name in ("terminated", "truncated"):
            self.arrays[name][...] = False

    def advance(self) -> None:
        """Step all copies; one whose episode has ended begins a new one instead."""
        seen, rewards, terminated, truncated, _ = self._envs.step(self.arrays["action.0"])
        self.arrays["observation.0"][...] = seen
        told = {"reward": rewards, "terminated": terminated, "truncated": truncated}
        for name, values in told.items():
            self.arrays[name][:, 0] = values


def _plain(space: Any) -> tuple[Any, ...]:
    """Return a space of Gymnasium as plain values."""
    if hasattr(space, "n"):
        return ("discrete", int(space.n), int(space.start))
    return ("box", space.low, space.high, str(space.dtype))


def train_ours(cell: Cell, seed: int, folder: Path) -> dict[str, Any]:
    """Train by our learner, in a folder that can be resumed; return the result of the cell."""
    from ai.learning.ppo.ppo import PPO
    from ai.learning.ppo.run import Plan, PolicyRun
    from ai.learning.sac.sac import SAC

    method = {"ppo": PPO, "sac": SAC}[cell.method]
    one = GymCopies(cell.environment, 1)
    settings = method.settings(one.spaces[0][1], {"gamma": cell.gamma})
    env = GymCopies(cell.environment, settings.envs)
    started, own = time.monotonic(), time.process_time()
    run = PolicyRun(Plan(cell.environment, cell.steps, seed, settings), folder, env, method=method)
    run.prepare(resume=True)
    run.train()
    seconds, processor = time.monotonic() - started, time.process_time() - own
    policy = run.learner.policy()
    lines = run.folder.lines("metrics.jsonl")
    return {
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        "trained": played(cell.environment, policy.act),
        "episodes": [
            (line["steps"], line["return"])
            for line in lines
            for _ in range(line["episodes"])
            if line["return"] is not None
        ],
    }


def curve_of(episodes: Sequence[Sequence[float]], steps: int) -> list[float | None]:
    """Return the mean return of the episodes that ended in each of `PARTS` parts of the steps."""
    parts: list[list[float]] = [[] for _ in range(PARTS)]
    for at, gained in episodes:
        parts[min(int((at - 1) * PARTS // steps), PARTS - 1)].append(gained)
    return [round(float(np.mean(part)), 2) if part else None for part in parts]


def machine() -> str:
    """Return what it was trained on, in words."""
    version = platform.python_version()
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {version}"


# -- training ------------------------------------------------------------------------------------


def train(options: argparse.Namespace) -> int:
    """Train what is missing, our own learners first; return the exit code."""
    left_out = set()
    options.out.mkdir(parents=True, exist_ok=True)
    for library in LIBRARIES:
        for cell, seed in product((cell for cell in CELLS if cell.library == library), SEEDS):
            file = options.out / f"{cell.name}_{seed}.json"
            if file.exists():
                continue
            found = _result(cell, seed, options)
            if found is None:
                left_out.add(cell.library)
                continue
            when = time.strftime("%Y-%m-%d", time.gmtime())
            write_json(
                file, {**asdict(cell), "seed": seed, "date": when, "machine": machine(), **found}
            )
            trained = found["trained"]
            print(f"{cell.name} {seed}: {trained['mean']} ± {trained['deviation']}", flush=True)
    for library in sorted(left_out):
        print(f"left out, as it is not there: {library}")
    return 0


def _result(cell: Cell, seed: int, options: argparse.Namespace) -> dict[str, Any] | None:
    """Train one cell in a process of its own; None if its library is not there."""
    folder = (options.out / f"{cell.name}_{seed}").resolve()
    folder.mkdir(exist_ok=True)
    setup = {**asdict(cell), "seed": seed}
    python, module = sys.executable, "benchmarks.learners"
    words = ["--one", str(folder / "setup.json")]
    if cell.library != OURS:
        python, module = str(options.python or sys.executable), "benchmarks.learners_outside"
        words = words[1:]
    if cell.library == "CleanRL":
        name = CLEANRL_WHOLE.get(cell.environment, CLEANRL[cell.method])
        if options.cleanrl is None or not (options.cleanrl / "cleanrl" / name).is_file():
            return None
        setup["cleanrl"] = str((options.cleanrl / "cleanrl" / name).resolve())
    (folder / "setup.json").write_text(json.dumps(setup), encoding="utf-8")
    result = folder / "result.json"
    command = [python, "-m", module, *words, str(result)]
    paths = os.pathsep.join(filter(None, (str(SHIPPED_ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(  # in its folder, as CleanRL's file leaves folders of its own
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    if done.returncode == MISSING:
        return None
    if done.returncode:
        raise SystemExit(
            f"{cell.name} {seed}: expected a result, found exit code {done.returncode}"
        )
    found: dict[str, Any] = read_json(result)
    episodes = found.pop("episodes")
    return {**found, "curve": curve_of(episodes, cell.steps)}


def train_one(setup: Path, result: Path) -> int:
    """Train one cell of ours, and write its result."""
    given = json.loads(setup.read_text(encoding="utf-8"))
    seed = given.pop("seed")
    found = train_ours(Cell(**given), seed, setup.parent / "run")
    result.write_text(json.dumps(found), encoding="utf-8")
    return 0


# -- the page ------------------------------------------------------------------------------------


def rows_of(study: Mapping[str, Any]) -> dict[tuple[str, str, str], list[Mapping[str, Any]]]:
    """Return the stored runs, by (environment, method, library), in the order of `CELLS`."""
    found: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for cell in CELLS:
        runs = [
            run
            for run in study["runs"]
            if all(run[key] == value for key, value in asdict(cell).items())
        ]
        if runs:
            found[cell.environment, cell.method, cell.library] = runs
    return found


def compared(study: Mapping[str, Any]) -> str:
    """Return the table: for each learner what its frozen policies gain, seed by seed."""
    rows = []
    for (environment, method, library), runs in rows_of(study).items():
        means = [run["trained"]["mean"] for run in runs]
        whole = f"{np.mean(means):.1f}" if len(means) == len(SEEDS) else "incomplete"
        processor = np.mean([run["processor_seconds"] for run in runs])
        rows.append(
            (
                environment,
                method.upper(),
                library,
                f"{runs[0]['steps']:,}",
                whole,
                ", ".join(f"{mean:.1f}" for mean in means),
                f"{min(run['trained']['least'] for run in runs):.1f}",
                f"{processor:.0f}",
            )
        )
    heads = ("environment", "method", "library", "steps", "mean", "each seed", "least episode")
    return table((*heads, "processor seconds"), rows) if rows else "Not trained yet."


def scenes(study: Mapping[str, Any]) -> str:
    """Return the table of SAC and PPO on Goishi's scenes, with their controls."""
    rows = []
    order = sorted(
        study["scenes"], key=lambda run: (run["scene"], run["learner"] != "sac", run["seed"])
    )
    for run in order:
        cells = [f"{run[name]['mean']:.1f} ± {run[name]['deviation']:.1f}" for name in PLAYERS]
        kind = run["learner"].upper()
        rows.append((run["scene"], kind, f"{run['steps']:,}", str(run["seed"]), *cells))
    heads = ("scene", "learner", "steps", "seed", *PLAYERS)
    return table(heads, rows) if rows else "Not trained yet."


def scene_runs(out: Path) -> list[dict[str, Any]]:
    """Return what the cards of runs of `train sac` and `train ppo` say, by scene and learner."""
    found = []
    for file in sorted(out.glob("scenes/*/*/*/policy.json")):
        card = read_json(file)
        if "frozen" not in card:  # still being trained
            continue
        scene = card["scene"].removesuffix(".scene.json")
        told = {name: card[name] for name in ("learner", "steps", "seed", "seconds", "command")}
        found.append({"scene": scene, **told, **{name: card["frozen"][name] for name in PLAYERS}})
    return found


TABLES: Final = {"compared": compared, "scenes": scenes}
PLAYERS: Final = ("trained", "untrained", "random")


def rewritten(text: str, study: Mapping[str, Any]) -> str:
    """Return the page with its tables made anew."""
    return made_anew(text, {name: make(study) for name, make in TABLES.items()})


def draw(study: Mapping[str, Any], file: Path) -> None:
    """Draw the curves: a panel for each environment and method, a line for each seed."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import EngFormatter

    rows = rows_of(study)
    panels = list(dict.fromkeys(key[:2] for key in rows))
    if not panels:
        return
    figure, axes = plt.subplots(1, len(panels), figsize=(3.6 * len(panels), 3.2), squeeze=False)
    for axis, panel in zip(axes[0], panels, strict=True):
        for (environment, method, library), runs in rows.items():
            if (environment, method) != panel:
                continue
            for number, run in enumerate(runs):
                steps = (np.arange(PARTS) + 0.5) * run["steps"] / PARTS
                known = [(x, y) for x, y in zip(steps, run["curve"], strict=True) if y is not None]
                name = library if not number else None
                axis.plot(*zip(*known, strict=True), color=COLORS[library], label=name, lw=1.1)
        axis.set_title(f"{panel[0]}, {panel[1].upper()}", fontsize=9)
        axis.set_xlabel("steps")
        axis.xaxis.set_major_formatter(EngFormatter(sep=""))
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    axes[0][0].set_ylabel("return of an episode in training")
    figure.tight_layout()
    figure.savefig(file, dpi=100)


def keep(out: Path) -> int:
    """Take the results of a folder into the study, its page and its picture.

    Results of the study that the folder does not have stay.
    """
    known = read_json(STUDY) if STUDY.exists() else {"runs": [], "scenes": []}
    trained = [read_json(file) for file in sorted(out.glob("*.json"))]
    for run in trained:
        run.pop("episodes", None)  # there are thousands: the curve is kept
    found = {
        "format": FORMAT,
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "scenes": _merged(known["scenes"], scene_runs(out), ("scene", "learner", "seed")),
        "runs": _merged(known["runs"], trained, (*Cell.__annotations__, "seed")),
    }
    write_json(STUDY, found)
    PAGE.write_text(
        rewritten(PAGE.read_text("utf-8"), read_json(STUDY)), encoding="utf-8", newline="\n"
    )
    if PICTURE.name in PAGE.read_text("utf-8"):
        draw(read_json(STUDY), PICTURE)
    return 0


def _merged(
    known: Sequence[dict[str, Any]], found: Sequence[dict[str, Any]], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return known and found runs; of two whose values of some names agree, the found one."""
    both = {tuple(run[name] for name in names): run for run in (*known, *found)}
    return [both[key] for key in sorted(both)]


def main() -> int:
    """Train, keep or check; return the exit code."""
    parser = parser_of(__doc__, out=Path, python=Path, cleanrl=Path, keep=False, check=False)
    parser.add_argument("--one", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return train_one(*options.one)
    if options.check:
        if not STUDY.exists():
            return 0
        text = PAGE.read_text(encoding="utf-8")
        return int(rewritten(text, read_json(STUDY)) != text)
    if options.out is None:
        parser.error("expected --out DIR or --check, found neither")
    return keep(options.out) if options.keep else train(options)


if __name__ == "__main__":
    sys.exit(main())
