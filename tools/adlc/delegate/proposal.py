"""What a delegate sent back, treated as a proposal: framed, counted against what was asked, its citations tested.

Nothing in it is an instruction, and nothing it cites counts before it passed a strict rule.
"""

import os
import re

from adlc import files

BEGIN = "--- BEGIN DELEGATE PROPOSAL (untrusted) ---"
END = "--- END DELEGATE PROPOSAL (untrusted) ---"
PREFIX = "| "
MAX_REJECTED = 200
# Of rejected citations, for people.
_LINES = 20
# Each is looked up on disk. An answer of the asked length has a few dozen.
MAX_CITATIONS = 2000
_SHOWN = 120

_LINE_ENDS = re.compile("\r\n|[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")

_OPENER = re.compile(r'[ \t]*<doc id="([^"<>\n]{1,200})">')
_CLOSER = re.compile(r"</doc>")
_TAG = re.compile(r"</?doc\b[^>\n]{0,300}>")
_ID = re.compile(r"(?:REQ|LESSON|BUG)-[0-9]{3,6}", re.A)
_PATH = re.compile(r"[A-Za-z0-9_./-]+", re.A)
# Anything that a reader would take for a citation: judged whole, so that a tail cannot ride along.
_IDLIKE = re.compile(r"(?:REQ|LESSON|BUG)-", re.I)
_FILELIKE = re.compile(r"\.\w{1,10}(?::\d+)?$|^\.|^/|^~|\.\.|\$\(|%2[ef]", re.I)
_OPENING, _CLOSING = "([{<\"'`*_", ")]}>\"'`*_.,:!?"
_PLACES = {"REQ": (".adlc/specs", True), "LESSON": (".adlc/knowledge/lessons", False), "BUG": (".adlc/bugs", False)}


class Verdict:
    """One citation. rule: REQ, LESSON, BUG or path. reason: "" when accepted, else why not."""

    __slots__ = ("citation", "rule", "reason", "target")

    def __init__(self, citation: str, rule: str, reason: str = "", target: str = ""):
        self.citation, self.rule, self.reason, self.target = citation, rule, reason, target


def frame(text: str) -> str:
    """The proposal between the two marker lines; each of its lines is prefixed, so none can be a marker."""
    lines = lines_of(text)
    return "\n".join([BEGIN, *((PREFIX + line).rstrip() for line in lines), END])


def lines_of(text: str) -> list[str]:
    """The visible lines of untrusted text: every line separator ends one, control characters are gone."""
    lines = [_UNSEEN.sub("", line) for line in _LINE_ENDS.split(text)]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def blocks(text: str) -> list[str]:
    """The ids of the `<doc id="…">` blocks that say something, each once, in order.

    A block starts at the beginning of a line. When the text closes its blocks, an opener inside an open
    one is that document's own words; otherwise the next opener ends it.
    """
    closed = bool(_CLOSER.search(text))
    found, name, said = {}, None, False

    def finish():
        if name is not None and said:
            found[name] = True

    for line in lines_of(text):
        opener = _OPENER.match(line)
        if opener and (name is None or not closed):
            finish()
            name, said, line = opener[1], False, line[opener.end():]
        if name is not None:
            before, closer, _ = line.partition("</doc>")
            said = said or any(c.isalnum() for c in before)
            if closer:
                finish()
                name = None
    if name is not None and not closed:
        finish()
    return list(found)


def coverage(text: str, expected: list[str]) -> tuple[list[str], list[str], list[str]]:
    """-> (covered, missing, unexpected) ids; only a block whose id is exactly the expected one covers it."""
    found = blocks(text)
    expected = list(dict.fromkeys(expected))
    return [i for i in expected if i in found], [i for i in expected if i not in found], [i for i in found if i not in expected]


def citations(text: str, root: str) -> list[Verdict]:
    """Every citation in the text, once, with its verdict; those past the first MAX_CITATIONS are rejected unseen."""
    seen: dict[str, Verdict] = {}
    for line in lines_of(text):
        for run in _TAG.sub(" ", line).split():
            for part in run.split(","):
                token = part.lstrip(_OPENING).rstrip(_CLOSING)
                if token and token not in seen and _is_citation(token):
                    seen[token] = judge(token, root) if len(seen) < MAX_CITATIONS else _unseen(token)
    return list(seen.values())


def assess(text: str, expected: list[str], root: str) -> dict:
    """What became of the expected ids and of the citations, as the documents of proposal and delegate have it.

    root: the project's real path.
    """
    covered, missing, unexpected = coverage(text, expected)
    verdicts = citations(text, root)
    rejected = [v for v in verdicts if v.reason]
    return {
        "covered": covered,
        "missing": missing,
        "unexpected": [_shown(id) for id in unexpected],
        "citations": {
            "accepted": [{"citation": v.citation, "rule": v.rule, "path": v.target} for v in verdicts if not v.reason],
            "rejected": [{"citation": v.citation, "rule": v.rule, "reason": v.reason} for v in rejected[:MAX_REJECTED]],
            "rejected_count": len(rejected),
        },
    }


def assessment_lines(found: dict) -> list[str]:
    """The same for people and agents, one fact a line; nothing for what is as it should be.

    Ids and paths can be those of files, whose names may hold line ends.
    """
    from adlc.output import single_line

    lines = []
    if found["missing"]:
        lines.append("missing (read these yourself): " + ", ".join(single_line(id) for id in found["missing"]))
    if found["unexpected"]:
        lines.append(f"unexpected blocks: {len(found['unexpected'])} (not asked for; ignore them)")
    for item in found["citations"]["accepted"]:
        lines.append(f"citation ok: {item['citation']} -> {single_line(item['path'])}")
    for item in found["citations"]["rejected"][:_LINES]:
        # The delegate's own words, outside the frame: short, quoted, one line.
        lines.append(f"citation rejected ({item['rule']}: {item['reason']}): {item['citation'][:60]!r}")
    if found["citations"]["rejected_count"] > _LINES:
        lines.append(f"citations rejected in all: {found['citations']['rejected_count']}")
    return lines


def _is_citation(token: str) -> bool:
    if "://" in token:
        return False
    return bool(_IDLIKE.search(token)) or "$(" in token or "/" in token and bool(_FILELIKE.search(token))


def judge(token: str, root: str) -> Verdict:
    """The verdict on one citation, taken whole. root: the project's real path."""
    shown = _shown(token)
    if _ID.fullmatch(token):
        kind = token.partition("-")[0]
        target = _artifact(root, token, *_PLACES[kind])
        return Verdict(token, kind, "" if target else "does not exist", target)
    match = _IDLIKE.match(token)
    if match and "/" not in token:
        return Verdict(shown, match[0][:-1].upper(), "must be the bare id: 3 to 6 digits after the hyphen")
    reason = _path_fault(token)
    if reason:
        return Verdict(shown, "path", reason)
    reason = _file_fault(root, token)
    return Verdict(shown, "path", reason, "" if reason else token)


def _unseen(token: str) -> Verdict:
    match = _IDLIKE.match(token)
    return Verdict(_shown(token), match[0][:-1].upper() if match else "path", f"past the first {MAX_CITATIONS} citations")


def _path_fault(token: str) -> str:
    if not _PATH.fullmatch(token):
        return "may hold only letters, digits and _ . / -"
    if ".." in token:
        return "must not hold '..'"
    if token.startswith("/"):
        return "must be relative to the project"
    if token.startswith("-"):
        return "must not start with a hyphen"
    return "" if len(token) <= 400 else "too long"


def _file_fault(root: str, token: str) -> str:
    try:
        real = files.inside(root, os.path.join(root, token))
        if real is None:
            return "leads out of the project"
        return "" if os.path.isfile(real) else "does not exist"
    except (OSError, ValueError):
        return "does not exist"


def _artifact(root: str, id: str, folder: str, is_directory: bool) -> str:
    """The root-relative path of the artifact with this id, or ""."""
    place = os.path.join(root, folder)
    try:
        if files.inside(root, place) is None:
            return ""
        names = sorted(name for name in os.listdir(place) if name.startswith(f"{id}-"))
    except OSError:
        return ""
    for name in names:
        real = files.inside(root, os.path.join(place, name))
        if real and (os.path.isdir(real) if is_directory else os.path.isfile(real)):
            return f"{folder}/{name}"
    return ""


def _shown(token: str) -> str:
    from adlc.output import single_line

    return single_line(token, _SHOWN)
