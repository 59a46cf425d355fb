"""Registry of players and games by name, those of projects included."""
