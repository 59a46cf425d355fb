"""Two pairs on one position: the numbers, and what is drawn of them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ai import Board, Rules
from ai.messages import SearchGrown
from scripts.alphagomoku import panel as module
from scripts.alphagomoku.panel import ComparedView, PairComparison, rows_of

RULES = Rules(4, 3)


def found(best, share, *, network, value, moves=(0,)):
    """Return a search whose visits are at two points, `share` of them at the best one."""
    visits, prior = np.zeros(16, np.int64), np.full(16, 1 / 16, np.float32)
    visits[best], visits[15] = round(100 * share), round(100 * (1 - share))
    return SearchGrown(moves, 100, visits, prior, prior, value, (best,), network)


FIRST = found(5, 0.75, network=0.25, value=0.5)
SECOND = found(6, 0.5, network=-0.25, value=-1.0)


def test_the_rows_are_the_points_that_either_pair_visited_most():
    rows = rows_of((FIRST, SECOND))
    assert [(row.point, row.after) for row in rows] == [
        ("b3", (0.75, 0.0)), ("d1", (0.25, 0.5)), ("c3", (0.0, 0.5)),
    ]  # fmt: skip
    assert all(row.before == pytest.approx((1 / 16, 1 / 16)) for row in rows)


def test_values_are_blacks_and_both_pairs_have_their_board():
    shown = PairComparison(Board.from_moves((0,), RULES), (FIRST, SECOND))  # White is to move
    assert shown.values == [(-0.25, -0.5), (0.25, 1.0)]
    assert [diagram.ringed for diagram in shown.after] == [5, 6]
    assert [diagram.shares[5] for diagram in shown.after] == [0.75, 0.0]
    assert all(diagram.stones[0] == 1 for diagram in (*shown.before, *shown.after))


def test_both_are_drawn_side_by_side_and_worked_out_once(monkeypatch):
    drawn, texts, columns, made = [], [], [], []
    monkeypatch.setattr(module, "draw_board", lambda ui, diagram, width: drawn.append(width))
    monkeypatch.setattr(
        module, "PairComparison", lambda *words: made.append(words) or PairComparison(*words)
    )
    imgui = SimpleNamespace(
        TableFlags_=SimpleNamespace(row_bg=1, sizing_stretch_prop=2), same_line=lambda *_: None,
        calc_text_size=lambda text: SimpleNamespace(x=9.0),
        get_style=lambda: SimpleNamespace(cell_padding=SimpleNamespace(x=0.0)),
        get_content_region_avail=lambda: SimpleNamespace(x=1000.0),
        begin_group=lambda: None, end_group=lambda: None, begin_table=lambda *_: True,
        table_setup_column=lambda title, *_: columns.append(title), table_headers_row=lambda: None, end_table=lambda: None,
        table_next_row=lambda: None, table_next_column=lambda: None,
    )  # fmt: skip
    ui = SimpleNamespace(
        imgui=imgui, room=208.0, theme=SimpleNamespace(px=float, scale=1.0), heading=texts.append,
        text=lambda text, color="text": texts.append(text),
    )  # fmt: skip
    front = SimpleNamespace(
        comparison=None, training=SimpleNamespace(rules=RULES), pair_name="the newest network",
        compared_name="version 3",
    )  # fmt: skip
    view = ComparedView()
    view.draw(ui, front)
    assert texts == []
    front.comparison = (FIRST, SECOND)
    for _ in range(2):
        view.draw(ui, front)
    assert len(made) == 1
    assert drawn == [100.0] * 8
    assert columns[1:3] == ["the newest network", "version 3"]
    assert "6% → 75%" in texts
    assert texts[-2:] == ["-0.25 → -0.50", "+0.25 → +1.00"]
