"""What alpha-beta's evaluation learns from its own games: fitted weights, and a small network."""
