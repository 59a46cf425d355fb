"""Experiments that repeat the self-teaching paper: runs, grids of runs, figures, statistics."""
