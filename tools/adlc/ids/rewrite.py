"""Replacing one id by another in the bytes of a file: digit-exact, line ends and encoding kept."""

import os
import re
import stat

from adlc import files

MAX_BYTES = 64 * 1024 * 1024
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Unhandled(Exception):
    """A file that mentions the id and cannot be rewritten; str() is the reason."""


class Rewriter:
    """old, new: ids such as REQ-042. whole: rewrite only this artifact name (REQ-042-login), for
    when two artifacts have the number and every other mention may mean the other one.
    """

    def __init__(self, old: str, new: str, whole: str = ""):
        prefix, digits = old.split("-")
        self.new = new.split("-")[1]
        # A letter, digit or word_ before it makes it part of another word; digits after it, another number.
        before = r"(?<![A-Za-z0-9])(?<![A-Za-z0-9]_)"
        if whole:
            rest = re.escape(whole[len(old):])
            source = rf"{before}({prefix}-){digits}(?={rest}(?![A-Za-z0-9_-]))"
        else:
            source = rf"{before}({prefix}-){digits}(?![0-9])"
        self._text = re.compile(source, re.IGNORECASE)
        self._bytes = re.compile(source.encode("utf-8"), re.IGNORECASE)

    def name(self, text: str) -> str:
        return self._text.sub(lambda m: m[1] + self.new, text)

    def data(self, data: bytes) -> tuple[bytes, int]:
        """-> (new bytes, mentions replaced). Raises Unhandled for what is not text and mentions the id."""
        encoding = _UTF16.get(data[:2])
        if encoding:
            try:
                text, count = self._text.subn(lambda m: m[1] + self.new, data[2:].decode(encoding))
                return data[:2] + text.encode(encoding), count
            except UnicodeDecodeError:
                raise Unhandled("damaged UTF-16") from None
        changed, count = self._bytes.subn(lambda m: m[1] + self.new.encode(), data)
        if count and b"\0" in data:
            raise Unhandled("binary")
        return changed, count

    def file(self, path: str) -> tuple[bytes, bytes, int]:
        """-> (old bytes, new bytes, mentions replaced) of a file. Raises Unhandled."""
        try:
            st = os.lstat(path)
            if stat.S_ISLNK(st.st_mode):
                target = os.readlink(path)
                if self.name(target) != target:
                    raise Unhandled(f"a symbolic link to {target}")
                return b"", b"", 0
            if not stat.S_ISREG(st.st_mode):
                return b"", b"", 0
            if st.st_size > MAX_BYTES:
                raise Unhandled(f"larger than {MAX_BYTES >> 20} MiB, not searched")
            with open(files.opened(path), "rb") as handle:
                data = handle.read()
        except FileNotFoundError:
            return b"", b"", 0
        except OSError as exc:
            raise Unhandled((exc.strerror or "cannot be read").lower()) from None
        changed, count = self.data(data)
        return data, changed, count
