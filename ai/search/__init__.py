"""Searches that prove: who wins a position, against every defence."""

from __future__ import annotations

from ai.search.oracle import GameJudgement, Oracle, Verdict

__all__ = ["GameJudgement", "Oracle", "Verdict"]
