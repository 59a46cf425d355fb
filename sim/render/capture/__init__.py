"""Screenshots and videos."""
