"""A project, its settings, and the options of a run."""
