"""`adlc lint specs`: the checks of requirements, bugs and lessons.

A check is a module with `check(page, corpus)` that yields (line, message); its name is the module's.
"""
