"""docs/tutorial.md, followed step by step: the shown files are written, the shown output is what comes out."""

import re
import shlex
import subprocess

from conftest import ROOT

PAGE = (ROOT / "docs/tutorial.md").read_text()
STEP = re.compile(r"^```(?P<kind>console|markdown file=(?P<file>\S+))\n(?P<body>.*?)^```$|^<!-- edit (?P<edited>\S+): (?P<old>.*) -> (?P<new>.*) -->$", re.M | re.S)


def steps():
    for match in STEP.finditer(PAGE):
        if match["edited"]:
            yield "edit", match["edited"], (match["old"], match["new"])
        elif match["file"]:
            yield "file", match["file"], match["body"]
        else:
            for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", match["body"], re.M):
                yield "run", command, shown


def test_the_tutorial_can_be_followed(adlc, project):
    ran = 0
    for kind, what, content in steps():
        if kind == "file":
            project.write(what, content)
        elif kind == "edit":
            path = project.root / what
            assert content[0] in path.read_text()
            path.write_text(path.read_text().replace(*content))
        else:
            words = shlex.split(what)
            if words[0] == "git":
                project.git(*words[1:])
                continue
            assert words[0] == "adlc"
            process = adlc.start(*words[1:], stderr=subprocess.STDOUT)
            assert process.communicate(timeout=60)[0].decode() == content, what
            assert process.returncode == 0
            ran += 1
    assert ran == 7 and (project.root / ".adlc/specs/REQ-002-confirm-address/requirement.md").exists()
