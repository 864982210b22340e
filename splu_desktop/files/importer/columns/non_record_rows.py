"""Rows among or below the records that are none: totals, notes, lines of dashes, headers said again, other tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import pieces, quantiles, unique
from splu_desktop.files.importer.columns.header import DESCRIBES, no_record, shape_of
from splu_desktop.files.importer.columns.missing import is_blank, neutral
from splu_desktop.files.importer.columns.number_texts import LONGEST, MarkEvidence, parse_numbers
from splu_desktop.files.importer.columns.words import pattern
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, list_problems
from splu_desktop.files.importer.raw import RawColumn

_TAIL = 60  # last rows looked at for totals and notes
_FEWEST = 8  # records from which on it is known what belongs in a column
_FIRST = 6  # columns looked at for totals
_FEW = 20_000  # texts of a column up to which it is looked at
_MOST_SUMMED = 100_000  # likewise for sums
_SMALL = 50  # rows of a second table of words alone, at most
_GAPS = 500  # blank stretches looked at for another table below them
_TOTAL, _STATISTIC, _OF_GROUP = pattern("total"), pattern("statistic"), pattern("total_of_group")
_COUNTED = pattern("rows_counted")
_LABEL = re.compile(r"[^\W\d_][^:]{2,39}: \s*\S")
_HAS_DIGIT, _HAS_LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_LABELLED = 6  # last rows that may begin with one
_DESCRIBING = 3  # rows below the names looked at for them
_RULE = re.compile(r"[\s|]*[-=_+:~*][-=_+:~*\s|]*")


class LineKind(Enum):
    """What a row is that is no record."""

    NOTE = "title or note"
    TAIL = "total or note"
    SUM = "total of rows above"
    HEADER = "header said again"
    RULE = "line of dashes"
    OTHER = "another table below"
    DOUBT = "perhaps a title, total or note"


def problems_of(
    by_row: Mapping[int, LineKind],
    columns: Sequence[RawColumn],
    rows: NDArray[np.int64],
    sheet: str | None,
    doubt: Decision,
) -> Iterator[Problem]:
    """Give a problem for each place of a row that is no record. `doubt` : what is done with those that may be one."""
    table = _Table(columns, rows)
    each = (
        no_record(
            ProblemKind.DOUBTFUL_ROW if kind is LineKind.DOUBT else ProblemKind.SKIPPED_ROWS,
            kind.value,
            int(rows[at]),
            table.cells(at),
            sheet,
            doubt if kind is LineKind.DOUBT else Decision.DROP,
        )
        for at, kind in sorted(by_row.items())
    )
    return list_problems(each, len(by_row))


class _Table:
    """The first so many records of a table, with what is usual in it.

    Attributes
    ----------
    columns, rows : the columns, which may be longer, and the (n,) row number of each record.
    sample : places of some records from all over the table.
    filled : filled cells of each of these.
    """

    def __init__(self, columns: Sequence[RawColumn], rows: NDArray[np.int64]) -> None:
        self.columns, self.rows, self.n = columns, rows, len(rows)

    @cached_property
    def sample(self) -> NDArray[np.int64]:
        return unique(np.linspace(0, self.n - 1, min(self.n, 200)).astype(np.int64))

    @cached_property
    def filled(self) -> NDArray[np.int64]:
        return np.asarray(np.sum([_fills(column, self.sample) for column in self.columns], axis=0), np.int64)

    @cached_property
    def typical(self) -> float:
        """Filled cells of a usual record."""
        return float(np.median(self.filled))

    @cached_property
    def valued(self) -> list[bool]:
        """Whether each column holds values mostly."""
        return [_mostly_values(column, self.sample) for column in self.columns]

    @cached_property
    def blanks(self) -> list[float]:
        """The blanks within a usual value of each column, the longer tenth left aside; among values words are none."""
        shares = []
        for column in self.columns:
            texts = list(filter(None, (column.labels[code].strip() for code in column.codes[self.sample].tolist())))
            values = [text for text in texts if shape_of(text) != "t"]
            counts = [text.count(" ") for text in (values if 2 * len(values) > len(texts) else texts)]
            shares.append(float(quantiles(counts, [0.9])[0]) if counts else 0.0)
        return shares

    def cells(self, at: int) -> list[str]:
        """Return the texts of a record."""
        return [column.labels[column.codes[at]] for column in self.columns]

    def words(self, at: int) -> _Words:
        """Return the filled cells of a record."""
        return [(j, cell) for j, cell in enumerate(self.cells(at)) if not is_blank(cell)]

    def places(self, column: RawColumn, codes: Sequence[int]) -> NDArray[np.intp]:
        """Return the places of the records that have one of some codes."""
        return np.flatnonzero(np.isin(column.codes[: self.n], codes)) if codes else np.zeros(0, np.intp)

    def alone(self, column: int, i: int) -> bool:
        """Whether no other record has what this one has in a column."""
        codes = self.columns[column].codes[: self.n]
        return int(np.count_nonzero(codes == codes[i])) == 1


_Words = list[tuple[int, str]]  # the filled cells of a row, each with its column's place


def _texts(column: RawColumn, sample: NDArray[np.int64]) -> list[tuple[str, int]]:
    """Return a column's texts in some rows, each once and with how many of these have it."""
    return [(column.labels[code], times) for code, times in Counter(column.codes[sample].tolist()).items()]


def _fills(column: RawColumn, sample: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether a column's cells are filled in some rows."""
    codes, of = np.unique(column.codes[sample], return_inverse=True)
    return np.array([not is_blank(column.labels[code]) for code in codes.tolist()], bool)[of]


def find_headings(columns: Sequence[RawColumn], rows: NDArray[np.int64], heading: Sequence[str]) -> dict[int, LineKind]:
    """Find the header said again, the titles above it, lines of dashes, and what describes the columns below it.

    columns : the table's columns.
    rows : (N,) row number of each record.
    heading : the cells of the header's last row, one per column.
    """
    n, width, table = len(rows), len(columns), _Table(columns, rows)
    repeats = _repeats(columns, heading, n)
    by_row = dict.fromkeys(repeats, LineKind.HEADER)
    for at in {*range(min(2, n)), *range(max(0, n - 2), n), *(at + 1 for at in repeats if at + 1 < n)}:
        if _is_rule(table.words(at)):
            by_row[at] = LineKind.RULE
    for at in range(min(_DESCRIBING, n - 1)):
        words = table.words(at)
        if len(words) > max(1, 0.8 * width) and all(_fits(DESCRIBES, cell) for _, cell in words):
            by_row.update(dict.fromkeys(range(at + 1), LineKind.NOTE))
    for at in repeats:
        # Titles of a page, which may be longer below a blank row.
        most = max(1, 0.5 * width) if any(rows[i] - rows[i - 1] > 1 for i in range(max(1, at - 3), at)) else 1
        for above in range(at - 1, max(-1, at - 5), -1):
            words = table.words(above)
            if above in by_row or len(words) > most or all(shape_of(cell) != "t" for _, cell in words):
                break
            by_row[above] = LineKind.NOTE
            if above and rows[above] - rows[above - 1] > 1:
                break
    return by_row


def _repeats(columns: Sequence[RawColumn], heading: Sequence[str], n: int) -> list[int]:
    named = [(column, text) for column, text in zip(columns, heading, strict=True) if not is_blank(text)]
    if len(named) < 2:
        return []  # a single name may well be a value, too
    at = np.arange(n)
    for column, text in sorted(named, key=lambda pair: len(pair[0].labels)):
        folded = text.strip().casefold()
        codes = [code for code, label in enumerate(column.labels) if label.strip().casefold() == folded]
        at = at[np.isin(column.codes[at], codes)]
        if not len(at):
            return []
    return at.tolist()


def _is_rule(words: _Words) -> bool:
    return all(_RULE.fullmatch(cell) for _, cell in words) and any(len(cell.strip()) > 2 for _, cell in words)


def find_group_totals(columns: Sequence[RawColumn], rows: NDArray[np.int64]) -> dict[int, LineKind]:
    """Find totals of groups among the records, and names of groups above them."""
    table = _Table(columns, rows)
    if len(columns) < 3 or table.n < _FEWEST:
        return {}
    totals = _totals(table)
    return totals | _names_of_groups(table, totals)


def _names_of_groups(table: _Table, totals: Collection[int]) -> dict[int, LineKind]:
    """Find names of groups: rows with words in the first column alone, where keys with digits stand elsewhere.

    Below a blank row, or where a table begins with one, they are no records. Else they may be some of which nothing
    else is known, so they are asked about.
    """
    first, at = table.columns[0], np.arange(table.n)
    for other in sorted(table.columns[1:], key=lambda column: len(column.labels)):
        at = at[np.isin(other.codes[at], [code for code, label in enumerate(other.labels) if is_blank(label)])]
        if not len(at):  # as in most tables at once
            return {}
    others = table.sample[~np.isin(table.sample, [*at, *totals])]
    usual = [first.labels[code] for code in unique(first.codes[others]).tolist()]
    blanks = max((text.strip().count(" ") for text in usual), default=0)
    names = [first.labels[code].strip() for code in first.codes[at].tolist()]
    unlike = [shape_of(name) == "t" and (name.count(" ") > blanks or not _HAS_DIGIT.search(name)) for name in names]
    at = at[np.array(unlike, bool)]
    if not 0 < len(at) <= 0.2 * table.n or table.typical < 3 or not all(map(_HAS_DIGIT.search, usual)):
        return {}
    begins = len(at) > 1 and at[0] == 0
    above = table.rows[at] - table.rows[np.maximum(at - 1, 0)] > 1
    return {i: LineKind.NOTE if begins or gap else LineKind.DOUBT for i, gap in zip(at.tolist(), above, strict=True)}


def _totals(table: _Table) -> dict[int, LineKind]:
    """Find totals of groups: rows that say "total" where values belong, or "Surgery Total" right below a "Surgery".

    All of them lack a value that most records have, or hold the sums of the rows since the last one. A finding such as
    "bilirubin total" stands anywhere, and its records are as full as others.
    """
    full = [column for column in table.columns if _fills(column, table.sample).mean() >= 0.8]
    by_row: dict[int, LineKind] = {}
    for place, column in enumerate(table.columns[:_FIRST]):
        if len(column.labels) > _FEW or not _HAS_LETTER.search("".join(column.labels)):
            continue
        matches = {code: _fits(_OF_GROUP, label.strip()) for code, label in enumerate(column.labels)}
        plain = {code for code, label in enumerate(column.labels) if _fits(_TOTAL, label)}
        at: list[int] = []
        named = True
        for i in table.places(column, [code for code, match in matches.items() if match or code in plain]).tolist():
            code, match = column.codes[i], matches[column.codes[i]]
            above = {cell.strip().casefold() for cell in table.cells(i - 1)} if match and i else set()
            of_group = match is not None and (match["after"] or match["before"]).strip().casefold() in above
            named &= of_group
            if of_group or code in plain:
                at.append(i)
        if not 0 < len(at) <= 0.4 * table.n:
            continue
        lacking = any(not _fills(other, np.array(at)).any() for other in full)
        others = (other for other, has in zip(table.columns, table.valued, strict=True) if has and other is not column)
        if (lacking and (named or table.valued[place])) or (len(at) > 1 and any(_hold_sums(o, at) for o in others)):
            by_row.update(dict.fromkeys(at, LineKind.SUM))
    return by_row


def _hold_sums(column: RawColumn, at: Sequence[int]) -> bool:
    """Whether a column's cells in some rows are each the sum of those since the last of these rows."""
    if len(column.labels) > _MOST_SUMMED:
        return False
    evidence = MarkEvidence()
    evidence.add(column.labels[:1000])
    numbers = parse_numbers(column.labels, evidence.format()).values[column.codes[: at[-1] + 1]]
    totals, numbers[at] = numbers[at], 0.0
    sums = np.add.reduceat(np.nan_to_num(numbers), [0, *at[:-1]])
    return bool(totals.all() and (np.abs(sums - totals) <= 1e-3 * np.abs(totals) + 0.01).all())


def other_table(
    columns: Sequence[RawColumn], rows: NDArray[np.int64], known: Collection[int]
) -> tuple[int, int] | None:
    """Return where another table begins below a blank row among the records, and where its header stands.

    A title of one cell may stand above the header. `known` : places that are known to be something else.
    """
    n = len(rows)
    gaps = np.zeros(0, np.intp)
    for part in pieces(n - 1):
        after = slice(part.start + 1, part.stop + 1)
        gaps = np.concatenate([gaps, after.start + np.flatnonzero(rows[after] - rows[part] > 1)])[:_GAPS]
    gaps = gaps[(gaps >= 2) & (gaps < n - 1)]
    table = _Table(columns, rows[: int(gaps[0])] if len(gaps) else rows)
    for begin in gaps.tolist():
        at = begin + (len(table.words(begin)) == 1 and begin < n - 2)
        words, below = table.words(at), table.words(at + 1)
        names = [cell for _, cell in words]
        worded = len(set(names)) == len(names) and all(shape_of(cell) == "t" and not neutral(cell) for cell in names)
        if begin not in known and len(words) >= 2 and len(below) >= 2 and worded:
            values = any(shape_of(cell) in ("n", "d") for _, cell in below)
            if (values and any(table.valued[j] for j, _ in words)) or (len(gaps) and _is_apart(table, at, n)):
                return begin, at
    return None


def _is_apart(table: _Table, at: int, n: int) -> bool:
    """Whether the rows from `at` on are a small table of words, which all fill the same columns.

    Two value columns and more stay empty in all of them, and none of the first row's words stands in its column above,
    as a record's would; or each has a word where values belong.
    """
    if n - at > _SMALL:
        return False
    rows = [table.words(row) for row in range(at, n)]
    places = [j for j, _ in rows[0]]
    if any([j for j, _ in row] != places for row in rows):
        return False
    usual = [
        j
        for j, column in enumerate(table.columns)
        if table.valued[j] and _fills(column, table.sample).sum() >= 0.95 * len(table.sample) - 1  # a total has few
    ]
    if all(any(j in usual and shape_of(cell) == "t" and not neutral(cell) for j, cell in row) for row in rows):
        return len(places) < table.typical
    above = [set(table.columns[j].codes[:at].tolist()) for j in places]
    known = any(table.columns[j].codes[at] in codes for j, codes in zip(places, above, strict=True))
    return len(usual) > 1 and not set(usual) & set(places) and not known


def find_trailing(columns: Sequence[RawColumn], rows: NDArray[np.int64], short: set[int]) -> dict[int, LineKind]:
    """Find the rows at the end that are totals or notes, and those that may be.

    A row is none of the records where it says "total" or holds their sums, or where it is a text of several words below
    a blank row or in a line that breaks off. Nearly empty rows that show none of this may be records of which little
    is known. `short` : numbers of rows that break off.
    """
    n = len(rows)
    by_row: dict[int, LineKind] = {}
    if len(columns) < 2 or n < 3:
        return by_row
    end = _End(columns, rows, short)
    notes: list[int] = []  # rows that are notes if a blank row stands above them
    for i in range(n - 1, max(1, n - _TAIL) - 1, -1):
        judged = end.judge(i)
        if judged is None:
            break
        if judged.sure:
            by_row.update(dict.fromkeys(by_row, LineKind.TAIL))  # no record stands below a total
        # Lone words right above a note belong to it.
        sure = judged.sure or (judged.loose and by_row.get(i + 1) is LineKind.TAIL)
        by_row[i] = LineKind.TAIL if sure else LineKind.DOUBT
        if judged.as_note:
            notes.append(i)
        if rows[i] - rows[i - 1] > 1:
            by_row.update(dict.fromkeys(notes, LineKind.TAIL))
            notes = []
    return by_row


class _Judged(NamedTuple):
    """A row that is perhaps no record: whether it surely is none, says something as notes do, or is lone words."""

    sure: bool
    as_note: bool
    loose: bool


class _End(_Table):
    """A table whose last rows are judged.

    Attributes
    ----------
    short : numbers of rows that break off.
    least : filled cells of a nearly empty row.
    sparse : whether nearly empty rows stand everywhere: then these are records like the others.
    keyed : whether the first column is filled in nearly every row.
    """

    def __init__(self, columns: Sequence[RawColumn], rows: NDArray[np.int64], short: set[int]) -> None:
        super().__init__(columns, rows)
        self.short, self.least = short, max(1.0, 0.4 * self.typical)
        inner = self.filled[self.sample < self.n - min(_TAIL, max(5, self.n // 4))]
        self.sparse = self.typical < 3 or bool(len(inner) and (inner <= self.least).mean() > 0.05)
        self.keyed = bool(_fills(columns[0], self.sample).sum() > 0.95 * len(self.sample) - 3)

    def judge(self, i: int) -> _Judged | None:
        """Judge a row, the last one or above rows that are no records; None where it is a record like others."""
        words, n = self.words(i), self.n
        if not words:
            return None
        (head, first), worded = words[0], [shape_of(cell) == "t" for _, cell in words]
        as_note = any(_is_note(cell, self.blanks[j], self.columns[j], self.valued[j]) for j, cell in words)
        foreign = any(self.valued[j] and shape_of(cell) == "t" and not neutral(cell) for j, cell in words)
        cut_off = int(self.rows[i]) in self.short and len(self.short) < 0.4 * n
        counted = _fits(_COUNTED, " ".join(cell.strip() for _, cell in words)) is not None
        shown = counted or self._is_total(i, words) or self._is_labelled(i, words)
        shown = shown or (i == n - 1 and not self.sparse and _sums(self.columns, words, n - 1))
        if not (shown or self._is_note(words, worded, as_note, foreign, cut_off)):
            return None
        nameless = self.keyed and foreign and head > 0 and all(worded)
        sure = shown or nameless or (cut_off and as_note and head == 0)
        return _Judged(sure, as_note, len(words) == 1 and not any(c.isdigit() for c in first))

    def _is_total(self, i: int, words: _Words) -> bool:
        head, first = words[0]
        # SAP marks its totals by asterisks, one per level.
        if 1 < len(words) <= max(2.0, 0.5 * self.typical) and set(first.strip()) == {"*"}:
            return True
        # Among names and codes, too, where nothing but few numbers stands beside a word of its own.
        alone = _figures(words[1:]) and self.alone(head, i) and self._is_unlike(words)
        foreign = self.valued[head] or (_figures(words[1:]) and (len(words) <= self.least or alone))
        if len(words) > 1 and foreign and (_fits(_STATISTIC, first) or (alone and _fits(_OF_GROUP, first.strip()))):
            return True
        # By itself "total" may be a finding, too: then other records have it, or lack the rest as well.
        return bool(_fits(_TOTAL, first)) and (len(words) > 1 or (self.typical >= 2 and self.alone(head, i)))

    def _is_unlike(self, words: _Words) -> bool:
        """Whether a key is none, or missing where all have one."""
        (head, first), *_ = words
        unlike = head > 0 or _is_note(first, self.blanks[0], self.columns[0], self.valued[0])
        return self.keyed and len(words) < self.typical and unlike

    def _is_labelled(self, i: int, words: _Words) -> bool:
        """Whether a nearly empty row begins with "Source: ...", as no record does."""
        if words[0][0] or len(words) > 1 + (int(self.rows[i]) in self.short) or not _LABEL.match(words[0][1]):
            return False
        column = self.columns[0]
        usual = (column.labels[code] for code in unique(column.codes[self.sample[self.sample < self.n - _LABELLED]]))
        return not any(map(_LABEL.match, usual))

    def _is_note(self, words: _Words, worded: list[bool], as_note: bool, foreign: bool, cut_off: bool) -> bool:
        if len(self.columns) == 2:  # an ordinary record has few words there, too
            return cut_off and foreign
        # A sentence with a comma of its own, in a row that breaks off: nothing but words, where values belong.
        if cut_off and foreign and len(words) < self.typical and all(worded):
            return True
        if len(words) > self.least or (self.sparse and not cut_off):
            return False
        lone = len(words) == 1 and worded[0] and self.typical >= (3 if as_note else 4)
        wordy = len(words) <= 2 and any(len(cell) > 30 and " " in cell.strip() for _, cell in words)
        return foreign or lone or wordy or (cut_off and len(words) <= 2)


def _figures(words: _Words) -> bool:
    return all(shape_of(cell) == "n" for _, cell in words)


def _is_note(text: str, blanks: float, column: RawColumn, valued: bool) -> bool:
    """Whether a text is none of its column's values: more words, a mark of a note, or no digit where all have some.

    `blanks` : those within a usual value of the column.
    """
    bare = text.strip()
    if bare[:1] in "*†‡#" or bare[-1:] == ":" or bare.count(" ") > 2 * blanks:
        return True
    ordinary = [label for label in column.labels[:50] if label != text and not is_blank(label)]
    figures = valued or all(any(char.isdigit() for char in label) for label in ordinary)
    return figures and not any(char.isdigit() for char in bare) and not neutral(bare)


def _sums(columns: Sequence[RawColumn], words: _Words, last: int) -> bool:
    """Whether the last row holds nothing but the sums of its columns, though the first column is filled elsewhere."""
    if words[0][0] == 0 or is_blank(columns[0].labels[columns[0].codes[0]]):
        return False
    return all(shape_of(cell) == "n" and _hold_sums(columns[j], [last]) for j, cell in words)


def _mostly_values(column: RawColumn, sample: NDArray[np.int64]) -> bool:
    texts = [(shape_of(text) in ("n", "d"), times) for text, times in _texts(column, sample) if not neutral(text)]
    return bool(texts) and sum(value * times for value, times in texts) > 0.6 * sum(times for _, times in texts)


def _fits(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the match of a text as a whole; longer ones than `LONGEST` are no words for a total."""
    return pattern.fullmatch(text) if len(text) <= LONGEST else None
