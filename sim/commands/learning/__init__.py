"""Commands that train networks."""
