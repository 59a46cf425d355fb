"""The arena: tournaments between players from balanced openings, and their ratings."""
