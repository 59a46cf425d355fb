"""Worker processes: their start, the pipe to them, the loop that answers, what failed in them."""
