"""Alpha-beta search on the pattern core."""
