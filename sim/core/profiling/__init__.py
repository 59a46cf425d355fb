"""What frames take: spans by phase and component, the trace file, the status bar's figures."""
