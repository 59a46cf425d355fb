"""Model files and their animation."""
