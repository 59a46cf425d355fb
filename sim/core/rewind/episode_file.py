"""Episode files: a recorded episode of a scene, stored to be shown again later."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from base.storage.card_file import CardFile
from base.values import JsonObject
from sim.core.rewind.tape import (
    ArrayDifference,
    ConsoleLine,
    Key,
    Mark,
    Moment,
    PastObject,
    Step,
    Tape,
)
from sim.core.scene.object_state import ABSENT, ObjectState
from sim.core.scene.scene import SceneObject, capture

FILE: Final = CardFile("goishi.episode/1", "a kept episode", card="head", most_bytes=1 << 30)
SUFFIX: Final = ".episode.npz"
KINDS: Final = ("object", "children", "field", "metric")
"""Kinds of recorded values that a file stores: those needed to show a moment, not to continue."""
GONE: Final = {"absent": True}


@dataclass(frozen=True)
class KeptEpisode:
    """A recorded episode as stored in a file.

    Attributes:
        scene: id of the scene.
        text: title of the episode, for the user.
        tape: the recorded moments.
    """

    scene: str
    text: str
    tape: Tape


def save(path: Path, episode: KeptEpisode) -> None:
    """Write an episode to a file; if that fails, an existing file stays as it was.

    Args:
        path: path of the file; its folder is created if needed.
        episode: the episode.

    Raises:
        OSError: the file cannot be written.
    """
    lives: dict[int, tuple[int, JsonObject]] = {}
    tape = episode.tape
    moments = [
        {
            "time": step.time,
            "values": _values(step.values, lives),
            "cells": _sizes(step.cells),
            "marks": [[mark.kind, mark.time, mark.text, mark.begun] for mark in step.marks],
            "lines": [list(line) for line in step.lines],
        }
        for step in tape.steps
    ]
    head = {
        "scene": episode.scene,
        "text": episode.text,
        "time": tape.first.time,
        "values": _values(tape.first.values, lives),
        "steps": moments,
        "lives": [entry for _, entry in lives.values()],
    }
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, numbers in tape.first.arrays.items():
        arrays[f"first_{name}"] = numbers
        found = [step.cells[name] for step in tape.steps if name in step.cells]
        arrays[f"index_{name}"] = np.concatenate(
            [np.empty(0, np.int32), *(c.places for c in found)]
        )
        arrays[f"numbers_{name}"] = np.concatenate([np.empty(0), *(c.numbers for c in found)])
    path.parent.mkdir(parents=True, exist_ok=True)
    FILE.save(path, arrays, head)


def load(path: Path) -> KeptEpisode:
    """Read an episode from a file.

    Raises:
        CardFileError: the file cannot be read or holds no episode.
    """
    return FILE.load(
        path,
        lambda arrays, head: KeptEpisode(
            str(head["scene"]), str(head["text"]), _tape(head, arrays)
        ),
    )


def free_path(folder: Path, text: str) -> Path:
    """Return a path for an episode file that does not exist yet.

    Args:
        folder: folder of the file.
        text: text from which the file's name is made.
    """
    stem = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:60] or "episode"
    number = 1
    while (path := folder / f"{stem}{f'_{number}' if number > 1 else ''}{SUFFIX}").exists():
        number += 1
    return path


# -- writing --------------------------------------------------------------------------------------


def _sizes(cells: Mapping[str, ArrayDifference]) -> JsonObject:
    return {name: [item.size, len(item.places)] for name, item in cells.items()}


def _values(
    values: Mapping[Key, object], lives: dict[int, tuple[int, JsonObject]]
) -> list[list[object]]:
    found: list[list[object]] = []
    for key, value in values.items():
        if key[0] not in KINDS:
            continue
        if value is ABSENT:
            found.append([list(key), GONE])
        elif isinstance(value, PastObject):
            number = _number_of(value, lives)
            found.append([list(key), [number, value.row, value.enabled, value.visible]])
        else:
            found.append([list(key), {"is": _plain(value)}])
    return found


def _number_of(past: PastObject, lives: dict[int, tuple[int, JsonObject]]) -> int:
    source = past.source
    if id(source) not in lives:
        state = capture(source, 0) if isinstance(source, SceneObject) else source
        texture = state.texture if isinstance(state.texture, str) else None
        entry = {
            "id": state.id,
            "name": state.name,
            "model": state.model and _plain(state.model),
            "material": _plain(state.material),
            "texture": texture,
        }
        lives[id(source)] = (len(lives), entry)
    return lives[id(source)][0]


def _plain(value: object) -> Any:
    """Return a value as JSON has it; a value that JSON cannot have becomes text."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


# -- reading --------------------------------------------------------------------------------------


def _tape(head: JsonObject, arrays: Mapping[str, npt.NDArray[Any]]) -> Tape:
    lives = [
        ObjectState(
            str(item["id"]),
            str(item["name"]),
            model=item["model"],
            material=item["material"],
            texture=item["texture"],
        )
        for item in head["lives"]
    ]
    names = [name.removeprefix("first_") for name in arrays if name.startswith("first_")]
    first = Moment(
        float(head["time"]),
        {name: np.asarray(arrays[f"first_{name}"], np.float64) for name in names},
        _read_values(head["values"], lives),
    )
    at = dict.fromkeys(names, 0)
    steps: list[Step] = []
    for item in head["steps"]:
        step = Step(float(item["time"]), values=_read_values(item["values"], lives))
        for name, (size, count) in item["cells"].items():
            part = slice(at[name], at[name] + count)
            index = np.asarray(arrays[f"index_{name}"][part], np.int32)
            if len(index) != count or (count and not 0 <= index.min() <= index.max() < size):
                raise ValueError("numbers that do not fit")
            step.cells[name] = ArrayDifference(
                size, index, np.asarray(arrays[f"numbers_{name}"][part])
            )
            at[name] += count
        step.marks = tuple(Mark(*mark) for mark in item["marks"])
        step.lines = tuple(ConsoleLine(*line) for line in item["lines"])
        steps.append(step)
    return Tape(first, steps)


def _read_values(items: list[Any], lives: list[ObjectState]) -> dict[Key, object]:
    found: dict[Key, object] = {}
    for words, value in items:
        key = tuple(map(str, words))
        if value == GONE:
            found[key] = ABSENT
        elif key[0] == "object":
            number, row, enabled, visible = value
            found[key] = PastObject(lives[number], int(row), bool(enabled), bool(visible))
        elif key[0] == "children":
            found[key] = tuple(map(str, value["is"]))
        else:
            found[key] = value["is"]
    return found
