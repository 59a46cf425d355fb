"""Evaluators: value and policy of positions, computed without a search."""
