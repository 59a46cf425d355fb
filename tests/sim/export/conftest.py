"""Exported libraries that the tests of this folder share."""

from __future__ import annotations

import hashlib
import py_compile
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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


@pytest.fixture(autouse=True, scope="session")
def compiled_once() -> Iterator[None]:
    """Compile each source of Python's library once; further exports get the same bytes."""
    known: dict[tuple[object, ...], bytes] = {}

    def compile_once(file: str, *, dfile: str, invalidation_mode: object, **options: Any) -> str:
        source = Path(file).read_bytes()
        key = (dfile, invalidation_mode, hashlib.sha256(source).digest())
        target = Path(cache_from_source(file))
        if key in known:
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(known[key])
        else:
            py_compile.compile(file, dfile=dfile, invalidation_mode=invalidation_mode, **options)
            known[key] = target.read_bytes()
        return str(target)

    stand_in = SimpleNamespace(**{**vars(py_compile), "compile": compile_once})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.export.runtime.py_compile", stand_in)
        yield


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
