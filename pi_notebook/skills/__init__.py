"""Where instructions on demand belong: finding, checking and listing them. It imports nothing of ours."""
