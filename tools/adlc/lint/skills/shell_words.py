"""Reads words of shell code: quotes, and the expansions in them. The lists of commands in an expansion are read by Shell."""

import re

from adlc.lint.skills.shell_parts import Command, Read, Word, nesting

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ENDS_WORD = " \t\n;&|<>()"


class Words:
    """The half of Shell that reads words; Shell says what the attributes hold."""

    def __init__(self, code: str, depth: int):
        self.code = code
        self.commands: list[Command] = []
        self.reads: list[Read] = []
        self.assigned: list[tuple[str, int, int]] = []
        self.functions: list[tuple[str, int, int]] = []
        self.positional: list[tuple[str, int, int]] = []
        self.unclosed: list[tuple[int, str]] = []
        self.odd: list[tuple[int, str]] = []
        self._starts = [0, *(n + 1 for n, char in enumerate(code) if char == "\n")]
        self._depth = depth
        # What has been found not to close is not tried again, or nesting would cost exponential time.
        self._hopeless: set[tuple[str, int]] = set()

    def line(self, at: int) -> int:
        import bisect

        return bisect.bisect_right(self._starts, at) - 1

    def _word(self, at: int) -> tuple[Word, int]:
        code, start, value, bare = self.code, at, [], True
        while at < len(code):
            char = code[at]
            if char == "\\":
                if code.startswith("\\\n", at):
                    at += 2
                    continue
                value.append(code[at + 1:at + 2])
                at, bare = at + 2, False
            elif char == "'":
                end = code.find("'", at + 1)
                if end < 0 or self._apostrophe(at):
                    if not self._apostrophe(at):
                        self.unclosed.append((self.line(at), "'"))
                    value.append(char)
                    at += 1
                    continue
                value.append(code[at + 1:end])
                at, bare = end + 1, False
            elif char == '"':
                after = self._double(at)
                value.append(code[at + 1:after - 1])
                at, bare = after, False
            elif char == "$":
                if code.startswith(("$'", '$"'), at):
                    if code[at + 1] == "'":
                        self.odd.append((self.line(at), "$'…'"))
                        end = self._ansi(at + 2)
                        value.append(code[at + 2:end - 1])
                        at, bare = end, False
                    else:
                        at += 1
                    continue
                after = self._dollar(at)
                value.append(code[at:after])
                at = after
            elif char == "`":
                after = self._backquote(at)
                value.append(code[at:after])
                at = after
            elif char in ENDS_WORD:
                break
            else:
                value.append(char)
                at += 1
        return Word(code[start:at], "".join(value), bare, self.line(start), start), at

    def _apostrophe(self, at: int) -> bool:
        """Whether the quote stands between letters, as in don't: prose or a placeholder, not a quotation."""
        return at > 0 and self.code[at - 1].isalpha() and self.code[at + 1:at + 2].isalpha() and not re.match(
            r"[^'\n]*'(?:[\s;|&)]|$)", self.code[at + 1:at + 400]
        )

    def _ansi(self, at: int) -> int:
        while at < len(self.code) and self.code[at] != "'":
            at += 2 if self.code[at] == "\\" else 1
        return min(at + 1, len(self.code))

    @nesting
    def _double(self, at: int) -> int:
        """Past a double-quoted string whose quote stands at `at`."""
        code, start, reads = self.code, at, len(self.reads)
        at += 1
        while at < len(code) and ('"', start) not in self._hopeless:
            char = code[at]
            if char == "\\":
                at += 2
            elif char == '"':
                return at + 1
            elif char == "$":
                at = self._dollar(at)
            elif char == "`":
                at = self._backquote(at)
            else:
                at += 1
        # What follows is code again, or one lost quote would hide the rest of the block.
        del self.reads[reads:]
        self._give_up('"', start)
        return start + 1

    def _dollar(self, at: int) -> int:
        code = self.code
        if code.startswith("$((", at):
            end = self._arithmetic(at + 3) or self._try_substitution(at)
            if end is not None:
                return end
            self._give_up("$((", at)
            return at + 3
        if code.startswith("$(", at):
            return self._closed(at + 2, "$(", at)
        if code.startswith("${", at):
            return self._braces(at)
        name = NAME.match(code, at + 1)
        if name:
            self.reads.append(Read(name[0], "", self.line(at), at))
            return name.end()
        if code[at + 1:at + 2] in tuple("123456789"):
            self.positional.append((code[at + 1], self.line(at), at))
        return at + 2 if code[at + 1:at + 2] in tuple("0123456789@*#?-$!") else at + 1

    def _give_up(self, opened: str, at: int) -> None:
        if (opened, at) not in self._hopeless:
            self._hopeless.add((opened, at))
            self.unclosed.append((self.line(at), opened))

    def _try_substitution(self, at: int) -> int | None:
        """`$((` that begins a subshell within a command substitution, `$((a); b)`, or None."""
        if ("$((", at) in self._hopeless:
            return None
        kept = [len(items) for items in (self.commands, self.reads, self.assigned, self.functions, self.unclosed, self.odd)]
        end = self._list(at + 2)
        if end < len(self.code) and len(self.unclosed) == kept[4] and ";" in self.code[at:end] + "\n":
            return end + 1
        for items, size in zip((self.commands, self.reads, self.assigned, self.functions, self.unclosed, self.odd), kept, strict=True):
            del items[size:]
        return None

    @nesting
    def _arithmetic(self, at: int) -> int | None:
        """Past the `))` that ends an arithmetic expression, or None when nothing does. at: behind its brackets."""
        code, depth, limit = self.code, 0, len(self.code)
        reads, start = len(self.reads), at
        while at < limit and ("((", start) not in self._hopeless:
            char = code[at]
            if char == "(":
                depth += 1
                at += 1
            elif char == ")":
                if depth == 0:
                    if code.startswith("))", at):
                        return at + 2
                    break
                depth -= 1
                at += 1
            elif char == "$":
                at = self._dollar(at)
            elif char == "`":
                at = self._backquote(at)
            elif (name := NAME.match(code, at)):
                self.reads.append(Read(name[0], "", self.line(at), at))
                assigned = re.compile(r"[ \t]*(?:[-+*/%&|^]|<<|>>)?=(?!=)").match(code, name.end())
                if assigned:
                    self.assigned.append((name[0], self.line(at), at))
                at = name.end()
            else:
                at += 1
        del self.reads[reads:]
        self._hopeless.add(("((", start))
        return None

    @nesting
    def _braces(self, at: int) -> int:
        """Past `${…}`."""
        code, start = self.code, at
        name = re.compile(r"[#!]?([A-Za-z_][A-Za-z0-9_]*)").match(code, at + 2)
        at = begin = name.end() if name else at + 2
        read = Read(name[1], "", self.line(start), start) if name else None
        if read:
            self.reads.append(read)
        while at < len(code) and ("${", start) not in self._hopeless:
            char = code[at]
            if char == "}":
                if read:
                    read.operator = code[begin:at]
                return at + 1
            if char == "\\":
                at += 2
            elif char == "'" and (closed := code.find("'", at + 1)) > 0 and "\n" not in code[at:closed]:
                at = closed + 1
            elif char == '"':
                at = self._double(at)
            elif char == "$":
                at = self._dollar(at)
            elif char == "`":
                at = self._backquote(at)
            elif char == "\n" and not name:
                break
            else:
                at += 1
        self._give_up("${", start)
        return start + 2

    def _backquote(self, at: int) -> int:
        """Past `…`, whose end is the next backtick whatever quotes and comments are in it."""
        code, end = self.code, at + 1
        while end < len(code) and code[end] != "`":
            end += 2 if code[end] == "\\" else 1
        if end >= len(code):
            self._give_up("`", at)
            return at + 1
        inner = type(self)(code[at + 1:end].replace("\\`", " `"), self._depth + 1)
        self._take_in(inner, self.line(at), at + 1)
        return end + 1

    def _take_in(self, inner: "Words", line: int, at: int) -> None:
        """Add what a part of the code holds; its first line and its offset here."""
        for command in inner.commands:
            command.line, command.at = command.line + line, command.at + at
            for word in (*command.words, *(word for _, word in command.prefix)):
                word.line, word.at = word.line + line, word.at + at
            self.commands.append(command)
        self.reads += [Read(read.name, read.operator, read.line + line, read.at + at) for read in inner.reads]
        self.functions += [(name, own + line, place + at) for name, own, place in inner.functions]
        self.positional += [(digit, own + line, place + at) for digit, own, place in inner.positional]
        self.unclosed += [(own + line, what) for own, what in inner.unclosed]
        self.odd += [(own + line, what) for own, what in inner.odd]

    def _expansions(self, at: int, end: int) -> None:
        """The expansions in the body of a here-document."""
        while at < end:
            if self.code[at] == "\\":
                at += 2
            elif self.code[at] == "$":
                at = self._dollar(at)
            elif self.code[at] == "`":
                at = self._backquote(at)
            else:
                at += 1
