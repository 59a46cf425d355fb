"""What watches for calls that hang: in the process itself, and from a process beside it."""
