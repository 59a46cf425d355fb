"""The Gomocup protocol, both ways: our players as brains, outside programs as players."""
