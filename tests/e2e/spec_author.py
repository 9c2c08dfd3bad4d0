"""The script of a model that does what /spec says: it runs the commands that stand in the skill's own text."""

import datetime
import json
import re

from builders import Raw
from scripted_model import Say, Tool
from writing import WORDS, command, fences, filled, with_tags  # noqa: F401  fences: for those that build on this

COLD = "No prior context retrieved — no tagged documents matched this area."


def text_of(request: dict) -> str:
    """Everything that the user and the client said in the first request: the skill is part of it."""
    parts = []
    for message in request["messages"]:
        content = message["content"]
        parts += [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    return "\n".join(parts)


class Author:
    """tags: the query. rules: (text of a rule, ids it cites). skip_delegate: read the documents without calling it.

    After the run: retrieval, proposal (text of the delegated read), id, path, body.
    """

    def __init__(self, project, tags: dict, *, title="Password reset", rules=(), skip_delegate=False):
        self.project, self.tags, self.title, self.rules, self.skip_delegate = project, tags, title, rules, skip_delegate
        self.retrieval = self.proposal = self.id = self.path = None
        self.degraded = False

    def __call__(self, request):
        skill = text_of(request)
        self.skill = skill
        base = re.search(r"Base directory for this skill: (\S+)", skill)[1]
        overview = yield Tool("Read", file_path=f"{self.project}/.adlc/context/project-overview.md")
        if overview.failed:
            yield Say("Run /adlc:init first.")
        answer = yield self.bash(with_tags(command(skill, "adlc retrieve"), self.tags))
        self.retrieval = json.loads(next(line for line in answer.text.splitlines() if line.startswith("{")))
        self.warning = next((line for line in answer.text.splitlines() if "WARNING" in line), None)
        rows = self.retrieval["results"]
        if rows:
            yield from self.read_bodies(base, rows)
        shown = ["Retrieved context for this REQ:", *(f"  {row['id']} ({row['corpus']}, score {row['score']}): {row['title']}" for row in rows)]
        answer = yield self.bash(command(skill, "adlc id next"), say="\n".join(shown if rows else [shown[0], f"  {COLD}"]))
        self.id = next((line for line in answer.text.splitlines() if re.fullmatch(r"REQ-[0-9]{3,6}", line)), None)
        self.degraded = "id allocated without remote verification — verify before PR" in answer.text
        if self.id is None:
            yield Say("ERROR: failed to allocate REQ number — aborting before writing malformed spec")
        template = yield Tool("Read", file_path=f"{self.project}/.adlc/templates/requirement-template.md")
        assert not template.failed
        self.path = f".adlc/specs/{self.id}-password-reset/requirement.md"
        self.body = self.written(template.text)
        yield Tool("Write", file_path=f"{self.project}/{self.path}", content=self.body)
        lint = command(skill, "adlc lint specs")
        yield self.bash(lint.replace(".adlc/specs/REQ-xxx-feature-slug/requirement.md", self.path))
        yield self.bash(command(skill, "adlc update"))
        yield Say(f"{self.body}\n\nRun /validate before advancing to /architect.")

    def bash(self, line: str, say: str = ""):
        return Tool("Bash", say, command=line, description="adlc")

    def read_bodies(self, base: str, rows: list):
        steps = (yield Tool("Read", file_path=f"{base}/references/delegated-read.md")).text
        created = yield self.bash(command(steps, "adlc flag create"))
        flag = created.text.strip().splitlines()[0]
        gate = yield self.bash(command(steps, "adlc gate").replace("--flag F", f"--flag {flag}"))
        read = rows
        if "gate 0 ok" in gate.text and not self.skip_delegate:
            line = command(steps, "adlc delegate read").replace("--flag F", f"--flag {flag}")
            answer = yield self.bash(line.replace("'PATH1' 'PATH2'", " ".join(f"'{row['path']}'" for row in rows)))
            self.proposal = answer.text
            if not answer.failed:
                missing = re.search(r"^missing \(read these yourself\): (.*)$", answer.text, re.M)
                names = [name.strip() for name in missing[1].split(",")] if missing else []
                read = [row for row in rows if row["id"] in names]
        for row in read:
            yield Tool("Read", file_path=f"{self.project}/{row['path']}")
        yield self.bash(command(steps, "adlc telemetry step").replace("--flag F", f"--flag {flag}"))

    def citable(self) -> set[str]:
        accepted = re.findall(r"^citation ok: (\S+) ->", self.proposal or "", re.M)
        return {row["id"] for row in self.retrieval["results"]} | set(accepted)

    def written(self, template: str) -> str:
        """The requirement, with the template's keys and headings in the template's order."""
        rules = []
        for number, (rule, ids) in enumerate(self.rules or [("A token works once.", [])], 1):
            cited = [id for id in ids if id in self.citable()]
            rules.append(f"- BR-{number}: {rule}" + (f" (informed by {', '.join(cited)})" if cited else ""))
        content = {
            "Description": "People forget their passwords and cannot get back in.",
            "System Model": "### Entities\n\n- Token: hash, expiry",
            "Business Rules": "\n".join(rules),
            "Acceptance Criteria": "- [ ] AC-1: The second use of a token is refused. (BR-1)",
            "External Dependencies": "- None.",
            "Assumptions": "- Mail reaches its reader." + ("\n- id allocated without remote verification — verify before PR" if self.degraded else ""),
            "Open Questions": "- None.",
            "Out of Scope": "- Text messages.",
            "Retrieved Context": "\n".join(self.retrieval["retrievedContext"]),
        }
        today = datetime.date.today().isoformat()
        tags = {tag: self.tags.get(tag, "") if tag in ("component", "domain") else [word for word in self.tags.get(tag, "").split(",") if word] for tag in WORDS}
        return filled(
            template, content, id=self.id, title=self.title, status=Raw("draft"), deployable=Raw("true"), created=today, updated=today, scope=[], **tags,
        )
