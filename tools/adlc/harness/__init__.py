"""Renders the one neutral agent for the coding harnesses that a project uses."""
