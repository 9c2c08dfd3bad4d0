"""The words of the delegated read: what each step of /spec announces and asks. Byte for byte the skill's own."""

RETRIEVAL_QUESTION = (
    "For each file, return a structured summary: (a) one-paragraph topic, (b) the 3-5 most important business rules / "
    "lesson points / bug-resolution facts likely relevant to a NEW feature being specified, (c) any REQ or LESSON ids "
    "cited inside. Output as one block per file with explicit '<doc id=\"<ID>\">' delimiters. 1200 words max total."
)
INTAKE_QUESTION = (
    "The document is one <source> of <segment> elements, in order. For each segment, return what a NEW feature being "
    "specified needs from it: (a) who wants what and why, (b) rules, numbers, names and constraints in their exact words, "
    "(c) decisions, contradictions and questions left open. Output as one block per segment with explicit "
    "'<doc id=\"<SEGMENT ID>\">' delimiters, each closed by '</doc>', even when a segment adds nothing (then write: nothing "
    "new). Finish with one block '<doc id=\"distilled\">': the feature request, distilled from all segments. 1500 words max total."
)
# The id of the block beside those of the segments.
DISTILLED = "distilled"

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


def question(step: str) -> str:
    """What the delegate is asked when nobody says otherwise."""
    return INTAKE_QUESTION if step == "Step-1.4" else RETRIEVAL_QUESTION


def expected_segments(count: int) -> list[str]:
    """The ids of the blocks that an intake source of so many segments is answered with."""
    return [*(f"S{number:02}" for number in range(1, count + 1)), DISTILLED]


def open_gaps_line(count: int) -> str:
    """The one line of a non-interactive intake that leaves blocking gaps open."""
    return f"/spec: intake found {count} blocking gap(s) — written to Open Questions, not answered (non-interactive mode)"


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
