"""What a run writes at its end: a value that cannot be written costs no other."""

from __future__ import annotations

import json
import math
import os
from collections import UserList
from pathlib import Path

import numpy as np
import pytest

from base.errors import GoishiError, UsageError
from base.locks import FolderBusyError
from sim.app.outputs import output_folders, write_json
from sim.core.project.run_options import RunOptions


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "stats.json"
    write_json(path, {"count": np.int64(3), "wins": [np.float32(0.5)], "all": np.arange(2)})
    assert json.loads(path.read_text()) == {"count": 3, "wins": [0.5], "all": [0, 1]}


def test_a_sequence_of_a_script_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "stats.json"
    write_json(path, {"seen": range(3), "games": [UserList("ab")]})
    assert json.loads(path.read_text()) == {"seen": [0, 1, 2], "games": [["a", "b"]]}


@pytest.mark.parametrize(
    "wrong",
    [{"odd": object()}, {"odd": b"odd"}, {"odd": math.nan}, {"odd": {(1, 2): 3}}, {("odd",): 1}],
)
def test_what_is_no_plain_value_is_named_and_the_rest_is_written(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    path = tmp_path / "stats.json"
    with pytest.raises(GoishiError, match=r"--stats: .*odd.*: expected numbers, texts, lists"):
        write_json(path, {"seed": 5, **wrong, "games": 2})
    assert json.loads(path.read_text()) == {"seed": 5, "games": 2}
    assert [item.name for item in tmp_path.iterdir()] == ["stats.json"]


def test_a_value_that_holds_itself_is_named(tmp_path: Path) -> None:
    own: list[object] = []
    own.append(own)
    with pytest.raises(GoishiError, match="Circular"):
        write_json(tmp_path / "stats.json", {"own": own})


def test_one_run_at_a_time_writes_its_records_into_a_folder(tmp_path: Path) -> None:
    """The first has not finished a game yet: no file of its own tells of it."""
    options = RunOptions(out=tmp_path / "run", headless=True, seconds=1.0)
    with output_folders(options):
        with (
            pytest.raises(FolderBusyError, match=f"in use by process {os.getpid()}"),
            output_folders(options),
        ):
            pass
        (tmp_path / "run" / "games.jsonl").touch()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["games.jsonl"]
    with (
        pytest.raises(UsageError, match="expected an empty folder, found files in"),
        output_folders(options),
    ):
        pass
