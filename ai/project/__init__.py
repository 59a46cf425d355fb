"""What a project adds to players and games: its `goishi.toml`, read without running code."""
