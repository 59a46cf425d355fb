"""What each answer does when a scene that was edited by hand is stopped: without a window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.ui.shell import toolbar


@pytest.mark.parametrize(
    ("pressed", "kept"),
    [("Stop and keep the edits", [True]), ("Stop and discard the edits", [False]), ("Play on", [])],
)
def test_each_answer_does_what_it_says_and_tells_it(monkeypatch, pressed, kept):
    said, ended, closed = [], [], []
    imgui = SimpleNamespace(
        begin_popup=lambda name: True, end_popup=lambda: None, text=lambda words: None,
        same_line=lambda *_: None, button=lambda label: label == pressed,
        close_current_popup=lambda: closed.append(True),
    )  # fmt: skip
    monkeypatch.setattr(toolbar, "imgui", imgui)
    bar = SimpleNamespace(
        _asks=False,
        end=lambda keep: ended.append(keep),
        _console=SimpleNamespace(python=said.append),
    )
    toolbar.PlaybackBar._draw_question(bar)
    assert ended == kept
    assert said == [f"shell.playback.end(keep={keep})" for keep in kept]
    assert closed == [True]
