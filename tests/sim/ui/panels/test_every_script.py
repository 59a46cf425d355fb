"""Text of every script in the studio: typed into the prompt, and as names of objects."""

from __future__ import annotations

import numpy as np

from sim.testing import Pilot


def ink(before, after):
    return (np.abs(after.astype(int) - before.astype(int)).max(axis=2) > 40).sum()


def test_the_prompt_takes_and_shows_letters_of_every_script():
    with Pilot(scene="scenes/hello.scene.json", window=(900, 600), quality="low") as pilot:
        prompt = pilot.app.shell.console.prompt
        pilot.app.shell.preferences.arrange("studio")
        pilot.draw_panels(3)
        prompt.focus()
        pilot.draw_panels(4)
        assert prompt.is_active
        typed = "Ωж漢か한ש"
        for letter in typed:
            before = pilot.picture()
            pilot.type_text(letter)
            pilot.draw_panels(1)
            assert ink(before, pilot.picture()) > 12, letter
        assert prompt.text == typed
        pilot.press("arrow_left")
        pilot.press("backspace")
        pilot.type_text("x")
        pilot.draw_panels(1)
        assert prompt.text == "Ωж漢かxש"
        obj = pilot.app.scene.spawn("שלום עולם")
        pilot.app.shell.choose(obj)
        pilot.draw_panels(3)
        assert not pilot.app.console.counts["error"]
