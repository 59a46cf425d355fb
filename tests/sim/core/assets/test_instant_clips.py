"""Clips where time is instant: what ends has ended, and that is seen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.assets.animation import animation
from sim.core.assets.animation.animation import Playing


@pytest.mark.parametrize("loop", [True, False])
def test_what_does_not_loop_is_over_at_once_and_drawn_so(loop):
    playing, ended = Playing("walk", loop=loop, speed=1.0), []
    figure = SimpleNamespace(
        _playing=playing,
        _fade=SimpleNamespace(end=lambda: ended.append(True)),
        _is_stale=False,
        _layers={},
        _drop_empty_layers=lambda: None,
    )
    rig = SimpleNamespace(clips={"walk": SimpleNamespace(duration=2.0)})
    owner = next(kind for kind in vars(animation).values() if hasattr(kind, "_pass_time"))
    owner._pass_time(figure, rig, 0.0, True)
    assert ended == [True]
    assert playing.is_over == figure._is_stale == (not loop)


def test_a_loop_begins_again_and_backwards_at_its_end():
    playing = Playing("walk", loop=True, speed=1.0)
    playing.advance(4.5, 2.0)
    assert playing.time == pytest.approx(0.5)
    playing.speed = -1.0
    playing.advance(1.0, 2.0)
    assert playing.time == pytest.approx(1.5)
    assert not playing.is_over
