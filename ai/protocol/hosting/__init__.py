"""The manager's side: outside engines as child processes, and as players."""
