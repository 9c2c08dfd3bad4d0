"""What CONTRIBUTING.md tells a newcomer to run is there to be run."""

import re
import shlex

from conftest import ROOT


def test_the_calls_of_the_runner_name_files_and_tests_that_exist():
    block = re.search(r"^```sh\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.M | re.S)[1]
    named = [words[1:] for line in block.splitlines() if (words := shlex.split(line, comments=True))[:1] == ["./test"]]
    files = [words for words in named if words and not words[0].startswith("-")]
    assert len(files) >= 2
    for file, *options in files:
        text = (ROOT / file).read_text()
        if "-k" in options:
            word = options[options.index("-k") + 1]
            assert any(word in name for name in re.findall(r"^def (test_\w+)", text, flags=re.M)), (file, word)
