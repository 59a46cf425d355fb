"""Whether every package that Goishi needs has wheels: `python -m benchmarks.wheels_there`.

For each Python and system, `uv` resolves the dependencies of pyproject.toml with wheels alone, as
if it stood there. The table says how many packages that are, or which one is missing. Exit code 1
where Linux or Windows lacks one. Needs `uv` and a network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final

from base.files import SHIPPED_ROOT

PYTHONS: Final = ("3.11", "3.12", "3.13")
SYSTEMS: Final = {
    "Linux x86-64": "x86_64-unknown-linux-gnu",
    "Linux ARM": "aarch64-unknown-linux-gnu",
    "Windows x86-64": "x86_64-pc-windows-msvc",
    "macOS 14 ARM": "aarch64-apple-darwin",
    "macOS 14 Intel": "x86_64-apple-darwin",
}
"""Names of systems, with uv's names of them."""
NEEDED: Final = ("Linux x86-64", "Windows x86-64")
MAC: Final = {"MACOSX_DEPLOYMENT_TARGET": "14.0"}


def main() -> int:
    """Print the table; return the exit code."""
    uv = shutil.which("uv")
    if uv is None:
        print("wheels_there: expected the program uv, found none: python -m pip install uv")
        return 1
    project = tomllib.loads((SHIPPED_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    print(f"| system | {' | '.join(f'Python {python}' for python in PYTHONS)} |")
    print(f"|---|{'---|' * len(PYTHONS)}")
    is_whole = True
    for system, platform in SYSTEMS.items():
        cells = [resolved(uv, project["dependencies"], python, platform) for python in PYTHONS]
        print(f"| {system} | {' | '.join(cells)} |", flush=True)
        is_whole &= system not in NEEDED or all(cell.endswith("packages") for cell in cells)
    return 0 if is_whole else 1


def resolved(uv: str, wanted: list[str], python: str, platform: str) -> str:
    """Return how many packages there are for one Python and system, or what is missing.

    Args:
        uv: path of the program.
        wanted: the dependencies, as pyproject.toml has them.
        python: version of Python, such as "3.11".
        platform: uv's name of the system.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wanted.in"
        file.write_text("\n".join(wanted), encoding="utf-8")
        words = [
            uv, "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--only-binary",
            ":all:", "--python-version", python, "--python-platform", platform, str(file),
        ]  # fmt: skip
        done = subprocess.run(
            words, env={**os.environ, **MAC}, capture_output=True, text=True, check=False
        )
    if done.returncode == 0:
        return f"{done.stdout.count('==')} packages"
    found = re.search(r"([\w-]+)==[\w.]+ has no usable wheels", done.stderr)
    return f"no wheel of {found[1]}" if found else "not resolved"


if __name__ == "__main__":
    sys.exit(main())
