"""Renders the one neutral agent for the coding harnesses that a project uses, and the skill where one has no agents."""
