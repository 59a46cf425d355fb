"""Skins: many figures posed in one call are drawn as each alone, and as Panda3D's joints draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from panda3d.core import LMatrix4f, NodePath, PandaNode, Texture, Thread, TransformState

from base.files import SHIPPED_ROOT
from sim.core.assets.animation.batch import PoseRequest, poses_of
from sim.render.models.figures import Figure, bent_meshes, pose_figures
from tests.sim.render.importing.model_files import Model, imported

FIGURE = SHIPPED_ROOT / "assets" / "models" / "figure.glb"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    ((report, folder),) = imported([FIGURE], Path(tmp_path_factory.mktemp("figure")))
    assert not report.get("error"), report
    return Model(folder)


def bent(body: NodePath) -> np.ndarray:
    """Return where the vertices of a model's bent meshes are drawn."""
    found = []
    for node, number in bent_meshes(body):
        data = node.get_geom(number).get_vertex_data()
        moved = data.animate_vertices(True, Thread.get_current_thread())
        content = moved.get_array(0).get_handle().get_data()
        rows = np.frombuffer(content, dtype=np.float32).reshape(moved.get_num_rows(), -1)
        found.append(rows[:, :3].astype(np.float64))
    return np.concatenate(found)


def by_joints(model: Model, matrices: np.ndarray) -> np.ndarray:
    """Return the same as Panda3D's own joints bend it, a node for each."""
    source = model.figure.source
    body = source.root.copy_to(NodePath("joints"))
    bundle = body.find("**/+Character").node().get_bundle(0)
    for bone, joint in enumerate(source.skin.joints.tolist()):
        control = PandaNode("control")
        control.set_transform(TransformState.make_mat(LMatrix4f(*matrices[joint].ravel())))
        bundle.control_joint(f"b{bone}", control)
    bundle.force_update()
    return bent(body)


def test_figures_in_other_poses_keep_them_apart(model: Model) -> None:
    rig = model.rig
    asked = [("walk", 0.1), ("wave", 0.7), ("walk", 0.6), ("", 0.0), ("cheer", 0.4)]
    requests = [PoseRequest(rig, clip, time, None, 1.0, {}) for clip, time in asked]
    batch = poses_of(requests)[0][0]
    figures = [Figure(model.figure.source, Texture("blank"), {}) for _ in asked]
    pose_figures(figures, batch.matrices, batch.poses.sliders)
    seen = [bent(figure.node) for figure in figures]
    for points, matrices in zip(seen, batch.matrices, strict=True):
        np.testing.assert_allclose(points, by_joints(model, matrices), atol=1e-4)
    gaps = [np.abs(one - two).max() for n, one in enumerate(seen) for two in seen[:n]]
    assert min(gaps) > 0.01, "each has a pose of its own"


def test_some_of_a_batch_are_those_that_were_asked_for(model: Model) -> None:
    times = [0.0, 0.2, 0.4, 0.6]
    requests = [PoseRequest(model.rig, "walk", time, None, 1.0, {}) for time in times]
    batch = poses_of(requests)[0][0]
    matrices, weights = batch.chosen([2, 0])
    np.testing.assert_array_equal(matrices, batch.matrices[[2, 0]])
    assert len(weights) == 2
    assert batch.chosen([0, 1, 2, 3])[0] is batch.matrices


def test_poses_of_several_rigs_come_back_in_their_order(model: Model) -> None:
    other = type(model.rig)(
        model.rig.joints, model.rig.parents, model.rig.rest, model.rig.sliders, model.rig.clips
    )
    asked = [(model.rig, 0.1), (other, 0.2), (model.rig, 0.3), (other, 0.4)]
    requests = [PoseRequest(rig, "walk", time, None, 1.0, {}) for rig, time in asked]
    for (rig, time), (batch, number) in zip(asked, poses_of(requests), strict=True):
        alone, only = poses_of([PoseRequest(rig, "walk", time, None, 1.0, {})])[0]
        np.testing.assert_allclose(batch.matrices[number], alone.matrices[only], atol=1e-12)
