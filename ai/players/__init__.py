"""Players: one module each, listed in `ai.registry.players`."""
