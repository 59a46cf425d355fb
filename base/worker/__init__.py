"""Worker processes: their start, pipe, request loop and failures."""
