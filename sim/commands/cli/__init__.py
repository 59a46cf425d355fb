"""The command line itself: its verbs, those of projects, and how each ends."""
