"""Remote control: programs on this machine read, set and step the scene that is open."""
