"""The one error type of adlc, and the closed list of what can go wrong.

A room raises AdlcError; the command line turns it into one line on stderr (or the `error`
object of a JSON document) and an exit code. Nothing else decides exit codes.
"""

OK, NO, USAGE, UNAVAILABLE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 130

# kind -> exit code. Closed: schemas/error.schema.json lists the same names.
KINDS = {
    "usage": USAGE,
    "param_error": USAGE,
    "ambiguous_id": USAGE,
    "not_found": USAGE,
    "id_taken": NO,
    "renumber_pending": NO,
    "no_root": UNAVAILABLE,
    "root_unreadable": UNAVAILABLE,
    "skill_block_missing": UNAVAILABLE,
    "config_malformed": UNAVAILABLE,
    "environment_missing": UNAVAILABLE,
    "lock_timeout": UNAVAILABLE,
    "lock_refused": UNAVAILABLE,
    "counter_invalid": UNAVAILABLE,
    "id_exhausted": UNAVAILABLE,
    "over_budget": UNAVAILABLE,
    "write_failed": UNAVAILABLE,
    "index_missing": UNAVAILABLE,
    "index_corrupted": UNAVAILABLE,
    "index_mismatch": UNAVAILABLE,
    "model_missing": UNAVAILABLE,
    "embed_error": UNAVAILABLE,
    "delegate_disabled": UNAVAILABLE,
    "delegate_failed": UNAVAILABLE,
    "internal": INTERNAL,
}


class AdlcError(Exception):
    """A failure that a person can act on.

    kind: one of KINDS. message: one line, what is wrong and where. fix: the command or edit
    that puts it right, or "". detail: extra keys for the JSON `error` object.
    """

    def __init__(self, kind: str, message: str, fix: str = "", **detail):
        if kind not in KINDS:
            raise ValueError(f"unknown error kind: {kind}")
        super().__init__(message)
        self.kind, self.message, self.fix, self.detail = kind, message, fix, detail

    @property
    def exit_code(self) -> int:
        return KINDS[self.kind]

    def as_json(self) -> dict:
        return {"kind": self.kind, "message": self.message, "fix": self.fix, **self.detail}
