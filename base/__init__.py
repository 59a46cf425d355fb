"""Below engine and AI: errors, files and what both need. Imports neither of them."""
