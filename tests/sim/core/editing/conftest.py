"""The stage that every test of editing stands on."""

from __future__ import annotations

import pytest

from tests.sim.core.editing.edit_stage import EditStage


@pytest.fixture
def stage(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    made = EditStage(root)
    yield made
    made.close()
