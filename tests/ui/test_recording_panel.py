"""The recording panel: what it shows, and that its button films."""

from __future__ import annotations

import pytest

from sim.testing import Pilot
from sim.ui.recording import RecordingPanel, clock_text

HELLO = "scenes/hello.scene.json"


def test_the_panel_is_drawn_in_both_states_and_toggles(tmp_path):
    with Pilot(scene=HELLO, speed=1.0, window=(900, 600), quality="low") as pilot:
        recorder = pilot.app.recorder
        recorder.folder = tmp_path
        panel = RecordingPanel(recorder)
        shown = next(item for item in pilot.app.shell.panels if item.title == "Recording")
        shown.draw = panel.draw
        pilot.app.shell.open("Recording")
        idle = pilot.picture()
        assert panel.label == "Record"
        recorder.settings.mode = "exact"
        panel.toggle()
        pilot.step(60)
        assert panel.is_recording
        assert panel.label == "0:02"
        assert (pilot.picture() != idle).any()
        panel.toggle()
        recorder.close()
        assert panel.seconds == 0.0
        assert recorder.last.exists()
        assert pilot.app.host.error_count == 0


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0:00"), (67.9, "1:07"), (3600.0, "60:00")])
def test_clock_text(seconds, text):
    assert clock_text(seconds) == text
