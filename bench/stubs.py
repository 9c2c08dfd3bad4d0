"""The rankers that somebody would write in an afternoon, as processes: stubs.py fts5|bm25 TREE QUESTION

Print the paths of the best twenty files, one a line. bench/peers.py compares adlc with them.
"""

import math
import os
import re
import sqlite3
import sys


def words(text: str) -> list[str]:
    """Lower-case words; a run in a script without spaces gives its pairs of characters."""
    found = []
    for run in re.findall(r"[^\W_]+", text.lower()):
        if any(char >= "\u2e80" for char in run) and len(run) > 1:
            found += [run[i:i + 2] for i in range(len(run) - 1)]
        else:
            found.append(run)
    return found


def files(tree: str) -> list[str]:
    found = []
    for folder, _, names in os.walk(tree):
        found += [os.path.relpath(os.path.join(folder, name), tree) for name in names]
    return sorted(found)


def fts5(tree: str, question: str) -> list[str]:
    paths = files(tree)
    stats = [os.stat(os.path.join(tree, path)) for path in paths]
    state = repr([(path, s.st_size, s.st_mtime_ns) for path, s in zip(paths, stats)])
    connection = sqlite3.connect(tree + ".fts5.sqlite")
    connection.execute("CREATE TABLE IF NOT EXISTS state(value)")
    if connection.execute("SELECT value FROM state").fetchone() != (state,):
        for table in ("name", "purpose", "body"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.execute(f"CREATE VIRTUAL TABLE {table} USING fts5(text, tokenize='porter unicode61')")
        for number, path in enumerate(paths):
            text = open(os.path.join(tree, path), encoding="utf-8", errors="replace").read()
            headings = re.findall(r"^#+ (.*)", text, flags=re.M)
            title = " ".join(headings[:1]) + " " + path.replace("/", " ").replace("-", " ").replace("_", " ")
            rest = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
            first = next((p for p in re.split(r"\n\s*\n", rest) if p.strip() and not p.lstrip().startswith("#")), "")
            for table, value in (("name", title), ("purpose", first + " " + " ".join(headings)), ("body", text)):
                connection.execute(f"INSERT INTO {table}(rowid, text) VALUES(?,?)", (number, " ".join(words(value))))
        connection.execute("DELETE FROM state")
        connection.execute("INSERT INTO state VALUES(?)", (state,))
        connection.commit()
    match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words(question)))
    scores: dict[int, float] = {}
    for table in ("name", "purpose", "body"):
        for number, score in connection.execute(f"SELECT rowid, bm25({table}) FROM {table} WHERE {table} MATCH ?", (match,)):
            scores[number] = scores.get(number, 0.0) - score
    return [paths[number] for number in sorted(scores, key=lambda n: (-round(scores[n], 6), paths[n]))]


def bm25(tree: str, question: str) -> list[str]:
    counted, frequency = {}, {}
    for path in files(tree):
        counts: dict[str, int] = {}
        for word in words(open(os.path.join(tree, path), encoding="utf-8", errors="replace").read()):
            counts[word] = counts.get(word, 0) + 1
        counted[path] = counts
        for word in counts:
            frequency[word] = frequency.get(word, 0) + 1
    lengths = {path: sum(counts.values()) for path, counts in counted.items()}
    average = sum(lengths.values()) / len(lengths)
    scores = {}
    for path, counts in counted.items():
        for word in dict.fromkeys(words(question)):
            if word in counts:
                idf = math.log(1 + (len(counted) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                norm = 1.2 * (0.25 + 0.75 * lengths[path] / average)
                scores[path] = scores.get(path, 0.0) + idf * 2.2 * counts[word] / (counts[word] + norm)
    return sorted(scores, key=lambda path: (-round(scores[path], 6), path))


if __name__ == "__main__":
    print("\n".join({"fts5": fts5, "bm25": bm25}[sys.argv[1]](sys.argv[2], sys.argv[3])[:20]))
