"""Where the doctor looks: this installation, the project it was called in, this user's directories."""

import os
import shutil

from adlc import files, programs, project
from adlc.errors import AdlcError
from adlc.lifecycle import HOME
from adlc.places import home


class Place:
    """installation: the checkout that runs. root: the project's root or None, and then `without` says why.

    cwd: the working directory. home: of the user. claude: the configuration directory of Claude Code.
    """

    def __init__(self, option: str | None):
        self.installation, self.cwd, self.home = HOME, os.path.realpath(project.working_directory()), home()
        base = os.environ.get("CLAUDE_CONFIG_DIR", "")
        self.claude = base if os.path.isabs(base) else os.path.join(self.home, ".claude")
        self.root, self.without = None, "there are no specs here"
        try:
            self.root = project.root(option)
        except AdlcError as exc:
            if option is not None:
                raise
            if exc.kind != "no_root":
                self.without = exc.message
        except ImportError as exc:
            # The environment is damaged: its own check tells how to mend it.
            self.without = f"{exc.name} cannot be loaded"

    @property
    def launcher(self) -> str:
        return os.path.join(self.installation, "bin", "adlc")

    def adlc(self, *arguments: str) -> tuple[str, ...]:
        """A call of this very installation, by its name where that leads here."""
        found = shutil.which("adlc", path=programs.absolute_path())
        here = found and files.same(os.path.realpath(found), self.launcher)
        return ("adlc", *arguments) if here else ("sh", self.launcher, *arguments)

    def below_root(self, path: str) -> str:
        return os.path.join(self.root, path)

    def names(self, paths: list[str]) -> str:
        """Files of the installation for people, the first three of them."""
        names = [os.path.relpath(path, self.installation) for path in paths]
        return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")

    def shown(self, path: str) -> str:
        """A path for people: the home as ~."""
        return "~" + path[len(self.home):] if path.startswith(self.home.rstrip("/") + "/") else path
