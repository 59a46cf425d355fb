"""The models and sounds that ship, for tests that open no app."""

from __future__ import annotations

from base.files import SHIPPED_ROOT
from sim.core.audio.sound_bank import SoundBank
from sim.core.geometry.builtin_models import ModelRegistry
from sim.core.host.declared import declared_kinds
from sim.core.host.script_loader import ScriptLoader
from sim.core.reporting.console import Console


def _kinds() -> tuple[ModelRegistry, SoundBank]:
    return declared_kinds(ScriptLoader(SHIPPED_ROOT, SHIPPED_ROOT), None, Console())


def shipped_models() -> ModelRegistry:
    """Return the engine's models and those of the shipped scripts."""
    return _kinds()[0]


def shipped_sounds() -> SoundBank:
    """Return the sounds of the shipped scripts."""
    return _kinds()[1]
