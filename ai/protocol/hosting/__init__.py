"""The manager's side of the protocol: outside engines as child processes and as players."""
