"""What `--project DIR` makes of the words of a command."""

from __future__ import annotations

import pytest

from base.errors import UsageError
from sim.commands.cli.project_option import FLAG, words_for


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["new", "project", "x"], "found new project$"),
        (["--seed", "3"], "expected a command after .*found '--seed'"),
    ],
)
def test_a_command_that_knows_no_project_is_named(tmp_path, words, found):
    with pytest.raises(UsageError, match=found):
        words_for(tmp_path, words)


def test_commands_get_the_folder_as_they_take_it(tmp_path):
    assert words_for(tmp_path, []) == ["--help"]
    assert words_for(tmp_path, ["test", "-x"]) == ["test", str(tmp_path), "-x"]
    assert words_for(tmp_path, ["new", "script"]) == ["new", "script", FLAG, str(tmp_path)]
