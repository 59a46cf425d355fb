"""The recording panel: what it shows, and that its button films."""

from __future__ import annotations

import cv2
import pytest

from sim.core.project.run_context import parse_size
from sim.testing import Pilot
from sim.ui.panels.recording import RecordingPanel, clock_text

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


@pytest.mark.parametrize("text", ["1280x720", " 640 x 480 ", "16×16"])
def test_a_size_is_read(text):
    width, height = parse_size(text)
    assert text.strip().replace(" ", "").replace("×", "x") == f"{width}x{height}"


@pytest.mark.parametrize("text", ["", "x", "1280", "1281x720", "8x8", "9000x720", "-2x4", "axb"])
def test_a_size_that_no_video_can_have_is_named(text):
    with pytest.raises(ValueError, match=r"expected WIDTHxHEIGHT.*found"):
        parse_size(text)


def test_a_film_has_the_size_that_was_typed_and_a_wrong_one_changes_nothing(tmp_path):
    with Pilot(scene=HELLO, speed=1.0, window=(400, 300), quality="low") as pilot:
        recorder = pilot.app.recorder
        recorder.folder = tmp_path
        panel = RecordingPanel(recorder)
        panel.set_size("320x240")
        panel.set_size("321x240")
        assert "321x240" in panel.fault
        recorder.start(mode="exact")
        pilot.step(2)
        recorder.close()
        video = cv2.VideoCapture(str(recorder.last))
        sides = (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
        assert [video.get(side) for side in sides] == [320, 240]
        panel.set_size("")
        assert recorder.settings.size is None
        assert not panel.fault
