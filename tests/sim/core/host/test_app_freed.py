"""A closed app is freed with all that it holds, the window's picture included."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path

from tests.sim.core.stage import Stage


def test_nothing_keeps_a_closed_app(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.script("one", "class One(Script):\n    def update(self, dt): pass\n")
    stage.open_one("scripts.one:One")
    stage.frames(2)
    name = type(stage.slot("cmp_one").instance).__module__
    assert name in sys.modules
    app = weakref.ref(stage.app)
    stage.close()
    assert name not in sys.modules
    del stage
    gc.collect()
    assert app() is None


def test_two_apps_of_one_project_keep_their_own_modules(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.script("one", "class One(Script):\n    def update(self, dt): pass\n")
    stage.open_one("scripts.one:One")
    first = stage.app
    stage.open_one("scripts.one:One")
    name = type(stage.slot("cmp_one").instance).__module__
    first.close()
    assert sys.modules[name].One is type(stage.slot("cmp_one").instance)
    stage.close()
