"""Runs that somebody edited by hand: read, or refused in one line that says what is wrong."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai.runs.reading import RunReadError, read_any_games, read_changes, read_games
from ai.store import CheckpointError, CheckpointStore
from base.storage.json_file import LinesFileError, read_lines
from tests.examples import examples

LINE = {
    "game": 1, "winner": "black", "reason": "five", "plies": 9,
    "moves": [0, 7, 1, 8, 2, 9, 3, 10, 4], "ranks": [1, 1, 1, 1], "ann_nodes": 0,
    "relearn_records": 0,
}  # fmt: skip
RUN = {"config": {"size": 7, "win_length": 5}, "changes": []}
DEEP = "[" * 100_000
WRONG = [
    None,
    True,
    -1,
    1.5,
    10**30,
    float("inf"),
    float("nan"),
    "x",
    [],
    {},
    [[]],
    [None],
    {"a": 1},
]


def write(folder: Path, line: object, run: object) -> Path:
    (folder / "games.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return folder


def test_the_sound_run_is_read(tmp_path: Path) -> None:
    assert [game.winner for game in read_games(write(tmp_path, LINE, RUN))] == [1]


@settings(
    max_examples=examples(100, 300), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from(sorted(LINE)), st.sampled_from([*WRONG, LINE]),
    st.sampled_from(["config", "changes", "size", "win_length", ""]), st.sampled_from(WRONG),
)  # fmt: skip
def test_a_wrong_value_is_one_error(
    tmp_path: Path, key: str, value: object, place: str, other: object
) -> None:
    run = json.loads(json.dumps(RUN))
    if place in run:
        run[place] = other
    elif place:
        run["config"][place] = other
    write(tmp_path, {**LINE, key: value}, run)
    for read in (read_games, read_changes):
        with contextlib.suppress(RunReadError):
            read(tmp_path)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\n", DEEP.encode() + b"\n", b"5\n", b"{]\n"])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b'{"a": 1}\n' + content)
    with pytest.raises(LinesFileError, match=r"games\.jsonl:2: "):
        read_lines(path)
    write(tmp_path, LINE, RUN)
    path.write_bytes(path.read_bytes() + content)
    with pytest.raises(RunReadError, match=r"games\.jsonl:2: "):
        read_games(tmp_path)


def test_what_is_whole_of_a_run_is_read_and_what_is_left_out_is_named(tmp_path: Path) -> None:
    write(tmp_path, LINE, RUN)
    path = tmp_path / "games.jsonl"
    illegal = json.dumps({**LINE, "game": 3, "moves": [0, 0, 1]}).encode()
    later = json.dumps({**LINE, "game": 4}).encode()
    path.write_bytes(path.read_bytes() + b"{]\n" + illegal + b"\n" + later + b"\n")
    told: list[str] = []
    assert [game.game for game in read_games(tmp_path, note=told.append)] == [1, 4]
    assert len(told) == 2
    assert told[0].startswith(f"{path}:2: expected JSON")
    assert told[1].startswith(f"{path}: game 3: ")
    assert all(line.endswith("; this line is left out") for line in told)
    assert [game.game for game in read_any_games(tmp_path, note=told.append)] == [1, 4]
    path.write_bytes(b"{]\n")
    with pytest.raises(RunReadError, match=r"expected a run's games, found .*games\.jsonl:1"):
        read_games(tmp_path, note=told.append)


def test_a_deep_run_file_or_manifest_is_one_error(tmp_path: Path) -> None:
    write(tmp_path, LINE, RUN)
    (tmp_path / "run.json").write_text(DEEP, encoding="utf-8")
    with pytest.raises(RunReadError, match="expected JSON"):
        read_games(tmp_path)
    (tmp_path / "00000001").mkdir()
    (tmp_path / "00000001" / "manifest.json").write_text(DEEP, encoding="utf-8")
    store = CheckpointStore(tmp_path)
    with pytest.raises(CheckpointError, match="expected a manifest"):
        store.check(1)
    assert store.load(lambda checkpoint: None)[0] is None
