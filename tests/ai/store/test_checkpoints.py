from __future__ import annotations

import errno
import json
import os

import pytest

from ai.store.checkpoints import MANIFEST, CheckpointError, CheckpointStore


def save(store: CheckpointStore, text: str):
    return store.save({"text": text}, {"a.txt": text.encode(), "b.txt": (text * 2).encode()})


def load(store: CheckpointStore):
    taken = []
    checkpoint, messages = store.load(taken.append)
    assert taken == ([] if checkpoint is None else [checkpoint])
    return checkpoint, messages


def test_what_was_saved_is_loaded(tmp_path):
    store = CheckpointStore(tmp_path / "new" / "folder")
    save(store, "one")
    checkpoint, messages = load(store)
    assert checkpoint.state == {"text": "one"}
    assert checkpoint.file("b.txt").read_text() == "oneone"
    assert messages == []


def test_the_newest_and_the_one_before_are_kept(tmp_path):
    store = CheckpointStore(tmp_path)
    for text in ("one", "two", "three"):
        save(store, text)
    assert store.numbers() == [2, 3]
    assert load(store)[0].state == {"text": "three"}


@pytest.mark.parametrize("name", ["a.txt", "b.txt", MANIFEST])
@pytest.mark.parametrize("damage", ["cut", "flip", "gone"])
def test_damage_anywhere_falls_back_to_the_one_before(tmp_path, name, damage):
    store = CheckpointStore(tmp_path)
    save(store, "one")
    path = save(store, "two").file(name)
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    else:
        path.write_bytes(bytes([content[0] ^ 255]) + content[1:])
    checkpoint, messages = load(store)
    assert checkpoint.state == {"text": "one"}
    assert len(messages) == 1
    assert name in messages[0]
    assert "expected" in messages[0]


def test_a_damaged_checkpoint_is_set_aside_and_never_counts_again(tmp_path):
    store = CheckpointStore(tmp_path)
    save(store, "one")
    save(store, "two").file("a.txt").write_text("x")
    load(store)
    save(store, "three")
    assert [load(store)[0].state, load(store)[1]] == [{"text": "three"}, []]
    assert (tmp_path / "damaged-00000002").is_dir()
    assert 1 in store.numbers()


def test_a_checkpoint_that_its_reader_refuses_is_passed_over(tmp_path):
    store = CheckpointStore(tmp_path)
    save(store, "one")
    save(store, "two")

    def take(checkpoint):
        if checkpoint.state["text"] == "two":
            raise CheckpointError("does not fit")

    checkpoint, messages = store.load(take)
    assert checkpoint.state == {"text": "one"}
    assert "does not fit" in messages[0]


def test_a_full_disk_is_a_clear_error_and_the_last_good_one_stays(tmp_path, monkeypatch):
    store = CheckpointStore(tmp_path)
    save(store, "one")

    def full(path, data):
        path.write_bytes(data[:2])
        if path.name == "b.txt":
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("ai.store.checkpoints.write_synced", full)
        with pytest.raises(CheckpointError, match="No space left on device"):
            store.save({}, {"a.txt": b"x", "b.txt": b"half"})
    assert load(store)[0].state == {"text": "one"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["00000001"]


def test_the_leftover_of_a_killed_writer_is_ignored_and_removed(tmp_path):
    store = CheckpointStore(tmp_path)
    save(store, "one")
    leftover = tmp_path / ".unfinished-00000002-1"
    leftover.mkdir()
    (leftover / "a.txt").write_text("half")
    assert load(store)[0].state == {"text": "one"}
    save(store, "two")
    assert not leftover.exists()


def test_a_checkpoint_that_is_half_deleted_is_none(tmp_path, monkeypatch):
    store = CheckpointStore(tmp_path, keep=1)
    save(store, "one")

    class Killed(BaseException):
        pass

    def kill(path, **_):
        if path.exists() and (path / "a.txt").exists():
            (path / "a.txt").unlink()
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("ai.store.checkpoints.shutil.rmtree", kill)
        with pytest.raises(Killed):
            store.clear()
    assert store.numbers() == []
    assert load(store) == (None, [])
    assert list(tmp_path.iterdir()) == [], "and what is left of it is gone"


def test_a_start_removes_what_a_killed_writer_left(tmp_path):
    store = CheckpointStore(tmp_path)
    save(store, "one")
    (tmp_path / ".unfinished-00000002-999999999").mkdir()
    running = tmp_path / f".unfinished-00000002-{os.getpid()}"
    running.mkdir()
    assert load(store)[0].state == {"text": "one"}
    assert sorted(path.name for path in tmp_path.iterdir()) == [running.name, "00000001"]


def test_a_manifest_cannot_name_files_elsewhere(tmp_path):
    store = CheckpointStore(tmp_path)
    checkpoint = save(store, "one")
    manifest = json.loads(checkpoint.file(MANIFEST).read_text())
    manifest["files"]["../../secret"] = "0"
    checkpoint.file(MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match="malformed"):
        store.check(1)


def test_checkpoints_are_listed_newest_first_without_those_that_cannot_be_read(tmp_path):
    store = CheckpointStore(tmp_path, keep=3)
    for text in ("one", "two", "three"):
        save(store, text)
    (store.directory / "00000002" / MANIFEST).write_text("{")
    assert [item.state["text"] for item in store.listed()] == ["three", "one"]
    assert store.numbers() == [1, 2, 3], "looking changes nothing"


def test_an_empty_store_has_nothing_and_clear_makes_it_so(tmp_path):
    store = CheckpointStore(tmp_path)
    assert load(store) == (None, [])
    save(store, "one")
    store.clear()
    assert load(store) == (None, [])


def test_the_state_is_read_without_the_files(tmp_path):
    store = CheckpointStore(tmp_path)
    checkpoint = save(store, "one")
    assert store.state(checkpoint.number) == checkpoint.state
    with pytest.raises(CheckpointError, match="expected a manifest"):
        store.state(99)


def test_every_file_is_on_the_disk_before_the_checkpoint_is_there(tmp_path, monkeypatch):
    """And what was written is moved in one step, not copied file by file."""
    store, synced = CheckpointStore(tmp_path), []
    fsync = os.fsync

    def spy(handle):
        assert store.numbers() == []
        synced.append(os.fstat(handle).st_ino)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", spy)
    checkpoint = store.save({}, {"a.txt": b"one", "b.txt": b"one"})
    nodes = {path.name: path.stat().st_ino for path in checkpoint.directory.iterdir()}
    assert set(nodes) == {"a.txt", "b.txt", MANIFEST}
    assert set(synced) == set(nodes.values())
