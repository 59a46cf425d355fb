"""Runs (series of games) on disk: files, results, statistics and export."""
