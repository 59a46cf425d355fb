"""Imports many files in one process: `python -m tests.sim.render.importing.import_batch` with a JSON job on stdin.

The job is `{"project": folder, "files": [[file, folder], …]}`; the output is one report a line.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from sim.render.importing.child import import_model, limit_memory


def main() -> None:
    limit_memory()
    job = json.loads(sys.stdin.read())
    for source, folder in job["files"]:
        report = import_model(Path(source), Path(folder), Path(job["project"]))
        sys.stdout.write(f"\n{json.dumps(report)}\n")
        sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
