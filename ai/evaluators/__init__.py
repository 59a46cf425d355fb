"""Evaluators: compute the value of positions and a policy over moves without a search."""
