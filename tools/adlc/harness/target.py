"""One file at the place where it is rendered: read, written and removed without following a link."""

import contextlib
import os
import stat

from adlc import files
from adlc.errors import AdlcError


class Target:
    """base: a real directory, or one to be made. path: below it, with /. key: how the manifest names it."""

    __slots__ = ("base", "path", "key")

    def __init__(self, base: str, path: str, key: str):
        self.base, self.path, self.key = base, path, key

    def beside(self) -> "Target":
        return Target(self.base, f"{self.path}.new", f"{self.key}.new")

    def obstacle(self) -> str:
        """Why nothing may be read or written there, or ''."""
        place = self.base
        parts = self.path.split("/")
        for n, part in enumerate(parts):
            place = os.path.join(place, part)
            try:
                mode = os.lstat(place).st_mode
            except FileNotFoundError:
                return ""
            except OSError as exc:
                return f"{'/'.join(parts[:n + 1])}: {(exc.strerror or 'unreadable').lower()}"
            last = n == len(parts) - 1
            if stat.S_ISLNK(mode):
                return f"{'/'.join(parts[:n + 1])} is a symbolic link"
            if not (stat.S_ISREG(mode) if last else stat.S_ISDIR(mode)):
                return f"{'/'.join(parts[:n + 1])} is no {'file' if last else 'directory'}"
        return ""

    def read(self) -> bytes | None:
        """Its bytes, or None. Only when there is no obstacle. Raises AdlcError write_failed."""
        try:
            fd = files.opened(self._full())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as exc:
            raise self._failed(exc) from None
        with os.fdopen(fd, "rb") as handle:
            return handle.read(files.MAX_DOCUMENT_BYTES + 1)

    def write(self, content: bytes) -> list[str]:
        """Write it whole; returns the directories that had to be made, outermost first. Raises AdlcError write_failed."""
        made = []
        try:
            for folder in files.missing_folders(os.path.dirname(self._full())):
                os.mkdir(folder)
                made.append(folder)
            files.atomic_write(self._full(), content)
        except OSError as exc:
            with contextlib.suppress(OSError):
                for folder in reversed(made):
                    os.rmdir(folder)
            raise self._failed(exc) from None
        return made

    def remove(self) -> None:
        try:
            os.unlink(self._full())
        except FileNotFoundError:
            pass
        except OSError as exc:
            raise self._failed(exc) from None

    def _full(self) -> str:
        return os.path.join(self.base, self.path)

    def _failed(self, exc: OSError) -> AdlcError:
        folder = files.unwritable(self._full())
        fix = f"make {folder} writable" if folder else f"put {self.key} right"
        return AdlcError("write_failed", f"{self.key}: {(exc.strerror or 'I/O error').lower()}", f"{fix}, then: adlc materialize")
