"""The inspector's answers: the requests of a session taken apart, for the panel and for the widget alike."""
