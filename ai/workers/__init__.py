"""Worker processes that compute for the application, and the messages they exchange with it."""
