"""Players: one file each, listed in `ai.registry.players`."""
