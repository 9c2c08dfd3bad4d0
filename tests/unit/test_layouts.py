"""Golden documents of every layout, on small trees made by hand."""

import pytest

from adlc.corpus import load


def read(project) -> dict:
    """path -> Document with its chunks and body."""
    return load.answer(str(project.root.resolve()), lambda c: {d.path: c.read(d) for d in c.documents()}, cache=False)


def skipped(project) -> dict:
    return load.answer(str(project.root.resolve()), lambda c: {s.path: s.reason for s in c.skipped()}, cache=False)


def only(project):
    (document,) = read(project).values()
    return document


def parts(document) -> list[tuple]:
    return [(c.ref, c.kind, c.title, c.line) for c in document.chunks]


def searched(document, text: str) -> str:
    lines = text.split("\n")
    return "\n".join("\n".join(lines[a - 1:b]) for a, b in document.searchable)


OPENSPEC = """# data-export Specification

## Purpose
TBD - created by archiving change add-export. Update Purpose after archive.

## Requirements
### Requirement: Export as CSV
The system SHALL write one row a record.

#### Scenario: Empty table
- **WHEN** nothing is stored
- **THEN** only the header is written

### Requirement: Export as CSV
Again, by a careless merge.

```markdown
### Requirement: Quoted, not required
```

## Removed Requirements
### Requirement: Export as DBF
Nobody wants it.

## Notes
Kept for later.
"""


def test_openspec_requirements_hold_their_scenarios_and_a_tbd_purpose_is_none(project):
    project.write("openspec/specs/data-export/spec.md", OPENSPEC)
    document = only(project)
    assert (document.id, document.title, document.corpus, document.layout) == ("data-export", "data-export", "spec", "openspec")
    assert document.purpose == "" and "archiving change" not in document.body + searched(document, OPENSPEC)
    assert document.requirements == 2
    assert parts(document) == [
        ("export-as-csv", "requirement", "Export as CSV", 7),
        ("export-as-csv-2", "requirement", "Export as CSV", 14),
        ("export-as-dbf", "section", "Export as DBF", 22),
        ("Notes", "section", "Notes", 25),
    ]
    assert "only the header" in document.chunks[0].text and "Empty table" in document.headings


@pytest.mark.parametrize("text, purpose", [
    ("# X\n\n## Purpose\n\nSays what.\nIn two lines.\n\nMore.\n", "Says what. In two lines."),
    ("# X\n\n## Purpose\n\nTBD\n\nWritten later.\n", "Written later."),
    ("# X\n\nLead without a heading.\n\n## Requirements\n", "Lead without a heading."),
    ("# X\n\n## Overview\nSeen from above.\n", "Seen from above."),
    ("## Purpose\n\nTodo usuario puede entrar.\n", "Todo usuario puede entrar."),
    ("## Purpose\n\nNa tela de login.\n", "Na tela de login."),
    ("## Purpose\n\n[What this is for]\n", ""),
    ("## Purpose\n\n[Docs](x.md) explain it.\n", "[Docs](x.md) explain it."),
    ("## Purpose\n\nTODO: write\n", ""),
    ("## Purpose\n\n待定\n", ""),
    ("## Purpose\n\n待定义的行为。\n", "待定义的行为。"),
    ("## ADDED Requirements\n\n### Requirement: A\nx\n", ""),
    ("", ""),
])
def test_a_purpose_is_what_a_person_wrote(project, text, purpose):
    project.write("openspec/specs/x/spec.md", text)
    assert only(project).purpose == purpose


@pytest.mark.parametrize("text, refs", [
    ("## Requirements\n\n### REQ-1: Save\nx\n### REQ-2: Load\ny\n", ["REQ-1", "REQ-2"]),
    ("## Requirements\n\n### Saving\nx\n#### Detail\nz\n### Loading\ny\n", ["saving", "loading"]),
    ("## ADDED Requirements\n\n### Requirement: A b\nx\n", ["a-b"]),
    ("## Requirement: At level two\nx\n### Scenario: y\nz\n", ["at-level-two"]),
    ("## 需求\n### 需求：导出 CSV\n系统必须导出。\n#### 场景：空表\n- 当 为空\n", ["导出-csv"]),
    ("## Requirements\n\n### UTF-8 names\nx\n### Requirement: Real\ny\n", ["real"]),
])
def test_what_counts_as_a_requirement_in_openspec(project, text, refs):
    project.write("openspec/specs/x/spec.md", text)
    document = only(project)
    assert [c.ref for c in document.chunks if c.kind == "requirement"] == refs
    assert document.requirements == len(refs)


def test_openspec_reads_nested_capabilities_and_neither_changes_nor_archives(project):
    for path in ("openspec/specs/auth/login/spec.md", "openspec/specs/auth/spec.md", "openspec/specs/vendor/spec.md"):
        project.write(path, "## Purpose\nx\n")
    for path in ("openspec/changes/a/specs/auth/spec.md", "openspec/changes/archive/b/specs/auth/spec.md", "openspec/specs/auth/design.md"):
        project.write(path, "## Purpose\nx\n")
    assert {p: d.id for p, d in read(project).items()} == {
        "openspec/specs/auth/login/spec.md": "auth/login", "openspec/specs/auth/spec.md": "auth", "openspec/specs/vendor/spec.md": "vendor",
    }


def test_frontmatter_is_optional_and_a_lone_rule_is_no_fault(project):
    project.write("openspec/specs/a/spec.md", "---\n\n# A\n\n## Purpose\nAfter a rule.\n")
    project.write("openspec/specs/b/spec.md", "---\n\nA quoted saying\n\n---\n\n## Purpose\nBetween rules.\n")
    project.write("openspec/specs/c/spec.md", (
        "---\nstatus: deprecated\nscope: [src/a/**, src/b.py]\ncode: src/b.py#run\nrelated: a, b\nupdated: 2026-02-01\n"
        "title: Auth: retry\n---\n## Purpose\nFields.\n"))
    project.write("openspec/specs/d/spec.md", "---\nstatus: [x\nwrong\n---\n## Purpose\nBad fields.\n")
    a, b, c, d = read(project).values()
    assert (a.frontmatter, a.purpose, a.problems) == ("absent", "After a rule.", [])
    assert (b.frontmatter, b.purpose, b.problems) == ("absent", "Between rules.", [])
    assert (c.status, c.scope, c.code, c.related) == ("deprecated", ["src/a/**", "src/b.py"], ["src/b.py#run"], ["a", "b"])
    assert (c.updated, c.title, c.frontmatter) == ("2026-02-01", "Auth: retry", "ok")
    assert (d.frontmatter, d.purpose) == ("malformed", "Bad fields.") and d.problems


TOON = """kind: llman.sdd.spec
name: "export"
purpose: "TBD - created by archiving change c1. Update purpose after archive."
valid_scope[2]: src/,"tests/a,b"
requirements[2]{req_id,title,statement}:
  r1,"csv-rows","System MUST write rows, one a record."
  r2,quoting,System MUST say \\"no\\".
scenarios[3]{req_id,id,given,when,then}:
  r1,happy,a table,it is exported,"rows, in order"
  r2,odd,"",a quote is met,it is doubled
  r9,lost,nothing,something,anything
"""


def test_llmanspec_tables_become_readable_requirements(project):
    project.write("llmanspec/specs/export/spec.toon", TOON)
    project.write("llmanspec/changes/c1/specs/export/spec.toon", TOON)
    document = only(project)
    assert (document.id, document.title, document.purpose, document.requirements) == ("export", "export", "", 2)
    assert document.scope == ["src/", "tests/a,b"]
    assert parts(document) == [
        ("r1", "requirement", "csv-rows", 6), ("r2", "requirement", "quoting", 7), ("r9/lost", "scenario", "lost", 11),
    ]
    assert document.chunks[0].text == (
        "System MUST write rows, one a record.\nhappy: Given a table. When it is exported. Then rows, in order")
    assert document.searchable == [[6, 7], [9, 11]]
    assert "req_id" not in document.body and '"' not in document.body.replace('\\"', "") and "c1" not in document.body
    assert document.problems == ["line 11: a scenario of 'r9', which is no requirement here"]


def test_llmanspec_features_beside_a_spec_give_scenarios_with_their_own_lines(project):
    project.write("llmanspec/specs/export/spec.toon", TOON)
    project.write("llmanspec/specs/export/export.feature", (
        "Feature: Export\n\n  @req:r1\n  Scenario: Two rows\n    Given two records\n    When exported\n    Then two rows\n"))
    project.write("llmanspec/specs/export/bad.feature", b"\xff\xfe\x00")
    document = only(project)
    chunk = document.chunks[-1]
    assert (chunk.ref, chunk.kind, chunk.title, chunk.line) == ("r1/two-rows", "scenario", "Two rows", 4)
    assert chunk.path == "llmanspec/specs/export/export.feature"
    assert "Given two records" in chunk.text and "Given two records" in document.body
    assert document.problems[-1] == "bad.feature: encoded as UTF-16; save it as UTF-8"


def test_llmanspec_reads_a_lone_feature_in_chinese(project):
    project.write("llmanspec/specs/cli.feature", """# language: zh-CN
# capability: cli
# purpose: 命令行的范围。
# scope: src/cli/,tests/

功能: cli

  @req:r13
  规则: 配置守卫
    只有需要配置的命令才检查目录。

    场景: 无配置
      假如 没有目录
      当 运行命令
      那么 退出码为零
""")
    document = only(project)
    assert (document.id, document.title, document.purpose) == ("cli", "cli", "命令行的范围。")
    assert document.scope == ["src/cli/", "tests/"] and document.requirements == 1
    assert parts(document) == [("r13", "requirement", "配置守卫", 9), ("r13/无配置", "scenario", "无配置", 12)]


@pytest.mark.parametrize("fence", [
    '```toon\nkind: llman.sdd.spec\npurpose: Says.\nrequirements[1]{req_id,title,statement}:\n  r1,one,It MUST.\n```\n',
    "```yaml\nkind: llman.sdd.spec\npurpose: 'Says.'\nrequirements:\n- req_id: r1\n  title: one\n  statement: It MUST.\nscenarios: []\n```\n",
])
def test_llmanspec_reads_a_spec_inside_a_fence(project, fence):
    project.write("llmanspec/specs/x/spec.md", "---\nllman_spec_valid_scope:\n  - src/\n---\n\n" + fence)
    document = only(project)
    assert (document.purpose, document.scope, document.requirements) == ("Says.", ["src/"], 1)
    assert [(c.ref, c.text) for c in document.chunks] == [("r1", "It MUST.")]


def test_llmanspec_in_openspec_manner(project):
    project.write("llmanspec/specs/x/spec.md", "## Purpose\nOld style.\n\n### Requirement: One\nIt MUST.\n")
    document = only(project)
    assert (document.purpose, document.layout, [c.ref for c in document.chunks]) == ("Old style.", "llmanspec", ["Purpose", "one"])


SPECKIT = """# Feature Specification: Photo Albums

**Feature Branch**: `001-albums`
**Created**: 2025-01-02
**Status**: Draft
**Input**: User description: "Group photos
by date"

## User Scenarios & Testing *(mandatory)*

### User Story 1 - Make an album (Priority: P1)

A person groups photos.

**Acceptance Scenarios**:

1. **Given** photos, **When** grouped, **Then** an album exists

---

### User Story 2 - [Brief Title] (Priority: P2)

[Describe this user journey in plain language]

### Edge Cases

- No photo at all.

## Requirements *(mandatory)*

### Functional Requirements

- **FR-001**: System MUST group by date.
  Even across time zones.
- **FR-002**: System MUST keep originals.

## Success Criteria

- **SC-001**: Done within a minute.
"""


def test_speckit_stories_scenarios_and_numbered_requirements(project):
    project.write("specs/001-albums/spec.md", SPECKIT)
    project.write("specs/001-albums/plan.md", "# Plan\n")
    document = only(project)
    assert (document.id, document.title, document.layout) == ("001-albums", "Photo Albums", "speckit")
    assert (document.purpose, document.status, document.created) == ("Group photos by date", "", "2025-01-02")
    assert document.requirements == 2
    assert parts(document) == [
        ("US1", "story", "Make an album (P1)", 11),
        ("US1-AS1", "scenario", "Given photos, When grouped, Then an album exists", 17),
        ("US2", "story", "[Describe this user journey in plain language] (P2)", 21),
        ("Edge Cases", "section", "Edge Cases", 25),
        ("FR-001", "requirement", "System MUST group by date.", 33),
        ("FR-002", "requirement", "System MUST keep originals.", 35),
        ("SC-001", "criterion", "Done within a minute.", 39),
    ]
    assert document.chunks[4].text == "System MUST group by date. Even across time zones."


def test_speckit_template_leftovers_are_no_title_and_no_purpose(project):
    project.write("specs/002-later/spec.md", (
        '# Feature Specification: [FEATURE NAME]\n\n**Created**: [DATE]\n**Status**: Draft\n'
        '**Input**: User description: "$ARGUMENTS"\n\n## Overview\n\n[NEEDS CLARIFICATION: what for]\n'))
    document = only(project)
    assert (document.title, document.purpose, document.created) == ("002-later", "", "")


def test_kiro_refs_are_the_numbers_its_tasks_cite(project):
    project.write(".kiro/specs/login/requirements.md", """# Requirements Document

## Introduction

Sign in by a mailed link.

## Requirements

### Requirement 1

**User Story:** As a user, I want to sign in by link, so that I need no password.

#### Acceptance Criteria

1. WHEN a user asks for a link THEN the system SHALL send it
2. IF it is older than ten minutes THEN the system SHALL refuse it

### Requirement 2: Sessions

**User Story:** As a user, I want to stay in.

#### Acceptance Criteria

1. WHILE a session is valid THE SYSTEM SHALL not ask again
""")
    project.write(".kiro/specs/login/design.md", "# Design\n")
    document = only(project)
    assert (document.id, document.title, document.purpose, document.requirements) == ("login", "login", "Sign in by a mailed link.", 2)
    assert [(c.ref, c.kind, c.line) for c in document.chunks] == [
        ("Introduction", "section", 3), ("1", "requirement", 9), ("1.1", "criterion", 15), ("1.2", "criterion", 16),
        ("2", "requirement", 18), ("2.1", "criterion", 24),
    ]
    assert document.chunks[1].title == "As a user, I want to sign in by link, so that I need no password."
    assert document.chunks[4].title == "Sessions"


def test_decision_records_of_nygard_and_madr(project):
    project.write("docs/adr/0005-use-sqlite.md", """# 5. Use SQLite

Date: 2024-03-01

## Status

Superseded by [7. Use Postgres](0007-use-postgres.md)

## Context

We need a store.

## Decision

We will use SQLite. It is embedded.
""")
    project.write("docs/decisions/0007-use-postgres.md", """---
status: "accepted"
date: 2024-05-01
---
# Use Postgres

## Context and Problem Statement

More writers: what next?

## Decision Outcome

Chosen option: "Postgres", because of writers.

## More Information

Supersedes ADR-0005.
""")
    for path in ("docs/adr/template.md", "docs/adr/0000-template.md", "docs/adr/README.md", "docs/decisions/index.md"):
        project.write(path, "# Not one\n")
    old, new = read(project).values()
    assert (old.id, old.title, old.status, old.created, old.related) == ("ADR-0005", "Use SQLite", "Superseded", "2024-03-01", ["ADR-0007"])
    assert old.purpose == "We need a store. We will use SQLite."
    assert [(c.ref, c.kind) for c in old.chunks] == [("Context", "section"), ("Decision", "requirement")]
    assert (new.id, new.title, new.status, new.created, new.related) == ("ADR-0007", "Use Postgres", "accepted", "2024-05-01", ["ADR-0005"])


@pytest.mark.parametrize("written, status", [
    ("Accepted", "Accepted"), ("**Accepted** on 2024-01-01", "Accepted"), ("superseded by [ADR-2](0002-x.md)", "superseded"),
    ("✅ Accepted (2024)", "Accepted"), ("Proposed | Accepted | Rejected", ""), ("{proposed | accepted}", ""), ("", ""),
    ("On hold", "On hold"), ("Deprecated, see ADR-9", "Deprecated"), ("已接受", "已接受"),
])
def test_the_status_of_a_decision_is_its_word(project, written, status):
    project.write("doc/adr/0001-x.md", f"# 1. X\n\n## Status\n\n{written}\n\n## Context\n\nc\n")
    assert only(project).status == status


@pytest.mark.parametrize("name, id", [
    ("0001-a.md", "ADR-0001"), ("ADR-12-a.md", "ADR-12"), ("adr_3.md", "ADR-3"), ("7.md", "ADR-7"),
    ("20240101-a.md", "20240101-a"), ("2024-01-31-a.md", "2024-01-31-a"),
])
def test_ids_of_decisions(project, name, id):
    project.write(f"docs/adr/{name}", "# A title\n")
    assert only(project).id == id


def test_plain_markdown_only_where_the_configuration_says(project):
    project.write(".adlc/config.yml", "plain:\n  - docs\n")
    project.write("docs/guide/setup.md", "# Set it up\n\nFirst part\nof the text.\n\n## Linux\n\na\n\n### Debian\n\nb\n\n#### Old\n\nc\n\n## Mac\n")
    project.write("docs/.hidden/x.md", "# x\n")
    project.write("docs/vendor/y.md", "# y\n")
    project.write("other/z.md", "# z\n")
    document = only(project)
    assert (document.id, document.title, document.purpose) == ("guide/setup", "Set it up", "First part of the text.")
    assert parts(document) == [("Linux", "section", "Linux", 6), ("Linux > Debian", "section", "Debian", 10)]
    assert "c" in document.chunks[1].text and document.requirements == 0


LAYOUT_FILES = {
    "openspec/specs/x/spec.md": "## Purpose\n\nWhat 中文 is for.\n\n### Requirement: One\n\nIt MUST.\n",
    "llmanspec/specs/x/spec.toon": "name: x\npurpose: What 中文 is for.\nrequirements[1]{req_id,title,statement}:\n  r1,one,It MUST.\n",
    "llmanspec/specs/y.feature": "# purpose: What 中文 is for.\nFeature: y\n\n@req:r1\nRule: one\n  It MUST.\n",
    "specs/001-x/spec.md": "# Spec: X\n\n## Overview\n\nWhat 中文 is for.\n\n- **FR-001**: It MUST.\n",
    ".kiro/specs/x/requirements.md": "## Introduction\n\nWhat 中文 is for.\n\n### Requirement 1: One\n\n1. It MUST.\n",
    "docs/adr/0001-x.md": "# 1. X\n\n## Context\n\nWhat 中文 is for.\n\n## Decision\n\nIt MUST.\n",
}


@pytest.mark.parametrize("path", LAYOUT_FILES)
@pytest.mark.parametrize("change", [
    lambda t: t.encode(), lambda t: b"\xef\xbb\xbf" + t.encode(), lambda t: t.replace("\n", "\r\n").encode(),
    lambda t: t.replace("\n", "\r").encode(), lambda t: t.rstrip("\n").encode(),
], ids=["plain", "bom", "crlf", "cr", "no-last-newline"])
def test_every_layout_reads_boms_and_any_line_end(project, path, change):
    project.write(path, change(LAYOUT_FILES[path]))
    document = only(project)
    assert document.purpose.removesuffix(" It MUST.") == "What 中文 is for." and document.requirements == 1
    assert "中文" in document.body


@pytest.mark.parametrize("path", LAYOUT_FILES)
@pytest.mark.parametrize("data, reason", [
    ("x".encode("utf-16"), "encoded as UTF-16"), (b"# caf\xe9", "not valid UTF-8"), (b"a\0b", "binary"),
    (b"x" * (4 * 1024 * 1024 + 1), "larger than 4 MiB"),
], ids=["utf16", "latin1", "nul", "huge"])
def test_every_layout_names_what_cannot_be_read(project, path, data, reason):
    project.write(path, data)
    assert read(project) == {} and skipped(project)[path].startswith(reason)


@pytest.mark.parametrize("path", ["llmanspec/specs/x/spec.toon", "llmanspec/specs/y.feature"])
def test_a_table_or_feature_with_nothing_in_it_is_skipped_with_the_reason(project, path):
    project.write(path, "nothing here\n")
    assert "in it" in skipped(project)[path]


def test_several_layouts_in_one_root(project):
    for path, text in LAYOUT_FILES.items():
        project.write(path, text)
    project.spec("REQ-001")
    project.node("a", desc="d")
    assert {d.layout for d in read(project).values()} == {"adlc", "spectree", "openspec", "llmanspec", "speckit", "kiro", "adr"}
    assert skipped(project) == {}


def test_the_title_of_a_rule_is_its_first_sentence_in_scripts_without_spaces_too(project):
    project.spec("REQ-001", body="## Business Rules\n\n- BR-1: 会话三十天后结束。退出会结束所有会话。\n- BR-2: It ends. All end.\n")
    assert [title for _, kind, title, _ in parts(only(project)) if kind == "rule"] == ["会话三十天后结束。", "It ends."]
