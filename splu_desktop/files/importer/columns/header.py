"""Where the header stands: titles, notes and blank lines above it, several rows joined, names made unique."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, zip_longest

import numpy as np

from splu_desktop.core.messages import say
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.date_texts import DIGITS, parse_dates
from splu_desktop.files.importer.columns.missing import is_blank, neutral
from splu_desktop.files.importer.columns.number_texts import LONGEST
from splu_desktop.files.importer.columns.words import pattern
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind
from splu_desktop.files.importer.workbook.sheet_scan import Span
from splu_desktop.files.isolation.faults import BadChoice

_LONGEST_NAME = 60  # characters of a label or unit below a name
_MOST_BELOW = 2  # rows below the first of names that hold labels or units
LOOK_AHEAD = 100  # rows looked at for the header
_NUMBER = pattern("number")
_YEAR = re.compile(r"\s*(?:1[89]|20|21)\d\d(?:\.0)?\s*")
_DATA = pattern("data")
_NAME_LIKE = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+")

_SAYS = re.compile(r"[^:]{1,40}:\s*|[^=]{1,40}\s=\s.{1,40}|(?:0?[1-9]|1[0-2])[/.](?:19|20)\d\d")  # a title's cell
_UNIT = pattern("unit")
DESCRIBES = pattern("describes_column")


@dataclass(frozen=True)
class Header:
    """Where the header is: 0-based first and last row, -1 for both where there is none; and why."""

    first: int
    last: int
    reason: str

    @classmethod
    def at_rows(cls, first: int, last: int) -> Header:
        """Return a header that was found, with the reason."""
        if last < 0:
            return cls(-1, -1, "no row names the columns")
        if last == first:
            return cls(first, last, say("row {row} names the columns", row=first + 1))
        return cls(first, last, say("rows {first} to {last} name the columns", first=first + 1, last=last + 1))

    def resolve(self, choices: ImportChoices) -> ImportChoices:
        """Return the choices with this header."""
        rows = self.last - self.first + 1 if self.last >= 0 else 0
        return replace(choices, header_row=self.last + 1, header_rows=rows)


@lru_cache(10_000)  # the same few cells are asked about again and again
def shape_of(cell: str) -> str:
    """Classify a cell roughly: "" blank, "n" number, "d" date or other data that no name looks like, "t" text."""
    if is_blank(cell):
        return ""
    if len(cell) <= LONGEST and _NUMBER.fullmatch(cell):
        return "n"
    if len(cell) > 45:
        return "t"
    if _DATA.fullmatch(cell.strip()):
        return "d"
    return "d" if DIGITS.search(cell) and parse_dates([cell], np.ones(1, np.int64)).fits[0] else "t"


def choose_header(rows: Sequence[Sequence[str]], choices: ImportChoices, merged: Sequence[Span] = ()) -> Header:
    """Return the header that was chosen, or find it. Raises BadChoice where the row chosen does not exist."""
    last, count, reason = (choices.header_row or 0) - 1, choices.header_rows or 1, "chosen"
    if choices.header_row is None:
        header = find_header(rows, merged)
        if not choices.header_rows or header.last < 0:
            return header
        last, reason = max(header.last, count - 1), header.reason
    if last >= 0 and not count - 1 <= last < len(rows):
        words = "The header row can't be {header_row}, with {header_rows} rows in all; choose among rows 1 to {rows}."
        raise BadChoice(words, header_row=last + 1, header_rows=count, rows=len(rows))
    return Header(last - count + 1, last, reason) if last >= 0 else Header(-1, -1, reason)


def find_header(rows: Sequence[Sequence[str]], merged: Sequence[Span] = ()) -> Header:
    """Find the header among the first rows of a table (each a list of texts, of any length)."""
    head = _Head(rows[:LOOK_AHEAD], merged)
    rows, filled = head.rows, head.filled
    if not any(filled):
        return Header.at_rows(-1, -1)
    if (at := head.below_metadata()) is not None:
        return Header.at_rows(at, at)
    # Titles and notes at the top count little, so the lower half decides what a usual row fills.
    counts = [count for count in filled if count]
    lower = sorted(counts[len(counts) // 2 :])
    typical = lower[len(lower) // 2]
    # The header names most of the columns that the rows below fill; a title or note fills one or two cells.
    enough = max(1.0, 0.6 * typical) if typical <= 3 else max(2.0, 0.5 * typical)
    for at in range(len(rows)):
        if filled[at] < enough or (filled[at] < typical and head.is_fuller_below(at)):
            continue
        if head.votes(at) <= 0:
            return Header.at_rows(-1, -1)
        return Header.at_rows(*head.extent(head.clearest_from(at)))
    at = next(i for i, count in enumerate(filled) if count)
    return Header.at_rows(at, at)


class _Head:
    """The first rows of a table: shapes of the cells, how many are filled, and ranges of merged ones."""

    def __init__(self, rows: Sequence[Sequence[str]], merged: Sequence[Span]) -> None:
        self.rows, self.merged = rows, merged
        self.shapes = [[shape_of(cell) for cell in row] for row in rows]
        self.filled = [sum(map(bool, row)) for row in self.shapes]

    def below_metadata(self) -> int | None:
        """Return the row below lines that begin with "#" and describe each column, as cBioPortal writes them."""
        rows = self.rows
        at = next((k for k, row in enumerate(rows) if not row or not row[0].startswith(("#", "%"))), len(rows))
        if not 0 < at < len(rows) - 1 or sum(len(row) == len(rows[at]) for row in rows[:at]) < min(at, 2):
            return None
        # A single line may hold the names itself, above a record of words; else those below name a column of numbers.
        clear = self.votes(at) > 0 if at > 1 else self.votes(at) >= max(self.votes(0), 1.5)
        return at if len(rows[at]) > 1 and clear else None

    def is_fuller_below(self, at: int) -> bool:
        """Whether one of the next few rows is a fuller row of texts, so that this one is still a note."""
        for below in range(at + 1, min(at + 5, len(self.rows))):
            if self.filled[below] > self.filled[at] and not self._has_values(below):
                cells = self._cells(below)
                if len(set(cells)) >= 0.5 * len(cells) and len(cells) >= 2 and self.votes(below) > 0:
                    return True
        return False

    def clearest_from(self, at: int) -> int:
        """Return the row that names columns most clearly among the rows of words that follow one another from `at`."""
        rows, filled = self.rows, self.filled
        best, votes = at, self.votes(at)
        if len(rows[at]) > 2 and len(set(map(str.strip, rows[at]))) == 1:
            return at  # one word above all columns, which belongs to their names
        for below in range(at + 1, min(at + 12, len(rows))):
            if "n" in self.shapes[below]:
                break
            if filled[below] < 2 or not any(filled[below + 1 :]):
                continue
            if any(map(_SAYS.fullmatch, rows[at])) and not any(map(_SAYS.fullmatch, rows[below])):
                named = set(self._cells(below))
                others = (named & set(map(str.strip, row)) for row in rows[below + 1 :])
                if len(named) == filled[below] and not any(others):
                    return below  # what stood above says what the table is about: "Period", "01/2024", "12/2024"
            if filled[below] >= filled[at] and (better := self.votes(below)) >= votes + 0.75:
                best, votes = below, better
        return best

    def votes(self, at: int) -> float:
        """Compare a row with the rows below it, column by column: above 0 where it names columns."""
        rows, shapes = self.rows, self.shapes
        row = rows[at]
        below = [i for i in range(at + 1, len(rows)) if any(shapes[i])]
        kinds = [shape for shape in shapes[at] if shape]
        if _years(row, shapes[at]):
            return float(len(kinds))
        if not below:
            return kinds.count("t") - len(kinds) / 2
        votes = 0.5  # most tables have a header
        for i, shape in enumerate(shapes[at]):
            if not shape:
                continue
            under = [j for j in below if i < len(rows[j]) and not neutral(rows[j][i])]
            if not under:
                if shape != "t":
                    votes -= 0.2
                elif not neutral(row[i]):
                    votes += 0.2
                continue
            valued = sum(shapes[j][i] in ("n", "d") for j in under) / len(under)
            if shape == "d" and sum(shapes[j][i] == "n" for j in under) > 0.6 * len(under):
                votes += 0.5  # a date above numbers names a column of a time series
            elif shape != "t" and not valued:
                votes += 0.3  # numbers of teeth name columns of marks
            elif shape != "t":
                votes -= 1.0 if valued > 0.5 else 0.3
            elif neutral(row[i]):
                votes -= 0.5
            elif valued > 0.6:
                votes += 1.0
            elif any(rows[j][i] == row[i] for j in under):
                votes -= 1.0
            else:
                lengths = {len(rows[j][i]) for j in under}
                alike = re.sub(r"\d+", "0", row[i]) == re.sub(r"\d+", "0", rows[under[0]][i])  # P9 above P10
                apart = not alike and len(under) > 2 and len(lengths) == 1 and len(row[i]) not in lengths
                votes += 0.5 if apart or (len(row[i]) <= LONGEST and _NAME_LIKE.fullmatch(row[i].strip())) else 0.1
        cells = self._cells(at)
        return votes - 1.0 if len(cells) > 3 and len(set(cells)) < 0.4 * len(cells) else votes

    def extent(self, at: int) -> tuple[int, int]:
        """Extend the header over rows that belong to it: group names above, units or second names below."""
        first = last = at
        while first > 0 and self.filled[first - 1] and self._groups(first - 1, first, last):
            first -= 1
        for _ in range(_MOST_BELOW):
            if last + 2 >= len(self.rows) or not self._continues(last):
                break
            last += 1
        return first, last

    def _cells(self, at: int) -> list[str]:
        return [cell.strip() for cell in self.rows[at] if not is_blank(cell)]

    def _has_values(self, at: int) -> bool:
        return "n" in self.shapes[at] or "d" in self.shapes[at]

    def _groups(self, above: int, first: int, last: int) -> bool:
        """Whether the row above holds names of groups of columns."""
        below, shapes = self.rows[first : last + 1], self.shapes[above]
        names = [" ".join(column).strip() for column in zip_longest(*below, fillvalue="")]
        start = next((i for i, name in enumerate(names) if name), 0)
        if any(top == above and bottom >= first for (top, _), (bottom, _) in self.merged):
            return True  # a cell reaches down to the names
        across = [(left, right) for (top, left), (_, right) in self.merged if top == above and right > left]
        if any(left <= start and right - left + 1 >= 0.8 * (len(names) - start) for left, right in across):
            return False  # a title over the whole table
        bare = start >= len(shapes) or not shapes[start]  # the first columns need no group
        if len(across) > 1 or (across and across[0][0] > start and bare):
            return all(shapes[left] == "t" for left, _ in across if left < len(shapes))
        # Without merged cells that show how far each reaches: whether they tell equal names apart.
        filled = [i for i, shape in enumerate(shapes) if shape]
        if len(filled) < 2 or filled[-1] >= len(names):
            return False
        if "" in names and all(name or i in filled for i, name in enumerate(names)):
            return True  # every column without a name has one there
        named = [name for name in names if name]
        spread = zip(_spread_right(self.rows[above], len(names)), names, strict=True)
        joined = [f"{group} {name}".strip() for group, name in spread if name]
        return len(set(joined)) > len(set(named)) and len(set(joined)) >= 0.9 * len(joined)

    def _continues(self, last: int) -> bool:
        """Whether the row below the header still names columns: texts only, above columns of numbers or dates."""
        below, rows, shapes = last + 1, self.rows, self.shapes
        row = rows[below]
        ruled = not any(cell.strip(" -=_+~*|:") for cell in row)  # a line of dashes
        if not self.filled[below] or self._has_values(below) or ruled or any(len(cell) > _LONGEST_NAME for cell in row):
            return False
        if any(top <= last and bottom == below for (top, _), (bottom, _) in self.merged):
            return True  # a cell reaches down from the header
        if all(len(cell) <= LONGEST and DESCRIBES.fullmatch(cell) for cell in self._cells(below)):
            return False
        valued = texts = 0
        for i, shape in enumerate(shapes[below]):
            under = [
                shapes[j][i] for j in range(below + 1, len(rows)) if i < len(shapes[j]) and not neutral(rows[j][i])
            ]
            if under and sum(s in ("n", "d") for s in under) > 0.8 * len(under):
                valued += 1
                texts += shape == "t" and not neutral(row[i])
        names = self._cells(last)  # equal ones may be told apart by the row below
        gaps = self.filled[last] < self.filled[below] or len(set(names)) < len(names)
        units = sum(len(cell) <= LONGEST and _UNIT.fullmatch(cell) is not None for cell in row)
        shown = gaps or units >= 0.5 * self.filled[below] or texts >= 3 or texts >= 0.9 * valued
        if texts == units == self.filled[below] > 1:
            return True
        if valued and not texts:  # as surveys name answers below a question: where there is no other name
            nameless = [i for i, cell in enumerate(rows[last]) if is_blank(cell)]
            return bool(nameless) and all(i < len(row) and not is_blank(row[i]) for i in nameless)
        return texts >= max(2, 0.6 * valued) and shown


def _years(row: Sequence[str], shapes: Sequence[str]) -> bool:
    """Whether the row's numbers are a rising or falling run of years, which names columns of a time series."""
    numbers = [cell for cell, shape in zip(row, shapes, strict=True) if shape == "n"]
    if len(numbers) < 3 or "d" in shapes or not all(_YEAR.fullmatch(cell) for cell in numbers):
        return False
    steps = np.diff([float(cell) for cell in numbers])
    return bool((steps > 0).all() or (steps < 0).all())


def _spread_right(row: Sequence[str], width: int) -> list[str]:
    cells = [*row[:width], *[""] * (width - len(row))]
    return list(accumulate(cells, lambda left, cell: left if is_blank(cell) else cell.strip(), initial=""))[1:]


def joined_names(rows: Sequence[Sequence[str]], header: Header, width: int, merged: Sequence[Span] = ()) -> list[str]:
    """Join the header's rows, top to bottom, into one text per column.

    A group name reaches over the columns its merged cell spans; where the header has none up to the next filled cell
    of its row.
    """
    lines = []
    merged = [span for span in merged if header.first <= span[0][0] <= header.last]
    for y in range(header.first, header.last + 1):
        row = list(rows[y]) + [""] * (width - len(rows[y]))
        if not merged:
            row = _spread_right(row, width) if y < header.last else row
        else:
            for (top, left), (bottom, right) in merged:
                if top <= y <= bottom and left < len(rows[top]):
                    for x in range(left, min(right + 1, width)):
                        row[x] = rows[top][left]
        lines.append(row)
    names = []
    for i in range(width):
        parts: list[str] = []
        for line in lines:
            part = " ".join(line[i].replace("\ufeff", "").split())
            if part and part not in parts and (len(lines) == 1 or part.strip("-–—")):  # no unit, no group
                parts.append(part)
        names.append(" ".join(parts))
    return names


def name_columns(
    rows: Sequence[Sequence[str]],
    header: Header,
    used: Sequence[int],
    *,
    merged: Sequence[Span] = (),
    sheet: str | None = None,
) -> tuple[tuple[str, ...], list[Problem]]:
    """Return the names of the columns at these places, with what is to be told of the header and the rows above it."""
    if header.last < 0:
        sentence = "No row names the columns; they are called “Column 1”, “Column 2” and so on."
        names = tuple(f"Column {i}" for i in range(1, len(used) + 1))
        return names, [Problem(ProblemKind.NO_HEADER, sentence, sheet)]
    above = [
        no_record(ProblemKind.SKIPPED_ROWS, "title or note", i + 1, row, sheet)
        for i, row in enumerate(rows[: header.first])
        if not all(map(is_blank, row))
    ]
    joined = joined_names(rows, header, max(used, default=0) + 1, merged)
    unique, problems = unique_names([joined[i] for i in used], sheet=sheet, row=header.last + 1)
    return unique, [*above, *problems]


def no_record(
    kind: ProblemKind, what: str, row: int, cells: Sequence[str], sheet: str | None, done: Decision = Decision.DROP
) -> Problem:
    """Return the problem of a row that is, or may be, no record, with all of its text: nothing leaves a table unseen.

    `what` : it is instead.
    """
    sentence = (
        say("Row {row} is no record ({what}); it was left out.", row=row, what=say(what))
        if done is Decision.DROP
        else say("Row {row} may be no record ({what}); it was kept.", row=row, what=say(what))
    )
    text = " | ".join(cell for cell in cells if not is_blank(cell))
    return Problem(kind, sentence, sheet, row, None, text, 1, done)


def unique_names(
    names: Sequence[str], *, sheet: str | None = None, row: int | None = None
) -> tuple[tuple[str, ...], list[Problem]]:
    """Give empty names a number and repeated ones a suffix, each with a problem that says so.

    Accents are put together with their letters: macOS writes them apart, keyboards don't, and both look alike.
    """
    names = [unicodedata.normalize("NFC", name).strip() for name in names]
    taken = {name for name in names if name}
    result: dict[str, None] = {}
    problems: list[Problem] = []
    # A row in quotes as a whole, above rows that are not, leaves half a pair at either end.
    whole = len(names) > 1 and all(each.count('"') == 1 for each in (names[0], names[-1]))
    whole = whole and names[0].startswith('"') and names[-1].endswith('"')
    for position, name in enumerate(names, 1):
        base = new = (name.strip('"') if whole else name) or f"Column {position}"
        counter = 2
        while new in result or (new != name and not whole and new in taken):
            new, counter = f"{base} ({counter})", counter + 1
        if new != name:
            words = "Column {position} had no name of its own: it is called “{new}”."
            sentence = say(words, position=position, new=new)
            problems.append(Problem(ProblemKind.NAME_CHANGED, sentence, sheet, row, new, name))
        result[new] = None
    return tuple(result), problems
