"""Egg files: against a rig computed by hand."""

from __future__ import annotations

from pathlib import Path

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
