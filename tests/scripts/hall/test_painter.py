"""Pictures of name plates and of the floor."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.hall import painter


def drawn(title="records 2 · alpha 15", share=0.5, groups=()):
    return painter.plate(painter.Plate(title, "412 games", share, groups))


@pytest.mark.parametrize("title", ["r1", "records 4 · alpha none", "records 4 · alpha none · x=1"])
def test_a_title_stays_on_its_plate(title):
    picture = drawn(title)
    assert picture.shape == (painter.PLATE_SIZE[1], painter.PLATE_SIZE[0], 3)
    edge = np.abs(picture[5:60, -10:-4].astype(int) - drawn("")[5:60, -10:-4])
    assert edge.max() == 0
    assert np.abs(picture.astype(int) - drawn("")).max() > 100


@pytest.mark.parametrize("text", ["1 game", "1000000 games", "stopped", "100000 · learning"])
def test_what_is_said_leaves_room_for_the_rate(text):
    said = painter.plate(painter.Plate("r", text, None, ())).astype(int)
    nothing = painter.plate(painter.Plate("r", "", None, ())).astype(int)
    changed = np.abs(said - nothing).max(axis=(0, 2)).nonzero()[0]
    assert changed.min() >= 10
    assert changed.max() < painter.PLATE_SIZE[0] - 145


def test_a_plate_shows_rate_and_history():
    good, bad = drawn(share=0.9), drawn(share=0.1)
    assert not np.array_equal(good, bad)
    assert not np.array_equal(drawn(share=None), bad)
    few, many = drawn(groups=(0.0, 1.0)), drawn(groups=(0.0, 1.0, 1.0))
    assert not np.array_equal(few, many)


def test_a_long_history_is_merged_and_every_game_counts():
    groups = [0.0] * 100 + [1.0] * 100
    merged = painter._merge(groups, 60)
    assert 40 <= len(merged) <= 60
    assert np.mean(merged) == pytest.approx(0.5)
    assert merged[0] == 0.0
    assert merged[-1] == 1.0


def test_the_floor_is_darker_below_what_stands_on_it():
    bare = painter.floor(40.0, 40.0, [], pixels=256).astype(int)
    built = painter.floor(40.0, 40.0, [(0.0, 0.0)], pixels=256).astype(int)
    assert built[128, 128].sum() < 0.5 * bare[128, 128].sum()
    assert np.array_equal(built[:25], bare[:25])


def test_a_board_whose_training_failed_is_said_in_orange():
    failed = painter.plate(painter.Plate("r", "9 · holds 62%", None, (), has_failed=True))
    quiet = painter.plate(painter.Plate("r", "9 · holds 62%", None, ()))
    changed = np.abs(failed.astype(int) - quiet).max(axis=2) > 0
    assert changed.any()
    assert np.abs(failed[changed].astype(int) - painter.AMBER).sum(axis=1).min() < 12
