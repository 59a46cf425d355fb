"""Training samples: states and labels extracted from games."""
