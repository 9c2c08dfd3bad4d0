"""Whether every document can be used, is dated, and has tags that the taxonomy knows."""

from adlc.corpus import load
from adlc.doctor.place import Place
from adlc.doctor.result import command, not_run, ok, warn
from adlc.lint.specs import run as lint

KINDS = {"dates": "without a date that can be read", "taxonomy": "with tags that the taxonomy does not know"}


def check(place: Place):
    if place.root is None:
        return not_run(place.without)
    documents, skipped = load.answer(place.root, lambda corpus: (corpus.documents(), corpus.skipped()))
    if not documents and not skipped:
        return ok("no documents yet")
    found = []
    if skipped:
        first = skipped[0]
        found.append(warn(f"{_count(len(skipped), 'file')} cannot be used; {first.path}: {first.reason}", _show(place, "list", "--meta")))
    findings = lint.run(place.root)[1]
    for kind, words in KINDS.items():
        paths = sorted({finding.path for finding in findings if finding.check == kind})
        if paths:
            found.append(warn(f"{_count(len(paths), 'document')} {words}; {paths[0]}", _show(place, "lint", "specs")))
    return found or ok(f"{_count(len(documents), 'document')}, all usable")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s'[:number != 1]}"


def _show(place: Place, *words: str) -> str:
    return command(*place.adlc(*words, "--root", place.root))
