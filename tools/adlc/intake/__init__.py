"""Intake: a transcript, ticket or note as the source of a requirement. What is a source, its segments, the files made for it."""
