"""Reads the code of a shell block far enough for the checks: commands, assignments, expansions, what does not close.

Not a shell: nothing is expanded or run, and what the grammar forbids is passed over unless a quote, a
bracket or a here-document stays open. Placeholders such as <N> read as redirections and do no harm.
"""

import functools
import re

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?\+?=")
_BLANK, _ENDS_WORD = " \t", " \t\n;&|<>()"
# After these the next word is a command again.
_OPENERS = frozenset(("if", "then", "elif", "else", "while", "until", "do", "{", "!", "time"))
_DECLARERS = frozenset(("export", "readonly", "local", "declare", "typeset"))
_DEEPEST = 60
_PLACEHOLDER = re.compile(r"<[^<>\n&;|$=()]*>")
_YOURS = re.compile(r"<[^<>]+>|\.\.\.|…|^[\"']?[a-z]{0,4}[-_]?(?:your|my)[-_ ]|x{3,}", re.I)


class Word:
    """text: as written. value: without quotes, expansions left as written. bare: not quoted in any part."""

    __slots__ = ("text", "value", "bare", "line", "at")

    def __init__(self, text: str, value: str, bare: bool, line: int, at: int):
        self.text, self.value, self.bare, self.line, self.at = text, value, bare, line, at

    @property
    def end(self) -> int:
        return self.at + len(self.text)


class Command:
    """A simple command. prefix: its assignments (name, Word). words: the command and its arguments. line: 0-based."""

    __slots__ = ("prefix", "words", "line", "at")

    def __init__(self, line: int, at: int):
        self.prefix, self.words, self.line, self.at = [], [], line, at

    @property
    def name(self) -> str:
        return self.words[0].value if self.words else ""


class Read:
    """A parameter expansion. name; operator: what follows the name in braces (":-x"), else "". at: offset in the code."""

    __slots__ = ("name", "operator", "line", "at")

    def __init__(self, name: str, operator: str, line: int, at: int):
        self.name, self.operator, self.line, self.at = name, operator, line, at


class _TooDeep(Exception):
    """More nesting than anybody writes; args: the offset."""


def _nesting(read):
    """Bounds how deep the methods that read a construct call each other."""

    @functools.wraps(read)
    def bounded(self, at, *arguments):
        if self._depth >= _DEEPEST:
            raise _TooDeep(at)
        self._depth += 1
        try:
            return read(self, at, *arguments)
        finally:
            self._depth -= 1

    return bounded


class Shell:
    """commands; reads; assigned, functions: [(name, line, at)]; positional: [(digits, line, at)]; unclosed, odd: [(line, what)].

    `odd`: syntax that POSIX does not have. Lines are 0-based within the code. An assignment's `at` is its end.
    """

    def __init__(self, code: str, depth: int = 0):
        self.code = code
        self.commands: list[Command] = []
        self.reads: list[Read] = []
        self.assigned: list[tuple[str, int, int]] = []
        self.functions: list[tuple[str, int, int]] = []
        self.positional: list[tuple[str, int, int]] = []
        self.unclosed: list[tuple[int, str]] = []
        self.odd: list[tuple[int, str]] = []
        self._heredocs: list[tuple[str, bool, bool, int]] = []
        self._starts = [0, *(n + 1 for n, char in enumerate(code) if char == "\n")]
        self._depth = depth
        # What has been found not to close is not tried again, or nesting would cost exponential time.
        self._hopeless: set[tuple[str, int]] = set()
        try:
            end = self._list(0)
            while end < len(code):  # a closing bracket that nothing opened
                end = self._list(end + 1)
        except _TooDeep as exc:
            self.unclosed.append((self.line(exc.args[0]), "what is nested here"))
        self.unclosed += [(line, f"here-document {word}") for word, _, _, line in self._heredocs]
        self._commands_done()

    def line(self, at: int) -> int:
        import bisect

        return bisect.bisect_right(self._starts, at) - 1

    # Lists of commands

    @_nesting
    def _list(self, at: int) -> int:
        """Reads commands from `at`; returns the offset of the bracket that ends them (not of a case), or the end."""
        code, command, start = self.code, None, True
        cases: list[str] = []  # of each open case: "pattern" or "body"
        while at < len(code):
            char = code[at]
            if code.startswith("\\\n", at):
                at += 2
                continue
            if char in _BLANK:
                at += 1
                continue
            if char == "#":
                at = self._end_of_line(at)
                continue
            if char == "\n":
                at, command, start = self._newline(at), None, True
                continue
            if cases and cases[-1] == "pattern":
                open_cases = len(cases)
                at = self._pattern(at, cases)
                command, start = None, len(cases) == open_cases
                continue
            if char == ")":
                break
            if char in ";&|":
                if code.startswith((";;", ";&"), at) and cases:
                    cases[-1] = "pattern"
                    at += 3 if code.startswith(";;&", at) else 2
                elif code.startswith("&>", at):
                    self.odd.append((self.line(at), "&>"))
                    at += 2
                    continue
                elif code.startswith("|&", at):
                    self.odd.append((self.line(at), "|&"))
                    at += 2
                else:
                    at += 1
                command, start = None, True
                continue
            if char in "<>":
                at = self._redirection(at)
                continue
            if char == "(":
                at, start = self._bracket(at, command, start)
                command = None
                continue
            # The digits of 2> belong to the redirection.
            digits = re.compile(r"\d+(?=[<>])").match(code, at)
            if digits:
                at = digits.end()
                continue
            word, after = self._word(at)
            if after == at:  # cannot happen in a word; never stand still
                at += 1
                continue
            at = after
            if start and word.bare and word.value in _OPENERS:
                continue
            if start and word.bare and word.value in ("fi", "done", "esac", "}"):
                if word.value == "esac" and cases:
                    cases.pop()
                start = False
                continue
            if start and word.bare and word.value == "case":
                at = self._case(at, cases)
                command, start = None, True
                continue
            if start and word.bare and word.value in ("for", "select"):
                at = self._for(at, word)
                command, start = None, False
                continue
            if start and word.value == "[[" and word.bare:
                at = self._conditional(at, word)
                command, start = None, False
                continue
            if start and word.bare and word.value == "function":
                at = self._function(at, word)
                command, start = None, True
                continue
            if command is None:
                if not start:  # what follows a subshell, fi or the name in a for
                    continue
                command = Command(word.line, word.at)
                self.commands.append(command)
            match = _ASSIGNMENT.match(word.text)
            if match and not command.words:
                if at < len(code) and code[at] == "(" and word.text.endswith("="):
                    self.odd.append((word.line, f"{match[1]}=(…)"))
                    at = self._array(at)
                if match[2]:
                    self.odd.append((word.line, f"{match[1]}[…]="))
                command.prefix.append((match[1], word))
                start = True
                continue
            command.words.append(word)
            start = False
        if cases and at < len(code):
            self.unclosed.append((self.line(at), "case"))
        return at

    def _commands_done(self):
        """What the commands assign, now that it is known which of them have a name."""
        for command in self.commands:
            if not command.words:
                self.assigned += [(name, word.line, word.end) for name, word in command.prefix]
                continue
            words = [word for word in command.words[1:] if word.value]
            name = command.name
            if name in ("command", "builtin") and words:
                name, words = words[0].value, words[1:]
            if name in _DECLARERS:
                self.assigned += [
                    (match[0], word.line, word.end) for word in words
                    if (match := _NAME.match(word.text)) and word.text[match.end():match.end() + 1] in ("=", "+", "")
                    # `export KEY=<your key>` tells a person what to have in the environment.
                    and (name != "export" or "=" in word.text and not self._is_placeholder(word))
                ]
            elif name in ("read", "mapfile", "readarray", "getopts"):
                plain = [word for word in words if _NAME.fullmatch(word.text)]
                self.assigned += [(word.text, word.line, word.at) for word in plain]
                if name == "getopts":
                    self.assigned += [(own, command.line, command.at) for own in ("OPTARG", "OPTIND")]
            elif name == "printf" and len(words) > 1 and words[0].value == "-v":
                self.assigned.append((words[1].value, words[1].line, words[1].at))
            elif name == "let":
                self.assigned += [(match[1], word.line, word.at) for word in words if (match := _ASSIGNMENT.match(word.value))]
        self.assigned += [(read.name, read.line, read.at) for read in self.reads if read.operator.lstrip(":").startswith("=")]

    def _is_placeholder(self, word: Word) -> bool:
        return bool(_YOURS.search(word.text.partition("=")[2])) or bool(word.text.endswith("=") and _PLACEHOLDER.match(self.code, word.end))

    def _end_of_line(self, at: int) -> int:
        end = self.code.find("\n", at)
        return len(self.code) if end < 0 else end

    def _newline(self, at: int) -> int:
        """Past the line's end and past the bodies of its here-documents."""
        at += 1
        while self._heredocs:
            word, literal, tabs, line = self._heredocs.pop(0)
            body = at
            while True:
                if at >= len(self.code):
                    self.unclosed.append((line, f"here-document {word}"))
                    break
                end = self._end_of_line(at)
                text = self.code[at:end]
                if (text.lstrip("\t") if tabs else text) == word:
                    if not literal:
                        self._expansions(body, at)
                    at = min(end + 1, len(self.code))
                    break
                at = end + 1
        return at

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

    def _redirection(self, at: int) -> int:
        code = self.code
        placeholder = _PLACEHOLDER.match(code, at)
        if placeholder and not code.startswith("<<", at):
            return placeholder.end()
        if code.startswith("<<<", at):
            self.odd.append((self.line(at), "<<<"))
            return at + 3
        if code.startswith("<<", at):
            line, tabs = self.line(at), code.startswith("<<-", at)
            at += 3 if tabs else 2
            while at < len(code) and code[at] in _BLANK:
                at += 1
            start = at
            while at < len(code) and code[at] not in _ENDS_WORD:
                if code[at] in "'\"":
                    closed = code.find(code[at], at + 1)
                    at = closed if closed > 0 else at
                at += 1
            word = code[start:at]
            plain = re.sub(r"[\\'\"]", "", word)
            if plain:
                self._heredocs.append((plain, plain != word, tabs, line))
            return at
        if code.startswith(("<(", ">("), at):
            self.odd.append((self.line(at), f"{code[at]}(…)"))
            return self._closed(at + 2, "$(", at)
        while at < len(code) and code[at] in "<>&|":
            at += 1
        return at

    def _bracket(self, at: int, command, start: bool) -> tuple[int, bool]:
        """An opening bracket outside a word -> (where to go on, whether a command is expected there)."""
        code = self.code
        empty = re.compile(r"\([ \t]*\)").match(code, at)
        if command is not None and len(command.words) == 1 and empty:
            self.functions.append((command.name, command.line, command.at))
            self.commands.remove(command)
            return empty.end(), True
        if start and code.startswith("((", at):
            end = self._arithmetic(at + 2)
            if end is not None:
                self.odd.append((self.line(at), "((…))"))
                return end, False
        if empty:
            return empty.end(), True
        return self._closed(at + 1, "(", at), False

    def _closed(self, at: int, opened: str, place: int) -> int:
        end = self._list(at)
        if end >= len(self.code):
            self.unclosed.append((self.line(place), opened))
            return end
        return end + 1

    def _array(self, at: int) -> int:
        return self._closed(at + 1, "(", at)

    def _case(self, at: int, cases: list[str]) -> int:
        """Past `WORD in` of a case."""
        at = self._blanks(at)
        _, at = self._word(at)
        at = self._blanks(at)
        if self.code.startswith("in", at):
            at += 2
            cases.append("pattern")
        return at

    def _pattern(self, at: int, cases: list[str]) -> int:
        """Past one pattern list of a case and its bracket, or past esac."""
        code = self.code
        if re.compile(r"esac(?![A-Za-z0-9_])").match(code, at):
            cases.pop()
            return at + 4
        if code[at] == "(":
            at += 1
        while at < len(code) and code[at] not in ")\n":
            if code[at] in " \t|<>;&(" or code.startswith("\\\n", at):
                at += 1
                continue
            _, after = self._word(at)
            at = max(after, at + 1)
        cases[-1] = "body"
        return at + 1 if at < len(code) else at

    def _for(self, at: int, word: Word) -> int:
        at = self._blanks(at)
        if self.code.startswith("((", at):
            self.odd.append((word.line, "for ((…))"))
            return self._arithmetic(at + 2) or at + 2
        if word.value == "select":
            self.odd.append((word.line, "select"))
        name = _NAME.match(self.code, at)
        if name:
            self.assigned.append((name[0], self.line(at), at))
            at = self._blanks(name.end(), newlines=True)
            if re.compile(r"in(?![A-Za-z0-9_])").match(self.code, at):
                at += 2
        return at

    def _function(self, at: int, word: Word) -> int:
        self.odd.append((word.line, "function"))
        at = self._blanks(at)
        name, at = self._word(at)
        self.functions.append((name.value, name.line, name.at))
        empty = re.compile(r"[ \t]*\([ \t]*\)").match(self.code, at)
        return empty.end() if empty else at

    def _conditional(self, at: int, word: Word) -> int:
        self.odd.append((word.line, "[["))
        while at < len(self.code):
            at = self._blanks(at, newlines=True)
            if self.code[at:at + 1] in ("", *"()<>|&;"):
                at += 1
                continue
            part, after = self._word(at)
            at = max(after, at + 1)
            if part.text == "]]":
                break
        return at

    def _blanks(self, at: int, newlines: bool = False) -> int:
        while at < len(self.code) and (self.code[at] in _BLANK or (newlines and self.code[at] == "\n") or self.code.startswith("\\\n", at)):
            at += 2 if self.code[at] == "\\" else 1
        return at

    # Words and what is in them

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
            elif char in _ENDS_WORD:
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

    @_nesting
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
        name = _NAME.match(code, at + 1)
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

    @_nesting
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
            elif (name := _NAME.match(code, at)):
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

    @_nesting
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
        inner = Shell(code[at + 1:end].replace("\\`", " `"), self._depth + 1)
        self._take_in(inner, self.line(at), at + 1)
        return end + 1

    def _take_in(self, inner: "Shell", line: int, at: int) -> None:
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
