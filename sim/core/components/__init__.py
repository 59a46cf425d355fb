"""The engine's own components, written with the scripts' API."""
