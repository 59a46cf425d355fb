"""Runs on disk: files, results, statistics, export."""
