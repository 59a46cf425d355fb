"""OpenCV's windows without a display: one error in place of the end of the process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from types import ModuleType

import pytest

from sim.core.host import display_guard
from tests.command_line import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is a display")
PROGRAM = """
from sim.core.host.display_guard import install_display_guard
{before}
install_display_guard()
import cv2, numpy
assert cv2.resize(numpy.zeros((4, 4)), (2, 2)).shape == (2, 2)
for name, words in (("imshow", ("a", numpy.zeros((9, 9)))), ("namedWindow", ("a",))):
    try:
        getattr(cv2, name)(*words)
    except RuntimeError as error:
        assert f"cv2.{{name}}: expected a display" in str(error)
"""


@pytest.mark.parametrize("before", ["", "import cv2"])
@pytest.mark.parametrize("display", ["", ":98765"])
def test_opencv_without_a_display_is_an_error(before: str, display: str) -> None:
    environment = {**os.environ, "DISPLAY": display}
    words = [sys.executable, "-c", PROGRAM.format(before=before)]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_display_is_asked_whether_it_is_there(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(display_guard, "SOCKET", str(tmp_path / "X"))
    for name, expected in (("", False), ("nonsense", False), (":7", False), ("far:0", True)):
        monkeypatch.setenv("DISPLAY", name)
        assert display_guard.has_display() is expected
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "X7"))
        server.listen()
        for name in (":7", ":7.0", "unix:7"):
            monkeypatch.setenv("DISPLAY", name)
            assert display_guard.has_display()


def test_with_a_display_nothing_is_changed(monkeypatch) -> None:
    monkeypatch.setattr(display_guard, "has_display", lambda: True)
    fake = ModuleType("cv2")
    fake.imshow = print  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cv2", fake)
    display_guard.install_display_guard()
    assert fake.imshow is print  # type: ignore[attr-defined]
