"""How long until the window, the first move and White's first move: first start and warm start.

    python -m benchmarks.startup

Each start is a process of its own with a user cache of its own; the second finds the first one's.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

GOALS = {
    "first": {"window": 2.0, "first_white_move": 25.0},
    "warm": {"window": 2.0, "first_white_move": 10.0},
}


def main() -> None:
    """Run the benchmark."""
    print(f"machine: {platform.platform()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        environment = {**os.environ, "XDG_CACHE_HOME": str(root / "cache"),
                       "XDG_DATA_HOME": str(root / "data")}  # fmt: skip
        for name in ("first", "warm", "warm"):
            stats = root / "stats.json"
            command = [sys.executable, "main.py", "run", "--headless", "--speed", "1",
                       "--for", "14", "--stats", str(stats)]  # fmt: skip
            subprocess.run(command, env=environment, check=True, cwd=Path(__file__).parents[1])
            times = json.loads(stats.read_text())["startup_seconds"]
            shown = ", ".join(f"{key} {value} s" for key, value in times.items())
            goals = ", ".join(f"{key} <= {value:g} s" for key, value in GOALS[name].items())
            print(f"{name:>5} start: {shown}   (goals: {goals})")


if __name__ == "__main__":
    main()
