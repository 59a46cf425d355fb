"""Players and games by name, with those that projects add."""
