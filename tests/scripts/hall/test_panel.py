"""In which order the hall's panel lists its boards: with fakes, without an app."""

from __future__ import annotations

from types import SimpleNamespace

from scripts.hall.panel import HallPanel


def test_the_highest_share_comes_first_and_those_without_a_game_last():
    shares = {1: None, 2: 0.25, 3: 0.75, 4: 0.25, 5: 0.0}
    boards = [SimpleNamespace(share=share, session=name) for name, share in shares.items()]
    ranked = HallPanel.ranked(SimpleNamespace(), boards)
    assert [board.session for board in ranked] == [3, 2, 4, 5, 1]
