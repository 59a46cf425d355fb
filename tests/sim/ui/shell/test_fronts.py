"""Which tabs are in front: those of the arrangement, in the first picture that shows it."""

from __future__ import annotations

from imgui_bundle import imgui

from sim.testing import Pilot


def shown(pilot):
    """Titles of the panels whose tabs are in front."""
    shell = pilot.app.shell
    panels = [panel.title for panel in (*shell.panels, *pilot.app.host.panels.panels)]
    windows = {title: imgui.internal.find_window_by_name(f"###{title}") for title in panels}
    return {name for name, item in windows.items() if item and item.was_active and not item.hidden}


def test_an_arrangement_stands_in_its_first_picture_and_keys_after_it_meet_it():
    with Pilot(scene="scenes/hello.scene.json", speed=1.0, quality="low") as pilot:
        slot = next(iter(pilot.app.scene.components()))
        for title, dock in (("Games", "left"), ("Training", "right")):
            pilot.app.host.panels.register(slot, title, lambda ui: None, dock=dock)
        shell = pilot.app.shell
        pilot.app.clock.pause()
        pilot.draw_panels(10)
        pictures = []
        draw = shell.draw
        shell.draw = lambda *given, **rest: (draw(*given, **rest), pictures.append(shown(pilot)))[0]
        for _ in range(2):
            pictures.clear()
            pilot.press("f4")
            after = [picture for picture in pictures if "Training" not in picture]
            assert {"Hierarchy", "Inspector", "Console"} <= after[0]
            assert not any("Games" in picture for picture in after)
            assert len(after) >= len(pictures) - 1, "at most the picture before the key"
            pilot.press("f3")
            assert "Training" in shown(pilot)
        shell.preferences.arrange("studio")
        shell.panel_windows.open_front(
            "Games"
        )  # in the same frame: what was asked for last is in front
        pilot.draw_panels(1)
        assert {"Games", "Inspector", "Console"} <= shown(pilot)


def test_what_was_asked_for_last_is_in_front_of_a_panel_that_appears_with_it():
    with Pilot(scene="scenes/hello.scene.json", speed=1.0, quality="low") as pilot:
        slot = next(iter(pilot.app.scene.components()))
        panels, windows = pilot.app.host.panels, pilot.app.shell.panel_windows
        for title in ("Games", "Rules"):
            panels.register(slot, title, lambda ui: None, dock="left")
        pilot.draw_panels(10)
        panels.register(slot, "Review", lambda ui: None, dock="left")
        windows.open_front("Games")
        pilot.draw_panels(3)
        assert "Games" in shown(pilot)
        panels.register(slot, "Analysis", lambda ui: None, dock="left")
        pilot.draw_panels(3)
        assert "Analysis" in shown(pilot), "a new panel comes to the front by itself"
        windows.open_front("Rules")
        pilot.draw_panels(3)
        assert "Rules" in shown(pilot)
