"""Searches: functions of a position, an evaluator, a limit and a random generator."""
