"""How a game begins: points drawn for the first stone, and openings that people agree upon."""
