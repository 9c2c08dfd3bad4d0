"""Scripts of a model that does what the lifecycle skills say: it runs the commands that stand in their own text."""

import datetime
import json
import re

from builders import Raw
from scripted_model import Say, Tool
from spec_author import text_of
from writing import command, filled, unnumbered, with_tags

TODAY = datetime.date.today().isoformat()


class Worker:
    """project: its root. After the run: skill (its text), base (the directory it was loaded from)."""

    def __init__(self, project):
        self.project, self.skill, self.base = project, None, None

    def __call__(self, request):
        self.skill = text_of(request)
        self.base = re.search(r"Base directory for this skill: (\S+)", self.skill)[1]
        yield from self.work()

    def bash(self, start: str, text: str | None = None, **words) -> Tool:
        """The command of the skill, or of `text`, that begins so, with values in place of its words."""
        line = command(text or self.skill, start)
        for word, value in words.items():
            assert word in line
            line = line.replace(word, value)
        return Tool("Bash", command=line, description="adlc")

    def read(self, path: str) -> Tool:
        return Tool("Read", file_path=f"{self.project}/{path}")

    def edit(self, path: str, before: str, after: str) -> Tool:
        return Tool("Edit", file_path=f"{self.project}/{path}", old_string=before, new_string=after)

    def lint(self, path: str, name: str, text: str | None = None) -> Tool:
        line = command(text or self.skill, f"adlc lint specs {name}")
        return Tool("Bash", command=f"adlc lint specs {path}", description=line)

    def context(self, words: str, files: str):
        """Ask what governs the work and read what must be read; returns the answer."""
        line = command(self.skill, "adlc context").replace("'WORDS'", f"'{words}'").replace("'FILE,FILE'", f"'{files}'")
        for again in (False, True):
            result = yield Tool("Bash", command=line, description="adlc")
            answer = json.JSONDecoder().raw_decode(result.text[result.text.index("{"):])[0]
            if answer["status"]["quality"] == "semantic" or again:
                break
            yield Tool("Bash", command="adlc update --quiet", description="adlc")
        for row in answer.get("direct", ()):
            yield self.read(row["path"])
        return answer


class Validate(Worker):
    """tags: of the requirement. After the run: newer, ids that retrieval has and the requirement does not list."""

    def __init__(self, project, tags: dict):
        super().__init__(project)
        self.tags, self.newer = tags, None

    def work(self):
        listed = yield self.bash("adlc list --specs")
        (id,) = re.findall(r"^(REQ-\d+) .*\[draft\]$", listed.text, re.M)
        (folder,) = self.project.glob(f".adlc/specs/{id}-*")
        path = f".adlc/specs/{folder.name}/requirement.md"
        yield self.read(".adlc/context/project-overview.md")
        text = (yield self.read(path)).text
        checked = yield self.lint(path, "'.adlc/specs/")
        yield from self.context("reset a forgotten password", "src/reset.py")
        result = yield Tool("Bash", command=with_tags(command(self.skill, "adlc retrieve"), self.tags), description="adlc")
        rows = json.loads(next(line for line in result.text.splitlines() if line.startswith("{")))["results"]
        self.newer = [row["id"] for row in rows if f"- {row['id']} (" not in text and row["id"] != id]
        for row in rows:
            if row["id"] in self.newer:
                yield self.read(row["path"])
        yield Say(f"Verdict: {'not ready' if checked.failed else 'ready'}\n\nNext: /adlc:architect {id}")


class Architect(Worker):
    """After the run: path of the requirement; states, its status each time it was written."""

    def __init__(self, project):
        super().__init__(project)
        self.path, self.states = None, []

    def work(self):
        listed = yield self.bash("adlc list --specs")
        (id,) = re.findall(r"^(REQ-\d+) .*\[draft\]$", listed.text, re.M)
        (folder,) = self.project.glob(f".adlc/specs/{id}-*")
        self.path = path = f".adlc/specs/{folder.name}/requirement.md"
        yield self.read(".adlc/context/project-overview.md")
        yield self.read(path)
        checked = yield self.lint(path, "'.adlc/specs/")
        if checked.failed:
            yield Say("not ready")
        yield from self.context("reset a forgotten password", "src/reset.py")
        yield from self.status("status: draft", "status: approved")
        template = yield self.read(".adlc/templates/design-template.md")
        design = filled(template.text, {
            "Approach": "A table of hashed tokens.", "Decisions": "- D-1: Tokens are hashed, because the table can leak; not encrypted.",
            "Files": "- `src/reset.py`: new", "Tasks": "- [ ] T-1: Build it (BR-1, AC-1). Files: `src/reset.py`. Test: twice. After: none.",
            "Risks": "- None.",
        }, title=f"Design of {id}")
        yield Tool("Write", file_path=f"{self.project}/{path.replace('requirement.md', 'design.md')}", content=design)
        yield self.edit(path, "scope: []", 'scope: ["src/reset.py"]')
        yield from self.status("status: approved", "status: in-progress")
        yield self.lint(path, "'.adlc/specs/")
        yield self.bash("adlc update")
        yield Say("The design is written. Build T-1, then /adlc:wrapup.")

    def status(self, before: str, after: str):
        yield self.edit(self.path, before, after)
        found = re.search(r"^status: (.*)$", (self.project / self.path).read_text(), re.M)
        self.states.append(found[1])


class LessonWriter(Worker):
    """Knows references/lesson.md of wrapup. lesson: (title, rule), or None. After the run: lesson_id."""

    def __init__(self, project, tags: dict, lesson=None):
        super().__init__(project)
        self.tags, self.lesson, self.lesson_id = tags, lesson, None

    def fields(self) -> dict:
        lists = {key: [word for word in self.tags.get(key, "").split(",") if word] for key in ("stack", "concerns", "tags")}
        return {"created": TODAY, "updated": TODAY} | self.tags | lists

    def write_lesson(self, reference: str, source: str):
        title, rule = self.lesson
        steps = unnumbered((yield Tool("Read", file_path=reference)).text)
        known = yield self.bash("adlc search", steps, WORDS=title.casefold())
        assert title not in known.text
        allocated = yield self.bash("adlc id next lesson", steps)
        self.lesson_id = re.search(r"^LESSON-\d+$", allocated.text, re.M)[0]
        template = yield self.read(".adlc/templates/lesson-template.md")
        path = f".adlc/knowledge/lessons/{self.lesson_id}-rule.md"
        text = filled(
            template.text, {"What Happened": f"Seen in {source}.", "Lesson": rule, "How to Apply": f"- {title}."},
            id=self.lesson_id, title=title, **self.fields(),
        )
        yield Tool("Write", file_path=f"{self.project}/{path}", content=text)
        yield self.lint(path, ".adlc/knowledge/", steps)


class Wrapup(LessonWriter):
    """replaces: the path of a requirement that the finished one supersedes."""

    def __init__(self, *arguments, replaces: str = "", **more):
        super().__init__(*arguments, **more)
        self.replaces = replaces

    def work(self):
        listed = yield self.bash("adlc list --specs")
        (id,) = re.findall(r"^(REQ-\d+) .*\[in-progress\]$", listed.text, re.M)
        (folder,) = self.project.glob(f".adlc/specs/{id}-*")
        path, design = (f".adlc/specs/{folder.name}/{name}.md" for name in ("requirement", "design"))
        yield self.read(path)
        yield self.read(design)
        yield self.edit(path, "- [ ] AC-1", "- [x] AC-1")
        yield self.edit(design, "- [ ] T-1", "- [x] T-1")
        yield self.edit(path, "status: in-progress", "status: complete")
        yield from self.context("reset a forgotten password", "src/reset.py")
        if self.replaces:
            yield self.read(self.replaces)
            yield self.edit(self.replaces, "status: complete", f"status: superseded\nrelated: [{id}]")
        if self.lesson:
            yield from self.write_lesson(f"{self.base}/references/lesson.md", id)
        yield self.bash("adlc lint specs")
        yield self.bash("adlc update")
        yield Say(f"{id} is complete.")


class Bugfix(LessonWriter):
    """After the run: id, path of the report; states, its status each time it was written."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.id = self.path = None
        self.states = []

    def work(self):
        yield from self.context("a token works twice", "")
        allocated = yield self.bash("adlc id next bug")
        self.id = re.search(r"^BUG-\d+$", allocated.text, re.M)[0]
        template = yield self.read(".adlc/templates/bug-template.md")
        self.path = f".adlc/bugs/{self.id}-token-works-twice.md"
        yield Tool("Write", file_path=f"{self.project}/{self.path}", content=filled(template.text, {
            "Description": "A link can be used twice.", "Steps to Reproduce": "1. Use it twice.", "Expected Behaviour": "The second use is refused.",
            "Actual Behaviour": "It is accepted.", "Root Cause": "", "Resolution": "",
        }, id=self.id, title="A reset link works twice", status=Raw("open"), severity=Raw("high"), scope=["src/reset.py"], **self.fields()))
        yield from self.change("status: open", "status: in-progress")
        yield from self.change("## Root Cause", "## Root Cause\n\nThe token was removed after the answer, not with the check.")
        yield self.read("src/reset.py")
        yield self.edit("src/reset.py", "return token in TOKENS", "return TOKENS.pop(token, None) is not None")
        yield Tool("Bash", command="python3 src/test_reset.py", description="test")
        yield from self.change("## Resolution", "## Resolution\n\nCheck and removal are one step; src/test_reset.py holds it.")
        yield from self.change("status: in-progress", "status: resolved")
        if self.lesson:
            yield from self.write_lesson(f"{self.base}/../wrapup/references/lesson.md", self.id)
        yield self.lint(self.path, ".adlc/bugs/")
        yield self.bash("adlc update")
        yield Say(f"{self.id} is resolved.")

    def change(self, before: str, after: str):
        yield self.edit(self.path, before, after)
        found = re.search(r"^status: (.*)$", (self.project / self.path).read_text(), re.M)
        self.states.append(found[1])


class Quick(Worker):
    """change: (file, before, after), with which `rule`, a text of a governing document, must not collide. After the run: stopped."""

    def __init__(self, project, change, rule):
        super().__init__(project)
        self.change, self.rule, self.stopped = change, rule, False

    def work(self):
        file, before, after = self.change
        answer = yield from self.context("wording of the reset mail", file)
        governing = {row["path"]: (self.project / row["path"]).read_text() for row in answer["direct"]}
        rules = [line for text in governing.values() for line in text.splitlines() if line.startswith("- BR-")]
        if any(self.rule in line for line in rules):
            self.stopped = True
            yield Say(f"That is a rule: {next(line for line in rules if self.rule in line)} Start with /adlc:spec.")
            return
        yield self.read(file)
        yield self.edit(file, before, after)
        yield Tool("Write", file_path=f"{self.project}/.adlc/changes.md", content=f"# Small changes\n\n- {TODAY}: wording ({file})\n")
        for path, text in governing.items():
            updated = re.search(r"^updated: .*$", text, re.M)[0]
            yield self.edit(path, updated, f"{updated}\nreviewed: {TODAY}")
        yield self.bash("adlc update")
        yield Say("done")


class Status(Worker):
    def work(self):
        self.listed = (yield self.bash("adlc list --status")).text
        self.linted = yield self.bash("adlc lint specs")
        self.index = yield self.bash("adlc index rebuild --check")
        for id in re.findall(r"^(REQ-\d+) .*\[in-progress\]$", self.listed, re.M):
            (folder,) = self.project.glob(f".adlc/specs/{id}-*")
            yield self.read(f".adlc/specs/{folder.name}/design.md")
        yield Say(self.listed)
