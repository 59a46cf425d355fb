"""Pictures and films of what is drawn."""
