"""Time: the clock, coroutines, tweens, requests under way, the watchdog."""
