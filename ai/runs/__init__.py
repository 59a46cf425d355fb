"""Runs on the disk: files, results, statistics, export."""
