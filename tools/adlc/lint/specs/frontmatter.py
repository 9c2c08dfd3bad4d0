"""The frontmatter can be read, has the keys that retrieval uses, and its id is that of the file."""

import re

REQUIRED = {
    "spec": ("id", "title", "status", "deployable"),
    "bug": ("id", "title", "status"),
    "lesson": ("id", "title"),
}
TAGS = ("component", "domain", "stack", "concerns", "tags")
_FORM = {"spec": re.compile(r"REQ-[0-9]{3,6}", re.A), "bug": re.compile(r"BUG-[0-9]{3,6}", re.A), "lesson": re.compile(r"LESSON-[0-9]{3,6}", re.A)}
_PLACEHOLDER = re.compile(r"<[a-z][^<>]*>$")


def check(page, corpus):
    head = page.head
    if head.state == "absent":
        yield 1, "no frontmatter between two --- lines: retrieval leaves the document out"
        return
    for problem in head.problems:
        yield 1, problem
    if head.state != "ok":
        return
    for key in REQUIRED[page.corpus]:
        value = head.scalar(key)
        if not value:
            yield page.key_line(key), f"{key} is missing" if key not in head.fields else f"{key} is empty"
        elif _PLACEHOLDER.match(value):
            yield page.key_line(key), f"{key} is still the template's {value}"
    status = head.fields.get("status")
    if isinstance(status, list):
        yield page.key_line("status"), "status is a list; only its first value counts"
    for key in TAGS:
        if key not in head.fields:
            yield page.key_line(key), f"{key} is missing: write it, empty if it does not apply"
    if page.corpus != "lesson" and not any(head.list(key) for key in TAGS):
        yield page.key_line("component"), "none of the five tags has a value: retrieval cannot find the document"
    yield from _id(page)


def _id(page):
    id = page.head.scalar("id")
    if not id:
        return
    if not _FORM[page.corpus].fullmatch(id):
        prefix = _FORM[page.corpus].pattern.partition("-")[0]
        yield page.key_line("id"), f"id {id} is not {prefix}- and three to six digits: it cannot be cited"
        return
    parts = page.path.split("/")
    name = parts[-2] if page.corpus == "spec" else parts[-1].removesuffix(".md")
    if name != id and not name.startswith(id + "-"):
        yield page.key_line("id"), f"id {id} does not fit the name {name}: a citation looks for {id}-…"
