"""The marker blocks in skills from which status words are read."""

import pytest

from adlc import lifecycle

OPEN, CLOSE = "<!-- retrieval-status: spec-exclude -->", "<!-- /retrieval-status -->"


@pytest.mark.parametrize("text, found", [
    (f"{OPEN}\n- `draft` — why\n* Superseded\n• rejected — why\n{CLOSE}", ["draft", "superseded", "rejected"]),
    (f"{OPEN}\n{CLOSE}", []),
    ("no block", None),
    (f"{OPEN}\n- `draft`\n", None),
    (f"{OPEN}\n- `a`\n{CLOSE}\ntext\n- `no`\n{OPEN}\n- `b`\n{CLOSE}\n- `no`", ["a", "b"]),
    (f"in `{OPEN}` prose\n- `no`\n{OPEN}\n- `a`\n{CLOSE}", ["a"]),
    (f"```\n{OPEN}\n- `no`\n{CLOSE}\n```\n", None),
    (f"````\n```\n{OPEN}\n````\n{OPEN}\n- `a`\n{CLOSE}", ["a"]),
    (f"{OPEN}\nprose `no`\n  - `no`\n- `in-review`\n{CLOSE}", ["in-review"]),
    (f" {OPEN}\n- `no`\n{CLOSE}", None),
    (OPEN.replace("spec-", "bug-") + f"\n- `no`\n{CLOSE}", None),
])
def test_blocks(text, found):
    assert lifecycle.block(text, "retrieval-status", "spec-exclude") == found


def test_the_shipped_skill_declares_the_four_statuses():
    assert lifecycle.spec_exclusions() == ["draft", "superseded", "cancelled", "rejected"]
