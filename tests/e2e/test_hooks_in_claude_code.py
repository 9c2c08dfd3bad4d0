"""The three hooks in the real Claude Code: each speaks when it should, at most once, and is silent otherwise."""

import json

import claude_code
import pytest
from builders import Project
from install_clients import CLIENTS
from scripted_model import Tool

PROMPT = "what happens to the session when someone types /exit in the console?"
POINTER, FIRST, OF_FILE = "This repository has 13 specs", "read what seems to govern this: .spec/console", "src/console.py is governed by"


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    copy = claude_code.copy_plugin(tmp_path_factory.mktemp("plugin") / "adlc")
    (copy / "bin/adlc").chmod(0o644)
    return copy


class Place:
    def __init__(self, version, plugin, data, folder):
        self.version, self.plugin, self.home = version, plugin, folder / "home"
        self.project = Project(folder / "work/project")
        self.env = {"ADLC_DATA_DIR": str(data), "ADLC_CACHE_DIR": str(folder / "cache"), "ADLC_STATE_DIR": str(folder / "state")}

    def specs(self):
        self.project.node("console/session", desc="What happens on /exit in a session.", code=["src/console.py#exit"],
                          body="# session\n\nWhen someone types /exit in the console, the session is kept.\n")
        for name in ("billing", "search", "storage", "mail", "themes", "login", "import", "export", "audit", "quota", "backup", "upload"):
            self.project.node(name, desc=f"How {name} behaves.", code=["src/"], body=f"# {name}\n\nThe {name} is {name}.\n")

    def run(self, prompt=PROMPT):
        """One session that writes a file, edits it twice and writes another; -> what the model saw, in its last request."""
        path, other = (str(self.project.root / "src" / name) for name in ("console.py", "other.py"))

        def script(_):
            results = [
                (yield Tool("Write", file_path=path, content="a = 1\nb = 1\n")),
                (yield Tool("Edit", file_path=path, old_string="a = 1", new_string="a = 2")),
                (yield Tool("Edit", file_path=path, old_string="b = 1", new_string="b = 2")),
                (yield Tool("Write", file_path=other, content="c = 1\n")),
            ]
            assert not any(result.failed for result in results), results

        run = claude_code.run(
            self.version, prompt, script, plugin=self.plugin, home=self.home, project=self.project.root, env=self.env, allowed="Read Edit Write",
        )
        assert run.code == 0 and run.denied == [] and len(run.model.calls) == 4
        assert (self.project.root / "src/console.py").read_text() == "a = 2\nb = 2\n"
        last = next(body for body in reversed(run.model.requests) if "Bash" in {tool.get("name") for tool in body.get("tools", ())})
        return json.dumps(last["messages"], ensure_ascii=False)


@pytest.fixture(params=CLIENTS["claude"]["versions"])
def place(request, plugin, data_dir, tmp_path):
    claude_code.installed(request.param)
    return Place(request.param, plugin, data_dir, tmp_path)


def spoken(seen: str) -> list[int]:
    return [seen.count(text) for text in (POINTER, FIRST, OF_FILE)]


def test_each_speaks_once(place):
    place.specs()
    assert spoken(place.run()) == [1, 1, 1]


def test_another_prompt_and_a_switch_leave_the_rest(place):
    place.specs()
    place.project.write(".adlc/config.yml", "hooks:\n  spec-pointer: off\n")
    assert spoken(place.run("please write a poem about the sea")) == [0, 0, 1]


def without_specs(place):
    place.project.write("README.md", "# Readme\n")


def broken_corpus(place):
    place.project.write(".spec/a/spec.md", b"\xff\xfe\x00binary")
    place.project.write(".adlc/specs/REQ-001-x/requirement.md", b"---\nid: REQ-001\ntitle: no end")


def no_environment(place):
    place.specs()
    place.env["ADLC_DATA_DIR"] = str(place.home.parent / "nothing-there")


def read_only_state(place):
    place.specs()
    # A file in the way stops even root.
    place.project.write("../closed", "")
    place.env["ADLC_STATE_DIR"] = place.env["ADLC_CACHE_DIR"] = str(place.home.parent / "work/closed/adlc")


def switched_off(place):
    place.specs()
    place.env["ADLC_HOOKS"] = "off"


@pytest.mark.parametrize("state", [without_specs, broken_corpus, no_environment, read_only_state, switched_off])
def test_silence(place, state):
    state(place)
    seen = place.run()
    assert spoken(seen) == [0, 0, 0]
    assert not (place.home.parent / "nothing-there").exists()
