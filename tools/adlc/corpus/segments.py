"""Term statistics in segments: where each term occurs, how often, and how long the documents are.

A segment holds at most SEGMENT documents and is never changed, but for the marks of documents that are
gone. An edit adds a small one; when there are many of these they are joined.
"""

import json
import sqlite3
import sys
from array import array

FIELDS = ("name", "purpose", "body")
CORPORA = ("lesson", "bug", "spec")
SEGMENT = 4096
_MAX_SMALL = 8


class Damaged(Exception):
    """The stored cache cannot be trusted; throw it away."""


class Postings:
    """Where a term occurs in one segment: for each field, places (array of uint16) and frequencies (bytes)."""

    __slots__ = ("places", "frequencies")

    def __init__(self, data: bytes):
        self.places, self.frequencies = [], []
        position = 0
        for _ in FIELDS:
            count = int.from_bytes(data[position:position + 2], "little")
            position += 2
            places = array("H", data[position:position + 2 * count])
            if sys.byteorder == "big":
                places.byteswap()
            position += 2 * count
            self.places.append(places)
            self.frequencies.append(data[position:position + count])
            position += count
        if position != len(data):
            raise Damaged("postings of another length than they say")


def _pack(fields: list[tuple[array, bytearray]]) -> bytes:
    out = bytearray()
    for places, frequencies in fields:
        out += len(places).to_bytes(2, "little")
        if sys.byteorder == "big":
            places = array("H", places)
            places.byteswap()
        out += places.tobytes() + frequencies
    return bytes(out)


class Segment:
    """base: docid of its first document. live, corpora: bytes, one a document. lengths: per field, array of uint32."""

    __slots__ = ("base", "size", "live", "corpora", "lengths")

    def __init__(self, base: int, size: int, live: bytes, corpora: bytes, lengths: bytes):
        self.base, self.size, self.live, self.corpora = base, size, live, corpora
        values = array("I", lengths)
        if len(values) != size * len(FIELDS) or len(live) != size or len(corpora) != size:
            raise Damaged("segment sizes do not agree")
        self.lengths = [values[i * size:(i + 1) * size] for i in range(len(FIELDS))]


def read(connection: sqlite3.Connection) -> list[Segment]:
    """All segments, by base."""
    rows = connection.execute("SELECT base, size, live, corpora, lengths FROM segments ORDER BY base")
    return [Segment(*row) for row in rows]


def bury(connection: sqlite3.Connection, docid: int) -> None:
    """Mark one document as gone; a segment without a living one goes, too."""
    base, live = connection.execute(
        "SELECT base, live FROM segments WHERE base<=? ORDER BY base DESC LIMIT 1", (docid,)
    ).fetchone()
    live = bytearray(live)
    live[docid - base] = 0
    if any(live):
        connection.execute("UPDATE segments SET live=? WHERE base=?", (bytes(live), base))
    else:
        connection.execute("DELETE FROM segments WHERE base=?", (base,))
        connection.execute("DELETE FROM postings WHERE base=?", (base,))


def _next_base(connection) -> int:
    row = connection.execute("SELECT base + size FROM segments ORDER BY base DESC LIMIT 1").fetchone()
    top = connection.execute("SELECT MAX(docid) FROM docs").fetchone()[0]
    return max(row[0] if row else 0, (top or 0) + 1)


def add(connection: sqlite3.Connection, new: list) -> None:
    """A new segment, with its rows in docs and streams. new: at most SEGMENT times (Document, entry, racy, hash, read.Terms)."""
    base, size = _next_base(connection), len(new)
    lengths = array("I", bytes(4 * size * len(FIELDS)))
    terms: dict[str, list] = {}
    for place, (document, entry, racy, hash, terms_of) in enumerate(new):
        for number, counts in enumerate(terms_of.counts):
            lengths[number * size + place] = sum(counts.values())
            for term, count in counts.items():
                slot = terms.get(term)
                if slot is None:
                    slot = terms[term] = [(array("H"), bytearray()) for _ in FIELDS]
                slot[number][0].append(place)
                slot[number][1].append(min(count, 255))
    _insert(connection, base, size, bytes([1]) * size, bytes(CORPORA.index(n[0].corpus) for n in new), lengths, terms)
    connection.executemany(
        "INSERT INTO docs(docid, path, entry, racy, hash, status, record) VALUES(?,?,?,?,?,?,?)",
        [
            (base + place, document.path, entry, racy, hash, document.status,
             json.dumps(document.record(), ensure_ascii=False, separators=(",", ":")))
            for place, (document, entry, racy, hash, terms_of) in enumerate(new)
        ],
    )
    connection.executemany(
        "INSERT INTO streams(docid, data) VALUES(?,?)", [(base + place, item[4].stream) for place, item in enumerate(new)]
    )


def _insert(connection, base, size, live, corpora, lengths, terms) -> None:
    connection.execute(
        "INSERT INTO segments(base, size, live, corpora, lengths) VALUES(?,?,?,?,?)",
        (base, size, live, corpora, lengths.tobytes()),
    )
    connection.executemany(
        "INSERT INTO postings(base, term, data) VALUES(?,?,?)",
        ((base, term, _pack(terms[term])) for term in sorted(terms)),
    )


def join_small(connection: sqlite3.Connection) -> None:
    """Join the small segments into one when there are too many, leaving the dead documents out."""
    rows = connection.execute("SELECT base, size, live, corpora, lengths FROM segments ORDER BY base").fetchall()
    if sum(row[1] < SEGMENT // 4 for row in rows) <= _MAX_SMALL:
        return
    moved: dict[int, dict[int, int]] = {}
    order: list[tuple[Segment, int]] = []
    small = []
    for segment in sorted((Segment(*row) for row in rows), key=lambda s: (s.size, s.base)):
        if len(order) + segment.size > SEGMENT:
            break
        small.append(segment)
        moved[segment.base] = {}
        for place in range(segment.size):
            if segment.live[place]:
                moved[segment.base][place] = len(order)
                order.append((segment, place))
    base, size = _next_base(connection), len(order)
    lengths = array("I", [segment.lengths[f][place] for f in range(len(FIELDS)) for segment, place in order])
    terms: dict[str, list] = {}
    for segment in small:
        places = moved[segment.base]
        for term, data in connection.execute("SELECT term, data FROM postings WHERE base=?", (segment.base,)):
            old = Postings(data)
            slot = terms.get(term)
            for number in range(len(FIELDS)):
                for place, frequency in zip(old.places[number], old.frequencies[number]):
                    if place in places:
                        if slot is None:
                            slot = terms[term] = [(array("H"), bytearray()) for _ in FIELDS]
                        slot[number][0].append(places[place])
                        slot[number][1].append(frequency)
    corpora = bytes(segment.corpora[place] for segment, place in order)
    for segment in small:
        connection.execute("DELETE FROM segments WHERE base=?", (segment.base,))
        connection.execute("DELETE FROM postings WHERE base=?", (segment.base,))
    _insert(connection, base, size, bytes([1]) * size, corpora, lengths, terms)
    renumbered = [(base + number, segment.base + place) for number, (segment, place) in enumerate(order)]
    connection.executemany("UPDATE docs SET docid=? WHERE docid=?", renumbered)
    connection.executemany("UPDATE streams SET docid=? WHERE docid=?", renumbered)
