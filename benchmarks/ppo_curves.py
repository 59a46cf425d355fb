"""Draw how PPO learns: the returns of several seeds, with random actions as control.

    python -m benchmarks.ppo_curves OUT.png TITLE=RUN,RUN,… [TITLE=…]

Each RUN is a folder of `train ppo`. Writes the picture, and prints the rows of a table: return of
whole episodes with the policy frozen, mean and deviation, beside its controls.

A run by self-play plays against itself, so its returns say little. For such a run the picture shows
how often each frozen version of its pool wins against random actions, each team in turn; dotted is
the agents' own script. That takes minutes, and is kept in the folder (`wins.json`).
"""

from __future__ import annotations

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
from base.storage.json_file import read_json, read_lines, write_json
from base.values import JsonObject
from benchmarks.console import parser_of, row
from sim.app.vector_world import VectorWorld

FloatArray = npt.NDArray[np.float64]
COLORS = ("#4c8fd0", "#d08a3c", "#58a86a", "#b05fa8", "#c05050")
SMOOTHED = 3  # updates
COPIES, MATCHES, MATCH_SEED = 16, 112, 50_000  # of a match: its episodes are others than training's


def main() -> None:
    """Draw the picture."""
    parser = parser_of(__doc__)
    parser.add_argument("out", type=Path, metavar="OUT.png")
    parser.add_argument("given", nargs="+", metavar="TITLE=RUN,RUN,…")
    options = parser.parse_args()
    count = len(options.given)
    figure, axes = plt.subplots(1, count, figsize=(4.6 * count, 3.4), squeeze=False)
    for axis, words in zip(axes[0], options.given, strict=True):
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
    figure.savefig(options.out, dpi=100)


def draw(axis: plt.Axes, folder: Path, color: str, *, is_played: bool) -> None:
    """Draw one run's curve and its control."""
    config = read_json(folder / "run.json")["config"]
    control: float | None = None
    if is_played:
        steps, returns, control = wins_of(folder, SHIPPED_ROOT / "scenes" / config["scene"])
    else:
        steps, returns = curve_of(folder)
        control = card_of(folder).get("frozen", {}).get("random", {}).get("mean")
    axis.plot(steps, returns, color=color, label=f"seed {config['seed']}", linewidth=1.4)
    if control is not None:
        axis.axhline(control, color=color, linestyle=":", linewidth=0.9)


def wins_of(folder: Path, scene: Path) -> tuple[FloatArray, FloatArray, float]:
    """Return steps and share of matches won of each version in a run's pool, and the script's."""
    kept = folder / "wins.json"
    if not kept.exists():
        lines = read_lines(folder / "metrics.jsonl")
        steps = {0: 0} | {line["update"]: line["steps"] for line in lines}
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
        drawn = {"steps": [steps[key] for key in versions], SCRIPT: won[SCRIPT]}
        write_json(kept, {**drawn, "won": [won[str(key)] for key in versions]})
    known = read_json(kept)
    return np.array(known["steps"]), np.array(known["won"]), known[SCRIPT]


def row_of(title: str, folder: Path) -> str:
    """Return a run's row of the table; a dash where it was not measured."""
    card = card_of(folder)
    cells = [title, f"{card.get('steps', 0):,}", str(card.get("seed", "–"))]
    for name in ("trained", "untrained", "random"):
        found = card.get("frozen", {}).get(name)
        cells.append(f"{found['mean']:.1f} ± {found['deviation']:.1f}" if found else "–")
    cells.append(f"{card.get('seconds', 0):,.0f}")
    return row(cells)


def card_of(folder: Path) -> JsonObject:
    """Return what a run's policy file says; empty if the run has none."""
    path = folder / "policy.json"
    return read_json(path) if path.exists() else {}


def curve_of(folder: Path) -> tuple[FloatArray, FloatArray]:
    """Return the steps `[n]` and smoothed returns `[n]` of the updates in which episodes ended."""
    lines = read_lines(folder / "metrics.jsonl")
    ended = [line for line in lines if line["return"] is not None]
    known = np.array([(line["steps"], line["return"]) for line in ended])
    width = min(SMOOTHED, len(known))
    returns = np.convolve(known[:, 1], np.ones(width) / width, "valid")
    return known[width - 1 :, 0], returns


if __name__ == "__main__":
    main()
