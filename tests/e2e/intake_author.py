"""The script of a model that does what Step 1.4 of /spec says, and then the rest of the skill."""

import re

from scripted_model import Say, Tool
from spec_author import Author, command, fences, text_of

# (section, severity, question)
GAPS = (
    ("System Model", "blocking", "Who is allowed to archive a project — any member, or only the owner?"),
    ("Business Rules", "assumption", "Does archiving cascade to child items, or leave them active?"),
)


class IntakeAuthor(Author):
    """argument: what the user wrote behind /adlc:spec. interactive: blocking gaps halt.

    After the run, beside what Author has: intake (whether it ran), segments (file of each), name, kind, sections.
    """

    def __init__(self, project, tags, argument, *, gaps=GAPS, interactive=False, **more):
        super().__init__(project, tags, **more)
        self.argument, self.gaps, self.interactive = argument, gaps, interactive
        self.intake, self.segments, self.name, self.kind = False, {}, None, None

    def __call__(self, request):
        skill = text_of(request)
        base = re.search(r"Base directory for this skill: (\S+)", skill)[1]
        ask, decide = [fence for fence in fences(skill) if fence.startswith("adlc intake detect")]
        path = (yield self.bash(ask)).text.splitlines()[0]
        written = yield Tool("Write", file_path=path, content=self.argument)
        assert not written.failed, written
        answer = yield self.bash(decide.replace("REQUEST", path))
        self.intake = not answer.failed
        if self.intake:
            steps = (yield Tool("Read", file_path=f"{base}/references/intake.md")).text
            cut = yield self.bash(command(steps, "adlc intake segment").replace("REQUEST", path))
            if cut.failed:
                yield self.bash(command(steps, "adlc intake clean").replace("CORPUS REQUEST", path))
                yield Say(f"No spec was written: {cut.text}")
            facts = dict(re.findall(r"^(\w+) (.+)$", cut.text, re.M))
            self.name, self.kind = facts["source"], facts["kind"]
            self.segments = dict(re.findall(r"^(S\d\d) \S+ (\S+)$", cut.text, re.M))
            yield from self.read_source(steps, facts["corpus"])
            printed = (yield self.bash(command(steps, "adlc intake sections"))).text
            # A client may append a reminder of its own to what a command printed.
            self.sections = printed.split("<system-reminder>")[0].split("\n\n")[0].splitlines()
            yield self.bash(command(steps, "adlc intake clean").replace("CORPUS REQUEST", f"{facts['corpus']} {path}"))
            blocking = [gap for gap in self.gaps if gap[1] == "blocking"]
            if blocking and self.interactive:
                yield Say("\n".join(f"{number}. [{section}] {gap}" for number, (section, _, gap) in enumerate(blocking, 1)))
            if blocking:
                yield self.bash(command(steps, "adlc intake announce").replace("announce N", f"announce {len(blocking)}"))
        yield from super().__call__(request)

    def read_source(self, steps, corpus):
        flag = (yield self.bash(command(steps, "adlc flag create"))).text.strip().splitlines()[0]
        gate = yield self.bash(command(steps, "adlc gate").replace("--flag F", f"--flag {flag}"))
        wanted = list(self.segments)
        if "gate 0 ok" in gate.text:
            line = command(steps, "adlc delegate read").replace("--flag F", f"--flag {flag}").replace("SEGMENTS", str(len(wanted)))
            answer = yield self.bash(line.replace("KIND", self.kind).replace("CORPUS", corpus))
            if not answer.failed:
                missing = re.search(r"^missing \(read these yourself\): (.*)$", answer.text, re.M)
                wanted = [id for id in missing[1].split(", ") if id in self.segments] if missing else []
        for id in wanted:
            read = yield Tool("Read", file_path=self.segments[id])
            assert not read.failed, read
        yield self.bash(command(steps, "adlc telemetry step").replace("--flag F", f"--flag {flag}"))

    def written(self, template):
        text = super().written(template)
        if not self.intake:
            return text
        rows = [f"| {section} | {severity} | {gap} | {'open' if severity == 'blocking' else 'assumed'} |" for section, severity, gap in self.gaps]
        provenance = "\n".join([
            "## Provenance", "", f"- Source: `{self.name}` (kind: {self.kind})", "- Intake date: 2026-08-27", "",
            "| Section | Severity | Gap | Disposition |", "|---|---|---|---|", *rows, *([] if rows else ["", "_No gaps identified._"]), "", "",
        ])
        text = text.replace("## Retrieved Context", provenance + "## Retrieved Context")
        for section, severity, gap in self.gaps:
            if severity == "blocking":
                text = text.replace("## Open Questions\n\n- None.", f"## Open Questions\n\n- [ ] {gap} (intake gap: {section} — blocking, unanswered at intake)")
            else:
                text = text.replace("- Mail reaches its reader.", f"- Mail reaches its reader.\n- {gap} — assumed: it is shallow. (intake gap: {section})")
        return text
