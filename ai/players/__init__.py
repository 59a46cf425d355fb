"""Players: one file each, listed in `ai.players.registry`."""
