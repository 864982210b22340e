"""Rows among or below the records that are none: totals, notes, lines of dashes, headers said again, other tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import Said, say
from splu_desktop.core.table import pieces, unique
from splu_desktop.files.importer.columns.header import shape_of
from splu_desktop.files.importer.columns.missing import is_blank, neutral
from splu_desktop.files.importer.columns.number_texts import LONGEST, MarkEvidence, parse_numbers
from splu_desktop.files.importer.problems import MAX_LISTED, Decision, Problem, ProblemKind, listed
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
_DESCRIBING = 3  # rows below the names looked at for them
_RULE = re.compile(r"[\s|]*[-=_+:~*][-=_+:~*\s|]*")


class LineKind(Enum):
    """What a row is that is no record."""

    HEAD = "opening"
    TAIL = "total or note"
    HEADER = "header again"
    RULE = "line"
    TITLE = "title between"
    SUM = "subtotal"
    OTHER = "another table"
    DOUBT = "may be no record"


@dataclass(frozen=True, eq=False)
class NotRecords:
    """Rows that are no records: their places among the rows gathered, ascending, and what each is."""

    at: NDArray[np.int64]
    kinds: tuple[LineKind, ...]

    def problems(
        self, columns: Sequence[RawColumn], rows: NDArray[np.int64], sheet: str | None, doubt: Decision
    ) -> Iterator[Problem]:
        """Give a problem per row, with all of its text, so that nothing leaves the table unseen.

        `doubt` : what is done with rows that may be records.
        """
        each = (
            Problem(
                ProblemKind.DOUBTFUL_ROW if kind is LineKind.DOUBT else ProblemKind.SKIPPED_ROWS,
                _sentence(kind, int(rows[place]), doubt),
                sheet,
                int(rows[place]),
                None,
                " | ".join(text for text in _cells(columns, place) if not is_blank(text)),
                1,
                doubt if kind is LineKind.DOUBT else Decision.DROP,
            )
            for place, kind in zip(self.at.tolist(), self.kinds, strict=True)
        )
        return listed(each, len(self.at))


def _sentence(kind: LineKind, row: int, doubt: Decision) -> Said:
    if kind is LineKind.DOUBT and doubt is Decision.DROP:
        return say("Row {row} may be a title, a total or a note; it was left out, as decided.", row=row)
    if kind is LineKind.DOUBT:
        return say("Row {row} may be a title, a total or a note; it was kept as a record.", row=row)
    if kind is LineKind.TAIL:
        return say("Row {row} at the end is a total or a note, not a record; it was left out.", row=row)
    if kind is LineKind.HEAD:
        return say("Row {row} is a title or opens the file; it is no record and was left out.", row=row)
    if kind is LineKind.HEADER:
        return say("Row {row} says the header again; it was left out.", row=row)
    if kind is LineKind.RULE:
        return say("Row {row} is a line of dashes, not a record; it was left out.", row=row)
    if kind is LineKind.SUM:
        return say("Row {row} is a total of the rows above it, not a record; it was left out.", row=row)
    if kind is LineKind.TITLE:
        return say("Row {row} is a title between parts of the table, not a record; it was left out.", row=row)
    return say("Row {row} belongs to another table further down; it was left out.", row=row)


def _cells(columns: Sequence[RawColumn], at: int) -> list[str]:
    return [column.labels[column.codes[at]] for column in columns]


def _texts(column: RawColumn, sample: NDArray[np.int64]) -> list[tuple[str, int]]:
    """Return a column's texts in some rows, each once and with how many of these have it."""
    return [(column.labels[code], times) for code, times in Counter(column.codes[sample].tolist()).items()]


def _filled_cells(columns: Sequence[RawColumn], sample: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many cells of some rows are not blank."""
    filled = np.zeros(len(sample), np.int64)
    for column in columns:
        known: dict[int, bool] = {}
        codes = column.codes[sample].tolist()
        filled += [known[c] if c in known else known.setdefault(c, not is_blank(column.labels[c])) for c in codes]
    return filled


def among(columns: Sequence[RawColumn], rows: NDArray[np.int64], heading: Sequence[str]) -> dict[int, LineKind]:
    """Find the header said again, the titles above it, lines of dashes, and what describes the columns below it.

    Parameters
    ----------
    columns : the table's columns.
    rows : (N,) row number of each record.
    heading : the cells of the header's last row, one per column.
    """
    n, width = len(rows), len(columns)
    found: dict[int, LineKind] = {}
    for at in {*range(min(2, n)), *range(max(0, n - 2), n)}:
        if _is_rule(_cells(columns, at)):
            found[at] = LineKind.RULE
    for at in range(min(_DESCRIBING, n - 1)):
        cells = [cell for cell in _cells(columns, at) if not is_blank(cell)]
        if len(cells) > max(1, 0.8 * width) and all(_fits(_DESCRIBES, cell) for cell in cells):
            found.update(dict.fromkeys(range(at + 1), LineKind.HEAD))
    for at in _repeats(columns, heading):
        found[at] = LineKind.HEADER
        if at + 1 < n and _is_rule(_cells(columns, at + 1)):
            found[at + 1] = LineKind.RULE
        above = at - 1
        # Below a blank row a page begins, and its titles may be longer.
        page = any(rows[i] - rows[i - 1] > 1 for i in range(max(1, at - 3), at))
        while above >= max(0, at - 4) and above not in found:
            filled = [text for text in _cells(columns, above) if not is_blank(text)]
            if len(filled) > max(1, (0.5 if page else 0.3) * width) or all(shape_of(text) != "t" for text in filled):
                break
            found[above] = LineKind.TITLE
            if above and rows[above] - rows[above - 1] > 1:
                break
            above -= 1
    return found


def inner(columns: Sequence[RawColumn], rows: NDArray[np.int64]) -> dict[int, LineKind]:
    """Find subtotals and titles of groups among the records: nearly empty rows with words where values belong.

    A title stands below a blank row, or is of several words in the first column; elsewhere it may be a record of which
    little is known.
    """
    n = len(rows)
    if len(columns) < 3 or n < _FEWEST:
        return {}
    sample = unique(np.linspace(0, n - 1, 200).astype(np.int64))
    typical = float(np.median(_filled_cells(columns, sample)))
    found = _of_groups(columns, n, sample) | _sections(columns, n, sample) | _sums_of_blocks(columns, n, sample)
    if len(columns) < 4 or typical < 4:
        return found
    for place, column in enumerate(columns[:_RULED]):
        if len(column.labels) > _FEW or not _mostly_values(column, sample):
            continue
        usual = _blanks(column, sample)
        words = [code for code, label in enumerate(column.labels) if _WORD.search(label) and shape_of(label) == "t"]
        words = [code for code in words if not neutral(column.labels[code])]
        places = np.flatnonzero(np.isin(column.codes[:n], words)) if words else np.zeros(0, np.int64)
        if len(places) > 0.2 * n:
            continue
        for at in places[:MAX_LISTED].tolist():
            filled = [cell for cell in _cells(columns, at) if not is_blank(cell)]
            if len(filled) == 1:
                titled = place == 0 and _is_note(filled[0], usual, column, True) and " " in filled[0].strip()
                found[at] = LineKind.TITLE if titled or (at and rows[at] - rows[at - 1] > 1) else LineKind.DOUBT
            elif len(filled) <= 0.5 * typical and _fits(_TOTAL, filled[0]):
                found[at] = LineKind.SUM
    return found


def _sections(columns: Sequence[RawColumn], n: int, sample: NDArray[np.int64]) -> dict[int, LineKind]:
    """Find names of groups above their records: rows with words in the first column alone, which all others fill.

    They may be records of which nothing else is known, so they are asked about.
    """
    blank = [np.fromiter(map(is_blank, column.labels), bool) for column in columns if len(column.labels) <= _FEW]
    if len(blank) < len(columns):
        return {}
    empty = np.logical_and.reduce([bare[column.codes[:n]] for bare, column in zip(blank[1:], columns[1:], strict=True)])
    at = np.flatnonzero(empty & ~blank[0][columns[0].codes[:n]])
    rest = sample[~np.isin(sample, at)]
    if not 1 < len(at) <= 0.2 * n or int(at[-1]) == n - 1 or not len(rest):
        return {}
    full = all((bare[column.codes[rest]]).mean() < 0.05 for bare, column in zip(blank, columns, strict=True))
    names = [columns[0].labels[code] for code in unique(columns[0].codes[at]).tolist()]
    others = [columns[0].labels[code] for code in columns[0].codes[rest].tolist()]
    told = {any(map(str.isdigit, text)) for text in others}
    worded = all(shape_of(text) == "t" for text in names) and (told == {True} or len(names) == len(at))
    unlike = told != {True} or not any(any(map(str.isdigit, text)) for text in names)
    return dict.fromkeys(at.tolist(), LineKind.DOUBT) if full and worded and unlike else {}


def _of_groups(columns: Sequence[RawColumn], n: int, sample: NDArray[np.int64]) -> dict[int, LineKind]:
    """Find totals of groups: "Surgery Total" right below the last "Surgery", in rows that all lack the same value.

    The words may stand in another column than the groups. A finding such as "bilirubin total" stands anywhere, and its
    records are as full as others.
    """
    full = [
        column
        for column in columns
        if sum(times for text, times in _texts(column, sample) if is_blank(text)) <= 0.2 * len(sample)
    ]
    found: dict[int, LineKind] = {}
    few = [column for column in columns[:_RULED] if len(column.labels) <= _FEW]
    indexes = [{label.strip().casefold(): code for code, label in enumerate(column.labels)} for column in few]
    for column in few:
        named = {
            code: (match["after"] or match["before"]).strip().casefold()
            for code, label in enumerate(column.labels)
            if (match := _fits(_OF_GROUP, label.strip()))
        }
        for by, index in zip(few, indexes, strict=True):
            group_of = {code: index[group] for code, group in named.items() if group in index}
            at = np.flatnonzero(np.isin(column.codes[:n], list(group_of))) if group_of else np.zeros(0, np.int64)
            if not 0 < len(at) <= 0.4 * n:
                continue
            groups = np.array([group_of[code] for code in column.codes[at].tolist()])
            ends = (by.codes[at - 1] == groups) & (by.codes[np.minimum(at + 1, n - 1)] != groups) & (at > 0)
            gaps = (all(is_blank(other.labels[code]) for code in unique(other.codes[at]).tolist()) for other in full)
            if ends.all() and any(gaps):
                found.update(dict.fromkeys(at.tolist(), LineKind.SUM))
    return found


def _sums_of_blocks(columns: Sequence[RawColumn], n: int, sample: NDArray[np.int64]) -> dict[int, LineKind]:
    """Find "total" said again and again, each time with the sum of the rows since the last one."""
    for column in columns[:_RULED]:
        if len(column.labels) > _FEW:
            continue
        words = [code for code, label in enumerate(column.labels) if _fits(_TOTAL, label)]
        at = np.flatnonzero(np.isin(column.codes[:n], words)) if words else np.zeros(0, np.int64)
        if not 1 < len(at) <= 0.4 * n:
            continue
        for other in columns:
            if other is column or len(other.labels) > _FEW or not _mostly_values(other, sample):
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


def _repeats(columns: Sequence[RawColumn], heading: Sequence[str]) -> list[int]:
    named = [(column, text) for column, text in zip(columns, heading, strict=True) if not is_blank(text)]
    if len(named) < 2:
        return []  # a single name may well be a value, too
    named.sort(key=lambda pair: len(pair[0].labels))
    at: NDArray[np.int64] | None = None
    for column, text in named:
        known = (
            [code for code, label in enumerate(column.labels) if label == text] if len(column.labels) < 5_000 else []
        )
        if not known and len(column.labels) >= 5_000 and text in column.labels:
            known = [column.labels.index(text)]
        if not known:
            return []
        places = np.flatnonzero(column.codes == known[0]) if at is None else at[column.codes[at] == known[0]]
        at = places
        if not len(at):
            return []
    return [] if at is None else at.tolist()


def _is_rule(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if not is_blank(cell)]
    return bool(filled) and all(map(_RULE.fullmatch, filled)) and any(len(cell.strip()) > 2 for cell in filled)


def other_table(columns: Sequence[RawColumn], rows: NDArray[np.int64], known: Collection[int]) -> int | None:
    """Return where, below a blank row, the header of another table stands among the records; None where none does.

    `known` : places that are known to be something else.
    """
    n = len(rows)
    gaps = np.zeros(0, np.intp)
    for part in pieces(n - 1):
        after = slice(part.start + 1, part.stop + 1)
        gaps = np.concatenate([gaps, after.start + np.flatnonzero(rows[after] - rows[part] > 1)])[:_GAPS]
    gaps = gaps[(gaps >= 2) & (gaps < n - 1)]
    if not len(gaps):
        return None
    sample = unique(np.linspace(0, int(gaps[0]) - 1, 200).astype(np.int64))
    valued = [_mostly_values(column, sample) for column in columns]
    if not any(valued):
        return None
    for at in gaps.tolist():
        if at in known:
            continue
        filled = [(j, cell) for j, cell in enumerate(_cells(columns, at)) if not is_blank(cell)]
        below = [(j, cell) for j, cell in enumerate(_cells(columns, at + 1)) if not is_blank(cell)]
        names = [cell for _, cell in filled]
        if (
            len(filled) >= 2
            and len(below) >= 2
            and len(set(names)) == len(names)
            and all(shape_of(cell) == "t" and not neutral(cell) for cell in names)
        ):
            values = any(shape_of(cell) in ("n", "d") for _, cell in below)
            if values and any(valued[j] for j, _ in filled):
                return int(at)
            if _apart(columns, at, n, sample, valued):
                return int(at)
    return None


def _apart(columns: Sequence[RawColumn], at: int, n: int, sample: NDArray[np.int64], valued: Sequence[bool]) -> bool:
    """Whether the rows from `at` on are a small table of words: two value columns and more stay empty in all of them.

    All fill the same columns, and none of the first row's words stands in its column above, as a record's would.
    """
    if n - at > _SMALL:
        return False
    usual = [valued[j] and _filled(column, sample) > 0.95 for j, column in enumerate(columns)]
    parts = [[not is_blank(cell) for cell in _cells(columns, place)] for place in range(at, n)]
    if sum(usual) < 2 or any(part != parts[0] for part in parts) or any(map(min, zip(parts[0], usual, strict=True))):
        return False
    head = _cells(columns, at)
    above = (set(column.codes[:at].tolist()) for column in columns)
    known = ({column.labels[code] for code in codes} for column, codes in zip(columns, above, strict=True))
    return not any(text in texts for text, texts, own in zip(head, known, parts[0], strict=True) if own)


def _filled(column: RawColumn, sample: NDArray[np.int64]) -> float:
    return float(_filled_cells([column], sample).mean())


def trailing(columns: Sequence[RawColumn], rows: NDArray[np.int64], short: set[int | None]) -> dict[int, LineKind]:
    """Find the rows at the end that are totals or notes, and those that may be.

    A row is none of the records where it says "total" or holds their sums, or where it is a text of several words below
    a blank row or in a line that breaks off. Nearly empty rows that show none of this may be records of which little
    is known.
    """
    n = len(rows)
    found: dict[int, LineKind] = {}
    if len(columns) < 2 or n < 3:
        return found
    usual = _Usual.of(columns, rows, short)
    notes: list[int] = []  # rows that are notes if a blank row stands above them
    for i in range(n - 1, max(1, n - _TAIL) - 1, -1):
        judged = usual.judged(i)
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


_Words = list[tuple[int, str]]  # the filled cells of a row, each with its column's place


@dataclass(frozen=True, eq=False)
class _Usual:
    """A table, and what is usual in it, by which its last rows are judged.

    Attributes
    ----------
    short : numbers of rows that break off.
    typical, few : filled cells of a usual row, and of a nearly empty one.
    sparse : whether nearly empty rows stand everywhere: then these are records like the others.
    valued, blanks : of each column, whether it holds values mostly, and the blanks within a usual one.
    keyed : whether the first column is filled in nearly every row.
    """

    columns: Sequence[RawColumn]
    rows: NDArray[np.int64]
    short: set[int | None]
    typical: float
    few: float
    sparse: bool
    valued: list[bool]
    blanks: list[float]
    keyed: bool

    @classmethod
    def of(cls, columns: Sequence[RawColumn], rows: NDArray[np.int64], short: set[int | None]) -> _Usual:
        n = len(rows)
        sample = unique(np.linspace(0, n - 1, min(n, 200)).astype(np.int64))
        filled = _filled_cells(columns, sample)
        typical = float(np.median(filled))
        few = max(1.0, 0.4 * typical)
        inner = filled[sample < n - min(_TAIL, max(5, n // 4))]
        return cls(
            columns,
            rows,
            short,
            typical,
            few,
            typical < 3 or bool(len(inner) and (inner <= few).mean() > 0.05),
            [_mostly_values(column, sample) for column in columns],
            [_blanks(column, sample) for column in columns],
            bool(_filled_cells(columns[:1], sample).sum() > 0.95 * len(sample) - 3),
        )

    def judged(self, i: int) -> _Judged | None:
        """Judge a row, the last one or above rows that are no records; None where it is a record like others."""
        row, n = _cells(self.columns, i), len(self.rows)
        words = [(j, cell) for j, cell in enumerate(row) if not is_blank(cell)]
        if not words:
            return None
        (head, first), worded = words[0], [shape_of(cell) == "t" for _, cell in words]
        said = any(_is_note(cell, self.blanks[j], self.columns[j], self.valued[j]) for j, cell in words)
        foreign = any(self.valued[j] and shape_of(cell) == "t" and not neutral(cell) for j, cell in words)
        breaks = int(self.rows[i]) in self.short
        cut_off = breaks and len(self.short) < 0.4 * n
        unlike = self._is_unlike(i, words)
        total = self._is_total(i, words) or (unlike and any(_fits(p, first.strip()) for p in (_STATISTIC, _OF_GROUP)))
        few = i == n - 1 and not self.sparse and len(words) <= self.few
        summed = few and _sums(self.columns, words, n - 1)
        if not (total or unlike or summed or self._is_note(words, worded, said, foreign, cut_off)):
            return None
        nameless = self.keyed and foreign and head > 0 and all(worded)
        sure = total or summed or nameless or (cut_off and said and head == 0)
        return _Judged(sure, said, len(words) == 1 and not any(c.isdigit() for c in first))

    def _is_total(self, i: int, words: _Words) -> bool:
        head, first = words[0]
        # SAP marks its totals by asterisks, one per level.
        if 1 < len(words) <= max(2.0, 0.5 * self.typical) and set(first.strip()) == {"*"}:
            return True
        # Among names and codes, too, where nothing but few numbers stands beside it.
        foreign = self.valued[head] or (len(words) <= self.few and _figures(words[1:]))
        if len(words) > 1 and foreign and _fits(_STATISTIC, first):
            return True
        # By itself "total" may be a finding, too: then other records have it, or lack the rest as well.
        return bool(_fits(_TOTAL, first)) and (len(words) > 1 or (self.typical >= 2 and self._alone(head, i)))

    def _is_unlike(self, i: int, words: _Words) -> bool:
        """Whether a key is none, or missing where all have one: a word of its own, with few numbers beside it."""
        head, first = words[0]
        if not (self.keyed and 1 < len(words) < self.typical and _figures(words[1:]) and shape_of(first) == "t"):
            return False
        column = self.columns[head]
        return self._alone(head, i) and (head > 0 or _is_note(first, self.blanks[0], column, self.valued[0]))

    def _is_note(self, words: _Words, worded: list[bool], said: bool, foreign: bool, cut_off: bool) -> bool:
        if len(self.columns) == 2:  # an ordinary record has few words there, too
            return cut_off and foreign
        # A sentence with a comma of its own, in a row that breaks off: nothing but words, where values belong.
        if cut_off and foreign and len(words) < self.typical and all(worded):
            return True
        if len(words) > self.few or (self.sparse and not cut_off):
            return False
        lone = len(words) == 1 and worded[0] and self.typical >= (3 if said else 4)
        wordy = len(words) <= 2 and any(len(cell) > 30 and " " in cell.strip() for _, cell in words)
        return foreign or lone or wordy or (cut_off and len(words) <= 2)

    def _alone(self, column: int, i: int) -> bool:
        """Whether no other row has what this one has in a column."""
        codes = self.columns[column].codes[: len(self.rows)]
        return int(np.count_nonzero(codes == codes[i])) == 1


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
