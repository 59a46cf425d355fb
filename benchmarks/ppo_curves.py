"""Draws how PPO learns: the returns of several seeds, with random actions as control.

    python -m benchmarks.ppo_curves OUT.png TITLE=RUN,RUN,… [TITLE=…]

Each RUN is a folder of `train ppo`; writes the picture, and the rows of a table on stdout: return
of whole episodes with the policy frozen, mean and deviation, beside its controls.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

COLORS = ("#4c8fd0", "#d08a3c", "#58a86a", "#b05fa8", "#c05050")
SMOOTHED = 3  # updates


def main() -> None:
    """Draw the picture."""
    out, *given = sys.argv[1:]
    figure, axes = plt.subplots(1, len(given), figsize=(4.6 * len(given), 3.4), squeeze=False)
    for axis, words in zip(axes[0], given, strict=True):
        title, _, runs = words.partition("=")
        for folder, color in zip(map(Path, runs.split(",")), COLORS, strict=False):
            steps, returns = curve_of(folder)
            config = json.loads((folder / "run.json").read_text("utf-8"))["config"]
            axis.plot(steps, returns, color=color, label=f"seed {config['seed']}", linewidth=1.4)
            card = folder / "policy.json"
            frozen = json.loads(card.read_text("utf-8"))["frozen"] if card.exists() else {}
            if frozen:
                axis.axhline(frozen["random"]["mean"], color=color, linestyle=":", linewidth=0.9)
            print(row_of(title, folder))
        axis.set_title(f"{title} (dotted: random actions)", fontsize=10)
        axis.set_xlabel("steps")
        axis.set_ylabel("return of an episode")
        axis.legend(fontsize=8, loc="lower right")
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(out, dpi=100)


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


def curve_of(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the steps `[n]` and smoothed returns `[n]` of the updates in which episodes ended."""
    lines = [json.loads(text) for text in (folder / "metrics.jsonl").read_text().splitlines()]
    known = np.array([(x["steps"], x["return"]) for x in lines if x["return"] is not None])
    width = min(SMOOTHED, len(known))
    returns = np.convolve(known[:, 1], np.ones(width) / width, "valid")
    return known[width - 1 :, 0], returns


if __name__ == "__main__":
    main()
