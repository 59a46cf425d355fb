"""What AlphaGomoku's panel makes of a training's lines: without an app."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from ai.messages import SearchGrown
from scripts.alphagomoku.front import best_points
from scripts.alphagomoku.panel import (
    TrainingPanel,
    draw_curves,
    gate_text,
    marks_of,
    series_of,
    values_of,
)
from scripts.learning.panel_parts import FieldSliders

LINES = [
    {"generation": 1, "phase": "basic", "losses": {"black": {"policy": 2.0, "value": 0.5}}},
    {"generation": 2, "phase": "self-play", "plies": 12.5, "gate": {"accepted": True, "score": 0.6},
     "held_out": {"trained": {"right": 0.4}}},
    {"generation": 3, "phase": "self-play", "plies": 14.0,
     "gate": {"accepted": False, "score": 0.25}},
]  # fmt: skip


def test_a_series_has_the_generations_that_hold_a_value():
    steps, values = series_of(LINES, "gate", "score")
    assert steps.tolist() == [2.0, 3.0]
    assert values.tolist() == [0.6, 0.25]
    assert series_of(LINES, "losses", "black", "policy")[1].tolist() == [2.0]
    assert len(series_of(LINES, "losses", "white", "policy")[0]) == 0


def test_the_last_gate_is_said_with_how_many_were_accepted():
    assert gate_text(LINES) == "rejected, 25% (1 of 2)"
    assert gate_text(LINES[:1]) == "–"


def test_changes_of_one_generation_are_one_mark():
    changes = [
        {"generation": 4, "settings": {"rate": 0.01}},
        {"generation": 9, "settings": {"decay": 0.95}},
        {"generation": 4, "settings": {"simulations": 80}},
    ]
    assert marks_of(changes) == [(4.0, "rate 0.01, simulations 80"), (9.0, "decay 0.95")]


def test_every_chart_with_a_curve_has_the_marks():
    drawn = {}
    ui = SimpleNamespace(chart=lambda title, series, **words: drawn.update({title: words["marks"]}))
    draw_curves(ui, LINES, [(2.0, "rate 0.01")])
    assert drawn.pop("Moves in a game") == [(2.0, "rate 0.01")]
    assert drawn["Match against the previous best"] == [(2.0, "rate 0.01")]
    assert len(drawn) == 4
    draw_curves(ui, [], [(2.0, "rate 0.01")])
    assert set(drawn.values()) == {()}


def test_the_values_begin_after_the_opening_and_the_searchs_stand_beside():
    game = SimpleNamespace(moves=(1, 2, 3, 4, 5), values=np.array([0.1, -0.2], np.float32))
    front = SimpleNamespace(game=game, searched=[(3, 0.5)])
    networks, search = values_of(front)
    assert networks[0] == "networks"
    assert networks[2].tolist() == [3.0, 4.0]
    assert (search[0], search[2].tolist(), search[3].tolist()) == ("search", [3.0], [0.5])
    assert values_of(SimpleNamespace(game=None, searched=[])) == []


def test_the_best_points_are_the_most_visited_with_shares_before_and_after():
    visits = np.zeros(16, np.int64)
    visits[[0, 5]] = 10, 30
    prior = np.full(16, 1 / 16, np.float32)
    found = SearchGrown((), 40, visits, prior, prior, 0.0, (5,))
    assert best_points(found, 3) == [("b3", 0.0625, 0.75), ("a4", 0.0625, 0.25)]


def test_the_slider_chooses_a_pair_where_there_is_one():
    fields, said, bounds = {}, [], []

    def slider(label, value, low, high, shown):
        bounds.append((value, low, high, shown))
        return True, 2

    imgui = SimpleNamespace(
        calc_text_size=lambda text: SimpleNamespace(x=9.0), set_next_item_width=lambda width: None,
        slider_int=slider, is_item_deactivated_after_edit=lambda: True,
    )  # fmt: skip
    ui = SimpleNamespace(imgui=imgui, theme=SimpleNamespace(px=float), room=100.0)
    host = SimpleNamespace(set_field=lambda slot, key, value: fields.update({key: value}))
    front = SimpleNamespace(
        training=SimpleNamespace(lines=[]), version=0, compared=-1,
        slot=SimpleNamespace(host=host), expression="front",
        log=SimpleNamespace(python=said.append),
    )  # fmt: skip
    panel = SimpleNamespace(sliders=FieldSliders())
    TrainingPanel._draw_version(panel, ui, front)
    assert bounds == []
    front.training.lines = [{"version": 3}]
    TrainingPanel._draw_version(panel, ui, front)
    assert bounds == [(0, 0, 3, "newest"), (-1, -1, 3, "nobody")]
    assert fields == {"version": 2, "compared": 2}
    assert said == [
        'host.set_field(front.slot, "version", 0)', 'host.set_field(front.slot, "compared", -1)',
    ]  # fmt: skip


def test_the_table_has_a_cell_for_each_word_of_each_point():
    rows = []
    visits = np.arange(16)
    prior = np.full(16, 1 / 16, np.float32)
    imgui = SimpleNamespace(
        TableFlags_=SimpleNamespace(row_bg=1, sizing_stretch_prop=2),
        calc_text_size=lambda text: SimpleNamespace(x=9.0),
        get_style=lambda: SimpleNamespace(cell_padding=SimpleNamespace(x=0.0)),
        get_content_region_avail=lambda: SimpleNamespace(x=1000.0),
        begin_table=lambda *words: True, table_setup_column=lambda *words: None,
        table_headers_row=lambda: None, end_table=lambda: None,
        table_next_row=lambda: rows.append([]), table_next_column=lambda: rows[-1].append(None),
    )  # fmt: skip
    told = {}
    ui = SimpleNamespace(
        imgui=imgui, theme=SimpleNamespace(scale=1.0), beside=lambda width: None, button_width=len, button=lambda label: False,
        heading=lambda text, wraps: None, key_value=told.__setitem__,
        text=lambda text, color: rows[-1].__setitem__(-1, text), chart=lambda *series, **words: None,
    )  # fmt: skip
    front = SimpleNamespace(
        is_with_person=False, title="self-play", simulations=120, game=None, searched=[],
        found=SearchGrown((), 40, visits, prior, prior, 0.0, (5,)), pair_name="the newest network",
    )  # fmt: skip
    compared = SimpleNamespace(draw=lambda ui, front: told.update(compared=front))
    panel = SimpleNamespace(_draw_version=lambda *words: None, compared=compared)
    TrainingPanel._draw_front(panel, ui, front)
    assert told.pop("compared") is front
    assert told == {"Simulations": "40 of 120"}
    assert rows[0] == ["d1", "6%", "12%"]
    assert all(len(row) == 3 for row in rows)
