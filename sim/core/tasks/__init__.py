"""Scene time: the clock, and what coroutines can wait for, such as tweens."""
