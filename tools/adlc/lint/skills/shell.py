"""Reads the code of a shell block far enough for the checks: commands, assignments, expansions, what does not close.

Not a shell: nothing is expanded or run, and what the grammar forbids is passed over unless a quote, a
bracket or a here-document stays open. Placeholders such as <N> read as redirections and do no harm.
"""

import re

from adlc.lint.skills.shell_parts import Command, TooDeep, Word, nesting
from adlc.lint.skills.shell_words import ENDS_WORD, NAME, Words

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?\+?=")
_BLANK = " \t"
# After these the next word is a command again.
_OPENERS = frozenset(("if", "then", "elif", "else", "while", "until", "do", "{", "!", "time"))
_CLOSERS = frozenset(("fi", "done", "esac", "}"))
_DECLARERS = frozenset(("export", "readonly", "local", "declare", "typeset"))
_PLACEHOLDER = re.compile(r"<[^<>\n&;|$=()]*>")
_YOURS = re.compile(r"<[^<>]+>|\.\.\.|…|^[\"']?[a-z]{0,4}[-_]?(?:your|my)[-_ ]|x{3,}", re.I)


class Shell(Words):
    """commands; reads; assigned, functions: [(name, line, at)]; positional: [(digits, line, at)]; unclosed, odd: [(line, what)].

    loose: words of no command, such as the list of a for. odd: syntax that POSIX does not have. Lines are 0-based within
    the code. An assignment's `at` is its end.
    """

    def __init__(self, code: str, depth: int = 0):
        super().__init__(code, depth)
        self.loose: list[Word] = []
        self._heredocs: list[tuple[str, bool, bool, int]] = []
        try:
            end = self._list(0)
            while end < len(code):  # a closing bracket that nothing opened
                end = self._list(end + 1)
        except TooDeep as exc:
            self.unclosed.append((self.line(exc.args[0]), "what is nested here"))
        self.unclosed += [(line, f"here-document {word}") for word, _, _, line in self._heredocs]
        self._commands_done()

    @nesting
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
                at, over = self._operator(at, cases)
                if over:
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
            keyword = self._keyword(word, at, cases) if start and word.bare else None
            if keyword:
                at, start, over = keyword
                command = None if over else command
                continue
            if command is None:
                if not start:  # what follows a subshell or fi, or is the list of a for
                    self.loose.append(word)
                    continue
                command = Command(word.line, word.at)
                self.commands.append(command)
            match = _ASSIGNMENT.match(word.text)
            start = bool(match) and not command.words
            if start:
                command.prefix.append((match[1], word))
                at = self._value(at, word, match)
            else:
                command.words.append(word)
        if cases and at < len(code):
            self.unclosed.append((self.line(at), "case"))
        return at

    def _operator(self, at: int, cases: list[str]) -> tuple[int, bool]:
        """Past one of ; & | and what belongs to it -> (where to go on, whether the command before it is over)."""
        code = self.code
        if cases and code.startswith((";;", ";&"), at):
            cases[-1] = "pattern"
            return at + (3 if code.startswith(";;&", at) else 2), True
        if code.startswith(("&>", "|&"), at):
            self.odd.append((self.line(at), code[at:at + 2]))
            return at + 2, code[at] == "|"
        return at + 1, True

    def _keyword(self, word: Word, at: int, cases: list[str]) -> tuple[int, bool, bool] | None:
        """Past what a reserved word opens -> (where to go on, whether a command is expected there, whether the one before is over).

        None when the word is none of them.
        """
        value = word.value
        if value in _OPENERS:
            return at, True, False
        if value in _CLOSERS:
            if value == "esac" and cases:
                cases.pop()
            return at, False, False
        if value == "case":
            return self._case(at, cases), True, True
        if value in ("for", "select"):
            return self._for(at, word), False, True
        if value == "[[":
            return self._conditional(at, word), False, True
        if value == "function":
            return self._function(at, word), True, True
        return None

    def _value(self, at: int, word: Word, match: re.Match) -> int:
        """Past the array that an assignment goes on with. match: its name and subscript."""
        if match[2]:
            self.odd.append((word.line, f"{match[1]}[…]="))
        if self.code[at:at + 1] == "(" and word.text.endswith("="):
            self.odd.append((word.line, f"{match[1]}=(…)"))
            return self._array(at)
        return at

    def _commands_done(self) -> None:
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
                    if (match := NAME.match(word.text)) and word.text[match.end():match.end() + 1] in ("=", "+", "")
                    # `export KEY=<your key>` tells a person what to have in the environment.
                    and (name != "export" or "=" in word.text and not self._is_placeholder(word))
                ]
            elif name in ("read", "mapfile", "readarray", "getopts"):
                plain = [word for word in words if NAME.fullmatch(word.text)]
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
            while at < len(code) and code[at] not in ENDS_WORD:
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
        name = NAME.match(self.code, at)
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
