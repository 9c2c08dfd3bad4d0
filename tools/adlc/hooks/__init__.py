"""What a session is told unasked: where the specs are, which govern a prompt, which claim an edited file.

A hook is a module with
  root_of(call) -> str | None       the project that it is about
  text(call, root) -> str | None    what Claude Code reads, or None to say nothing
  mark(call) -> str                 what is remembered as said to the session; without it, the hook's name
where call is the client's JSON object, with `session_id` and `cwd` as non-empty strings.
"""
