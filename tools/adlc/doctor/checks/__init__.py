"""One module a check: `check(place) -> Result`, or several; the first line of its docstring says what it looks at."""
