"""Time: clock, coroutines' waits, tweens, watchdog."""
