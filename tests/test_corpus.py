"""The corpus of hostile files: what it changes was sound, it repeats, and what does harm is told."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from benchmarks import corpus_files, corpus_made
from benchmarks.corpus_files import Outcome


def test_the_files_are_the_same_for_the_same_seed_and_as_many_as_asked_for() -> None:
    for make in (corpus_made.scenes, corpus_made.assets, corpus_made.games):
        first = list(make(120, random.Random(3)))
        assert first == list(make(120, random.Random(3)))
        assert len({name for name, _ in first}) == len(first) == 120


@pytest.mark.nightly
def test_what_is_changed_was_sound(tmp_path: Path) -> None:
    scene = tmp_path / "scenes" / "a.scene.json"
    scene.parent.mkdir()
    scene.write_text(json.dumps(corpus_made.sound_scene()), encoding="utf-8")
    assert corpus_files.look(scene) == []
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "beside.png").write_bytes(corpus_made.small_png())
    for kind in ("fbx", "glb", "obj", "wav", "png", "gltf", "egg", "ply", "stl", "dae"):
        file = tmp_path / "assets" / f"a.{kind}"
        file.write_bytes(getattr(corpus_made, f"small_{kind}")())
        assert corpus_files.look(file) == [], kind


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a.scene.json::format: expected 'goishi.scene/1', found 3", True),
        ("expected a picture", True),
        ("KeyError: 3", False),
        ("expected\na picture", False),
        ("expected a picture, found " + "x" * 5000, False),
    ],
)
def test_a_line_is_clear(line: str, expected: bool) -> None:
    assert corpus_files.is_clear(line) is expected


def test_each_crash_hang_and_unclear_word_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    good = [Outcome("a", "taken"), Outcome("b", "told", "expected x, found y")]
    assert not corpus_files.report("files", good, 1.0)
    for kind in ("crash", "hang", "unclear"):
        assert corpus_files.report("files", [*good, Outcome("c", kind, "bad words")], 1.0)
        assert f"{kind} c: bad words" in capsys.readouterr().out


def test_game_files_are_read_or_refused_in_one_line(tmp_path: Path) -> None:
    for file in corpus_files.write_files(
        tmp_path / "games", corpus_made.games(200, random.Random(1))
    ):
        said = corpus_files.look(file)
        assert all(map(corpus_files.is_clear, said)), (file.read_bytes(), said)
