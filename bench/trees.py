"""Generated corpora for measurements: the same seed gives the same bytes on every machine."""

import pathlib
import random

_STATUSES = ("complete", "complete", "complete", "approved", "in-progress", "deployed", "draft", "superseded")
_DOMAINS = ("auth", "billing", "search", "storage", "sync", "ui", "api", "ops")
_CONCERNS = ("security", "latency", "data-loss", "accessibility", "cost", "privacy")


def vocabulary(random_: random.Random, size: int) -> list[str]:
    syllables = [c + v for c in "bcdfghjklmnprstvwz" for v in "aeiou"]
    return ["".join(random_.choices(syllables, k=random_.randint(2, 4))) for _ in range(size)]


def adlc(root: pathlib.Path, documents: int, words: int = 300, seed: int = 7) -> None:
    """`documents` requirement specs under `root/.adlc/specs`, about `words` words each, Zipf-distributed."""
    random_ = random.Random(seed)
    known = vocabulary(random_, 20_000)
    weights = [1 / rank for rank in range(1, len(known) + 1)]
    for number in range(1, documents + 1):
        body = random_.choices(known, weights, k=words)
        title = " ".join(random_.choices(known, k=5))
        rules = "\n".join(f"- BR-{n}: {' '.join(body[n * 20:n * 20 + 20])}." for n in range(1, 6))
        path = root / f".adlc/specs/REQ-{number:06d}-{'-'.join(title.split()[:2])}/requirement.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\nid: REQ-{number:06d}\ntitle: {title}\nstatus: {random_.choice(_STATUSES)}\n"
            f"created: 2026-01-{number % 28 + 1:02d}\nupdated: 2026-02-{number % 28 + 1:02d}\n"
            f"component: component-{number % 40}\ndomain: {random_.choice(_DOMAINS)}\nstack: [python, sqlite]\n"
            f"concerns: [{', '.join(random_.sample(_CONCERNS, 2))}]\ntags: [{', '.join(random_.choices(known, weights, k=4))}]\n"
            f"---\n\n# {title}\n\n## Description\n\n{' '.join(body[120:200])}.\n\n## Business Rules\n\n{rules}\n\n"
            f"## Acceptance Criteria\n\n- [ ] AC-1: {' '.join(body[200:])}\n",
            encoding="utf-8",
        )
