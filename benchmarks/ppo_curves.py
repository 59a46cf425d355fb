"""Draws how PPO learns: the returns of several seeds, with random actions as control.

    python -m benchmarks.ppo_curves OUT.png TITLE=RUN,RUN,… [TITLE=…]

Each RUN is a folder of `train ppo`; writes the picture, and the rows of a table on stdout: return
of whole episodes with the policy frozen, mean and deviation, beside its controls. A run by
self-play plays against itself, and its returns say little: drawn is how often each version of its
pool wins against random actions, frozen, each team in turn; dotted is the agents' own script. That
takes minutes, and is kept in the folder (`wins.json`).
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.ticker import EngFormatter

from ai.learning.ppo.run import SCRIPT, Choose, match_of, random_choice
from base.files import SHIPPED_ROOT
from base.policies.policy import load_policy
from sim.app.vector_world import VectorWorld

FloatArray = npt.NDArray[np.float64]
COLORS = ("#4c8fd0", "#d08a3c", "#58a86a", "#b05fa8", "#c05050")
SMOOTHED = 3  # updates
COPIES, MATCHES, MATCH_SEED = 16, 112, 50_000  # of a match: its episodes are others than training's


def main() -> None:
    """Draw the picture."""
    out, *given = sys.argv[1:]
    figure, axes = plt.subplots(1, len(given), figsize=(4.6 * len(given), 3.4), squeeze=False)
    for axis, words in zip(axes[0], given, strict=True):
        title, _, runs = words.partition("=")
        folders = list(map(Path, runs.split(",")))
        is_played = (folders[0] / "pool").is_dir()
        for folder, color in zip(folders, COLORS, strict=False):
            draw(axis, folder, color, is_played=is_played)
            print(row_of(title, folder))
        axis.set_title(
            f"{title} (dotted: {'script' if is_played else 'random actions'})", fontsize=10
        )
        axis.set_xlabel("steps")
        axis.xaxis.set_major_formatter(EngFormatter(sep=""))
        axis.set_ylabel("won against random actions" if is_played else "return of an episode")
        axis.legend(fontsize=8, loc="lower right")
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(out, dpi=100)


def draw(axis: plt.Axes, folder: Path, color: str, *, is_played: bool) -> None:
    """Draw one run's curve and its control."""
    config = json.loads((folder / "run.json").read_text("utf-8"))["config"]
    control: float | None = None
    if is_played:
        steps, returns, control = wins_of(folder, SHIPPED_ROOT / "scenes" / config["scene"])
    else:
        steps, returns = curve_of(folder)
        card = folder / "policy.json"
        frozen = json.loads(card.read_text("utf-8"))["frozen"] if card.exists() else {}
        if frozen:
            control = frozen["random"]["mean"]
    axis.plot(steps, returns, color=color, label=f"seed {config['seed']}", linewidth=1.4)
    if control is not None:
        axis.axhline(control, color=color, linestyle=":", linewidth=0.9)


def wins_of(folder: Path, scene: Path) -> tuple[FloatArray, FloatArray, float]:
    """Return steps and share of matches won of each version in a run's pool, and the script's."""
    kept = folder / "wins.json"
    if not kept.exists():
        text = (folder / "metrics.jsonl").read_text("utf-8")
        steps = {0: 0} | {x["update"]: x["steps"] for x in map(json.loads, text.splitlines())}
        versions = {int(file.stem): file for file in sorted((folder / "pool").glob("*.npz"))}
        with closing(VectorWorld(scene, COPIES)) as env:
            players: dict[str, Choose] = {
                str(key): load_policy(file).best for key, file in versions.items()
            }
            players["random"] = random_choice(env.spaces[0][1], MATCH_SEED)
            won = {
                name: match_of(env, name, "random", players, MATCHES, MATCH_SEED)["won"]
                for name in (SCRIPT, *map(str, versions))
            }
        found = {
            "steps": [steps[key] for key in versions],
            "won": [won[str(key)] for key in versions],
        }
        kept.write_text(json.dumps({**found, SCRIPT: won[SCRIPT]}), "utf-8")
    known = json.loads(kept.read_text("utf-8"))
    return np.array(known["steps"]), np.array(known["won"]), known[SCRIPT]


def row_of(title: str, folder: Path) -> str:
    """Return a run's row of the table; a dash where it was not measured."""
    path = folder / "policy.json"
    card = json.loads(path.read_text("utf-8")) if path.exists() else {}
    cells = [title, f"{card.get('steps', 0):,}", str(card.get("seed", "–"))]
    for name in ("trained", "untrained", "random"):
        found = card.get("frozen", {}).get(name)
        cells.append(f"{found['mean']:.1f} ± {found['deviation']:.1f}" if found else "–")
    cells.append(f"{card.get('seconds', 0):,.0f}")
    return f"| {' | '.join(cells)} |"


def curve_of(folder: Path) -> tuple[FloatArray, FloatArray]:
    """Return the steps `[n]` and smoothed returns `[n]` of the updates in which episodes ended."""
    lines = [json.loads(text) for text in (folder / "metrics.jsonl").read_text().splitlines()]
    known = np.array([(x["steps"], x["return"]) for x in lines if x["return"] is not None])
    width = min(SMOOTHED, len(known))
    returns = np.convolve(known[:, 1], np.ones(width) / width, "valid")
    return known[width - 1 :, 0], returns


if __name__ == "__main__":
    main()
