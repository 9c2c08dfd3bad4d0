"""Properties: the order of retrieval is total and independent of the input's order; no frontmatter crashes."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adlc.corpus import frontmatter, load
from adlc.corpus.model import Document
from adlc.ranking import tags

WORD = st.sampled_from(["auth", "Auth ", "ui", "", "sync"])
WORDS = st.lists(WORD, max_size=3)
DATE = st.sampled_from(["", "2026-01-01", "2026-01-02", "2026-01-01T23:30:00-05:00", "garbage", "2026-1-1"])


@st.composite
def documents(draw):
    found = []
    for number in range(draw(st.integers(0, 25))):
        document = Document(f".adlc/{number}", "adlc", draw(st.sampled_from(["lesson", "bug", "spec"])), draw(st.sampled_from(["A-1", "A-2", "B-10", "B-9"])))
        document.frontmatter = draw(st.sampled_from(["ok", "ok", "ok", "absent"]))
        document.status = draw(st.sampled_from(["resolved", "closed", "complete", "draft", "", "Draft "]))
        document.updated, document.created = draw(DATE), draw(DATE)
        document.mtime = draw(st.sampled_from([0, 86400, 1767225600]))
        document.component, document.domain = draw(WORD), draw(WORD)
        document.stack, document.concerns, document.tags = draw(WORDS), draw(WORDS), draw(WORDS)
        found.append(document)
    return found


QUERY = st.fixed_dictionaries({"component": WORD, "domain": WORD, "stack": WORDS, "concerns": WORDS, "tags": WORDS})


def facts(retrieval) -> tuple:
    return (
        [(s.document.path, s.score, s.parts, s.date, s.date_source) for s in retrieval.results],
        {name: (c.files, c.admitted, c.excluded, c.malformed) for name, c in retrieval.counts.items()},
        retrieval.unmatched, retrieval.outcome, sorted(retrieval.warnings),
    )


@settings(max_examples=80)
@given(documents(), QUERY, st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_count(found, query, chance):
    expected = facts(tags.retrieve(query, found, [], ["draft"]))
    shuffled = list(found)
    chance.shuffle(shuffled)
    assert facts(tags.retrieve(query, shuffled, [], ["draft"])) == expected


@settings(max_examples=50)
@given(documents())
def test_the_order_is_strict_and_total(found):
    keys = [tags.Scored(document, {"tags": 1}, []).key() for document in found]
    assert len(set(keys)) == len(keys)
    for one in keys:
        for two in keys:
            assert (one < two) + (two < one) + (one == two) == 1


@settings(max_examples=80)
@given(documents(), QUERY)
def test_scores_are_the_sums_of_the_seed_and_results_are_ordered(found, query):
    """Against the rule written out once more, in the plainest way."""
    def folded(values):
        return {" ".join(value.split()).lower() for value in values if value.strip()}

    def points(document):
        value = 3 * bool(folded([document.component]) & folded([query["component"]]))
        value += 2 * bool(folded([document.domain]) & folded([query["domain"]]))
        value += 2 * len(folded(document.concerns) & folded(query["concerns"]))
        value += len(folded(document.stack) & folded(query["stack"])) + len(folded(document.tags) & folded(query["tags"]))
        untagged = not folded([document.component, document.domain, *document.stack, *document.concerns, *document.tags])
        return value or int(document.corpus == "lesson" and untagged)

    def admitted(document):
        status = document.status.strip().lower()
        return document.frontmatter == "ok" and (
            document.corpus == "lesson" or document.corpus == "spec" and status != "draft" or status in ("resolved", "closed")
        )

    retrieval = tags.retrieve(query, found, [], ["draft"])
    expected = {document.path: points(document) for document in found if admitted(document) and points(document)}
    got = {scored.document.path: scored.score for scored in retrieval.results}
    assert len(got) == min(15, len(expected)) and got.items() <= expected.items()
    order = [(-s.score, -s.date.toordinal(), "lbs".index(s.document.corpus[0]), s.document.id) for s in retrieval.results]
    assert order == sorted(order)
    least = min(got.values(), default=0)
    assert all(score <= least for path, score in expected.items() if path not in got)


# -- frontmatter -----------------------------------------------------------------------------------

PIECES = [
    "---", "---", "---\n", "...", "\n", "\n", "\n", ": ", ":", "- ", "  ", "\t", "#", " # c", "[", "]", "{", "}", ",", "'", '"', "|", ">", "&a", "*a",
    "!!str", "%", "@", "`", "~", "null", "yes", "0x1f", "2026-01-02", "2026-99-99", "<!--", "-->", "```", "\ufeff", "\r", "\x00", "\x1b",
    "\x85", "\u2028", "é", "登录", "🚀", "\\", "\\u", "status", "draft", "id", "REQ-001", "title", "tags", "component", "<<", "? ", "a" * 300,
]
KEYS = ["id", "title", "status", "created", "updated", "component", "domain", "stack", "concerns", "tags", "code", "related", "desc", "scope"]


def random_text(chance: random.Random) -> str:
    """A document whose frontmatter is anything from sound to noise."""
    kind = chance.random()
    if kind < 0.3:
        return "".join(chance.choices(PIECES, k=chance.randint(0, 40)))
    lines = []
    for _ in range(chance.randint(0, 8)):
        value = "".join(chance.choices(PIECES, k=chance.randint(0, 5)))
        lines.append(f"{chance.choice(KEYS)}{chance.choice([': ', ':', ' : ', '=', ''])}{value}")
    closing = "\n---\n" if kind < 0.9 else "\n"
    return "---\n" + "\n".join(lines) + closing + "".join(chance.choices(PIECES, k=5))


def test_20000_random_frontmatters_are_read_or_refused_and_never_crash():
    chance = random.Random(20_000)
    states = dict.fromkeys(("ok", "absent", "malformed", "unclosed"), 0)
    for _ in range(20_000):
        text = random_text(chance).replace("\r", "\n")
        found = frontmatter.parse(text.split("\n"))
        states[found.state] += 1
        for key in KEYS:
            assert isinstance(found.scalar(key), str) and "\n" not in found.scalar(key)
            assert all(isinstance(value, str) and value for value in found.list(key))
        assert all(problem and "\n" not in problem for problem in found.problems)
    assert all(count > 200 for count in states.values()), states


@pytest.mark.parametrize("cache", [True, False], ids=["cached", "uncached"])
def test_every_file_becomes_a_document_or_is_skipped(project, cache, tmp_path, monkeypatch):
    monkeypatch.setenv("ADLC_CACHE_DIR", str(tmp_path / "cache"))
    chance = random.Random(7)
    paths = set()
    for number in range(400):
        # Every third as raw bytes, so that not all of them are UTF-8.
        content = random_text(chance).encode("utf-8", "replace")
        if number % 3 == 0:
            content = content[: len(content) // 2] + chance.randbytes(chance.randint(0, 3)) + content[len(content) // 2:]
        write = (
            lambda: project.bug(name=f"BUG-{number}", text=content), lambda: project.lesson(name=f"LESSON-{number}", text=content),
            lambda: project.spec(folder=f"REQ-{number}", text=content), lambda: project.node(f"n{number}", text=content),
        )[number % 4]
        paths.add(str(write().relative_to(project.root)))
    for _ in range(2):
        listed, skipped = load.answer(
            str(project.root), lambda corpus: ([d.path for d in corpus.documents()], [s.path for s in corpus.skipped()]), cache=cache,
        )
        assert sorted(listed + skipped) == sorted(paths)
        assert len(listed) > 100 and len(skipped) > 50
