"""Reads models from files. Runs in a child process only; see `sim.core.assets.assets`."""
