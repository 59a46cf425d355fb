"""Time: clock, coroutines' waits, tweens."""
