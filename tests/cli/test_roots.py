"""Which directories are a root, and what a root takes in: several layouts, further roots, plain directories, links."""

import os
import time

import pytest

SPEC = "## Purpose\n\nWhat it is for.\n\n### Requirement: One\n\nIt MUST.\n"


def listed(adlc, *arguments, **options) -> list[str]:
    result = adlc("list", "--json", *arguments, **options)
    assert result.code == 0, result
    return [d["path"] for d in result.document["documents"]]


def skipped(adlc) -> dict:
    return {s["path"]: s["reason"] for s in adlc("list", "--json").document["skipped"]}


def test_list_and_show_of_a_foreign_layout(adlc, project):
    project.write("openspec/specs/export/spec.md", SPEC)
    (document,) = adlc("list", "--json").document["documents"]
    assert (document["id"], document["layout"], document["requirementCount"]) == ("export", "openspec", 1)
    shown = adlc("show", "export", "--json").document
    assert [(c["ref"], c["kind"], c["line"]) for c in shown["chunks"]] == [("Purpose", "section", 1), ("one", "requirement", 5)]


def test_show_reads_what_lies_beside_a_spec(adlc, project):
    project.write("llmanspec/specs/x/spec.toon", "purpose: p\n")
    project.write("llmanspec/specs/x/x.feature", "Feature: x\nScenario: Beside\nGiven a kumquat\n")
    assert "Given a kumquat" in adlc("show", "x", "--json").document["body"]
    assert adlc("search", "kumquat", "--json").document["results"][0]["id"] == "x"


def test_a_changed_feature_beside_a_spec_is_seen(adlc, project):
    project.write("llmanspec/specs/x/spec.toon", "purpose: p\n", mtime=1_700_000_000)
    project.write("llmanspec/specs/x/x.feature", "Feature: x\nScenario: Beside\nGiven a kumquat\n", mtime=1_700_000_000)
    assert adlc("search", "kumquat", "--json").document["matched"] == 1
    time.sleep(1.1)
    assert adlc("search", "kumquat", "--json").document["matched"] == 1
    project.write("llmanspec/specs/x/x.feature", "Feature: x\nScenario: Beside\nGiven a papayas\n", mtime=1_700_000_000)
    assert adlc("search", "kumquat", "--json").document["matched"] == 0
    assert adlc("search", "papaya", "--json").document["matched"] == 1
    (project.root / "llmanspec/specs/x/x.feature").unlink()
    assert adlc("search", "papaya", "--json").document["matched"] == 0


def test_a_monorepo_answers_from_the_nearest_root_and_from_the_configured_ones(adlc, project):
    project.spec("REQ-001")
    project.write("packages/a/.adlc/specs/REQ-001-x/requirement.md", "---\nid: REQ-001\ntitle: In a\n---\n")
    project.write("packages/b/openspec/specs/export/spec.md", SPEC)
    own, a, b = (".adlc/specs/REQ-001-slug/requirement.md", "packages/a/.adlc/specs/REQ-001-x/requirement.md",
                 "packages/b/openspec/specs/export/spec.md")
    assert listed(adlc) == [own]
    assert listed(adlc, cwd=project.root / "packages/a") == [".adlc/specs/REQ-001-x/requirement.md"]
    project.write(".adlc/config.yml", "roots: [packages/a, ./packages/b/]\n")
    assert listed(adlc) == [own, a, b]
    assert adlc("show", "REQ-001", "--json").error["candidates"] == [own, a]
    project.write(".adlc/config.yml", "roots:\n  - packages/*\n")
    assert listed(adlc) == [own, a, b]
    assert adlc("show", b, "--json").document["id"] == "export"


def test_the_configuration_alone_makes_a_root(adlc, project):
    project.write(".adlc/config.yml", "plain: docs\n")
    project.write("docs/a.md", "# A\n\nText.\n")
    (project.root / "src/deep").mkdir(parents=True)
    assert listed(adlc, cwd=project.root / "src/deep") == ["docs/a.md"]


def test_context_or_a_configuration_of_other_things_alone_is_no_root(adlc, project):
    project.write(".adlc/.context/metadata.toml", "")
    project.write(".adlc/config.yml", "ids:\n  reserve: remote\n")
    assert adlc("list", "--json").error["kind"] == "no_root"


def test_the_whole_repository_as_plain_markdown(adlc, project):
    project.write(".adlc/config.yml", "plain: [.]\n")
    for path in ("README.md", "docs/a.md", "node_modules/x/README.md", "vendor/y.md", ".github/z.md", "sub/.git/HEAD", "sub/b.md", "env/pyvenv.cfg", "env/c.md"):
        project.write(path, "# T\n")
    project.git("init", "-q")
    assert listed(adlc) == ["README.md", "docs/a.md"]


def test_a_document_of_a_layout_is_not_plain_as_well(adlc, project):
    project.write(".adlc/config.yml", "plain: [docs, docs/adr]\n")
    project.write("docs/adr/0001-x.md", "# 1. X\n")
    project.write("docs/adr/notes.md", "# Notes\n")
    documents = adlc("list", "--json").document["documents"]
    assert [(d["path"], d["layout"]) for d in documents] == [("docs/adr/0001-x.md", "adr"), ("docs/adr/notes.md", "plain")]


@pytest.mark.parametrize("text, said", [
    ("roots: [a", "line 2"), ("rots: a\n", "'rots' is not a key; there are: roots, plain, ids"), ("- a\n", "not a list of `key: value` lines"),
    ("roots: {a: b}\n", "roots must be a list of directories"), ("roots: [../x]\n", "'../x' must be a directory below the root"),
    ("plain: /etc\n", "'/etc' must be a directory below the root"), ("plain: [[a]]\n", "plain must be a list of directories"),
    ("plain: \"\\xff", "config.yml"), (b"\xff\xfep\0", "encoded as UTF-16"), ("a: &a [*a]\nroots: *b\n", "config.yml"), ("[" * 5000, "nested too deeply"),
])
def test_a_malformed_configuration_is_one_clear_error(adlc, project, text, said):
    project.spec("REQ-001")
    project.write(".adlc/config.yml", text)
    result = adlc("list", "--json")
    assert result.code == 3 and result.error["kind"] == "config_malformed" and said in result.error["message"], result


@pytest.mark.parametrize("text", ["", "# only a comment\n", "roots:\n", "plain: []\n", "\ufeffroots: []\r\n", "---\nroots: null\n"])
def test_an_empty_configuration_says_nothing(adlc, project, text):
    path = ".adlc/specs/REQ-001-slug/requirement.md"
    project.spec("REQ-001")
    project.write(".adlc/config.yml", text)
    assert listed(adlc) == [path]


def test_configured_directories_that_are_not_there_are_reported(adlc, project):
    project.spec("REQ-001")
    project.write(".adlc/config.yml", "roots: [gone]\nplain: [also-gone, docs]\n")
    os.symlink("/etc", project.root / "docs")
    assert skipped(adlc) == {
        "also-gone": "named under plain: in .adlc/config.yml, but there is no such directory",
        "docs": "named under plain: in .adlc/config.yml, but docs is a symbolic link, which is not followed",
        "gone": "named under roots: in .adlc/config.yml, but there is no such directory",
    }
    assert len(listed(adlc)) == 1


def test_a_changed_configuration_counts_at_once(adlc, project):
    project.write("docs/a.md", "# A\n\nkumquat\n")
    project.write("more/b.md", "# B\n\nkumquat\n")
    for folders in ("docs", "more", "docs, more", "docs"):
        project.write(".adlc/config.yml", f"plain: [{folders}]\n")
        for _ in range(2):
            assert adlc("search", "kumquat", "--json").document["matched"] == len(folders.split(","))


def test_a_valid_cache_answers_without_reading_the_configuration(adlc, project):
    project.write("docs/a.md", "# A\n", mtime=1_700_000_000)
    project.write(".adlc/config.yml", "plain: [docs]\n")
    time.sleep(2.1)
    adlc("search", "a", "--json"), adlc("search", "a", "--json")
    from adlc.corpus import load, settings, store

    def forbidden(root):
        raise AssertionError("read again")

    before, settings.config.read = settings.config.read, forbidden
    try:
        root = os.path.realpath(project.root)
        with store.open_store(root, str(adlc.cache / "corpus")) as opened:
            assert settings.of(root, opened).plain == ["docs"] and opened.on_disk
            assert len(load._refresh(root, opened).documents()) == 1
    finally:
        settings.config.read = before


@pytest.mark.parametrize("path", ["specs/models/user_spec.rb", "specs/login/spec.md", "specs/001-x/notes.md", "docs/decisions/index.md", "doc/adr/template.md", ".kiro/steering/a.md"])
def test_a_directory_of_that_name_alone_is_no_root(adlc, project, path):
    project.write(path, "# X\n")
    assert adlc("list", "--json").error["kind"] == "no_root"


def test_other_names_count_once_spec_kit_is_in_use(adlc, project):
    project.write("specs/login/spec.md", "# Feature Specification: Login\n")
    project.write(".specify/memory/constitution.md", "# C\n")
    assert listed(adlc) == ["specs/login/spec.md"]


def test_other_checkouts_and_dependencies_are_not_walked(adlc, project):
    project.write("openspec/specs/mine/spec.md", SPEC)
    for path in ("openspec/specs/other/.git", "openspec/specs/node_modules/p/spec.md", "openspec/specs/.worktrees/w/spec.md"):
        project.write(path, "gitdir: elsewhere\n")
    project.write("openspec/specs/other/spec.md", SPEC)
    assert listed(adlc) == ["openspec/specs/mine/spec.md"]


def test_links_are_followed_to_files_inside_only(adlc, project, tmp_path):
    project.write("openspec/specs/a/spec.md", SPEC)
    project.write("openspec/specs/b/real.md", SPEC)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/spec.md").write_text("secret")
    os.symlink("real.md", project.root / "openspec/specs/b/spec.md")
    (project.root / "openspec/specs/c").mkdir()
    os.symlink(tmp_path / "outside/spec.md", project.root / "openspec/specs/c/spec.md")
    os.symlink("a", project.root / "openspec/specs/d")
    os.symlink(tmp_path / "outside", project.root / "openspec/specs/e")
    os.symlink("..", project.root / "openspec/specs/a/loop")
    assert listed(adlc) == ["openspec/specs/a/spec.md", "openspec/specs/b/spec.md"]
    assert skipped(adlc) == {
        "openspec/specs/a/loop": "a symbolic link to a directory, which is not followed",
        "openspec/specs/c/spec.md": "a symbolic link that leaves the root",
        "openspec/specs/d": "a symbolic link to a directory, which is not followed",
        "openspec/specs/e": "a symbolic link that leaves the root",
    }
    assert adlc("search", "secret", "--json").document["results"] == []


@pytest.mark.parametrize("link", [".adlc", ".adlc/specs", ".adlc/specs/REQ-002-x", "openspec", ".kiro/specs", "docs/adr"])
def test_a_linked_directory_of_documents_is_reported_not_read(adlc, project, tmp_path, link):
    project.node("own", desc="d")
    outside = tmp_path / "outside"
    for path in ("specs/a/spec.md", "specs/REQ-001-x/requirement.md", "REQ-001-x/requirement.md", "requirement.md", "x/requirements.md", "0001-x.md"):
        (outside / path).parent.mkdir(parents=True, exist_ok=True)
        (outside / path).write_text("# secret\n")
    (project.root / link).parent.mkdir(parents=True, exist_ok=True)
    os.symlink(outside, project.root / link)
    assert listed(adlc) == [".spec/own/spec.md"]
    assert skipped(adlc) == {link: "a symbolic link that leaves the root"}


@pytest.mark.parametrize("path, folder", [
    ("openspec/specs/b/spec.md", "openspec/specs/b"), (".adlc/bugs/BUG-1-x.md", ".adlc/bugs"), (".adlc/specs/x/requirement.md", ".adlc/specs"),
    (".kiro/specs/x/requirements.md", ".kiro/specs"), ("docs/a.md", "docs"), ("packages/a/docs/adr/0001-x.md", "packages/a"),
])
def test_a_directory_that_cannot_be_read_is_reported(adlc, project, as_user, path, folder):
    project.write("openspec/specs/a/spec.md", SPEC)
    project.write(".adlc/config.yml", "plain: [docs]\nroots: [packages/a]\n")
    project.write("docs/x.md", "# X\n")
    project.write("packages/a/openspec/specs/a/spec.md", SPEC)
    project.write(path, SPEC)
    closed = project.root / folder
    closed.chmod(0)
    try:
        answer = adlc("list", "--json", prefix=as_user).document
    finally:
        closed.chmod(0o755)
    assert "openspec/specs/a/spec.md" in [d["path"] for d in answer["documents"]]
    (reported,) = answer["skipped"]
    assert reported["path"] == folder and "permission denied" in reported["reason"]


@pytest.mark.parametrize("path, text", [
    ("openspec/specs/a/spec.md", "## Purpose\n\n导出数据。\n\n### Requirement: 写入表头\n\n系统必须写入表头。\n"),
    ("llmanspec/specs/a/spec.toon", "purpose: 导出数据。\nrequirements[1]{req_id,title,statement}:\n  r1,写入表头,系统必须写入表头。\n"),
    ("specs/001-a/spec.md", "# 功能规格: 导出\n\n- **FR-001**: 系统必须写入表头。\n"),
    (".kiro/specs/a/requirements.md", "# 需求文档\n\n## 简介\n\n导出数据。\n\n### 需求 1：表头\n\n#### 验收标准\n\n1. 系统必须写入表头\n"),
])
def test_chinese_specs_are_found_in_every_layout(adlc, project, path, text):
    project.write(path, text)
    project.write("docs/adr/0001-other.md", "# 1. Other\n\n别的内容。\n")
    result = adlc("search", "表头 absent", "--json").document
    assert [r["path"] for r in result["results"]] == [path] and "表头" in result["results"][0]["snippet"]
    assert adlc("list", "--json").document["documents"][-1 if path > "docs" else 0]["requirementCount"] == 1
