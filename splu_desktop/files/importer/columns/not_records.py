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

from splu_desktop.core.table import pieces, unique
from splu_desktop.files.importer.columns.header import no_record, shape_of
from splu_desktop.files.importer.columns.missing import is_blank, neutral
from splu_desktop.files.importer.columns.number_texts import LONGEST, MarkEvidence, parse_numbers
from splu_desktop.files.importer.problems import MAX_LISTED, Decision, Problem, ProblemKind, list_problems
from splu_desktop.files.importer.raw import RawColumn

_TAIL = 60  # last rows looked at for totals and notes
_WORD = re.compile(r"[^\W\d_]{3,}")
_FEWEST = 8  # records from which on it is known what belongs in a column
_RULED = 6  # columns looked at for lines of dashes
_FEW = 20_000  # texts of a column up to which it is looked at
_SMALL = 50  # rows of a second table of words alone, at most
_GAPS = 500  # blank stretches looked at for another table below them
_TOTAL = re.compile(
    r"\s*(?:(?:grand|sub|overall|over\s?all)[\s-]?)?"
    r"(?:total|totals|totale|totales|totaal|totalt|gesamt|gesamtsumme|gesamtergebnis|insgesamt|summe|somme|suma|sum|итого|всего|razem"
    r"|ogółem|celkem|összesen|toplam|合计|合計|总计|總計|小计|小計)"
    r"(?:\s*[:(=].*|\s+(?:of|for|de|der|des|du|g[eé]n[eé]ral|amount|patients|cases|records|rows)\b.*|\s+\d.*|\s*)",
    re.IGNORECASE | re.DOTALL,
)
_STATISTIC = re.compile(
    r"\s*(?:mean|average|avg|median|minimum|maximum|min|max|std\.?\s?dev\.?|standard deviation|sd|count|mittelwert"
    r"|durchschnitt|anzahl|moyenne|médiane|media|promedio|mediana|nombre|número)\b\.?:?\s*",
    re.IGNORECASE,
)
# As spreadsheets write below each group: "Surgery Total", "Innere Ergebnis", "Total Urgences".
_OF_GROUP = re.compile(
    r"(?:(?:sub[\s-]?)?total|(?:zwischen|teil)?summe|ergebnis|gesamt|(?:sous-)?total|somme|suma|count|anzahl)"
    r"(?:\s+(?:of|for|de|du|des|für|von))?[\s:]+(?P<after>\S.*)"
    r"|(?P<before>.*\S)[\s:]+(?:total|subtotal|ergebnis|summe|gesamt|result|count|anzahl|average|mittelwert)",
    re.IGNORECASE | re.DOTALL,
)
# Below the names: the types of a database, or what Qualtrics writes of its questions, with their words between.
_DESCRIBES = re.compile(
    r'\s*(?:\{"ImportId":.*\}|(?:(?:n?var)?char2?|int|integer|bigint|smallint|float|double|real|decimal|numeric|number'
    r"|date|datetime2?|time|timestamp|bool|boolean|bit|string|text|character|factor)(?:\s*\(\d+(?:,\s*\d+)?\))?)\s*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^\W\d_][^:]{2,39}: \s*\S")
_HAS_DIGIT = re.compile(r"\d")
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
    found: Mapping[int, LineKind],
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
        for at, kind in sorted(found.items())
    )
    return list_problems(each, len(found))


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
        found: NDArray[np.int64] = np.sum([_filled(column, self.sample) for column in self.columns], 0, dtype=np.int64)
        return found

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
        """The blanks within a usual value of each column."""
        return [_blanks(column, self.sample) for column in self.columns]

    @cached_property
    def few(self) -> list[RawColumn]:
        """The first columns, those without too many texts to look at each."""
        return [column for column in self.columns[:_RULED] if len(column.labels) <= _FEW]

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


def _filled(column: RawColumn, sample: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether a column's cells are filled in some rows."""
    codes, of = np.unique(column.codes[sample], return_inverse=True)
    return np.array([not is_blank(column.labels[code]) for code in codes.tolist()], bool)[of]


def among(columns: Sequence[RawColumn], rows: NDArray[np.int64], heading: Sequence[str]) -> dict[int, LineKind]:
    """Find the header said again, the titles above it, lines of dashes, and what describes the columns below it.

    Parameters
    ----------
    columns : the table's columns.
    rows : (N,) row number of each record.
    heading : the cells of the header's last row, one per column.
    """
    n, width, table = len(rows), len(columns), _Table(columns, rows)
    found: dict[int, LineKind] = {}
    for at in {*range(min(2, n)), *range(max(0, n - 2), n)}:
        if _is_rule(table.words(at)):
            found[at] = LineKind.RULE
    for at in range(min(_DESCRIBING, n - 1)):
        words = table.words(at)
        if len(words) > max(1, 0.8 * width) and all(_fits(_DESCRIBES, cell) for _, cell in words):
            found.update(dict.fromkeys(range(at + 1), LineKind.NOTE))
    for at in _repeats(columns, heading, n):
        found[at] = LineKind.HEADER
        if at + 1 < n and _is_rule(table.words(at + 1)):
            found[at + 1] = LineKind.RULE
        above = at - 1
        # Below a blank row a page begins, and its titles may be longer.
        page = any(rows[i] - rows[i - 1] > 1 for i in range(max(1, at - 3), at))
        while above >= max(0, at - 4) and above not in found:
            words = table.words(above)
            if len(words) > max(1, (0.5 if page else 0.3) * width) or all(shape_of(cell) != "t" for _, cell in words):
                break
            found[above] = LineKind.NOTE
            if above and rows[above] - rows[above - 1] > 1:
                break
            above -= 1
    return found


def _repeats(columns: Sequence[RawColumn], heading: Sequence[str], n: int) -> list[int]:
    named = [(column, text) for column, text in zip(columns, heading, strict=True) if not is_blank(text)]
    if len(named) < 2:
        return []  # a single name may well be a value, too
    at = np.arange(n)
    for column, text in sorted(named, key=lambda pair: len(pair[0].labels)):
        own = text.strip().casefold()
        codes = [code for code, label in enumerate(column.labels) if label.strip().casefold() == own]
        at = at[np.isin(column.codes[at], codes)]
        if not len(at):
            return []
    return at.tolist()


def _is_rule(words: _Words) -> bool:
    return all(_RULE.fullmatch(cell) for _, cell in words) and any(len(cell.strip()) > 2 for _, cell in words)


def inner(columns: Sequence[RawColumn], rows: NDArray[np.int64]) -> dict[int, LineKind]:
    """Find subtotals and titles of groups among the records: nearly empty rows with words where values belong.

    A title stands below a blank row, or is of several words in the first column; elsewhere it may be a record of which
    little is known.
    """
    table = _Table(columns, rows)
    if len(columns) < 3 or table.n < _FEWEST:
        return {}
    found = _of_groups(table) | _sections(table) | _sums_of_blocks(table)
    if len(columns) < 4 or table.typical < 4:
        return found
    for place, column in enumerate(columns[:_RULED]):
        if len(column.labels) > _FEW or not table.valued[place]:
            continue
        words = [code for code, label in enumerate(column.labels) if _WORD.search(label) and shape_of(label) == "t"]
        places = table.places(column, [code for code in words if not neutral(column.labels[code])])
        if len(places) > 0.2 * table.n:
            continue
        for at in places[:MAX_LISTED].tolist():
            (_, first), *others = table.words(at)
            if not others:
                titled = place == 0 and _is_note(first, table.blanks[0], column, True) and " " in first.strip()
                found[at] = LineKind.NOTE if titled or (at and rows[at] - rows[at - 1] > 1) else LineKind.DOUBT
            elif len(others) + 1 <= 0.5 * table.typical and _fits(_TOTAL, first):
                found[at] = LineKind.SUM
    return found


def _sections(table: _Table) -> dict[int, LineKind]:
    """Find names of groups above their records: rows with words in the first column alone, which all others fill.

    They may be records of which nothing else is known, so they are asked about.
    """
    columns, n, sample = table.columns, table.n, table.sample
    if any(len(column.labels) > _FEW for column in columns):
        return {}
    blank = [np.fromiter(map(is_blank, column.labels), bool)[column.codes[:n]] for column in columns]
    at = np.flatnonzero(np.logical_and.reduce(blank[1:]) & ~blank[0])
    rest = sample[~np.isin(sample, at)]
    if not 1 < len(at) <= 0.2 * n or int(at[-1]) == n - 1 or not len(rest):
        return {}
    full = all(bare[rest].mean() < 0.05 for bare in blank)
    names = [columns[0].labels[code] for code in unique(columns[0].codes[at]).tolist()]
    others = [columns[0].labels[code] for code in columns[0].codes[rest].tolist()]
    told = {any(map(str.isdigit, text)) for text in others}
    worded = all(shape_of(text) == "t" for text in names) and (told == {True} or len(names) == len(at))
    unlike = told != {True} or not any(any(map(str.isdigit, text)) for text in names)
    return dict.fromkeys(at.tolist(), LineKind.DOUBT) if full and worded and unlike else {}


def _of_groups(table: _Table) -> dict[int, LineKind]:
    """Find totals of groups: "Surgery Total" right below the last "Surgery", in rows that all lack the same value.

    The words may stand in another column than the groups. A finding such as "bilirubin total" stands anywhere, and its
    records are as full as others.
    """
    full = [column for column in table.columns if _filled(column, table.sample).mean() >= 0.8]
    found: dict[int, LineKind] = {}
    indexes = [{label.strip().casefold(): code for code, label in enumerate(column.labels)} for column in table.few]
    for column in table.few:
        named = {
            code: (match["after"] or match["before"]).strip().casefold()
            for code, label in enumerate(column.labels)
            if (match := _fits(_OF_GROUP, label.strip()))
        }
        for by, index in zip(table.few, indexes, strict=True):
            group_of = {code: index[group] for code, group in named.items() if group in index}
            at = table.places(column, list(group_of))
            if not 0 < len(at) <= 0.4 * table.n:
                continue
            groups = np.array([group_of[code] for code in column.codes[at].tolist()])
            after = by.codes[np.minimum(at + 1, table.n - 1)]
            ends = (by.codes[at - 1] == groups) & (after != groups) & (at > 0)
            gaps = (all(is_blank(other.labels[code]) for code in unique(other.codes[at]).tolist()) for other in full)
            if ends.all() and any(gaps):
                found.update(dict.fromkeys(at.tolist(), LineKind.SUM))
    return found


def _sums_of_blocks(table: _Table) -> dict[int, LineKind]:
    """Find "total" said again and again, each time with the sum of the rows since the last one."""
    for column in table.few:
        at = table.places(column, [code for code, label in enumerate(column.labels) if _fits(_TOTAL, label)])
        if not 1 < len(at) <= 0.4 * table.n:
            continue
        for other, valued in zip(table.columns, table.valued, strict=True):
            if other is column or len(other.labels) > _FEW or not valued:
                continue
            numbers = _numbers(other)[other.codes[: int(at[-1]) + 1]]
            own = numbers[at]
            numbers[at] = 0.0
            sums = np.add.reduceat(np.nan_to_num(numbers), np.concatenate([[0], at[:-1]]))
            if (np.abs(sums - own) <= 1e-3 * np.abs(own) + 0.01).all() and own.all():
                return dict.fromkeys(at.tolist(), LineKind.SUM)
    return {}


def _numbers(column: RawColumn) -> NDArray[np.float64]:
    """Return (m,) the numbers behind a column's texts, NaN where none."""
    evidence = MarkEvidence()
    evidence.add(column.labels[:1000])
    return parse_numbers(column.labels, evidence.format()).values


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
    if not len(gaps):
        at = _other_header(_Table(columns, rows))
        return None if at is None or at in known else (at, at)
    table = _Table(columns, rows[: int(gaps[0])])
    if not any(table.valued):
        return None
    for begin in gaps.tolist():
        at = begin + (len(table.words(begin)) == 1 and begin < n - 2)
        words, below = table.words(at), table.words(at + 1)
        names = [cell for _, cell in words]
        worded = len(set(names)) == len(names) and all(shape_of(cell) == "t" and not neutral(cell) for cell in names)
        if begin not in known and len(words) >= 2 and len(below) >= 2 and worded:
            values = any(shape_of(cell) in ("n", "d") for _, cell in below)
            if (values and any(table.valued[j] for j, _ in words)) or _is_apart(table, at, n):
                return begin, at
    return None


def _other_header(table: _Table) -> int | None:
    """Return where names of other columns stand among the records: words alone, where numbers, dates or codes belong.

    The rows below must hold values, and fill the very columns that it names.
    """
    at = np.arange(2, table.n - 2)
    valued = [column for column, has in zip(table.columns, table.valued, strict=True) if has]
    if not valued or not all(
        map(_HAS_DIGIT.search, (label for label, _ in _texts(table.columns[0], table.sample[:20])))
    ):
        return None
    for column in sorted(valued, key=lambda each: len(each.labels)):
        odd = [label[:1].isalpha() or is_blank(label) for label in column.labels]
        at = at[np.array(odd, bool)[column.codes[at]]]
        if not len(at):  # as in most tables at once
            return None
    for i in map(int, at[:_GAPS]):
        words, below = table.words(i), [table.words(i + k) for k in (1, 2)]
        names, places = {cell for _, cell in words}, [j for j, _ in words]
        if len(words) < 2 or places[0] or any(places != [j for j, _ in row] for row in below):
            continue
        named = all(not _HAS_DIGIT.search(cell) and not neutral(cell) and table.alone(j, i) for j, cell in words)
        values = [j for j, cell in below[0] if shape_of(cell) in ("n", "d")]
        several = len(values) > 1 or len(words) < table.typical
        if named and len(names) == len(words) and several and any(table.valued[j] for j in values):
            return i
    return None


def _is_apart(table: _Table, at: int, n: int) -> bool:
    """Whether the rows from `at` on are a small table of words, which all fill the same columns.

    Two value columns and more stay empty in all of them, and none of the first row's words stands in its column above,
    as a record's would; or each has a word where values belong.
    """
    if n - at > _SMALL:
        return False
    rows = [table.words(place) for place in range(at, n)]
    places = [j for j, _ in rows[0]]
    if any([j for j, _ in row] != places for row in rows):
        return False
    usual = [
        j
        for j, column in enumerate(table.columns)
        if table.valued[j] and _filled(column, table.sample).sum() >= 0.95 * len(table.sample) - 1  # a total has few
    ]
    if all(any(j in usual and shape_of(cell) == "t" and not neutral(cell) for j, cell in row) for row in rows):
        return len(places) < table.typical
    above = [set(table.columns[j].codes[:at].tolist()) for j in places]
    known = any(table.columns[j].codes[at] in codes for j, codes in zip(places, above, strict=True))
    return len(usual) > 1 and not set(usual) & set(places) and not known


def trailing(columns: Sequence[RawColumn], rows: NDArray[np.int64], short: set[int]) -> dict[int, LineKind]:
    """Find the rows at the end that are totals or notes, and those that may be.

    A row is none of the records where it says "total" or holds their sums, or where it is a text of several words below
    a blank row or in a line that breaks off. Nearly empty rows that show none of this may be records of which little
    is known. `short` : numbers of rows that break off.
    """
    n = len(rows)
    found: dict[int, LineKind] = {}
    if len(columns) < 2 or n < 3:
        return found
    end = _End(columns, rows, short)
    notes: list[int] = []  # rows that are notes if a blank row stands above them
    for i in range(n - 1, max(1, n - _TAIL) - 1, -1):
        judged = end.judge(i)
        if judged is None:
            break
        if judged.sure:
            found.update(dict.fromkeys(found, LineKind.TAIL))  # no record stands below a total
        # Lone words right above a note belong to it.
        sure = judged.sure or (judged.loose and found.get(i + 1) is LineKind.TAIL)
        found[i] = LineKind.TAIL if sure else LineKind.DOUBT
        if judged.said:
            notes.append(i)
        if rows[i] - rows[i - 1] > 1:
            found.update(dict.fromkeys(notes, LineKind.TAIL))
            notes = []
    return found


class _Judged(NamedTuple):
    """A row that is perhaps no record: whether it surely is none, says something as notes do, or is lone words."""

    sure: bool
    said: bool
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
        self.keyed = bool(_filled(columns[0], self.sample).sum() > 0.95 * len(self.sample) - 3)

    def judge(self, i: int) -> _Judged | None:
        """Judge a row, the last one or above rows that are no records; None where it is a record like others."""
        words, n = self.words(i), self.n
        if not words:
            return None
        (head, first), worded = words[0], [shape_of(cell) == "t" for _, cell in words]
        said = any(_is_note(cell, self.blanks[j], self.columns[j], self.valued[j]) for j, cell in words)
        foreign = any(self.valued[j] and shape_of(cell) == "t" and not neutral(cell) for j, cell in words)
        cut_off = int(self.rows[i]) in self.short and len(self.short) < 0.4 * n
        unlike, labelled = self._is_unlike(i, words), self._is_labelled(i, words)
        total = self._is_total(i, words) or (unlike and any(_fits(p, first.strip()) for p in (_STATISTIC, _OF_GROUP)))
        summed = i == n - 1 and not self.sparse and _sums(self.columns, words, n - 1)
        if not (total or unlike or summed or labelled or self._is_note(words, worded, said, foreign, cut_off)):
            return None
        nameless = self.keyed and foreign and head > 0 and all(worded)
        sure = total or summed or labelled or nameless or (cut_off and said and head == 0)
        return _Judged(sure, said, len(words) == 1 and not any(c.isdigit() for c in first))

    def _is_total(self, i: int, words: _Words) -> bool:
        head, first = words[0]
        # SAP marks its totals by asterisks, one per level.
        if 1 < len(words) <= max(2.0, 0.5 * self.typical) and set(first.strip()) == {"*"}:
            return True
        # Among names and codes, too, where nothing but few numbers stands beside it.
        foreign = self.valued[head] or (len(words) <= self.least and _figures(words[1:]))
        if len(words) > 1 and foreign and _fits(_STATISTIC, first):
            return True
        # By itself "total" may be a finding, too: then other records have it, or lack the rest as well.
        return bool(_fits(_TOTAL, first)) and (len(words) > 1 or (self.typical >= 2 and self.alone(head, i)))

    def _is_unlike(self, i: int, words: _Words) -> bool:
        """Whether a key is none, or missing where all have one: a word of its own, with few numbers beside it."""
        head, first = words[0]
        if not (self.keyed and 1 < len(words) < self.typical and _figures(words[1:]) and shape_of(first) == "t"):
            return False
        note = head > 0 or _is_note(first, self.blanks[0], self.columns[head], self.valued[0])
        return self.alone(head, i) and note

    def _is_labelled(self, i: int, words: _Words) -> bool:
        """Whether a nearly empty row begins with "Source: ...", as no record does."""
        if words[0][0] or len(words) > 1 + (int(self.rows[i]) in self.short) or not _LABEL.match(words[0][1]):
            return False
        column = self.columns[0]
        usual = (column.labels[code] for code in unique(column.codes[self.sample[self.sample < self.n - _LABELLED]]))
        return not any(map(_LABEL.match, usual))

    def _is_note(self, words: _Words, worded: list[bool], said: bool, foreign: bool, cut_off: bool) -> bool:
        if len(self.columns) == 2:  # an ordinary record has few words there, too
            return cut_off and foreign
        # A sentence with a comma of its own, in a row that breaks off: nothing but words, where values belong.
        if cut_off and foreign and len(words) < self.typical and all(worded):
            return True
        if len(words) > self.least or (self.sparse and not cut_off):
            return False
        lone = len(words) == 1 and worded[0] and self.typical >= (3 if said else 4)
        wordy = len(words) <= 2 and any(len(cell) > 30 and " " in cell.strip() for _, cell in words)
        return foreign or lone or wordy or (cut_off and len(words) <= 2)


def _figures(words: _Words) -> bool:
    return all(shape_of(cell) == "n" for _, cell in words)


def _blanks(column: RawColumn, sample: NDArray[np.int64]) -> float:
    """Return how many blanks stand within a usual value of a column, the longer tenth left aside.

    In a column of values, words are none of them.
    """
    texts = [(bare, times) for text, times in _texts(column, sample) if (bare := text.strip())]
    if not texts:
        return 0.0
    values = [(text, times) for text, times in texts if shape_of(text) != "t"]
    mostly = 2 * sum(times for _, times in values) > sum(times for _, times in texts)
    counts, weights = zip(*((text.count(" "), times) for text, times in (values if mostly else texts)), strict=True)
    ordered = np.sort(np.repeat(counts, weights))
    return float(np.interp(0.9 * (len(ordered) - 1), np.arange(len(ordered)), ordered))


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


def _sums(columns: Sequence[RawColumn], words: Sequence[tuple[int, str]], last: int) -> bool:
    """Whether the last row holds nothing but the sums of its columns, though the first column is filled elsewhere."""
    if not words or words[0][0] == 0 or is_blank(columns[0].labels[columns[0].codes[0]]):
        return False
    for j, cell in words:
        column = columns[j]
        if shape_of(cell) != "n" or len(column.labels) > 100_000:
            return False
        numbers = _numbers(column)[column.codes[: last + 1]]
        own, total = numbers[last], float(np.nansum(numbers[:last]))
        if not np.isfinite(own) or not own or abs(total - own) > 1e-3 * abs(own) + 0.01:
            return False
    return True


def _mostly_values(column: RawColumn, sample: NDArray[np.int64]) -> bool:
    texts = [(shape_of(text) in ("n", "d"), times) for text, times in _texts(column, sample) if not neutral(text)]
    return bool(texts) and sum(value * times for value, times in texts) > 0.6 * sum(times for _, times in texts)


def _fits(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the match of a text as a whole; longer ones than `LONGEST` are no words for a total."""
    return pattern.fullmatch(text) if len(text) <= LONGEST else None
