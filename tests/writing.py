"""Documents written from the templates, and commands taken out of the text of the skills."""

import re

from builders import document

WORDS = {"component": "COMPONENT", "domain": "DOMAIN", "stack": "STACK,STACK", "concerns": "CONCERN,CONCERN", "tags": "TAG,TAG"}


def fences(text: str) -> list[str]:
    """The contents of the ```sh blocks, wherever they are indented to."""
    text = unnumbered(text)
    return [re.sub(r"^ +", "", body, flags=re.M).strip() for body in re.findall(r"^ *```sh\n(.*?)^ *```", text, re.M | re.S)]


def command(text: str, start: str) -> str:
    """The one command of the text that begins so: one line, literal, so that `Bash(adlc *)` approves it."""
    found = sorted({fence for fence in fences(text) if fence.startswith(start)})
    assert len(found) == 1, f"{len(found)} fences begin with {start!r}"
    assert not set(found[0]) & set("\n$`;&|"), found[0]
    return found[0]


def with_tags(retrieve: str, tags: dict) -> str:
    """`adlc retrieve` of a skill, with values in place of its words. tags: dimension -> words joined by commas."""
    for name, word in WORDS.items():
        value = tags.get(name, "")
        retrieve = retrieve.replace(f"--{name} {word}", f"--{name} {value}" if value else "").replace("  ", " ")
    return retrieve


def unnumbered(text: str) -> str:
    """What a client's Read tool printed, without its line numbers."""
    return re.sub(r"^ *\d+(?:\t|→)", "", text, flags=re.M)


def filled(template: str, sections: dict, **fields) -> str:
    """A document of all keys and headings of the template, in its order. A section that is None is left out."""
    template = unnumbered(template)
    head = re.search(r"^---\n(.*?)^---\n", template, re.M | re.S)
    keys = re.findall(r"^(\w+):", head[1], re.M) if head else []
    headings = re.findall(r"^## (.+)$", template, re.M)
    assert set(keys) == set(fields) - ({"title"} - set(keys)) and set(headings) == set(sections), (keys, headings)
    body = "\n\n".join(f"## {name}\n\n{sections[name]}".rstrip() for name in headings if sections[name] is not None)
    title = f"# {fields['title']}\n\n"
    return document(title + body, **{key: fields[key] for key in keys}) if keys else f"{title}{body}\n"
