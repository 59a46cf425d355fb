"""Egg files: against a rig computed by hand."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.sim.render.importing.model_files import TOLERANCE, Model, apart, imported

EGG = """<CoordinateSystem> { Z-Up }
<Group> rig { <Dart> { 1 }
  <VertexPool> pool {
    <Vertex> 0 { 0 0 0 } <Vertex> 1 { 1 0 0 } <Vertex> 2 { 1 0 1 }
  }
  <Polygon> { <RGBA> { 1 0 0 1 } <VertexRef> { 0 1 2 <Ref> { pool } } }
  <Joint> base { <Transform> { <Matrix4> { 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 } }
    <VertexRef> { 0 <Ref> { pool } }
    <Joint> tip { <Transform> { <Matrix4> { 1 0 0 0 0 1 0 0 0 0 1 0 1 0 0 1 } }
      <VertexRef> { 1 2 <Ref> { pool } }
    }
  }
}
<Table> { <Bundle> rig { <Table> "<skeleton>" { <Table> base { <Xfm$Anim_S$> xform {
  <Scalar> fps { 10 } <Char*> order { sprht } } <Table> tip { <Xfm$Anim_S$> xform {
  <Scalar> fps { 10 } <Char*> order { sprht } <S$Anim> x { <V> { 1 1.5 2 } } } } } } } }
"""


def test_an_egg_keeps_its_joints_and_its_clip(tmp_path: Path) -> None:
    (tmp_path / "rig.egg").write_text(EGG)
    ((report, made),) = imported([tmp_path / "rig.egg"], tmp_path / "made")
    assert "error" not in report, report
    model = Model(made)
    assert {"base", "tip"} <= set(model.rig.joints)
    (clip,) = model.rig.clips.values()
    assert clip.duration == pytest.approx(0.2)
    for time, shift in ((0.0, 0.0), (0.05, 0.25), (0.2, 1.0)):
        expected = np.array([(0, 0, 0), (1 + shift, 0, 0), (1 + shift, 0, 1)])
        assert apart(model.points(clip.name, time), expected) < TOLERANCE


TRIANGLE = """<CoordinateSystem> {{ Z-Up }}
<Texture> seen {{ "{picture}" }}
<VertexPool> pool {{ <Vertex> 0 {{ 0 0 0 <UV> {{ 0 0 }} }} <Vertex> 1 {{ 1 0 0 <UV> {{ 1 0 }} }}
  <Vertex> 2 {{ 0 1 0 <UV> {{ 0 1 }} }} }}
<Polygon> {{ <TRef> {{ seen }} <VertexRef> {{ 0 1 2 <Ref> {{ pool }} }} }}
"""
FURTHER = '<CoordinateSystem> {{ Z-Up }}\n<Group> g {{ <File> {{ "{file}" }} }}'


@pytest.mark.skipif(os.name == "nt", reason="named pipes are of POSIX alone")
def test_an_egg_reads_no_file_outside_of_its_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "scenes").mkdir(parents=True)
    for folder, level in ((tmp_path, 77), (project, 33)):
        cv2.imwrite(str(folder / f"{level}.png"), np.full((4, 4, 3), level, np.uint8))
        (folder / f"part{level}.egg").write_text(TRIANGLE.format(picture=f"{level}.png"))
    (project / "link.png").symlink_to(tmp_path / "77.png")
    (project / "folder").symlink_to(tmp_path)
    os.mkfifo(project / "pipe.png")
    pictures = (
        "33.png", f"{tmp_path}/77.png", "../77.png", "link.png", "folder/77.png", "pipe.png"
    )  # fmt: skip
    further = ("part33.egg", f"{tmp_path}/part77.egg", "../part77.egg", "folder/part77.egg")
    files = [project / f"m{number}.egg" for number in range(len(pictures) + len(further))]
    texts = [
        *(TRIANGLE.format(picture=name) for name in pictures),
        *(FURTHER.format(file=name) for name in further),
    ]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    results = imported(files, tmp_path / "made", project)
    for name, (report, made) in zip((*pictures, *further), results, strict=True):
        content = (made / "model.bam").read_bytes()
        assert bytes([77]) * 12 not in content, name
        is_own = name in ("33.png", "part33.egg")
        assert (bytes([33]) * 12 in content) is is_own, name
        assert ("not found" in str(report["warnings"])) is not is_own, name
