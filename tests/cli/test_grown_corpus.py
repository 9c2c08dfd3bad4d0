"""A corpus grown by the skills alone: what their steps leave behind is clean, admitted as it should be, and found again.

The commands are those in the text of the skills, the documents are made from the vendored templates. A lending shop for
tools: 12 features, 6 bugs, 8 lessons, and 12 later requests in other words.
"""

import re
import shlex

import pytest

from adlc.ranking.tags import BUG_STATUSES
from builders import Project, Raw
from conftest import ROOT, Program
from writing import command, filled, with_tags

SKILLS = {path.parent.name: path.read_text() for path in ROOT.glob("skills/*/SKILL.md")}
LESSON = (ROOT / "skills/wrapup/references/lesson.md").read_text()
TAXONOMY = {
    "component": "catalogue loans members payments notices reports", "domain": "lending membership money", "stack": "postgres smtp csv sepa",
    "concerns": "concurrency privacy reliability accessibility performance correctness",
    "tags": "reservation calendar fees due-date sign-up documents mail categories export return images household cap queue bank sms race timezone "
            "encoding retention wording communication timeout",
}


def tags(component, domain, stack="", concerns="", words=""):
    return {"component": component, "domain": domain, "stack": stack, "concerns": concerns, "tags": words}


# title, description, rule, tags, the state it reaches
FEATURES = [
    ("Reserving a tool for a day ahead", "Members come in vain because the tool is out. They reserve it for a day.", "A tool is promised to one member a day.",
     tags("loans", "lending", "postgres", "concurrency", "reservation,calendar"), "complete"),
    ("A fee for each late day", "Tools come back late and others wait.", "Each day after the due date costs one euro.",
     tags("payments", "money", "", "correctness", "fees,due-date"), "complete"),
    ("Joining with a proof of address", "The shop must know where its tools are.", "The scan of the proof is deleted once it was checked.",
     tags("members", "membership", "", "privacy", "sign-up,documents"), "complete"),
    ("A mail before the due date", "Most late returns are forgotten ones.", "A mail is sent two days before the due date.",
     tags("notices", "lending", "smtp", "reliability", "mail,due-date"), "complete"),
    ("Finding tools by trade", "Visitors do not know the names of tools.", "Every tool is listed under at least one trade.",
     tags("catalogue", "lending", "postgres", "accessibility", "categories"), "complete"),
    ("Monthly figures as a file", "The association reports how often tools are used.", "No row names a member.",
     tags("reports", "lending", "csv", "correctness", "export"), "complete"),
    ("Photos of damage at the return", "Who broke a tool cannot be told later.", "A return with damage has at least one photo.",
     tags("loans", "lending", "", "reliability", "return,images"), "in-progress"),
    ("Households share a membership", "Families pay twice for one drawer of tools.", "A household has one address.",
     tags("members", "membership", "", "privacy", "household"), "approved"),
    ("Late fees end at the price of the tool", "A forgotten hammer cost more than ten hammers.", "The fee ends at the price of the tool.",
     tags("payments", "money", "", "correctness", "fees,cap"), "complete"),
    ("A waiting list for tools that are out", "Popular saws never reach the people who ask for them.", "The first on the list has two days to pick it up.",
     tags("loans", "lending", "postgres", "concurrency", "queue,reservation"), "complete"),
    ("Paying by direct debit", "Cash has to be carried to the bank.", "A debit is announced before it is drawn.",
     tags("payments", "money", "sepa", "reliability", "bank"), "draft"),
    ("Reminders as text messages", "Some members have no mail.", "A message names no tool.", tags("notices", "lending", "", "privacy", "sms"), "rejected"),
]
REPLACED = {"REQ-009": "REQ-002"}
# title, what happens, cause, tags, the state it reaches
BUGS = [
    ("Two members are promised the same drill", "Both came on Saturday morning.", "The check and the entry were two transactions.",
     tags("loans", "lending", "postgres", "concurrency", "reservation,race"), "resolved"),
    ("A reminder arrives after the tool came back", "A member returned a saw and was reminded at night.", "Mails were composed in the morning and sent at night.",
     tags("notices", "lending", "smtp", "reliability", "mail,return"), "resolved"),
    ("One day too much is charged", "A return at eleven at night counted as late.", "Days were those of UTC.",
     tags("payments", "money", "", "correctness", "fees,timezone"), "resolved"),
    ("Umlauts are broken in the monthly file", "The office saw question marks.", "The file did not say how it was encoded.",
     tags("reports", "lending", "csv", "correctness", "export,encoding"), "resolved"),
    ("The list of tools takes ten seconds", "On phones nobody waits for it.", "", tags("catalogue", "lending", "", "performance", "images"), "open"),
    ("Members of a household see each other's street", "Two adults in a flat share complained.", "",
     tags("members", "membership", "", "privacy", "household"), "in-progress"),
]
# where it was learned, title, rule, tags
LESSONS = [
    ("BUG-001", "Check and take in one transaction", "Whoever looks first and takes later is overtaken in between.",
     tags("loans", "lending", "postgres", "concurrency", "race")),
    ("BUG-002", "Look at the state when sending, not when queueing", "What was true when a mail was composed can be false when it leaves.",
     tags("notices", "lending", "smtp", "reliability", "mail")),
    ("BUG-003", "A calendar day is the day of the shop", "Count days where the people are, not where the server is.",
     tags("payments", "money", "", "correctness", "timezone")),
    ("BUG-004", "A file says how it is encoded", "Spreadsheets guess, and guess by country.", tags("reports", "lending", "csv", "correctness", "encoding")),
    ("REQ-003", "What is kept for a check goes with the check", "Every copy needs a date on which it disappears.",
     tags("members", "membership", "", "privacy", "retention")),
    ("REQ-005", "People look for the work, not for the tool", "Words of the staff are not the words of visitors.",
     tags("catalogue", "lending", "", "accessibility", "wording,categories")),
    ("REQ-009", "A price changes only after it was announced", "The first bill with the new fee brought twelve complaints.",
     tags("payments", "money", "", "", "communication,fees")),
    ("REQ-010", "A queue needs a time after which it moves on", "One person who never answers stops everybody behind.",
     tags("loans", "lending", "", "concurrency", "queue,timeout")),
]
# a later request, its tags as somebody else would choose them, the prior art that must be among the first five
REQUESTS = [
    ("Hold an item for the coming weekend before somebody else grabs it", tags("loans", "lending", "", "concurrency", "weekend"), "REQ-001 LESSON-001"),
    ("Overdue charges must never exceed what a replacement costs", tags("payments", "money", "", "correctness", "overdue"), "REQ-009"),
    ("Throw away copies of identity papers of applicants", tags("members", "membership", "", "privacy", "retention"), "REQ-003 LESSON-005"),
    ("Nudge borrowers by e-mail on the last evening", tags("notices", "lending", "smtp", "reliability", "e-mail"), "REQ-004 BUG-002 LESSON-002"),
    ("Browse by what one wants to build or repair", tags("catalogue", "lending", "", "accessibility", "browse"), "REQ-005 LESSON-006"),
    ("A yearly spreadsheet for the town council", tags("reports", "lending", "csv", "", "spreadsheet"), "REQ-006 BUG-004 LESSON-004"),
    ("Attach pictures of scratches when handing back", tags("loans", "lending", "", "reliability", "images"), "REQ-007"),
    ("A flat share borrows on one card", tags("members", "membership", "", "privacy", "household"), "REQ-008"),
    ("Charge by the hour for trailers, across midnight", tags("payments", "money", "", "correctness", "timezone"), "BUG-003 LESSON-003"),
    ("Whoever asked first gets the saw when it is back", tags("loans", "lending", "", "concurrency", "queue"), "REQ-010 LESSON-008"),
    ("Raise the contribution next year and tell everybody in time", tags("payments", "money", "", "", "communication"), "LESSON-007"),
    ("Two counters hand out one machine at the same moment", tags("loans", "lending", "postgres", "concurrency", "counter"), "BUG-001 LESSON-001"),
]


class Grower:
    """Does the steps of the skills with the documents of this shop."""

    def __init__(self, adlc: Program, project: Project):
        self.adlc, self.project, self.day = adlc, project, 0
        self.adlc("init")
        vocabulary = "".join(f"## {name}\n\n{', '.join(f'`{word}`' for word in words.split())}\n\n" for name, words in TAXONOMY.items())
        project.write(".adlc/context/taxonomy.md", f"# Taxonomy\n\n{vocabulary}")
        project.write(".adlc/context/project-overview.md", "# Project overview\n\n## What it is\n\nA shop that lends tools.\n")

    def run(self, text: str, start: str, code=0, **words):
        """The command of a skill that begins so, with values in place of its words."""
        line = command(text, start)
        for word, value in words.items():
            assert word in line
            line = line.replace(word, value)
        result = self.adlc(*shlex.split(line)[1:])
        assert result.code == code, (line, result)
        return result

    def template(self, name: str) -> str:
        return (self.project.root / f".adlc/templates/{name}-template.md").read_text()

    def dated(self, query: dict) -> dict:
        self.day += 1
        today = f"2026-03-{self.day:02}"
        lists = {key: [word for word in query[key].split(",") if word] for key in ("stack", "concerns", "tags")}
        return {"created": today, "updated": today} | query | lists

    def change(self, path: str, *pairs) -> None:
        text = (self.project.root / path).read_text()
        for before, after in pairs:
            assert text.count(before) == 1, (path, before)
            text = text.replace(before, after)
        self.project.write(path, text)

    def path(self, id: str) -> str:
        (found,) = self.project.root.glob(f".adlc/**/{id}-*")
        return str((found / "requirement.md" if found.is_dir() else found).relative_to(self.project.root))

    def lint(self, text: str, name: str, path: str) -> None:
        line = next(start for start in re.findall(r"adlc lint specs (\S+)", text) if name in start)
        self.run(text, f"adlc lint specs {line}", **{line: path})

    def feature(self, title, description, rule, query, state) -> None:
        """/spec, then as far as it gets: /architect, /wrapup."""
        skill = SKILLS["spec"]
        retrieved = self.adlc(*shlex.split(with_tags(command(skill, "adlc retrieve"), query))[1:]).document["retrievedContext"]
        id = self.run(skill, "adlc id next").text.strip()
        text = filled(self.template("requirement"), {
            "Description": description, "System Model": None, "Business Rules": f"- BR-1: {rule}",
            "Acceptance Criteria": "- [ ] AC-1: It can be seen to hold. (BR-1)", "External Dependencies": "- None.", "Assumptions": "- None.",
            "Open Questions": "- None.", "Out of Scope": "- Nothing else.", "Retrieved Context": "\n".join(retrieved),
        }, id=id, title=title, status=Raw("draft"), deployable=Raw("true"), scope=[f"src/{query['component']}/{id.lower()}.py"], **self.dated(query))
        path = f".adlc/specs/{id}-{'-'.join(title.casefold().split()[:4])}/requirement.md"
        self.project.write(path, text)
        self.lint(skill, "requirement", path)
        if state == "draft":
            return
        if state == "rejected":
            self.change(path, ("status: draft", "status: rejected"), (description, f"{description} Declined: it costs more than it brings."))
            return
        self.change(path, ("status: draft", "status: approved"))
        design = {name: "- None." for name in ("Approach", "Decisions", "Files", "Risks")} | {"Tasks": "- [ ] T-1: Build it (BR-1, AC-1)."}
        self.project.write(path.replace("requirement.md", "design.md"), filled(self.template("design"), design, title=f"Design of {id}"))
        if state != "approved":
            self.change(path, ("status: approved", "status: in-progress"))
        if state == "complete":
            self.change(path, ("status: in-progress", "status: complete"), ("- [ ] AC-1", "- [x] AC-1"))
            self.change(path.replace("requirement.md", "design.md"), ("- [ ] T-1", "- [x] T-1"))
        old = REPLACED.get(id)
        if old:
            self.change(self.path(old), ("status: complete", "status: superseded"), ("scope: [", f"related: [{id}]\nscope: ["))

    def bug(self, title, happens, cause, query, state) -> None:
        """/bugfix."""
        skill = SKILLS["bugfix"]
        id = self.run(skill, "adlc id next").text.strip()
        text = filled(self.template("bug"), {
            "Description": happens, "Steps to Reproduce": "1. As described.", "Expected Behaviour": "Not that; no document says so.",
            "Actual Behaviour": happens, "Root Cause": "", "Resolution": "",
        }, id=id, title=title, status=Raw("open"), severity=Raw("high"), scope=[], **self.dated(query))
        path = f".adlc/bugs/{id}-{'-'.join(title.casefold().replace(chr(39), '').split()[:4])}.md"
        self.project.write(path, text)
        if state != "open":
            self.change(path, ("status: open", "status: in-progress"))
        if state == "resolved":
            self.change(path, ("status: in-progress", "status: resolved"), ("## Root Cause", f"## Root Cause\n\n{cause}"),
                        ("## Resolution", "## Resolution\n\nThe cause is gone; a test holds it."))
        self.lint(skill, "BUG", path)

    def lesson(self, source, title, rule, query) -> None:
        """The lesson that /wrapup and /bugfix write down."""
        known = self.run(LESSON, "adlc search", WORDS=title)
        assert title not in known.text
        id = self.run(LESSON, "adlc id next").text.strip()
        text = filled(
            self.template("lesson"), {"What Happened": f"See {source}.", "Lesson": rule, "How to Apply": f"- {title}."},
            id=id, title=title, **self.dated(query),
        )
        path = f".adlc/knowledge/lessons/{id}-{'-'.join(re.findall('[a-z]+', title.casefold())[:4])}.md"
        self.project.write(path, text)
        self.lint(LESSON, "LESSON", path)


@pytest.fixture(scope="module")
def grown(data_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("grown")
    project = Project(folder / "project")
    project.commit()
    grower = Grower(Program(data_dir, folder / "own", project.root), project)
    for row in FEATURES:
        grower.feature(*row)
    for row in BUGS:
        grower.bug(*row)
    for row in LESSONS:
        grower.lesson(*row)
    return grower


def test_it_has_what_was_written_and_lints_clean(grown):
    result = grown.run(SKILLS["status"], "adlc lint specs")
    assert result.talk == "adlc: 26 documents examined, 0 findings\n"


def test_every_status_is_admitted_or_left_out_as_the_list_in_the_skill_says(grown):
    counts = grown.adlc("retrieve", "--component", "loans", "--json").document["counts"]
    assert counts["spec"] == {"files": 12, "admitted": 9, "excluded": {"draft": 1, "rejected": 1, "superseded": 1}, "malformed": 0}
    assert counts["bug"] == {"files": 6, "admitted": 4, "excluded": {"in-progress": 1, "open": 1}, "malformed": 0}
    assert counts["lesson"] == {"files": 8, "admitted": 8, "excluded": {}, "malformed": 0}
    reached = {state for *_, state in FEATURES} | {"superseded"}
    assert reached == {"draft", "approved", "in-progress", "complete", "superseded", "rejected"} and set(BUG_STATUSES) & {state for *_, state in BUGS}


def test_what_is_not_finished_is_what_status_shows(grown):
    listed = grown.run(SKILLS["status"], "adlc list --status").text
    assert re.findall(r"^(\S+) .*\[(.*)\]$", listed, re.M) == [
        ("BUG-005", "open"), ("BUG-006", "in-progress"), ("REQ-007", "in-progress"), ("REQ-008", "approved"), ("REQ-011", "draft"),
    ]


@pytest.mark.parametrize("request_, query, wanted", REQUESTS, ids=[words[:30] for words, *_ in REQUESTS])
def test_the_next_requirement_retrieves_the_right_prior_art_among_the_first_five(grown, request_, query, wanted):
    line = with_tags(command(SKILLS["spec"], "adlc retrieve"), query)
    found = [row["id"] for row in grown.adlc(*shlex.split(line)[1:]).document["results"]]
    assert set(wanted.split()) <= set(found[:5]), found
    assert not {"REQ-002", "REQ-011", "REQ-012", "BUG-005", "BUG-006"} & set(found)


def test_the_words_of_the_request_alone_find_some_of_it_mostly(grown):
    """The requests share few words with the documents; tags are what /spec retrieves by."""
    found = {
        request: {row["id"] for row in grown.adlc("search", request, "--limit", "5", "--json").document["results"]} & set(wanted.split())
        for request, _, wanted in REQUESTS
    }
    assert sum(map(bool, found.values())) >= 8, found
