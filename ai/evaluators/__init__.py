"""Evaluators: value and policy of positions from one look, without a search."""
