"""The profiler panel: F7, a frame held by a click, magnified bars, and scripts that open."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from sim.core.project.settings import fitting_scale
from sim.testing import Pilot

HELLO = "scenes/hello.scene.json"
SIZES = [(640, 360, 1.0), (1280, 720, 2.0), (1280, 720, 1.0)]


class Places:
    """Where the panel's items were drawn last."""

    def __init__(self, patch):
        self.found = {}
        for kind in ("invisible_button", "selectable", "button", "checkbox"):
            self._follow(patch, kind, getattr(imgui, kind))

    def _follow(self, patch, kind, draw):
        def noting(label, *arguments):
            result = draw(label, *arguments)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            self.found[label] = (low.x, low.y, high.x, high.y)
            return result

        patch.setattr(imgui, kind, noting)

    def click(self, pilot, label, share=0.5, button="mouse1", down=0.5):
        left, top, right, bottom = self.found[label]
        place = left + share * (right - left), top + down * (bottom - top)
        pilot.click(*place, button)
        pilot.draw_panels(2)


@pytest.fixture
def places(monkeypatch):
    return Places(monkeypatch)


@pytest.fixture(scope="module")
def window():
    with Pilot(scene=HELLO, speed=1.0, window=(800, 500), quality="low") as driven:
        yield driven


@pytest.fixture
def pilot(window):
    """The window as it was at first; the tests share one, as it takes long to open."""
    yield window
    shell, profiling = window.app.shell, window.app.host.profiling
    window.app.display.size = (800, 500)
    window.app.clock.resume()
    shell.preferences.set_scale(1.0)
    for layout in ("studio", "watch"):
        shell.preferences.arrange(layout)
        shell.open("Profiler", False)
        shell.open("Script", False)
    shell.profiler.by_class = False
    profiling.watch(False)
    profiling.resume()
    shell.layer.lay_out(least=9)


def test_f7_records_while_the_panel_is_open_and_a_click_holds_a_frame(pilot, places):
    app, shell = pilot.app, pilot.app.shell
    profiling = app.host.profiling
    assert not app.host.profiler._hearers
    pilot.press("f7")
    pilot.step(8)
    pilot.draw_panels(2)
    assert shell.is_open("Profiler")
    assert shell.profiler.is_seen
    assert len(profiling.history.frames) >= 8
    assert {"panels", "drawing", "scripts"} <= set(profiling.shown.phases)
    frame = profiling.history.frames[2]
    left, _, right, _ = places.found["frames"]
    places.click(pilot, "frames", share=(2.5 * shell.theme.px(4.0)) / (right - left))
    assert profiling.is_paused
    assert profiling.chosen is frame
    assert f">>> host.profiling.pause({frame.number})" in [
        record.text for record in app.console.records
    ]
    held = len(profiling.history.frames)
    places.click(pilot, "flame", share=0.5, down=0.1)
    assert not shell.profiler._flame.whole
    places.click(pilot, "flame", share=0.5, button="mouse3")
    assert shell.profiler._flame.whole
    assert len(profiling.history.frames) == held
    button = next(label for label in places.found if label.endswith("###hold"))
    places.click(pilot, button)
    assert not profiling.is_paused
    pilot.press("f7")
    pilot.draw_panels(2)
    assert not shell.is_open("Profiler")
    assert not app.host.profiler._hearers
    assert app.host.error_count == 0


def test_a_click_on_a_dear_script_opens_it(pilot, places):
    app, shell = pilot.app, pilot.app.shell
    pilot.press("f7")
    pilot.step(4)
    app.host.profiling.pause()
    pilot.draw_panels(2)
    shares = shell.profiler.shares()
    assert 0 < len(shares) <= 10
    assert list(shares) == sorted(shares, key=lambda share: -share.seconds)
    row = next(
        number for number, share in enumerate(shares)
        if shell.studio.inspector.scripts.script_of(app.scene.component(share.slot_id))
    )  # fmt: skip
    slot = app.scene.component(shares[row].slot_id)
    places.click(pilot, f"##{row}", share=0.1)
    path = shell.studio.inspector.scripts.script_of(slot)
    assert [tab.file.path for tab in shell.script.tabs] == [path]
    places.found.clear()
    pilot.press("f7")
    pilot.draw_panels(2)
    places.click(pilot, "by class", share=0.2)
    assert shell.profiler.by_class
    assert shell.profiler.shares()[0].object.endswith(("object", "objects"))


@pytest.mark.parametrize(
    ("width", "height", "scale", "layout"),
    [
        (640, 360, 1.0, "studio"),
        *(
            pytest.param(*size, layout, marks=pytest.mark.nightly)
            for size in SIZES
            for layout in ("watch", "studio")
        ),
    ],
)
def test_it_is_drawn_inside_its_dock_at_any_size(pilot, places, width, height, scale, layout):
    app, shell = pilot.app, pilot.app.shell
    app.display.size = (width, height)
    shell.preferences.arrange(layout)
    shell.preferences.set_scale(scale)
    assert fitting_scale(scale, (width, height)) == scale
    shell.layer.lay_out(least=9)
    shell.do("studio.profiler")
    app.host.profiling.watch(True)
    pilot.step(3)
    places.found.clear()
    shell.layer.lay_out(least=9)
    for label in ("frames", "flame"):
        left, top, right, _ = places.found[label]
        assert left >= 0
        assert right <= width
        assert right - left >= 200 * scale
        assert top < height - 28 * scale
    assert app.host.error_count == 0


def test_frame_time_and_steps_are_always_in_the_status_bar(pilot, monkeypatch):
    app, shell = pilot.app, pilot.app.shell
    app.gauge.restart()
    for _ in range(64):
        app.gauge.add(1.0 / 64, 0.0042, 1)
    written = []
    write = imgui.text_colored

    def noting(color, text):
        write(color, text)
        written.append((text, imgui.get_item_rect_min().x, imgui.get_item_rect_max().x))

    monkeypatch.setattr(imgui, "text_colored", noting)
    for layout, size in (("watch", (1280, 720)), ("studio", (640, 360))):
        app.display.size = size
        shell.preferences.arrange(layout)
        shell.layer.lay_out(least=9)
        found = [item for item in written if item[0].startswith("4.2 ms  ·  64 steps/s")]
        assert found
        assert 0 < found[-1][1] < found[-1][2] <= size[0]
        written.clear()
    app.clock.pause()
    shell.layer.lay_out()
    assert any(text.startswith("4.2 ms  ·  0 steps/s") for text, *_ in written)
