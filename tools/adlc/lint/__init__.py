"""Checks of what people write down: one module a check, findings as file:line: check: message."""
