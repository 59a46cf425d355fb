"""Worker processes: connections, messages, and the pool that dispatches replies."""
