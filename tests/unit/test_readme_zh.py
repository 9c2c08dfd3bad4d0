"""README.zh-CN.md says what README.md says: the same headings, code, links and table rows in the same order."""

import re

import pytest

from conftest import ROOT

ENGLISH, CHINESE = ((ROOT / name).read_text() for name in ("README.md", "README.zh-CN.md"))
_CODE = re.compile(r"^```.*?^```$", re.M | re.S)


def prose(text: str) -> str:
    return _CODE.sub("", text)


def headings(text: str) -> list[int]:
    """Their levels: the words differ."""
    return [len(marks) for marks in re.findall(r"^(#+) ", prose(text), flags=re.M)]


def code(text: str) -> list[str]:
    return _CODE.findall(text)


def links(text: str) -> list[str]:
    """Their targets, without that of the other language."""
    return [target for target in re.findall(r"\]\(([^)]+)\)", prose(text)) if not target.startswith("README")]


def rows(text: str) -> list[list[str]]:
    """The code words of each table row: names of commands and options are the same in every language."""
    return [re.findall(r"`([^`]+)`", line) for line in prose(text).split("\n") if line.startswith("|")]


def names(text: str) -> list[str]:
    """What stands in backticks or bold outside tables, as a set in order: order within a sentence may differ."""
    outside = "\n".join(line for line in prose(text).split("\n") if not line.startswith("|"))
    return sorted(re.findall(r"`([^`\n]+)`", outside) + [bold for bold in re.findall(r"\*\*([^*]+)\*\*", outside) if bold.isascii() and bold[0].islower()])


@pytest.mark.parametrize("part", [headings, code, links, rows, names])
def test_the_two_pages_have_the_same_parts(part):
    assert part(ENGLISH)
    assert part(CHINESE) == part(ENGLISH)


def test_each_page_leads_to_the_other():
    assert "](README.zh-CN.md)" in ENGLISH and "](README.md)" in CHINESE


def test_every_link_leads_to_a_file():
    for page in ("README.md", "README.zh-CN.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))):
        text = prose((ROOT / page).read_text())
        for target in re.findall(r"\]\(([^)]+)\)", text):
            if not re.match(r"[a-z]+://|#", target):
                assert ((ROOT / page).parent / target.split("#")[0]).exists(), (page, target)
