"""Handing the reading of documents to a model the user chose, and judging what it sends back."""
