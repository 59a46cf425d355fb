"""What the tests of whole matches share: workers that begin warm."""

from __future__ import annotations

import multiprocessing
import os

import pytest

from tests.warm_workers import WarmContext


@pytest.fixture(scope="session")
def warm_context() -> WarmContext | None:
    """The process of which warm workers are forks; None on Windows, which has no forks."""
    return None if os.name == "nt" else WarmContext()


@pytest.fixture(autouse=True, scope="module")
def warm_workers(warm_context: WarmContext | None):
    """Let the workers of a module's apps begin warm, but for what asks for `cold_workers`."""
    with pytest.MonkeyPatch.context() as patch:
        if warm_context is not None:
            patch.setattr("sim.core.workers.link.multiprocessing", warm_context)
        yield


@pytest.fixture
def cold_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each worker begin as outside of the tests."""
    monkeypatch.setattr("sim.core.workers.link.multiprocessing", multiprocessing)
