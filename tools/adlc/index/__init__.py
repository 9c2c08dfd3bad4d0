"""The index: chunks of the corpus, their vectors, and what makes the vectors."""
