"""Which release of the mouse is a press of a button."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.script import hud


@pytest.mark.parametrize(
    ("canvas", "label", "is_run"), [(0, "Go", True), (1, "Go", False), (0, "Stop", False)]
)
def test_a_button_is_pressed_where_the_mouse_went_down_and_up_on_it(
    monkeypatch, canvas, label, is_run
):
    said, run = [], []
    monkeypatch.setattr(hud, "_run", lambda *found: run.append(found))
    console = SimpleNamespace(python=said.append)
    canvases = [SimpleNamespace(slot=SimpleNamespace(host=SimpleNamespace(console=console)))] * 1
    canvases.append(SimpleNamespace(slot=canvases[0].slot))
    button, other = SimpleNamespace(label="Go"), SimpleNamespace(label=label)
    looked = []
    layer = SimpleNamespace(_pressed=(canvases[0], button), _look_at=looked.append)
    hud.HudBoard._release(layer, (canvases[canvas], other))
    assert layer._pressed is None
    assert looked == [(canvases[canvas], other)]
    assert bool(run) == bool(said) == is_run
