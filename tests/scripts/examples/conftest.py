"""What the tests of the shipped examples share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sim.app.episodes import Episodes


@pytest.fixture(scope="module")
def episodes(request: pytest.FixtureRequest) -> Iterator[Episodes]:
    """Episodes of the module's `SCENE`, opened once for all of its tests."""
    made = Episodes.of_scene(request.module.SCENE)
    yield made
    made.close()
