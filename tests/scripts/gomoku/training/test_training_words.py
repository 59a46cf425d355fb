"""What the training panel and the run's files say of a training: with fakes, without an app."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ai import Board, GameRecord, Rules
from scripts.gomoku.game.match_report import file_values
from scripts.gomoku.game.results import MatchResults
from scripts.gomoku.training.training_charts import held_words, share_text
from scripts.gomoku.training.training_panel import failure_words, how_white_won

RULES = Rules(size=7, full_board_winner=-1)
ADVICE = "the training failed: the network answers 62% of what it was taught; lower `rate`"


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ([], ("", "text")),
        ([0.3, 0.98], ("has learnt 98 % of its memory", "text")),
        ([0.9], ("has learnt 90 % of its memory", "text")),
        ([1.0, 0.62], ("has learnt 62 % of its memory", "amber")),
        ([0.8999], ("has learnt 89 % of its memory", "amber")),
    ],
)
def test_the_last_value_is_said_in_words_and_orange_below_the_line(held, expected):
    assert held_words(np.array(held)) == expected


@pytest.mark.parametrize(("share", "text"), [(1.0, "100 %"), (0.9996, "99 %"), (0.29, "29 %")])
def test_only_all_of_it_is_all_of_it(share, text):
    assert share_text(share) == text


def test_a_failure_is_said_with_what_to_do_and_how_many_there_were():
    said = failure_words(SimpleNamespace(advice=ADVICE, failed=3))
    assert said == (
        "The training failed: the network answers 62% of what it was taught; lower rate. "
        "3 trainings failed so far."
    )
    once = failure_words(SimpleNamespace(advice="a.", failed=1))
    assert once.endswith("1 training failed so far.")


def values_after(record, trainer):
    seat = SimpleNamespace(player="ann", seated_settings={"alpha": 2.0}, move_seconds=None)
    return file_values(
        record, scene="a.json", seed=7, black=seat, white=seat, trainer=trainer, opponent=None,
        ranks=[1, 2], seconds={"black": 1.0, "white": 0.5},
    )  # fmt: skip


def test_the_runs_files_get_what_was_held_after_the_training_of_that_game():
    record = GameRecord.from_resignation(Board(RULES), 4, loser=-1)
    trainer = SimpleNamespace(trained_game=4, retrain_seconds=[0.1, 0.2], held=[0.5, 0.98765],
                              retrains=2, statistics={"nodes": 9, "records": 12})  # fmt: skip
    values = values_after(record, trainer)
    assert (values["retrain_seconds"], values["held"]) == (0.2, 0.9877)
    assert (values["ann_nodes"], values["relearn_records"]) == (9, 12)
    assert values["config"]["white"] == {"player": "ann", "alpha": 2.0}
    results = MatchResults(lambda *values, **more: None)
    assert results.statistics(trainer)["held"] == [0.5, 0.98765]
    trainer.trained_game = 3
    values = values_after(record, trainer)
    assert (values["retrain_seconds"], values["held"]) == (None, None)
    assert values_after(record, None)["held"] is None
    assert results.statistics(None)["held"] == []


@pytest.mark.parametrize(
    ("won", "by_row", "by_full", "expected"),
    [
        ([1, 1, 0, 1], [1, 0, 0, 1], [0, 1, 0, 0], "2 by a row, 1 by a full board"),
        ([1, 1, 1], [0, 0, 0], [0, 0, 0], "0 by a row, 0 by a full board, 3 resigned"),
        ([1, 1, 1], [0, 0, 1], [0], "1 by a row, 2 by a full board"),
    ],
    ids=["both", "resigned", "noted of late"],
)
def test_how_white_won_is_told_apart(won, by_row, by_full, expected):
    assert how_white_won(*map(np.array, (won, by_row, by_full))) == expected
