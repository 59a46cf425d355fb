"""The command line: command dispatch, project commands, and exit codes."""
