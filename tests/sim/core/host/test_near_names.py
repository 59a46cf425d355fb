"""Names that do not exist: the message lists those that are spelt alike."""

from __future__ import annotations

import pytest

from base.errors import FieldError

WALKER = """
    class Walker(Script):
        speed = field(1.0)
        height = field(1.0)
"""


@pytest.fixture
def app(stage):
    stage.script("walker", WALKER)
    typed = {
        "cmp_one": {"type": "sim:RigidBdy"},
        "cmp_two": {"type": "scripts.walker:Wlaker"},
        "cmp_three": {"type": "scripts.wlaker:Walker"},
        "cmp_four": {"type": "scripts.walker:Walker", "fields": {"speeed": 3.0, "other": 1}},
    }
    app = stage.open({"obj_one": {"name": "Player", "components": typed}})
    app.frame()
    return app


def test_types_and_fields_of_a_scene(app):
    told = [record.text for record in app.console.records]
    assert len(told) == 4
    for part in (
        "expected a component of the engine, found sim:RigidBdy; did you mean 'sim:RigidBody'",
        "expected the class Wlaker, found Walker; did you mean 'Walker'?",
        "found none; did you mean 'walker.py'?",
        "Walker.speeed: expected a field, found none; did you mean 'speed'?",
    ):
        assert sum(part in text for text in told) == 1, part


def test_fields_that_are_set(app):
    slot, player = app.scene.component("cmp_four"), app.scene.find("Player")
    with pytest.raises(FieldError, match="found none; did you mean 'height'"):
        app.host.set_field(slot, "heigth", 1.0)
    with pytest.raises(FieldError, match="found mas; did you mean 'mass'"):
        player.add("sim:RigidBody", mas=1.0)
