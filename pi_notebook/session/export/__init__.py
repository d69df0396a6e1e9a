"""A session as a document of the person's, one file a format."""
