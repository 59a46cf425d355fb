"""Opening and closing the panels that a project offers: with a fake scene."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.project.manifest import Entry
from sim.ui.shell.panel_windows import ProjectPanels


class World:
    """Remembers what is spawned and destroyed."""

    def __init__(self):
        self.spawned = []
        self.destroyed = []

    def spawn(self, name, components):
        self.spawned.append(SimpleNamespace(name=name, components=components, is_alive=True))
        return self.spawned[-1]

    def destroy(self, obj):
        obj.is_alive = False
        self.destroyed.append(obj)


@pytest.fixture
def panels():
    return ProjectPanels(World(), (Entry("notes", "scripts.notes:Notes"),))


def test_a_panel_is_an_object_until_it_is_closed(panels):
    world = panels.scene
    panels.open("notes")
    panels.open("notes")
    (made,) = world.spawned
    assert made.components == [("scripts.notes:Notes", {})]
    assert panels.is_open("notes")
    panels.close("notes")
    panels.close("notes")
    assert world.destroyed == [made]
    assert not panels.is_open("notes")


def test_closing_what_is_closed_or_gone_does_nothing(panels):
    panels.close("notes")
    panels.open("notes")
    panels.scene.spawned[0].is_alive = False
    panels.close("notes")
    assert panels.scene.destroyed == []
    with pytest.raises(LookupError, match=r"expected a panel of the project \(notes\)"):
        panels.open("other")
