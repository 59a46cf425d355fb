"""Worker processes: pipes, messages, and the pool that hands answers out."""
