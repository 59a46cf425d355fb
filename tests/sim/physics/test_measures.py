"""Numbers of bodies."""

from __future__ import annotations

import numpy as np
import psutil
import pytest
from panda3d.bullet import BulletBoxShape, BulletRigidBodyNode, BulletWorld
from panda3d.core import LMatrix3d, LQuaterniond, LVector3, TransformState

from sim.core.geometry.rotations import rotations_of
from sim.physics.measures import headings_of, is_touch, touch_of, turns_of

MIB = 1 << 20
READS = 100_000  # of one contact: each point that was read kept 32 bytes for ever


@pytest.fixture
def resting() -> BulletWorld:
    """Return a world in which a box rests on another."""
    world = BulletWorld()
    world.set_gravity(LVector3(0.0, 0.0, -9.81))
    for name, mass, height in (("floor", 0.0, -0.5), ("box", 1.0, 0.5)):
        node = BulletRigidBodyNode(name)
        node.add_shape(BulletBoxShape(LVector3(0.5)))
        node.set_mass(mass)
        node.set_transform(TransformState.make_pos(LVector3(0.0, 0.0, height)))
        world.attach(node)
    for _ in range(20):
        world.do_physics(1.0 / 120.0, 0)
    return world


@pytest.mark.parametrize("read", [touch_of, is_touch])
def test_reading_contacts_keeps_no_memory(resting, read):
    (manifold,) = resting.get_manifolds()
    assert read(manifold)
    assert manifold.get_num_manifold_points() == 4
    held = psutil.Process().memory_info
    for _ in range(READS // 10):
        read(manifold)
    before = held().rss
    for _ in range(READS):
        read(manifold)
    assert held().rss < before + MIB


def test_a_touch_is_the_whole_impulse_at_the_hardest_point(resting):
    (manifold,) = resting.get_manifolds()
    touch = touch_of(manifold)
    points = manifold.get_manifold_points()
    assert touch is not None
    assert touch.impulse == pytest.approx(sum(point.get_applied_impulse() for point in points))
    assert abs(touch.normal[2]) == pytest.approx(1.0)
    assert max(map(abs, touch.point[:2])) == pytest.approx(0.5, abs=0.05)


def test_quaternions_become_rotations_of_row_vectors():
    given = np.random.default_rng(3).normal(size=(20, 4))
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    for numbers, found in zip(given, turns_of(given), strict=True):
        wanted = LMatrix3d()
        LQuaterniond(*numbers).extract_to_matrix(wanted)
        assert found == pytest.approx(np.array([list(wanted.get_row(row)) for row in range(3)]))


def test_headings_of_few_quaternions_are_to_the_bit_those_of_their_matrices():
    given = np.random.default_rng(4).normal(size=(300, 4))
    steep = np.array([[0.5, 0.5, 0.5, 0.5], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    given = np.concatenate([given, steep])
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    wanted = rotations_of(turns_of(given))
    for few in (1, 9):
        for start in range(0, len(given), few):
            found = headings_of(given[start : start + few])
            assert found.tolist() == wanted[start : start + few].tolist()
    assert headings_of(given).tolist() == wanted.tolist()
