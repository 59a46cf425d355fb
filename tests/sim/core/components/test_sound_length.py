"""How long a sound source's clip sounds."""

from __future__ import annotations

from types import SimpleNamespace

from sim.core.audio.sound_bank import RATE
from sim.core.components.sound_source import Sound


def test_a_sound_of_the_bank_lasts_as_long_as_its_samples():
    bank = SimpleNamespace(names=("tap",), samples=lambda name: [0.0] * (RATE // 2))
    source = SimpleNamespace(clip="tap", sound=SimpleNamespace(bank=bank))
    assert Sound._length(source) == 0.5
    source.clip = ""
    assert Sound._length(source) == 0.0
