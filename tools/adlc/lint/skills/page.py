"""A file of a bundle as the checks see it: its frontmatter, its code blocks, and its prose without them."""

import re

from adlc import plain_yaml
from adlc.corpus import frontmatter, markdown
from adlc.lint.skills import fences
from adlc.lint.skills.fences import Fence

_MARK = re.compile(r"---[ \t]*$")


def strict(raw: str) -> tuple[dict, list[tuple[int, str]]]:
    """-> (the mapping or {}, faults as (0-based line, message))."""
    import yaml

    class Loader(yaml.SafeLoader):
        def flatten_mapping(self, node):
            """Merge keys stay keys: merged, a few lines can become gigabytes."""

    if len(raw) > frontmatter.MAX_BYTES:
        return {}, [(0, f"the frontmatter is longer than {frontmatter.MAX_BYTES // 1024} KiB")]
    if plain_yaml.too_deep(raw):
        return {}, [(0, "the frontmatter is nested too deeply")]
    try:
        loader = Loader(raw)
        node = loader.get_single_node()
        fields = None if node is None else loader.construct_document(node)
    except (yaml.YAMLError, ValueError, RecursionError) as exc:
        mark = getattr(exc, "problem_mark", None)
        why = getattr(exc, "problem", None) or getattr(exc, "reason", None) or str(exc)
        hint = "; quote the value" if "mapping values are not allowed" in why or "cannot start any token" in why else ""
        return {}, [(mark.line if mark else 0, f"the frontmatter is not YAML, and many clients drop such a file: {why}{hint}")]
    if not isinstance(fields, dict):
        return {}, [(0, "the frontmatter is empty" if fields is None else "the frontmatter is not a list of `key: value` lines")]
    seen, faults = set(), []
    for key, _ in node.value:
        if key.value in seen:
            faults.append((key.start_mark.line, f"the key '{key.value}' is there twice"))
        seen.add(key.value)
    return fields, faults


class Page:
    """path: root-relative. kind: skill, page (Markdown beside a skill), agent, partial (.sh), notes (.md of partials).

    home: root-relative directory of the bundle, "" for the root. name: of the skill or agent, by its place.
    lines: as written. raw: the text of the frontmatter, None without one; unclosed: it has no end. body: 0-based
    line after it. marked: the file begins with a byte order mark. fences: in order; of a partial the whole file
    is one.
    """

    def __init__(self, path: str, kind: str, home: str, text: str, marked: bool = False):
        self.path, self.kind, self.home, self.text = path, kind, home, text
        self.lines = text.split("\n")
        self.raw, self.unclosed, self.body, self.marked = None, False, 0, marked
        self._fields: dict | None = None
        parts = path.split("/")
        self.name = parts[-2] if kind == "skill" and len(parts) > 1 else parts[-1].removesuffix(".md")
        if kind == "partial":
            script = Fence(-1, "", "")
            script.end, script.closed = len(self.lines), True
            script.settle(self.lines)
            script.dialect = script.dialect or "posix"
            self.fences = [script]
        else:
            self._head()
            self.fences = fences.find(self.lines, self.body)
        self._prose: list[str] | None = None

    def _head(self) -> None:
        if not _MARK.match(self.lines[0]):
            return
        end = next((n for n in range(1, len(self.lines)) if _MARK.match(self.lines[n])), None)
        if end is None:
            self.unclosed = True
            return
        self.raw, self.body = "\n".join(self.lines[1:end]), end + 1

    @property
    def fields(self) -> dict:
        """The frontmatter as strict YAML reads it; {} when it cannot, which the check `frontmatter` says."""
        if self._fields is None:
            self._fields, _ = strict(self.raw or "")
        return self._fields

    def key_line(self, key: str) -> int:
        """The 1-based line of a key of the frontmatter, or of the first line."""
        for number in range(1, max(self.body - 1, 1)):
            if re.match(rf"[\"']?{re.escape(key)}[\"']?[ \t]*:", self.lines[number]):
                return number + 1
        return 1

    @property
    def shells(self) -> list[Fence]:
        return [fence for fence in self.fences if fence.dialect]

    @property
    def prose(self) -> list[str]:
        """The lines with frontmatter, code blocks and comments blank: same count, same numbers."""
        if self._prose is None:
            shown = [""] * self.body + self.lines[self.body:]
            for fence in self.fences:
                for number in range(max(fence.start, 0), min(fence.end + 1, len(shown))):
                    shown[number] = ""
            self._prose = [] if self.kind == "partial" else markdown.visible(shown)
        return self._prose
