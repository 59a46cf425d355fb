"""How long until the window, the first move and White's first move: first start and warm start.

    python -m benchmarks.startup

Each start is a process of its own, in an empty user cache. The second start finds the first one's.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from benchmarks.arguments import parser_of
from benchmarks.programs import run_main, user_folders
from benchmarks.report import machine

GOALS = {
    "first": {"window": 2.0, "first_white_move": 25.0},
    "warm": {"window": 2.0, "first_white_move": 10.0},
}


def main() -> None:
    """Run the benchmark."""
    parser_of(__doc__).parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        stats, environment = Path(folder) / "stats.json", user_folders(Path(folder))
        words = ("run", "--headless", "--speed", "1", "--for", "14", "--stats", str(stats))
        for name in ("first", "warm", "warm"):
            run_main(*words, **environment)
            times = json.loads(stats.read_text())["startup_seconds"]
            shown = ", ".join(f"{key} {value} s" for key, value in times.items())
            goals = ", ".join(f"{key} <= {value:g} s" for key, value in GOALS[name].items())
            print(f"{name:>5} start: {shown}   (goals: {goals})")


if __name__ == "__main__":
    main()
