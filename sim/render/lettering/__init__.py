"""Text of every script: fonts of the system, direction, shaping, and letters as pixels."""
