"""Every shell fence of every skill, as shipped: what it exits with and says, in each shell and each state of a machine.

A fence runs in a shell of its own, with nothing but HOME and PATH, in a project that has nothing to do with this
checkout. The tables below must name each fence: a new one without an entry fails.
"""

import re
import shutil
import pathlib
import subprocess

import delegating
import pytest
from builders import Project
from conftest import ROOT

SHELLS = {"dash": ["dash"], "bash": ["bash"], "bash --posix": ["bash", "--posix"], "zsh": ["zsh"], "busybox ash": ["busybox", "ash"]}
PAGES = sorted([*ROOT.glob("skills/*/SKILL.md"), *ROOT.glob("skills/*/references/*.md")])
DOCUMENT = ".adlc/knowledge/lessons/LESSON-001-slug.md"

UNAVAILABLE = "/spec: adlc-read unavailable — Claude reading docs directly"
OFF = "adlc-read: delegation is off: it was never switched on — see docs/delegation.md"
FAILED = "/spec: adlc-read failed — Claude reading docs directly"
REFUSED = (
    "/spec: ADLC_READ_BIN is not an absolute path ('{}') — refusing to hand over the corpus "
    "(re-run install.sh --with-delegation, and /init to refresh the vendored gate)"
)
NO_ID = "ERROR: failed to allocate REQ number — aborting before writing malformed spec"
UNVERIFIED = "adlc: id allocated without remote verification — verify before PR (no repository here has a remote)"
ANNOUNCED = "/spec: delegating bulk retrieval read to the delegate (1 docs)"
SKIPPED = "adlc: Step-1.6 was recorded as a ghost-skip (gate-passed-no-call)"


def fences(page) -> list[str]:
    blocks = re.findall(r"^( *)```sh\n(.*?)^ *```", page.read_text(), re.M | re.S)
    return [re.sub(f"^{indent}", "", body, flags=re.M).strip() for indent, body in blocks]


class Machine:
    """One state of a machine; run(fence) -> (exit code, lines of stderr that are not the shell's own)."""

    def __init__(self, folder, data, shell: str, state: str):
        if not shutil.which(shell.split()[0]):
            pytest.skip(f"{shell} is not installed")
        self.shell, self.state, self.flag = shell, state, "/nonexistent/flag"
        self.home, self.log = folder / "home", folder / "home/.local/state/adlc/telemetry.jsonl"
        (self.home / ".local/share").mkdir(parents=True)
        (self.home / ".local/share/adlc").symlink_to(data)
        self.project = Project(folder / "project")
        self.project.lesson("LESSON-001", body="## Lesson\n\nTell.\n", component="c", domain="d", stack=["s"], concerns=["c"], tags=["t"])
        self.env = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        if not state.startswith("no binary"):
            # A link, so that the checkout is found the way it is after an installation.
            (self.home / "bin").mkdir()
            for name in ("adlc", "adlc-read"):
                (self.home / "bin" / name).symlink_to(ROOT / "bin" / name)
            self.env["PATH"] = f"{self.home}/bin:/usr/bin:/bin"
        vendored = self.project.root / ".adlc/partials"
        if state in ("vendored", "modified", "stale", "no binary, vendored"):
            shutil.copytree(ROOT / "partials", vendored)
        if state == "modified":
            for partial in vendored.glob("*.sh"):
                partial.write_text(partial.read_text() + "\nfalse\n")
        if state == "stale":
            # The form of an older gate: it named the program and did not resolve it.
            (vendored / "delegate-gate.sh").write_text(
                "ADLC_READ_BIN=adlc-read\nADLC_DELEGATE_GATE_REASON=unset\n"
                "adlc_delegate_gate_check() { ADLC_DELEGATE_GATE_REASON=ok; return 0; }\n"
            )

    def run(self, fence: str) -> tuple[int, list[str]]:
        for word, value in (("PATHS", f"'{DOCUMENT}'"), ("'PATH1' 'PATH2'", DOCUMENT), ("ID1 ID2", "LESSON-001"), ("--file FILE", "--file /dev/null"),
                            ("'FLAG'", f"'{self.flag}'"), ("--flag F", f"--flag {self.flag}"), ("COUNT", "1")):
            fence = fence.replace(word, value)
        for document in (".adlc/specs/REQ-xxx-feature-slug/requirement.md", ".adlc/bugs/BUG-xxx-slug.md", ".adlc/knowledge/lessons/LESSON-xxx-slug.md"):
            fence = fence.replace(document, DOCUMENT)
        done = subprocess.run(
            [*SHELLS[self.shell], "-c", fence], cwd=self.project.root, env=self.env, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60,
        )
        assert "Traceback" not in done.stderr
        if "flag create" in fence or "skill-flag.sh create" in fence:
            self.flag = done.stdout.strip() or self.flag
        name = self.shell.split()[0].replace("busybox", "ash")
        return done.returncode, [line for line in done.stderr.splitlines() if not line.startswith(f"{name}:")]


def protocol_fences() -> list[str]:
    """Flag, gate, delegated read, proposal, record, id. The three of intake follow them."""
    found = fences(ROOT / "skills/spec/references/shell-protocol.md")
    assert len(found) == 9
    return found[:6]


@pytest.fixture
def machine(tmp_path, data_dir):
    return lambda shell, state: Machine(tmp_path, data_dir, shell, state)


# The fences of shell-protocol.md in order: flag, gate, delegated read, proposal, record, id.
USUAL = [(0, []), (0, [UNAVAILABLE]), (0, [OFF, FAILED]), (0, []), (0, []), (0, [UNVERIFIED])]
PROTOCOL = {
    "absent": USUAL,
    "vendored": USUAL,
    "modified": USUAL,  # a copy whose last command fails is still the one that counts
    "stale": [(0, []), (0, [ANNOUNCED]), (1, [REFUSED.format("adlc-read")]), (0, []), (0, [SKIPPED]), (0, [UNVERIFIED])],
    "no binary, vendored": [
        (0, []), (0, [UNAVAILABLE]), (1, [REFUSED.format("")]), (127, []), (0, []),
        (1, ["adlc_alloc_id: no adlc on PATH — install the plugin, or run install.sh", NO_ID]),
    ],
}
# Sourcing what is not there ends dash, ash and bash --posix, and not the others.
ENDED = lambda code: [(code, []), (code, []), (code, []), (127, []), (code, []), (code, [])]  # noqa: E731
GOES_ON = [(0, []), (0, [UNAVAILABLE]), (1, [REFUSED.format("")]), (127, []), (127, []), (1, [NO_ID])]
NOTHING = {"dash": ENDED(2), "busybox ash": ENDED(2), "bash --posix": ENDED(1), "bash": GOES_ON, "zsh": GOES_ON}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("state", [*PROTOCOL, "no binary"])
def test_the_fences_of_the_shell_protocol(machine, shell, state):
    expected = NOTHING[shell] if state == "no binary" else PROTOCOL[state]
    here = machine(shell, state)
    found = [here.run(fence) for fence in protocol_fences()]
    assert found == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_the_fences_of_the_shell_protocol_with_a_delegate(machine, data_dir, shell):
    delegating.install_stage(data_dir)
    server = delegating.Server()
    here = machine(shell, "vendored")
    here.env |= {"ADLC_DELEGATE_ENABLED": "1", "ADLC_DELEGATE_BASE_URL": server.url("ok"), "ADLC_DELEGATE_MODEL": "m",
                 "ADLC_DELEGATE_API_KEY_ENV": "TEST_KEY", "TEST_KEY": "k", "ADLC_TELEMETRY_LOG": str(here.home / "log")}
    try:
        found = [here.run(fence) for fence in protocol_fences()]
    finally:
        server.end()
    assert found == [(0, []), (0, [ANNOUNCED]), (0, []), (0, []), (0, []), (0, [UNVERIFIED])]
    assert '"mode":"delegated"' in (here.home / "log").read_text().replace('": "', '":"') and len(server.requests) == 1


@pytest.mark.parametrize("shell", SHELLS)
def test_partials_work_without_their_executable_bits(machine, shell):
    here = machine(shell, "vendored")
    for partial in (here.project.root / ".adlc/partials").iterdir():
        partial.chmod(0o644)
    assert [here.run(fence) for fence in protocol_fences()] == USUAL


@pytest.mark.parametrize("shell", SHELLS)
def test_a_hostile_environment_changes_nothing(machine, shell):
    here = machine(shell, "vendored")
    here.env |= {"CDPATH": "/:/tmp", "GREP_OPTIONS": "-v", "IFS": "/", "BASH_ENV": "/nonexistent", "ENV": "/nonexistent", "POSIXLY_CORRECT": "1"}
    found = [here.run(fence) for fence in protocol_fences()]
    assert [(code, [line for line in said if "/nonexistent" not in line]) for code, said in found] == USUAL


# start of a single command -> (exit code, or those that are possible; lines of stderr; None: not looked at)
SINGLE = {
    "adlc retrieve ": (0, []),
    "adlc flag create": (0, []),
    "adlc gate --flag F": (1, [UNAVAILABLE]),
    "adlc gate --step Step-1.4 --flag F": (1, ["/spec: adlc-read unavailable — Claude reading the intake source directly"]),
    "adlc intake detect REQUEST": (2, None),  # the words in capitals are filled in when the step is reached
    "adlc intake detect": (0, []),
    "adlc intake segment REQUEST": (2, None),
    "adlc intake sections": (0, []),
    "adlc intake clean CORPUS REQUEST": (0, []),
    "adlc intake announce N": (2, None),
    "adlc delegate read --step Step-1.4 ": (2, None),
    "adlc flag clear F": (2, None),  # F is no flag here: the line is an example
    "adlc delegate read ": (3, [UNAVAILABLE]),
    "adlc telemetry step ": (0, []),
    "adlc id next ": (0, [UNVERIFIED]),
    "adlc list --specs --status ": (0, None),
    "adlc list --status ": (0, None),
    "adlc search ": (0, None),
    "adlc context --task 'WORDS'": ((0, 3), []),  # unavailable until a fence before it has made the index
    "adlc index rebuild --check": ((0, 1), []),
    "adlc lint specs": (0, ["adlc: 1 document examined, 0 findings"]),
    "adlc update --quiet": (0, []),
    "adlc init --onboard CLAUDE.md": (0, None),
    "adlc init --allow": (0, None),
    "adlc init": (0, None),
}


def expected_of(fence: str):
    return next((row for start, row in SINGLE.items() if fence.startswith(start)), None)


def single_fences():
    return [
        (page.relative_to(ROOT / "skills"), fence) for page in PAGES if page.name != "shell-protocol.md" for fence in fences(page)
    ]


@pytest.mark.parametrize("page, fence", single_fences(), ids=lambda value: str(value)[:40].replace(" ", "_"))
def test_a_fence_is_one_literal_command_that_the_table_knows(page, fence):
    assert fence.startswith("adlc ") and not set(fence) & set("\n$`;&|"), fence
    assert expected_of(fence) is not None, f"{page}: no entry for {fence}"


@pytest.mark.parametrize("state", ["absent", "vendored", "stale", "modified", "no binary"])
@pytest.mark.parametrize("shell", SHELLS)
def test_the_single_commands(machine, shell, state):
    here = machine(shell, state)
    ran = set()
    for page, fence in single_fences():
        # Pages share fences. Those of spec use up what the one before made, so they are run as they stand.
        if fence in ran and page.parts[0] != "spec":
            continue
        ran.add(fence)
        code, said = here.run(fence)
        if state == "no binary":
            assert (code, said) == (127, []), (page, fence)
            continue
        wanted_code, wanted = expected_of(fence)
        assert code in (wanted_code if isinstance(wanted_code, tuple) else (wanted_code,)), (page, fence, said)
        assert wanted is None or [line for line in said if not line.startswith("adlc: .adlc/partials differs")] == wanted, (page, fence)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("state", ["absent", "vendored"])
def test_the_fences_of_intake(machine, shell, state):
    here = machine(shell, state)
    request = here.project.root / "pasted request.txt"
    request.write_text("".join(f"line {n}\n" for n in range(30)))
    detect, read, clean = fences(ROOT / "skills/spec/references/shell-protocol.md")[6:]
    done = subprocess.run(
        [*SHELLS[shell], "-c", detect.replace("REQUEST", str(request))], cwd=here.project.root, env=here.env,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )
    assert done.returncode == 0, done.stderr
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    assert (told["segments"], told["lines"], told["inline"]) == ("1", "30", "1")
    here.flag = subprocess.run(
        [*SHELLS[shell], "-c", fences(ROOT / "skills/spec/references/shell-protocol.md")[0]], cwd=here.project.root, env=here.env,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    ).stdout.strip()
    code, said = here.run(read.replace("'CORPUS'", f"'{told['corpus']}'"))
    assert code == 0 and said[-1] == "/spec: adlc-read intake read failed — Claude reading the source directly"
    assert here.run(clean.replace("'CORPUS' 'SOURCE'", f"'{told['corpus']}' '{told['source']}'"))[0] == 0
    assert not pathlib.Path(told["corpus"]).exists() and request.exists()
