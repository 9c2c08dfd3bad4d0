"""Which start file the user's login shell reads, and the lines that put a directory on its PATH."""

import os
import stat
import sys

from adlc.installation import states

BEGIN, END = "# >>> adlc >>>", "# <<< adlc <<<"


class StartFile:
    """path: the file. text: what goes at its end. why: the reason it must not be touched, or ""."""

    __slots__ = ("path", "text", "why")

    def __init__(self, path: str, text: str, why: str = ""):
        self.path, self.text, self.why = path, text, why

    @property
    def line(self) -> str:
        """The one line of the text that is no mark."""
        return self.text.strip("\n").split("\n")[1]


def login_shell() -> str:
    """The name of the user's login shell, from the password database; SHELL counts only for a user it does not have."""
    import pwd

    try:
        shell = pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        shell = os.environ.get("SHELL", "")
    return os.path.basename(shell)


def start_file(home: str, folder: str, shell: str, environ=os.environ, platform: str = sys.platform) -> StartFile | None:
    """Where and how `folder` gets on the PATH of new shells; None for a shell that is not known here."""
    if shell == "fish":
        base = environ.get("XDG_CONFIG_HOME", "")
        path = os.path.join(base if os.path.isabs(base) else os.path.join(home, ".config"), "fish/conf.d/adlc.fish")
    elif shell == "zsh":
        base = environ.get("ZDOTDIR", "")
        path = os.path.join(base if os.path.isabs(base) else home, ".zshrc")
    elif shell == "bash" and platform == "darwin":
        # Terminal starts login shells, and of these three bash reads the first that exists: a new
        # .bash_profile would hide a .profile.
        names = [name for name in (".bash_profile", ".bash_login", ".profile") if os.path.lexists(os.path.join(home, name))]
        path = os.path.join(home, names[0] if names else ".bash_profile")
    elif shell == "bash":
        path = os.path.join(home, ".bashrc")
    elif shell in ("sh", "dash", "ash", "ksh", "mksh"):
        path = os.path.join(home, ".profile")
    else:
        return None
    return _checked(path, block(path, folder))


def block(path: str, folder: str, after: str = "") -> str:
    """The lines for a start file: `folder` at the end of PATH, unless it is there. after: what they replace."""
    line = _fish_line(folder) if path.endswith(".fish") else _posix_line(folder)
    return ("\n" if after.startswith("\n") else "") + f"{BEGIN}\n{line}\n{END}\n"


def _fish_line(folder: str) -> str:
    quoted = "'" + folder.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"contains -- {quoted} $PATH; or set -gx PATH $PATH {quoted}"


def _posix_line(folder: str) -> str:
    quoted = "'" + folder.replace("'", "'\\''") + "'"
    return f'case ":$PATH:" in *:{quoted}:*) ;; *) PATH="$PATH":{quoted}; export PATH ;; esac'


def on_path(folder: str) -> bool:
    wanted = os.path.realpath(folder)
    return any(os.path.isabs(entry) and os.path.realpath(entry) == wanted for entry in os.environ.get("PATH", "").split(os.pathsep))


def _checked(path: str, block: str) -> StartFile:
    real = os.path.realpath(path)
    try:
        st = os.stat(real)
        if not stat.S_ISREG(st.st_mode):
            return StartFile(path, block, "it is not a regular file")
        # Root may write to it all the same; who took the bits away meant it.
        if not st.st_mode & stat.S_IWUSR or not os.access(real, os.W_OK):
            return StartFile(path, block, "it is read-only")
        if st.st_nlink > 1:
            return StartFile(path, block, "it has several hard links")
        text = states.start_file(real)
        if BEGIN in text:
            return StartFile(path, block, "it has a block of adlc's already that this installation did not write")
        if text and not text.endswith("\n"):
            block = "\n" + block
    except FileNotFoundError:
        if os.path.islink(path):
            return StartFile(path, block, "it is a link that leads nowhere")
    except (OSError, ValueError) as exc:
        return StartFile(path, block, f"it cannot be read ({getattr(exc, 'strerror', None) or exc})")
    if not os.access(states.nearest_folder(os.path.dirname(real)), os.W_OK | os.X_OK):
        return StartFile(path, block, "its directory cannot be written")
    return StartFile(path, block)
