"""The script host: loads, runs, reloads and guards the scripts of users."""
