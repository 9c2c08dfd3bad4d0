"""adlc: a repository's own specs, bugs and lessons as the cheapest thing for an agent to consult."""

__version__ = "0.1.0"
