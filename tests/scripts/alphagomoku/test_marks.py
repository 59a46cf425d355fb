"""The columns of a search: as tall as their points were visited."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ai.messages import SearchGrown
from scripts.alphagomoku.marks import LEAST, TALLEST, SearchMarks


def test_a_column_is_as_tall_as_its_share_and_spare_ones_are_hidden():
    marks = SearchMarks(SimpleNamespace(), SimpleNamespace(position_of=lambda move: (move, 0, 0)))
    marks._spawn = lambda place, material: SimpleNamespace(
        transform=SimpleNamespace(), visible=True
    )
    prior = np.full(9, 1 / 9, np.float32)
    for visits, expected in (
        ([100, 50, 3, 0, 0, 0, 0, 0, 1], [TALLEST, TALLEST / 2, 0.057]),
        ([0, 0, 0, 0, 7, 0, 0, 0, 0], [TALLEST]),
    ):
        found = SearchGrown((), sum(visits), np.array(visits), prior, prior, 0.0, ())
        marks._put_columns(found)
        tall = [post.transform.scale[2] for post in marks.posts]
        assert tall == pytest.approx(expected, abs=1e-9)
        assert min(visits[int(post.transform.position[0] - 0.3 + 0.5)] for post in marks.posts) > (
            LEAST * max(visits)
        )
