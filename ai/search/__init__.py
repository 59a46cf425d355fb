"""Searches: functions that choose a move for a position, within a limit."""
