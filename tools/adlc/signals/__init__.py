"""What else is known of a document: how far the code moved on, how sound it is."""
