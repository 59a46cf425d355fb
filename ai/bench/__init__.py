"""Benchmark of the search `alpha-beta`: solved tactical positions, speed and a signature."""
