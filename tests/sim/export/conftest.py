"""Exported libraries that the tests of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.commands.cli import application
from sim.export.exporter import ExportRequest, export
from tests.sim.export.hosts import (
    HERE,
    ROOT,
    build_host,
    link_words,
)

PLAYER = ROOT / "scripts" / "export" / "gomoku_player.py"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported sample script."""
    out = tmp_path_factory.mktemp("sample") / "with ä space"
    export(ExportRequest(HERE / "sample_script.py", out, "sample_script"))
    return out


@pytest.fixture(scope="session")
def player(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported player."""
    out = tmp_path_factory.mktemp("player") / "player"
    assert application.run_application(["export", str(PLAYER), "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="session")
def sample_host(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("host") / "faults_host"
    return build_host("faults_host.c", target, *link_words(sample, "sample_script"))
