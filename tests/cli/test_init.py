"""adlc init: what a project gets, and that nothing of the user's is ever lost."""

import json
import os
import shutil

import pytest

from conftest import ROOT

COPIES = sorted(
    [f".adlc/partials/{p.name}" for p in (ROOT / "partials").glob("*.sh")]
    + [f".adlc/templates/{name}-template.md" for name in ("bug", "design", "lesson", "requirement")]
)
OWN = [".adlc/config.yml", ".adlc/context/project-overview.md", ".adlc/context/taxonomy.md"]
KEEP = [".adlc/bugs/.gitkeep", ".adlc/knowledge/lessons/.gitkeep", ".adlc/specs/.gitkeep"]


def tree(root) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file() and ".git" not in p.relative_to(root).parts}


def actions(result) -> dict[str, str]:
    assert result.code == 0, result
    return {row["path"]: row["action"] for row in result.document["files"]}


def test_a_fresh_project_gets_everything_and_can_be_asked_at_once(adlc, project):
    done = actions(adlc("init", "--json"))
    assert sorted(tree(project.root)) == sorted([*COPIES, *OWN, *KEEP, ".adlc/vendored.json"]) == sorted(done)
    assert set(done.values()) == {"created"}
    assert adlc("list", "--json").document["outcome"] == "empty"
    answer = adlc("retrieve", "--component", "x", "--json").document
    assert answer["partials"] == "current" and answer["outcome"] == "empty"


def test_it_needs_neither_network_nor_git(adlc, project, tmp_path):
    """No program can be found but the shell that starts the launcher, and every proxy is dead."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "sh").symlink_to(shutil.which("sh"))
    dead = dict.fromkeys(("http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    assert set(actions(adlc("init", "--json", env={"PATH": str(tools), **dead})).values()) == {"created"}


def test_a_dry_run_says_the_same_and_writes_nothing(adlc, project):
    planned = adlc("init", "--dry-run", "--json").document
    assert tree(project.root) == {} and planned["dryRun"] is True
    assert planned["files"] == adlc("init", "--json").document["files"]


def test_the_second_run_changes_no_byte(adlc, project):
    adlc("init")
    before = tree(project.root)
    assert set(actions(adlc("init", "--json")).values()) == {"unchanged"}
    assert tree(project.root) == before


def test_an_edited_copy_is_kept_and_ours_lies_beside_it(adlc, project):
    adlc("init")
    path = ".adlc/templates/bug-template.md"
    project.write(path, "my own\n")
    for _ in range(2):
        result = adlc("init", "--refresh", "--json")
        assert actions(result)[path] == "kept"
        assert (project.root / path).read_text() == "my own\n"
        assert (project.root / f"{path}.new").read_bytes() == (ROOT / "templates/bug-template.md").read_bytes()
    project.write(path, (ROOT / "templates/bug-template.md").read_bytes())
    assert actions(adlc("init", "--json"))[f"{path}.new"] == "removed"
    assert not (project.root / f"{path}.new").exists()


def test_a_new_file_that_is_not_ours_is_not_overwritten(adlc, project):
    adlc("init")
    path = ".adlc/templates/bug-template.md"
    project.write(path, "my own\n")
    project.write(f"{path}.new", "also mine\n")
    result = adlc("init", "--json")
    assert (project.root / f"{path}.new").read_text() == "also mine\n"
    assert "was not written by adlc" in next(row["note"] for row in result.document["files"] if row["path"] == path)


def make_old(project, path: str) -> None:
    """As if an older adlc had written this copy."""
    import hashlib

    manifest = json.loads((project.root / ".adlc/vendored.json").read_text())
    project.write(path, "# of an older release\n")
    manifest["files"][path] = hashlib.sha256(b"# of an older release\n").hexdigest()
    project.write(".adlc/vendored.json", json.dumps(manifest))


def test_an_old_copy_that_nobody_edited_is_replaced_only_on_refresh(adlc, project):
    adlc("init")
    path = ".adlc/partials/id-alloc.sh"
    make_old(project, path)
    assert adlc("retrieve", "--json").document["partials"] == "modified"
    assert actions(adlc("init", "--json"))[path] == "stale"
    assert (project.root / path).read_text() == "# of an older release\n"
    assert actions(adlc("init", "--refresh", "--json"))[path] == "refreshed"
    assert adlc("retrieve", "--json").document["partials"] == "current"


@pytest.mark.parametrize("manifest", [None, b"", b"{", b"[]", b'{"schema":"adlc.vendored/1","files":[]}', b"\xff\xfe", b"[" * 9999])
def test_without_a_usable_manifest_every_difference_counts_as_an_edit(adlc, project, manifest):
    adlc("init")
    path = ".adlc/partials/id-alloc.sh"
    make_old(project, path)
    if manifest is None:
        (project.root / ".adlc/vendored.json").unlink()
    else:
        project.write(".adlc/vendored.json", manifest)
    assert actions(adlc("init", "--refresh", "--json"))[path] == "kept"
    assert (project.root / path).read_text() == "# of an older release\n"


@pytest.mark.parametrize("path", OWN)
def test_what_is_the_projects_own_is_never_touched_again(adlc, project, path):
    adlc("init")
    project.write(path, "plain: []\n")
    assert actions(adlc("init", "--refresh", "--json"))[path] == "kept"
    assert (project.root / path).read_text() == "plain: []\n" and not (project.root / f"{path}.new").exists()


def test_directories_with_documents_get_no_placeholder(adlc, corpus):
    done = actions(adlc("init", "--json"))
    assert not set(KEEP) & set(done)


def test_it_climbs_to_the_project_and_names_it(adlc, project):
    project.commit()
    below = project.root / "src/deep"
    below.mkdir(parents=True)
    result = adlc("init", cwd=below)
    assert (project.root / ".adlc/config.yml").exists() and not (below / ".adlc").exists()
    assert str(project.root) in result.talk


def test_the_home_directory_and_the_root_are_no_projects(adlc, project):
    for call in (adlc("init", "--json", cwd=adlc.home), adlc("init", "--root", "/", "--json")):
        assert call.code == 2 and call.error["kind"] == "param_error"
    assert list(adlc.home.iterdir()) == []
    assert adlc("init", "--root", project.root / "none", "--json").code == 3


def test_a_directory_without_git_below_home_does_not_climb_to_the_tools_own_adlc(adlc):
    (adlc.home / ".adlc").mkdir()
    place = adlc.home / "work"
    place.mkdir()
    assert adlc("init", cwd=place).code == 0
    assert (place / ".adlc/config.yml").exists() and list((adlc.home / ".adlc").iterdir()) == []


@pytest.mark.parametrize("link", [".adlc", ".adlc/templates", ".adlc/config.yml"])
def test_no_link_leads_out_of_the_project(adlc, project, tmp_path, link):
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside / "file" if link.endswith(".yml") else outside
    if link.endswith(".yml"):
        target.write_text("precious")
    (project.root / link).parent.mkdir(exist_ok=True)
    (project.root / link).symlink_to(target)
    before = tree(outside)
    result = adlc("init", "--json")
    assert result.code == 3 and result.error["kind"] == "write_failed" and tree(outside) == before
    assert result.error["fix"].startswith(f"move {link} away")


@pytest.mark.parametrize("link, refused", [(".adlc", True), (".adlc/specs", True), (".adlc/knowledge", True), (".adlc/templates", False)])
def test_documents_are_not_begun_behind_a_link_where_no_command_reads_them(adlc, project, link, refused):
    (project.root / "inside").mkdir()
    (project.root / link).parent.mkdir(exist_ok=True)
    (project.root / link).symlink_to(project.root / "inside")
    result = adlc("init", "--json")
    assert result.code == (3 if refused else 0)
    if refused:
        assert result.error["fix"] == f"move {link} away, then: adlc init"


def test_a_file_where_a_directory_is_needed_is_named(adlc, project):
    (project.root / ".adlc").write_text("x")
    error = adlc("init", "--json").error
    assert (error["message"], error["fix"]) == (".adlc is no directory", "move .adlc away, then: adlc init")


def test_what_cannot_be_written_is_told(adlc, project, as_user):
    project.root.chmod(0o555)
    try:
        result = adlc("init", "--json", prefix=as_user)
    finally:
        project.root.chmod(0o755)
    assert result.code == 3 and result.error["kind"] == "write_failed"
    assert result.error["fix"] == f"make {project.root} writable, then: adlc init"


# --- told to agents -------------------------------------------------------------------------------

def test_nobody_is_told_unasked(adlc, project):
    result = adlc("init", "--json")
    assert not (project.root / "CLAUDE.md").exists() and not (project.root / ".claude").exists()
    assert [offer["command"] for offer in result.document["offers"]] == ["adlc init --onboard CLAUDE.md", "adlc init --allow"]
    assert adlc("init", "--onboard", "CLAUDE.md", "--allow", "--json").document["offers"] == []
    assert adlc("init", "--json").document["offers"] == []


def test_the_file_that_is_there_is_offered(adlc, project):
    project.write("AGENTS.md", "# Agents\n")
    assert adlc("init", "--json").document["offers"][0]["command"] == "adlc init --onboard AGENTS.md"


@pytest.mark.parametrize("before", [b"", b"# Rules\n", b"# Rules\n\n- one", b"\xef\xbb\xbf# Rules\r\n\r\n- one\r\n", b"latin \xe9\n"])
def test_the_block_is_added_once_and_the_rest_stays(adlc, project, before):
    project.write("CLAUDE.md", before)
    (project.root / "CLAUDE.md").chmod(0o640)
    adlc("init", "--onboard", "CLAUDE.md")
    once = (project.root / "CLAUDE.md").read_bytes()
    assert once.startswith(before) and once.count(b"<!-- adlc:begin") == once.count(b"<!-- adlc:end -->") == 1
    assert b"adlc context --task" in once and b"run `adlc update`" in once
    assert (b"\r\n" not in once) == (b"\r\n" not in before) and (b"\r\n" not in before or once.count(b"\n") == once.count(b"\r\n"))
    assert (project.root / "CLAUDE.md").stat().st_mode & 0o777 == 0o640
    assert actions(adlc("init", "--onboard", "CLAUDE.md", "--json"))["CLAUDE.md"] == "unchanged"
    project.write("CLAUDE.md", once.replace(b"Specs first", b"Old words") + b"after\n")
    adlc("init", "--onboard", "CLAUDE.md")
    assert (project.root / "CLAUDE.md").read_bytes() == once + b"after\n"


@pytest.mark.parametrize("text", ["<!-- adlc:begin -->\nx\n", "<!-- adlc:end -->\n", "<!-- adlc:end -->\n<!-- adlc:begin -->\n",
                                  "<!-- adlc:begin -->\n<!-- adlc:begin -->\n<!-- adlc:end -->\n"])
def test_markers_that_do_not_pair_stop_before_anything_is_written(adlc, project, text):
    project.write("AGENTS.md", text)
    result = adlc("init", "--onboard", "AGENTS.md", "--json")
    assert result.code == 3 and "do not pair" in result.error["message"]
    assert tree(project.root) == {"AGENTS.md": text.encode()}


def test_a_link_from_one_file_to_the_other_is_followed(adlc, project):
    project.write("AGENTS.md", "# Agents\n")
    (project.root / "CLAUDE.md").symlink_to("AGENTS.md")
    adlc("init", "--onboard", "CLAUDE.md")
    assert (project.root / "CLAUDE.md").is_symlink() and "adlc:begin" in (project.root / "AGENTS.md").read_text()
    assert actions(adlc("init", "--onboard", "CLAUDE.md", "--onboard", "AGENTS.md", "--json"))["AGENTS.md"] == "unchanged"


# --- the settings rule ----------------------------------------------------------------------------

@pytest.mark.parametrize("before", [None, "", "{}", '{"model": "x", "permissions": {"deny": ["Read(./.env)"], "allow": ["Bash(ls)"]}}'])
def test_the_rule_is_merged_into_the_personal_settings(adlc, project, before):
    if before is not None:
        project.write(".claude/settings.local.json", before)
    adlc("init", "--allow")
    settings = json.loads((project.root / ".claude/settings.local.json").read_text())
    had = json.loads(before or "{}")
    assert settings["permissions"]["allow"] == [*had.get("permissions", {}).get("allow", []), "Bash(adlc *)"]
    assert settings["permissions"].get("deny") == had.get("permissions", {}).get("deny") and settings.get("model") == had.get("model")
    assert actions(adlc("init", "--allow", "--json"))[".claude/settings.local.json"] == "unchanged"


@pytest.mark.parametrize("before", ["{", "[]", '{"permissions": []}', '{"permissions": {"allow": "Bash"}}', "// comment\n{}"])
def test_settings_that_cannot_be_extended_safely_stay_as_they_are(adlc, project, before):
    project.write(".claude/settings.local.json", before)
    result = adlc("init", "--allow", "--json")
    assert result.code == 3 and "Bash(adlc *)" in result.error["fix"]
    assert tree(project.root) == {".claude/settings.local.json": before.encode()}


def test_the_text_names_what_was_done_and_what_is_offered(adlc, project):
    result = adlc("init")
    assert result.text.splitlines()[0] == "created    .adlc/bugs/.gitkeep"
    assert "adlc init --allow" in result.talk
    assert adlc("init").text == f"unchanged  {len(COPIES) + len(OWN) + len(KEEP) + 1} files\n"
    assert os.listdir(project.root) == [".adlc"]


def test_hc144_nothing_that_a_test_runner_would_collect_is_copied(adlc, project):
    """Jest collects *.test.*, *.spec.* and everything in __tests__, hidden directories included; pytest test_*."""
    project.write("package.json", '{"type": "module", "devDependencies": {"jest": "*"}}\n')
    written = actions(adlc("init", "--json"))
    assert len(written) > 10
    collected = ("test_", "_test.", ".test.", ".spec.", "__tests__", "conftest")
    assert [path for path in written if any(mark in path for mark in collected) or path.endswith((".js", ".ts", ".mjs", ".cjs", ".py"))] == []
