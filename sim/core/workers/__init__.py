"""Worker processes: pipes, messages, and the pool that dispatches replies."""
