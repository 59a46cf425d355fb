"""A byte order mark, as editors on Windows write it, is no part of a text that users bring."""

from __future__ import annotations

from pathlib import Path

from base.manifest import read_tables, summary
from base.modules import MOVED_FILE, read_moved
from base.storage.json_file import read_json as read_record
from sim.core.files.scene_json import read_json

MARK = b"\xef\xbb\xbf"


def test_files_of_a_project_may_begin_with_a_mark(tmp_path: Path) -> None:
    (tmp_path / "a.scene.json").write_bytes(MARK + b'{"id": "scn_a"}')
    (tmp_path / "goishi.toml").write_bytes(MARK + b'[models]\nhut = "hut:HUT"\n')
    (tmp_path / "hut.py").write_bytes(MARK + b'"""A hut."""\n')
    moved = tmp_path / MOVED_FILE
    moved.parent.mkdir(parents=True, exist_ok=True)
    moved.write_bytes(MARK + b'[modules]\n"a.b" = "c.d"\n')
    assert read_json(tmp_path / "a.scene.json") == {"id": "scn_a"}
    assert read_record(tmp_path / "a.scene.json") == {"id": "scn_a"}
    assert read_tables(tmp_path) == {"models": {"hut": "hut:HUT"}}
    assert summary(tmp_path, "hut:HUT", or_module=True) == "A hut."
    assert read_moved(tmp_path) == {"a.b": "c.d"}
