"""What `sim` and `ai` share: errors, files, options, the project manifest. It imports neither."""
