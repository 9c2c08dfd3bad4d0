"""Gherkin features: names, rules and scenarios, in the languages that teams write them in. Never raises."""

import re

# Keywords as the Gherkin reference lists them.
_WORDS = {
    "feature": "Feature|Business Need|Ability|功能|フィーチャ|機能|기능|Funktionalität|Funktion|Fonctionnalité|Característica"
               "|Requisito|Funcionalidade|Funzionalità|Функция|Функциональность|Функционал|Свойство|Фича",
    "rule": "Rule|规则|規則|ルール|규칙|Regel|Règle|Regla|Regra|Regola|Правило",
    "background": "Background|背景|배경|Grundlage|Hintergrund|Voraussetzungen|Contexte|Antecedentes|Contexto|Contesto"
                  "|Предыстория|Контекст",
    "scenario": "Scenario Outline|Scenario Template|Scenario|Example|场景大纲|剧本大纲|场景|剧本|場景大綱|劇本大綱|場景|劇本"
                "|シナリオアウトライン|シナリオテンプレート|シナリオ|시나리오 개요|시나리오|Szenariogrundriss|Szenario|Beispiel"
                "|Plan du scénario|Plan du Scénario|Scénario|Exemple|Esquema del escenario|Escenario|Ejemplo"
                "|Esquema do Cenário|Delineação do Cenário|Cenário|Exemplo|Schema dello scenario|Esempio"
                "|Структура сценария|Шаблон сценария|Сценарий|Пример",
    "examples": "Examples|Scenarios|例子|例|サンプル|예|Beispiele|Exemples|Ejemplos|Exemplos|Esempi|Примеры",
}
_KIND = {word: kind for kind, words in _WORDS.items() for word in words.split("|")}
_KEYWORD = re.compile(rf"(?P<word>{'|'.join(sorted(_KIND, key=len, reverse=True))})\s?[:：]\s*(?P<name>.*)$")
_COMMENT = re.compile(r"#\s*(?P<key>[a-z][a-z_-]{1,30})\s*:\s*(?P<value>\S.*)$")
_FENCES = ('"""', "```")


class Part:
    """A rule or scenario. line: 0-based. tags: without `@`. text: its description or steps. rule: the rule it is under."""

    __slots__ = ("kind", "name", "line", "tags", "lines", "rule")

    def __init__(self, kind: str, name: str, line: int, tags: list[str], rule: "Part | None"):
        self.kind, self.name, self.line, self.tags, self.rule, self.lines = kind, name, line, tags, rule, []

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()

    def requirements(self) -> list[str]:
        """What its `@req:ID` tags name, or those of the rule it is under."""
        named = [tag[4:] for tag in self.tags if tag.startswith("req:")]
        return named or (self.rule.requirements() if self.rule else [])


class Feature:
    """name, tags, description; comments: `# key: value` lines; parts in order; problems: one line each."""

    __slots__ = ("name", "tags", "description", "comments", "parts", "line", "problems")

    def __init__(self):
        self.name, self.tags, self.description, self.comments, self.parts = "", [], "", {}, []
        self.line, self.problems = None, []


def parse(lines: list[str]) -> Feature:
    """Read the lines of one .feature file; what is wrong stands in the feature's `problems`."""
    feature, tags, fence = Feature(), [], ""
    rule = current = None
    text: list[str] = []
    for number, line in enumerate(lines):
        stripped = line.strip()
        if fence:
            fence = "" if stripped == fence else fence
            text.append(stripped)
            continue
        if stripped[:3] in _FENCES and current is not None and current.kind != "rule":
            fence = stripped[:3]
            text.append(stripped)
            continue
        if not stripped:
            continue
        if stripped[0] == "#":
            if match := _COMMENT.match(stripped[:2000]):
                feature.comments.setdefault(match["key"], match["value"].strip())
        elif stripped[0] == "@":
            tags += [word[1:] for word in stripped.split() if word[0] == "@" and len(word) > 1]
        elif (match := _KEYWORD.match(stripped)) and (feature.line is not None or _KIND[match["word"]] == "feature"):
            kind, name = _KIND[match["word"]], match["name"].strip()
            if kind == "feature":
                if feature.line is None:
                    feature.name, feature.line, feature.tags = name, number, tags
                    text = []
            elif kind == "examples":
                text.append(stripped)
            else:
                if current is None:
                    feature.description = "\n".join(text).strip()
                current = Part(kind, name, number, tags, None if kind == "rule" else rule)
                rule = current if kind == "rule" else rule
                text = current.lines
                feature.parts.append(current)
            tags = []
        else:
            text.append(stripped)
    if current is None and feature.line is not None:
        feature.description = "\n".join(text).strip()
    if feature.line is None:
        feature.problems.append("no `Feature:` line")
    if fence:
        feature.problems.append(f"a {fence} that does not close")
    return feature
