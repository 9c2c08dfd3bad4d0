"""Whether adlc works here: one module a check, each answer with the command that puts it right."""
