"""What the reader of shell blocks sees in them, and that it agrees with a shell on what stays open."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adlc.lint.skills import fences
from adlc.lint.skills.shell import Shell


def read(code: str) -> dict:
    shell = Shell(code)
    return {
        "commands": [command.name for command in shell.commands if command.words], "assigned": sorted({name for name, _, _ in shell.assigned}),
        "reads": sorted({one.name for one in shell.reads}), "functions": [name for name, _, _ in shell.functions],
        "open": [what for _, what in shell.unclosed],
    }


@pytest.mark.parametrize("code, wanted", [
    ("a=1 b=2; echo \"$a\" '$b'", {"commands": ["echo"], "assigned": ["a", "b"], "reads": ["a"]}),
    ("a=1 cmd \"${b:-$c}\"", {"commands": ["cmd"], "assigned": [], "reads": ["b", "c"]}),
    ("export a=1 b; read -r c d; for e in $f; do :; done; : \"${g:=1}\"", {"assigned": ["a", "c", "d", "e", "g"], "reads": ["f", "g"]}),
    ("f() { g; }; if f x; then ! h | i; else j & fi; (k; l)", {"functions": ["f"], "commands": ["g", "f", "h", "i", "j", "k", "l"]}),
    ("case $a in (b|c) d ;; e) f;; esac; g", {"commands": ["d", "f", "g"], "reads": ["a"]}),
    ("cat <<A <<'B'\n$a `b $c`\nA\n$d\nB\ne", {"commands": ["cat", "b", "e"], "reads": ["a", "c"]}),
    ("a=$(b \"$(c `d # '\n`)\")\n# it's\ne", {"commands": ["b", "c", "d", "e"], "assigned": ["a"]}),
    ("echo $((a + (b * 2))) $((c = 1)); ((d++))", {"reads": ["a", "b", "c", "d"], "assigned": ["c"]}),
    ("a --to <the file> \"it's\" don't >b 2>&1 <c", {"commands": ["a"]}),
    ("[[ $a =~ ^(x|y)$ && -f b ]] || c", {"commands": ["c"], "reads": ["a"]}),
    ("echo a \\\n  b # c\n\n}\n)\nd", {"commands": ["echo", "d"]}),
    ("while read -r a; do b; done < <(c); d", {"commands": ["read", "b", "c", "d"], "assigned": ["a"]}),
])
def test_what_is_seen(code, wanted):
    seen = read(code)
    assert {key: seen[key] for key in wanted} == {key: sorted(value) if key in ("assigned", "reads") else value for key, value in wanted.items()}
    assert seen["open"] == []


PIECES = [
    "'", '"', "$(", ")", "$((", "))", "${x}", "${x:-", "}", "case x in a)", ";;", " esac", "echo a", "\n", ";", " ", " #", "\\", "x=", "(", " if true; then ", " fi",
    "1", "+", "$x", "f()", "{ ", "[[ a ]]", " && ",
]


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_code_that_bash_accepts_leaves_nothing_open(code):
    seen = read(code)
    # `$(()` is read as arithmetic that lacks a bracket; nobody means anything else by it.
    if seen["open"] and "$((" not in code:
        assert subprocess.run(["bash", "-n"], input=code.encode(), capture_output=True, timeout=20).returncode


@given(st.text(st.sampled_from("`~sh #>-1.\n\t <!\"'$(){}\\"), max_size=300))
def test_whatever_a_page_holds_is_read(text):
    lines = text.split("\n")
    end = 0
    for fence in fences.find(lines):
        assert end <= fence.start < fence.end <= len(lines)
        end = fence.end
        fence.dialect = "posix"
        assert all(0 <= line <= fence.code.count("\n") for line, _ in (*fence.shell.unclosed, *fence.shell.odd))
