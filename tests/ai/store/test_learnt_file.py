"""What was learnt in one file: the same on another machine, and a wrong file changes nothing."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ai.game import WHITE, Board, GameRecord, Rules
from ai.messages import (
    Configure,
    LearnerOpened,
    ListCheckpoints,
    LoadLearnt,
    LoadWeights,
    OpenLearner,
    PlayRequest,
    RollBack,
    SaveLearnt,
    TrainRequest,
)
from ai.search.base import Limit
from ai.store import learnt_file
from ai.store.learnt_file import MANIFEST, LearntFile, LearntFileError, read_learnt, write_learnt
from ai.workers.player import PlayerService
from ai.workers.trainer import TrainerService
from base import files
from tests.command_line import run_here
from tests.common import silent

RULES = Rules(7, 5, full_board_winner=WHITE)
LOST = ("d1 a1 d2 a2 d3 a3 d4 a4 d5", "c3 g1 d4 g2 e5 g3 f6 g4 b2", "a7 g1 b6 g2 c5 g3 d4 g4 e3")
POSITIONS = ("d1", "d1 a1 d2", "c3 g1 d4 g2 e5", "a7 g1 b6 g2 c5 g3 d4", "d4 d3 e5 e4 f6")


def opened(directory: Path, player: str = "ann", **settings: object) -> TrainerService:
    service = TrainerService()
    service.handle(OpenLearner(player, RULES, settings, 1, str(directory), False), silent)
    return service


def learn(service: TrainerService, games: tuple[str, ...], first: int = 1) -> None:
    for number, moves in enumerate(games, first):
        record = GameRecord.from_board(Board.from_moves(moves, RULES), number)
        service.handle(TrainRequest(0, number, record), silent)


def moves_of(service: TrainerService) -> list[int]:
    """What the player answers in some positions, with what the learner has learnt."""
    trained = service._session.learner.weights()
    player = PlayerService()
    player.handle(Configure("ann", RULES, {}), silent)
    player.handle(LoadWeights(trained.network_id, trained.arrays, trained.memory), silent)
    found = []
    for text in POSITIONS:
        board = Board.from_moves(text, RULES)
        asked = PlayRequest(0, 1, board.ply, tuple(board.moves), Limit(), 3)
        found.append(player.handle(asked, silent).choice.move)
    return found


def state_of(service: TrainerService) -> dict[str, object]:
    """Everything that was learnt, to the bit."""
    state = service._session.learner.state()
    arrays = {**state.weights, **{f"memory.{key}": item for key, item in state.memory.items()}}
    return {"values": state.values} | {
        key: (str(item.dtype), item.shape, item.tobytes()) for key, item in arrays.items()
    }


@pytest.fixture(scope="module")
def taught(tmp_path_factory) -> tuple[Path, TrainerService]:
    folder = tmp_path_factory.mktemp("taught")
    service = opened(folder / "learner")
    learn(service, LOST)
    service.handle(SaveLearnt(str(folder / "white.learnt")), silent)
    return folder / "white.learnt", service


def test_a_fresh_home_gets_the_same_to_the_bit_and_plays_the_same(taught, tmp_path):
    path, source = taught
    fresh = opened(tmp_path / "learner")
    before = moves_of(fresh)
    answer = fresh.handle(LoadLearnt(str(path)), silent)
    assert isinstance(answer, LearnerOpened)
    assert answer.games_learnt == len(LOST)
    assert state_of(fresh) == state_of(source)
    assert moves_of(fresh) == moves_of(source) != before
    assert state_of(opened(tmp_path / "learner")) == state_of(source), "it is there after a restart"
    assert fresh.handle(ListCheckpoints(), silent).checkpoints == (), "nothing was there before"


def test_the_same_learning_is_the_same_file(taught, tmp_path):
    path, source = taught
    source.handle(SaveLearnt(str(tmp_path / "again.learnt")), silent)
    assert (tmp_path / "again.learnt").read_bytes() == path.read_bytes()


def test_what_was_there_before_is_a_checkpoint(taught, tmp_path):
    path, source = taught
    other = opened(tmp_path / "learner")
    learn(other, LOST[:1], first=9)
    before = state_of(other)
    other.handle(LoadLearnt(str(path)), silent)
    (kept,) = other.handle(ListCheckpoints(), silent).checkpoints
    assert (kept.name, kept.game) == ("before white", 9)
    assert other._session.learner.games_learnt == 9, "games that are known are not learnt again"
    assert moves_of(other) == moves_of(source)
    other.handle(RollBack(kept.place), silent)
    restored = state_of(other)
    assert {key: restored[key] for key in before if key != "values"} == {
        key: before[key] for key in before if key != "values"
    }


def places(content: bytes) -> list[int]:
    """Bytes of every part of the archive, and some between."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        heads = [info.header_offset for info in archive.infolist()]
        start = archive.start_dir
    end = content.rindex(b"PK\x05\x06")
    near = [at + step for at in (*heads, start, end) for step in range(0, 46, 3)]
    return sorted({at for at in (*near, *range(0, len(content), 211)) if at < len(content)})


def read_or_fault(path: Path) -> tuple[LearntFile | None, str]:
    try:
        return read_learnt(path), ""
    except LearntFileError as error:
        return None, str(error)


def test_no_changed_or_cut_byte_changes_what_is_there(taught, tmp_path):
    path = taught[0]
    content, held = path.read_bytes(), read_learnt(path)
    service = opened(tmp_path / "learner")
    learn(service, LOST[:1])
    before, broken = state_of(service), tmp_path / "broken.learnt"
    folder = sorted(item for item in (tmp_path / "learner").rglob("*"))
    refused = 0
    for at in places(content):
        for damaged in (
            content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :],
            content[:at],
        ):
            broken.write_bytes(damaged)
            found, fault = read_or_fault(broken)
            if found is not None:  # a byte that says nothing, as that of a date
                assert (found.state, found.files) == (held.state, dict(held.files))
                continue
            refused += 1
            assert "\n" not in fault
            assert str(broken) in fault
            if at % 5 == 0:  # through the trainer, too
                with pytest.raises(LearntFileError):
                    service.handle(LoadLearnt(str(broken)), silent)
    assert refused > len(places(content))
    assert state_of(service) == before
    assert sorted(item for item in (tmp_path / "learner").rglob("*")) == folder


def made(path: Path, change) -> Path:
    """Write an archive whose entries, by name, somebody has changed."""
    with zipfile.ZipFile(path) as archive:
        entries = {info.filename: archive.read(info) for info in archive.infolist()}
    manifest = json.loads(entries[MANIFEST])
    change(manifest, entries)
    if entries.get(MANIFEST) is not None:
        entries[MANIFEST] = json.dumps(manifest).encode()
    else:
        entries.pop(MANIFEST, None)
    target = path.with_name("made.learnt")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return target


def escape(manifest, entries):
    entries["files/../../evil"] = b"x"
    manifest["files"]["../../evil"] = {"size": 1, "sha256": hashlib.sha256(b"x").hexdigest()}


def bomb(manifest, entries):
    name = next(iter(manifest["files"]))
    entries[f"files/{name}"] = bytes(30_000_000)


def pickled(manifest, entries):
    name = next(item for item in manifest["files"] if item.endswith(".npz"))
    stream = io.BytesIO()
    np.savez(stream, vectors=np.array([os.getcwd, {}], object))
    entries[f"files/{name}"] = stream.getvalue()
    manifest["files"][name]["sha256"] = hashlib.sha256(stream.getvalue()).hexdigest()


HOSTILE = {
    "a path that leaves": (escape, "expected plain names"),
    "a bomb": (bomb, "expected at most"),
    "pickled objects": (pickled, ""),
    "no manifest": (lambda manifest, entries: entries.update({MANIFEST: None}), "found no"),
    "another format": (lambda manifest, _: manifest.update(format="x/9"), "expected the format"),
    "a file too many": (
        lambda _, entries: entries.update({"files/more": b""}),
        "that the manifest",
    ),
    "many files": (
        lambda _, entries: entries.update({f"files/f{n}": b"" for n in range(40)}),
        "expected at most 16",
    ),
    "a text for a number": (
        lambda manifest, _: manifest["state"].update(games_learnt="many"),
        "expected a number",
    ),
    "a number without end": (
        lambda manifest, _: manifest["state"].update(games_learnt=10**40),
        "expected a number",
    ),
    "a counter less": (lambda manifest, _: manifest["state"].pop("network_id"), ""),
    "another player": (
        lambda manifest, _: manifest.update(player="cnn-ann", learner="x"),
        "found what cnn-ann has; choose that player first",
    ),
    "other rules": (
        lambda manifest, _: (manifest.update(learner="x"), manifest["rules"].update(size=9)),
        "found other rules: size 9",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_from_elsewhere_is_one_line_and_changes_nothing(name, taught, tmp_path, monkeypatch):
    monkeypatch.setattr(learnt_file, "MOST_BYTES", 20_000_000)
    source = tmp_path / "source.learnt"
    source.write_bytes(taught[0].read_bytes())
    change, says = HOSTILE[name]
    path = made(source, change)
    service = opened(tmp_path / "learner")
    learn(service, LOST[1:2])
    before = state_of(service)
    with pytest.raises(LearntFileError) as caught:
        service.handle(LoadLearnt(str(path)), silent)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert state_of(service) == before
    assert service.handle(ListCheckpoints(), silent).checkpoints == ()


def test_what_is_no_file_or_cannot_be_written_is_one_line(taught, tmp_path, monkeypatch):
    held = read_learnt(taught[0])
    for path in (tmp_path / "none.learnt", tmp_path, Path("/dev/null")):
        with pytest.raises(LearntFileError, match="not loaded"):
            read_learnt(path)
    target = tmp_path / "kept.learnt"
    target.write_text("kept")

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_synced", full)
    with pytest.raises(LearntFileError, match="not saved: No space left on device"):
        write_learnt(target, held)
    assert target.read_text() == "kept"


def test_the_command_saves_and_loads(taught, tmp_path, capsys):
    first, second, path = tmp_path / "one", tmp_path / "two", str(tmp_path / "moved.learnt")
    code, _, error = run_here(capsys, "learnt", "save", path, "--data-dir", str(first))
    assert (code, "found nothing in" in error) == (2, True)
    code, out, error = run_here(capsys, "learnt", "load", str(taught[0]), "--data-dir", str(first))
    assert (code, error) == (0, "")
    assert "ann: 3 games" in out
    assert run_here(capsys, "learnt", "save", path, "--data-dir", str(first))[0] == 0
    assert run_here(capsys, "learnt", "load", path, "--data-dir", str(second))[0] == 0
    (folder,) = second.glob("scn_*/learner")
    assert state_of(opened(folder)) == state_of(taught[1])
    Path(path).write_bytes(b"PK no archive")
    code, _, error = run_here(capsys, "learnt", "load", path, "--data-dir", str(second))
    assert code == 1
    assert error.count("\n") == 1
    assert "expected a file of what was learnt" in error
