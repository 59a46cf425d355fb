from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.nets.plan import epoch_order, falling, one_cycle


@given(st.integers(1, 150), st.integers(1, 70), st.integers(1, 4))
def test_every_sample_counts_once_an_epoch(samples, batch, epochs):
    order, weights = epoch_order(samples, batch=batch, epochs=epochs, rng=np.random.default_rng(0))
    assert order.shape == weights.shape == (epochs * -(-samples // batch), batch)
    for rows, counts in zip(order.reshape(epochs, -1), weights.reshape(epochs, -1), strict=True):
        assert sorted(rows[counts > 0].tolist()) == list(range(samples))


def test_one_cycle_rises_falls_and_never_passes_its_peak():
    rates = one_cycle(100, 0.01, rise=0.3)
    assert rates.argmax() in (29, 30)
    assert 0.009 < rates.max() <= 0.01 + 1e-9
    assert (np.diff(rates[:29]) > 0).all()
    assert (np.diff(rates[31:]) < 0).all()
    assert rates[-1] < 0.001


def test_falling_rates_begin_near_the_peak_and_end_at_a_tenth():
    rates = falling(100, 0.01)
    assert rates.argmax() == 4
    assert rates[0] < 0.5 * rates.max() < 0.005
    assert rates[-1] == pytest.approx(0.001)
    assert (np.diff(rates[5:]) < 0).all()
    assert len(falling(1, 0.01)) == 1
