"""What must not change when code moves: games, scenes and files, as digests and moves.

    python -m benchmarks.golden --out golden.json              record what this tree does
    python -m benchmarks.golden --against golden.json          compare; exit code 1 where it differs
    python -m benchmarks.golden --only scenes project --against golden.json

Parts: `live` (60 games of the self-teaching scene), `cells` (an experiment with each learner),
`connect_four`, `hall`, `scenes` (every shipped scene after 300 frames without graphics) and
`project` (the files of a new script project). Two recordings on one machine are equal. On another
processor the last bits of a network's sums can differ, and so can its moves.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of
from benchmarks.programs import run_main

FRAMES: Final = 300
MADE_ID: Final = re.compile(rb"\b(prj|scn|obj|cmp)_[a-z0-9]+")
"""Of a new project and its scene: drawn anew each time."""
CELLS: Final = {
    "cnn-ann": ("--games", "15", "--records", "4", "--alpha", "5"),
    "cnn-ann-plus": ("--games", "60", "--records", "1", "--alpha", "0.5"),
    "ann": ("--games", "100", "--records", "4", "--alpha", "5"),
}
RUN_KEYS: Final = frozenset(
    {"games", "results", "winners", "moves", "plies", "retrains"}
    | {"ann_nodes", "rank_counts", "script_errors"}
)
BUSY: Final = frozenset(
    {"self_teaching", "training_hall", "connect_four", "tic_tac_toe", "gomoku_15", "learning_eye"}
)
"""Scenes whose state after some frames follows from when their workers answered."""
Part = dict[str, object]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _played(scene: str, games: int, seed: int) -> Part:
    """Return what a scene's run played, from its statistics."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder) / "stats.json"
        _play(scene, games, seed, "--stats", str(stats))
        told = json.loads(stats.read_text(encoding="utf-8"))
    return {key: told[key] for key in sorted(RUN_KEYS) if key in told}


def _play(scene: str, games: int, seed: int, *words: str) -> None:
    how = ("--headless", "--no-graphics", "--games", str(games), "--seed", str(seed))
    run_main("run", f"scenes/{scene}.scene.json", *how, *words)


def live() -> Part:
    """Return 60 games of the scene that opens first."""
    return _played("self_teaching", 60, 7)


def connect_four() -> Part:
    """Return 20 games of Connect Four."""
    return _played("connect_four", 20, 3)


def hall() -> Part:
    """Return the games of three rounds of the hall, which plays sixteen boards at a time."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        _play("training_hall", 3, 2, "--out", str(out))
        return {
            path.relative_to(out).as_posix(): _digest(path.read_bytes())
            for path in sorted(out.rglob("games.jsonl"))
        }


def cells() -> Part:
    """Return the digests of the games of a short experiment with each learner."""
    found: Part = {}
    for player, words in CELLS.items():
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            run_main("experiment", "--player", player, *words, "--seed", "5", "--out", str(out))
            found[player] = _digest((out / "games.jsonl").read_bytes())
    return found


def scenes() -> Part:
    """Return the digest of each shipped scene as it would be saved, at once and frames later."""
    return {
        path.name: _scene(path) for path in sorted((SHIPPED_ROOT / "scenes").glob("*.scene.json"))
    }


def _scene(path: Path) -> dict[str, str]:
    from sim.core.files.scene_file import dumps
    from sim.core.scene.scene_data import scene_data
    from sim.testing import Pilot

    found = {}
    with Pilot(scene=path, graphics=False, seed=7) as pilot:
        found["opened"] = _digest(dumps(scene_data(pilot.app.scene)))
        if path.name.partition(".")[0] not in BUSY:
            pilot.step(FRAMES)
            found["later"] = _digest(dumps(scene_data(pilot.app.scene)))
            found["world"] = _digest(
                "\n".join(
                    f"{obj.id} {np.asarray(obj.transform.world_matrix).round(9).tolist()}"
                    for obj in pilot.app.scene.objects.values()
                ).encode()
            )
    return found


def project() -> Part:
    """Return the digest of each file of a new script project."""
    with tempfile.TemporaryDirectory() as folder:
        run_main("new", "project", "garden", folder=Path(folder))
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return {
            path.relative_to(folder).as_posix(): _digest(MADE_ID.sub(rb"\1_", path.read_bytes()))
            for path in files
            if "__pycache__" not in path.parts
        }


PARTS: Final[dict[str, Callable[[], Part]]] = {
    "project": project,
    "scenes": scenes,
    "cells": cells,
    "live": live,
    "connect_four": connect_four,
    "hall": hall,
}


def differences(old: object, new: object, place: str = "") -> list[str]:
    """Return one line for each value that is not the same, with its place."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            line
            for key in sorted({*old, *new})
            for line in differences(old.get(key), new.get(key), f"{place}/{key}")
        ]
    return [] if old == new else [f"{place}: expected {old!r:.80}, found {new!r:.80}"]


def main(words: Sequence[str] | None = None) -> int:
    """Record or compare; return the exit code."""
    parser = parser_of(
        __doc__, out=(Path, "where the recording goes"), against=(Path, "an earlier recording")
    )
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), default=tuple(PARTS))
    options = parser.parse_args(words)
    found: dict[str, Part] = {}
    for name in options.only:
        found[name] = json.loads(json.dumps(PARTS[name]()))
        print(f"{name}: {_digest(json.dumps(found[name], sort_keys=True).encode())}", flush=True)
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if not options.against:
        return 0
    known = json.loads(options.against.read_text(encoding="utf-8"))
    lines = differences({name: known.get(name) for name in found}, found)
    print("\n".join(lines) or "nothing differs")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
