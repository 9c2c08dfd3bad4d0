"""The words of the delegated read: what each step of /spec announces and asks. Byte for byte the skill's own."""

RETRIEVAL_QUESTION = (
    "For each file, return a structured summary: (a) one-paragraph topic, (b) the 3-5 most important business rules / "
    "lesson points / bug-resolution facts likely relevant to a NEW feature being specified, (c) any REQ or LESSON ids "
    "cited inside. Output as one block per file with explicit '<doc id=\"<ID>\">' delimiters. 1200 words max total."
)

# step -> (announcement, what the agent does instead, the line of a failed call)
_WORDS = {
    "Step-1.6": (
        "/spec: delegating bulk retrieval read to the delegate ({n} docs)",
        "Claude reading docs directly",
        "/spec: adlc-read failed — Claude reading docs directly",
    ),
    "Step-1.4": (
        "/spec: delegating intake source-read to the delegate ({n} segments, kind={kind})",
        "Claude reading the intake source directly",
        "/spec: adlc-read intake read failed — Claude reading the source directly",
    ),
}
STEPS = tuple(_WORDS)


def announcement(step: str, count: int, kind: str = "prose") -> str:
    """count: documents, or segments of an intake source of this kind."""
    return _WORDS[step][0].format(n=count, kind=kind)


def fallback_line(reason: str, step: str) -> str:
    """The one line of a gate that did not pass."""
    state = "disabled via ADLC_DISABLE_DELEGATE" if reason == "disabled-via-env" else "unavailable"
    return f"/spec: adlc-read {state} — {_WORDS[step][1]}"


def failure_line(step: str) -> str:
    """The one line of a call that failed."""
    return _WORDS[step][2]


def refusal_line(binary: str) -> str:
    """The line that refuses a program whose path is not absolute."""
    return (
        f"/spec: ADLC_READ_BIN is not an absolute path ('{binary}') — refusing to hand over the corpus "
        "(re-run install.sh --with-delegation, and /init to refresh the vendored gate)"
    )
