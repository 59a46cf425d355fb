"""Remote control: other programs on this machine can read, set and step the open scene."""
