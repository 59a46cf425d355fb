"""`--out` that cannot be written is wrong usage, the same for each command."""

from __future__ import annotations

from pathlib import Path

import pytest

from base.errors import UsageError
from sim.commands.cli.output_folder import lock_out, writing_out


def test_a_folder_that_cannot_be_made_is_told_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"--out: expected a folder .*, found .*file.*: "):
        lock_out(tmp_path / "file" / "run")
    with pytest.raises(UsageError, match="No space left"), writing_out():
        raise OSError(28, "No space left", "a")


def test_one_that_can_is_locked_until_it_is_given_back(tmp_path: Path) -> None:
    with lock_out(tmp_path / "run"):
        assert (tmp_path / "run").is_dir()
        with pytest.raises(Exception, match="run"):
            lock_out(tmp_path / "run")
    with lock_out(tmp_path / "run"):
        pass
