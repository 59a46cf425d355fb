"""Searches: each a function of a position, an evaluator, a limit and a generator."""
