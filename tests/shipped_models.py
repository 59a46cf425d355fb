"""The models that ship, for tests that open no app."""

from __future__ import annotations

from base.files import SHIPPED_ROOT
from sim.core.geometry.builtin_models import ModelRegistry
from sim.core.host.declared_models import declared_models
from sim.core.host.script_loader import ScriptLoader
from sim.core.reporting.console import Console


def shipped_models() -> ModelRegistry:
    """Return the engine's models and those of the shipped scripts."""
    return declared_models(ScriptLoader(SHIPPED_ROOT, SHIPPED_ROOT), None, Console())
