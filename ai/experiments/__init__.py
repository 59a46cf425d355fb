"""Experiments of the self-teaching paper: cells, grids of cells, figures, statistics."""
