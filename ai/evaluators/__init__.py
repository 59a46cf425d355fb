"""Evaluators: what a position is worth and which moves look good, by one look without a search."""
