"""Who may take a key first: with fakes, without a window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.input.input_actions import InputEvent
from sim.ui.shell.shell_input import ShellInput


@pytest.mark.parametrize(("key", "asked"), [("escape", 1), ("a", 0)])
def test_only_escape_asks_whether_something_is_to_be_left(key, asked):
    left = []
    taken = SimpleNamespace(
        key_list=SimpleNamespace(waiting=""), escape=lambda: True,
        leave=lambda: left.append(key) or True,
        keys=SimpleNamespace(action_of=lambda chord: "", press=lambda chord: False),
        _is_typing=False, _tool_of=lambda chord: "",
    )  # fmt: skip
    is_taken = ShellInput._handle_key(taken, InputEvent("key_down", key=key))
    assert len(left) == asked
    assert is_taken == bool(asked)
