"""`sim:Text`: letters as the model of an object; without an app."""

from __future__ import annotations

from types import SimpleNamespace

from sim.core.components.components import Text


def test_letters_that_were_removed_come_back_as_they_were():
    obj = SimpleNamespace(model=None, material={"rough": 1.0})
    letters = Text()
    letters.slot = SimpleNamespace(
        revision=1, object=obj, parsed={"text": "Hi", "size": 1.0, "depth": 0.1, "color": (1, 0, 0)}
    )
    letters.update(0.1)
    assert obj.model["text"] == letters.text
    assert obj.material == {"rough": 1.0, "color": list(letters.color)}
    letters.disable()
    assert obj.model is None
    letters.update(0.1)
    assert obj.model["text"] == letters.text
    obj.model = {"builtin": "box"}
    letters.disable()
    assert obj.model == {"builtin": "box"}, "another model is not its"
