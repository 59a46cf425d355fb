"""Importers of model files. Run in a child process only; see `sim.core.assets.assets`."""
