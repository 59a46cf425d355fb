"""Worker processes of the AIs, and their messages."""
