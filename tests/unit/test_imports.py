"""Rooms import downwards only; a command that answers from the floor loads nothing heavy."""

import ast
import os
import subprocess
import sys

import pytest

from conftest import ROOT

PACKAGE = ROOT / "tools/adlc"
# From the top to the ground. A room may import from itself and from the rooms below it; what stands in
# one line is one room or several that may use each other.
ROOMS = [
    ("__main__", "cli"),
    ("commands",), ("hooks",),
    ("doctor", "lint", "completion"), ("verbs",), ("scaffold",), ("installation",),
    ("harness",), ("intake",), ("delegate",), ("telemetry",), ("ids",),
    ("ranking",),
    ("index",), ("signals",),
    ("corpus",),
    ("project",), ("user",), ("config",), ("lifecycle", "vendored"), ("env", "installers"), ("checkout",), ("git",), ("programs",), ("files", "plain_yaml", "web"),
    ("places",), ("output",),
    ("errors",), ("__init__",),
]
# Imports against the order that DESIGN's tree has: one tokenizer for documents and queries, the layouts
# that tell a root, the words of the corpus that other parts are read with.
ALLOWED = {
    ("corpus", "ranking.tokens"), ("project", "corpus"), ("lifecycle", "corpus.markdown"),
    ("corpus", "config"), ("output", "errors"), ("signals", "ranking.tokens"),
}
LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names}


def imports():
    """(importing room, imported module path below adlc, file) of every import of the package by itself."""
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        room = relative.parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.startswith("adlc."):
                        yield room, alias.name.removeprefix("adlc."), relative
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                if node.module == "adlc":
                    for alias in node.names:
                        known = (PACKAGE / f"{alias.name}.py").exists() or (PACKAGE / alias.name).is_dir()
                        yield room, alias.name if known else "__init__", relative
                elif node.module.startswith("adlc."):
                    module = node.module.removeprefix("adlc.")
                    for alias in node.names:
                        whole = f"{module}.{alias.name}"
                        is_module = (PACKAGE / f"{whole.replace('.', '/')}.py").exists() or (PACKAGE / whole.replace(".", "/")).is_dir()
                        yield room, whole if is_module else module, relative


def allowed(room: str, module: str) -> bool:
    target = module.split(".")[0]
    if room == target or LEVEL[target] >= LEVEL[room]:
        return True
    return any(room == a and (module == b or module.startswith(f"{b}.")) for a, b in ALLOWED)


def test_every_module_has_its_place():
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    assert rooms <= set(LEVEL)


def test_rooms_import_from_themselves_and_from_below():
    found = list(imports())
    assert len(found) > 50
    assert [f"{file}: {module}" for room, module, file in found if not allowed(room, module)] == []


def test_no_relative_imports():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            assert not (isinstance(node, ast.ImportFrom) and node.level), path


def test_only_one_module_starts_programs():
    """So that none runs without a bound: those start through it."""
    found = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") for node in ast.walk(ast.parse(path.read_text()))
             if isinstance(node, ast.Import) and any(alias.name == "subprocess" for alias in node.names)
             or isinstance(node, ast.ImportFrom) and node.module == "subprocess"}
    assert found == {"programs.py"}


HEAVY = {"numpy", "httpx", "jsonschema"}
COMMANDS = {"search": ["session"], "list": [], "show": ["REQ-001"], "retrieve": ["--component", "auth"]}


def loaded(adlc, *arguments) -> set[str]:
    """Every module that a whole process has loaded when it ends."""
    from adlc import env

    python = adlc("where", "python").text.strip()
    site = f"{adlc.environment['ADLC_DATA_DIR']}/env/{env.key('core')}/{env.kind_of_interpreter()}"
    program = (
        "import atexit, runpy, sys\n"
        "atexit.register(lambda: sys.stderr.write('\\nLOADED ' + ' '.join(sys.modules)))\n"
        "path = sys.argv.pop(1)\n"
        "runpy.run_path(path, run_name='__main__')\n"
    )
    done = subprocess.run(
        [python, "-I", "-S", "-X", "utf8", "-c", program, str(PACKAGE / "__main__.py"), *arguments],
        env=adlc.environment | {"ADLC_SITE": site}, cwd=adlc.cwd, capture_output=True, text=True,
    )
    assert done.returncode == 0, done
    return set(done.stderr.split("LOADED ")[1].split())


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_floor_command_loads_nothing_heavy(adlc, corpus, verb):
    for _ in ("cold", "warm"):
        modules = loaded(adlc, verb, *COMMANDS[verb], "--json")
        assert f"adlc.commands.{verb}" in modules
        assert {name.split(".")[0] for name in modules} & HEAVY == set()


def test_heavy_packages_are_there_to_be_loaded():
    """Otherwise the test above could not fail."""
    assert "adlc" in sys.modules
    text = "".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    assert "import numpy" in text


def settled(adlc) -> set[str]:
    """What a warm call loads once no file is as young as its reading (such ones are read once more)."""
    while "adlc.corpus.read" in (modules := loaded(adlc, "search", "session")):
        pass
    return modules


def test_a_warm_call_reads_and_parses_nothing_and_loads_only_its_own_command(adlc, corpus):
    modules = settled(adlc)
    assert "yaml" not in modules and "adlc.corpus.frontmatter" not in modules
    assert "adlc.commands.list" not in modules and "adlc.commands.retrieve" not in modules


def test_a_file_that_could_still_change_unnoticed_is_read_every_time(adlc, corpus):
    """One dated in the second of its reading, or later, can be written again without another date."""
    settled(adlc)
    path = corpus.root / ".adlc/bugs/BUG-001-slug.md"
    os.utime(path, (4102444800, 4102444800))
    for _ in range(3):
        assert "adlc.corpus.read" in loaded(adlc, "search", "session")
    os.utime(path, (1767225600, 1767225600))
    settled(adlc)
