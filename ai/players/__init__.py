"""Computer and human players: one module each, listed in `ai.registry.players`."""
