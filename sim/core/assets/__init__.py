"""Models from files and their animation."""
