"""The arena: players against each other from balanced openings, and what that tells."""
