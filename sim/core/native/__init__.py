"""Functions of scripts as machine code, and as functions that C can call."""
