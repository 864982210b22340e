"""Where the header stands: titles, notes and blank lines above it, several rows joined, names made unique."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from splu_desktop.core.messages import say
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.date_texts import parse_dates
from splu_desktop.files.importer.columns.missing import is_blank, neutral
from splu_desktop.files.importer.columns.number_texts import LONGEST
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind
from splu_desktop.files.importer.workbook.plain_sheet import Span
from splu_desktop.files.isolation.faults import BadChoice

_LONGEST_NAME = 60  # characters of a label or unit below a name
_MOST_BELOW = 2  # rows below the first of names that hold labels or units
LOOK_AHEAD = 100  # rows looked at for the header
_NUMBER = re.compile(
    r"\s*[(+\-−]?\s?(?:[$€£¥]|EUR|USD|CHF|GBP)?\s?[+\-−]?"
    r"(?:(?:\d{1,3}(?:[., \u00a0\u202f\u2009'’]\d{3})+|\d+)(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?"
    r"\s?(?:[%$€£¥]|EUR|USD|CHF|GBP)?[-−]?\)?\s*"
)
_YEAR = re.compile(r"\s*(?:1[89]|20|21)\d\d(?:\.0)?\s*")
_DATA = re.compile(
    r"[^@\s]+@[^@\s]+\.[a-z]{2,}|https?://\S+|(?:\d{1,3}\.){3}\d{1,3}|\d{1,2}:\d{2}(?::\d{2})?|TRUE|FALSE"
)
_NAME_LIKE = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+")

_SAYS = re.compile(r"[^:]{1,40}:\s*|[^=]{1,40}\s=\s.{1,40}|(?:0?[1-9]|1[0-2])[/.](?:19|20)\d\d")  # a title's cell
_UNIT = re.compile(
    r"\s*(?:[(\[].{1,15}[)\]]|%|[kmµ]?g|[kcm]?m|[md]?l|mmhg|bpm|kpa|°?c|[mµn]?(?:g|mol|iu|u)/d?l|kg/m[²2]|years?|yrs?|jahre"
    r"|ans|años|days?|tage|jours|h|min|hours?|stunden|€|\$|eur|usd|n|[01]/[01]|yyyy-mm-dd|dd\.mm\.yyyy|tt\.mm\.jjjj)\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Header:
    """Where the header is: 0-based first and last row, -1 for both where there is none; and why."""

    first: int
    last: int
    reason: str


@lru_cache(10_000)  # the same few cells are asked about again and again
def shape_of(cell: str) -> str:
    """Classify a cell roughly: "" blank, "n" number, "d" date or other data that no name looks like, "t" text."""
    if is_blank(cell):
        return ""
    if len(cell) <= LONGEST and _NUMBER.fullmatch(cell):
        return "n"
    if len(cell) <= 45:
        if len(cell) <= LONGEST and _DATA.fullmatch(cell.strip()):
            return "d"
        if any(c.isdigit() for c in cell) and parse_dates([cell], np.ones(1, np.int64)).fits[0]:
            return "d"
    return "t"


def choose_header(rows: Sequence[Sequence[str]], choices: ImportChoices, merged: Sequence[Span] = ()) -> Header:
    """Return the header that was chosen, or find it. Raises BadChoice where the row chosen does not exist."""
    if choices.header_row is None:
        found = find_header(rows, merged)
        if choices.header_rows and found.last >= 0:
            last = max(found.last, choices.header_rows - 1)
            return Header(last - choices.header_rows + 1, last, found.reason)
        return found
    if choices.header_row == 0:
        return Header(-1, -1, "chosen: no header")
    last = choices.header_row - 1
    if last < 0 or last >= len(rows):
        raise BadChoice(
            "The header row was set to {header_row}, but only rows 1 to {rows} can be one here.",
            header_row=choices.header_row,
            rows=len(rows),
        )
    first = last - (choices.header_rows or 1) + 1
    if first < 0:
        raise BadChoice(
            "The header was set to {header_rows} rows, the last of them row {header_row}; there are not so many above.",
            header_rows=choices.header_rows or 1,
            header_row=choices.header_row,
        )
    return Header(first, last, "chosen")


def _below_metadata(rows: Sequence[Sequence[str]], shapes: Sequence[Sequence[str]]) -> int | None:
    """Return the row below lines that begin with "#" and describe each column, as cBioPortal writes them."""
    at = next((k for k, row in enumerate(rows) if not row or not row[0].startswith("#")), len(rows))
    if at < 2 or at + 1 >= len(rows) or sum(len(row) == len(rows[at]) for row in rows[:at]) < 2:
        return None
    return at if len(rows[at]) > 1 and _votes(rows[at:], shapes[at:], 0) > 0 else None


def find_header(rows: Sequence[Sequence[str]], merged: Sequence[Span] = ()) -> Header:
    """Find the header among the first rows of a table (each a list of texts, of any length)."""
    rows = rows[:LOOK_AHEAD]
    shapes = [[shape_of(cell) for cell in row] for row in rows]
    filled = [sum(map(bool, row)) for row in shapes]
    if not any(filled):
        return Header(-1, -1, "no filled rows")
    if (at := _below_metadata(rows, shapes)) is not None:
        return Header(at, at, "the first row below lines of metadata that begin with “#”")
    typical = _typical(filled)
    # The header names most of the columns that the rows below fill; a title or note fills one or two cells.
    enough = max(1.0, 0.6 * typical) if typical <= 3 else max(2.0, 0.5 * typical)
    for at in range(len(rows)):
        if filled[at] < enough or (filled[at] < typical and _fuller_below(rows, shapes, filled, at)):
            continue
        if typical >= 2 and filled[at] == 1 and any(count >= typical for count in filled[at + 1 : at + 6]):
            continue
        if _votes(rows, shapes, at) <= 0:
            return Header(-1, -1, "the first full row looks like a record: no header")
        at = _clearer_below(rows, shapes, filled, at)
        first, last = _extent(rows, shapes, filled, at, merged)
        return Header(first, last, _why(first, last))
    at = next(i for i, count in enumerate(filled) if count)
    return Header(at, at, _why(at, at))


def _typical(filled: Sequence[int]) -> int:
    """Return the filled cells of a usual row; titles and notes at the top count little, so the lower half decides."""
    counts = [count for count in filled if count]
    lower = sorted(counts[len(counts) // 2 :])
    return lower[len(lower) // 2]


def _fuller_below(
    rows: Sequence[Sequence[str]], shapes: Sequence[Sequence[str]], filled: Sequence[int], at: int
) -> bool:
    """Whether one of the next few rows is a fuller row of texts, so that this one is still a note."""
    for below in range(at + 1, min(at + 5, len(rows))):
        if filled[below] > filled[at] and "n" not in shapes[below] and "d" not in shapes[below]:
            cells = [cell.strip() for cell in rows[below] if not is_blank(cell)]
            if len(set(cells)) >= 0.5 * len(cells) and filled[below] >= 2 and _votes(rows, shapes, below) > 0:
                return True
    return False


def _why(first: int, last: int) -> str:
    if last > first:
        return say("rows {first} to {last} together name the columns", first=first + 1, last=last + 1)
    return (
        say("the first row that names the columns; {first} rows above it skipped", first=first)
        if first
        else "the first row names the columns"
    )


def _clearer_below(
    rows: Sequence[Sequence[str]], shapes: Sequence[Sequence[str]], filled: Sequence[int], at: int
) -> int:
    """Return the row that names columns most clearly among the rows of words that follow one another from `at`."""
    best, votes = at, _votes(rows, shapes, at)
    if len(rows[at]) > 2 and len(set(map(str.strip, rows[at]))) == 1:
        return at  # one word above all columns, which belongs to their names
    for below in range(at + 1, min(at + 12, len(rows))):
        if "n" in shapes[below]:
            break
        if filled[below] < filled[at] or not any(filled[below + 1 :]):
            continue
        if any(_SAYS.fullmatch(cell) for cell in rows[at]) and not any(_SAYS.fullmatch(cell) for cell in rows[below]):
            named = {cell.strip() for cell in rows[below] if not is_blank(cell)}
            if len(named) == filled[below] and not any(named & set(map(str.strip, row)) for row in rows[below + 1 :]):
                return below  # what stood above says what the table is about: "Period", "01/2024", "12/2024"
        if (found := _votes(rows, shapes, below)) >= votes + 0.75:
            best, votes = below, found
    return best


def _votes(rows: Sequence[Sequence[str]], shapes: Sequence[Sequence[str]], at: int) -> float:
    """Compare a row with the rows below it, column by column: above 0 where it names columns."""
    row = rows[at]
    below = [i for i in range(at + 1, len(rows)) if any(shapes[i])]
    own = [shape for shape in shapes[at] if shape]
    if _years(row, shapes[at]):
        return float(len(own))
    if not below:
        return own.count("t") - len(own) / 2
    votes = 0.5  # most tables have a header
    for i, shape in enumerate(shapes[at]):
        if not shape:
            continue
        under = [j for j in below if i < len(rows[j]) and not neutral(rows[j][i])]
        if not under:
            votes += 0.2 if shape == "t" and not neutral(row[i]) else -0.2 if shape != "t" else 0.0
            continue
        valued = sum(shapes[j][i] in ("n", "d") for j in under) / len(under)
        if shape == "d" and sum(shapes[j][i] == "n" for j in under) > 0.6 * len(under):
            votes += 0.5  # a date above numbers names a column of a time series
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
            apart = len(under) > 2 and len(lengths) == 1 and len(row[i]) not in lengths
            votes += 0.5 if apart or (len(row[i]) <= LONGEST and _NAME_LIKE.fullmatch(row[i].strip())) else 0.1
    cells = [cell.strip() for cell in row if not is_blank(cell)]
    if len(cells) > 3 and len(set(cells)) < 0.4 * len(cells):
        votes -= 1.0
    return votes


def _years(row: Sequence[str], shapes: Sequence[str]) -> bool:
    """Whether the row's numbers are a rising or falling run of years, which names columns of a time series."""
    numbers = [cell for cell, shape in zip(row, shapes, strict=True) if shape == "n"]
    if len(numbers) < 3 or "d" in shapes or not all(_YEAR.fullmatch(cell) for cell in numbers):
        return False
    steps = np.diff([float(cell) for cell in numbers])
    return bool((steps > 0).all() or (steps < 0).all())


def _extent(
    rows: Sequence[Sequence[str]],
    shapes: Sequence[Sequence[str]],
    filled: Sequence[int],
    at: int,
    merged: Sequence[Span],
) -> tuple[int, int]:
    """Extend the header over rows that belong to it: group names above, units or second names below."""
    first = last = at
    while first > 0 and filled[first - 1] and _groups(rows, shapes, first - 1, first, last, merged):
        first -= 1
    for _ in range(_MOST_BELOW):
        if last + 2 >= len(rows) or not _continues(rows, shapes, filled, last, merged):
            break
        last += 1
    if first < last < len(rows) - 2 and filled[last + 1] and _names_index(rows, shapes, first, last):
        last += 1
    return first, last


def _groups(
    rows: Sequence[Sequence[str]],
    shapes: Sequence[Sequence[str]],
    above: int,
    first: int,
    last: int,
    merged: Sequence[Span],
) -> bool:
    """Whether the row above holds names of groups of columns."""
    below = rows[first : last + 1]
    width = max(map(len, below))
    across = [(left, right) for (top, left), (_, right) in merged if top == above and right > left]
    start = next((i for i in range(width) if any(i < len(r) and not is_blank(r[i]) for r in below)), 0)
    if any(top == above and bottom >= first for (top, _), (bottom, _) in merged):
        return True  # a cell reaches down to the names
    if any(left <= start and right - left + 1 >= 0.8 * (width - start) for left, right in across):
        return False  # a title over the whole table
    beside = {x for left, right in across for x in range(left, right + 1)}
    if across and across[0][0] > start and all(not shape or i in beside for i, shape in enumerate(shapes[above])):
        return True  # one merged cell over all columns but the first ones: a group of groups
    names = [" ".join(row[i] for row in below if i < len(row)).strip() for i in range(width)]
    named = [name for name in names if name]
    once = len(set(named)) == len(named)
    if len(across) > 1:
        return not once or all(shapes[above][left] == "t" for left, _ in across if left < len(shapes[above]))
    if once:
        return False
    if across:
        (left, right), *_ = across
        under = names[left : right + 1]
        return len(set(under)) > 1 and any(names.count(name) > 1 for name in under)
    return _tell_apart(rows[above], shapes[above], names)


def _tell_apart(row: Sequence[str], shapes: Sequence[str], names: Sequence[str]) -> bool:
    """Whether names of groups tell equal names apart, without merged cells to show how far each reaches."""
    filled = [i for i, shape in enumerate(shapes) if shape]
    if len(filled) < 2 or filled[-1] >= len(names):
        return False
    joined = [f"{group} {name}".strip() for group, name in zip(_spread(row, len(names)), names, strict=True) if name]
    return len(set(joined)) > len(set(filter(None, names))) and len(set(joined)) >= 0.9 * len(joined)


def _continues(
    rows: Sequence[Sequence[str]],
    shapes: Sequence[Sequence[str]],
    filled: Sequence[int],
    last: int,
    merged: Sequence[Span],
) -> bool:
    """Whether the row below the header still names columns: texts only, above columns of numbers or dates."""
    below = last + 1
    if not filled[below] or "n" in shapes[below] or "d" in shapes[below]:
        return False
    if any(len(cell) > _LONGEST_NAME for cell in rows[below]):
        return False
    if not any(cell.strip(" -=_+~*|:") for cell in rows[below]):
        return False  # a line of dashes
    if any(top <= last and bottom == below for (top, _), (bottom, _) in merged):
        return True  # a cell reaches down from the header
    valued = texts = 0
    for i, shape in enumerate(shapes[below]):
        under = [shapes[j][i] for j in range(below + 1, len(rows)) if i < len(shapes[j]) and not neutral(rows[j][i])]
        if under and sum(s in ("n", "d") for s in under) > 0.8 * len(under):
            valued += 1
            texts += shape == "t" and not neutral(rows[below][i])
    spans = any(
        top <= last and bottom <= below and right > left and top >= last for (top, left), (bottom, right) in merged
    )
    gaps = filled[last] < filled[below]
    names = [cell.strip() for cell in rows[last] if not is_blank(cell)]
    gaps |= len(set(names)) < len(names)  # equal names that the row below tells apart
    units = sum(len(cell) <= LONGEST and _UNIT.fullmatch(cell) is not None for cell in rows[below])
    enough = texts >= max(2, 0.6 * valued)
    return enough and (spans or gaps or units >= 0.5 * filled[below] or texts >= 3 or texts >= 0.9 * valued)


def _names_index(rows: Sequence[Sequence[str]], shapes: Sequence[Sequence[str]], first: int, last: int) -> bool:
    """Whether the row below a header of several rows names just the columns left blank, as pandas writes an index."""
    below = shapes[last + 1]
    return all(
        not shape or (shape == "t" and all(i >= len(row) or is_blank(row[i]) for row in rows[first : last + 1]))
        for i, shape in enumerate(below)
    )


def _spread(row: Sequence[str], width: int) -> list[str]:
    spread, current = [], ""
    for i in range(width):
        if i < len(row) and not is_blank(row[i]):
            current = row[i].strip()
        spread.append(current)
    return spread


def joined_names(
    rows: Sequence[Sequence[str]], header: Header, width: int, merged: Sequence[Span] | None = None
) -> list[str]:
    """Join the header's rows, top to bottom, into one text per column.

    A group name reaches over the columns its merged cell spans; without merged cells (`merged` None) up to the next
    filled cell of its row.
    """
    lines = []
    for y in range(header.first, header.last + 1):
        row = list(rows[y]) + [""] * (width - len(rows[y]))
        if merged is None:
            row = _spread(row, width) if y < header.last else row
        else:
            for (top, left), (bottom, right) in merged:
                if top <= y <= bottom and top >= header.first and top < len(rows) and left < len(rows[top]):
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


def skipped_above(rows: Sequence[Sequence[str]], header: Header, sheet: str | None = None) -> list[Problem]:
    """Return a problem for each filled row above the header, with all of its text: none of them is a record."""
    return [
        Problem(
            ProblemKind.SKIPPED_ROWS,
            say("Row {row} above the header is a title or note, not a record.", row=i + 1),
            sheet,
            i + 1,
            None,
            " | ".join(cell for cell in rows[i] if not is_blank(cell)),
            1,
            Decision.DROP,
        )
        for i in range(max(header.first, 0))
        if any(not is_blank(cell) for cell in rows[i])
    ]


def unique_names(
    names: Sequence[str], *, sheet: str | None = None, row: int | None = None
) -> tuple[tuple[str, ...], list[Problem]]:
    """Give empty names a number and repeated ones a suffix, each with a problem that says so.

    Accents are put together with their letters: macOS writes them apart, keyboards don't, and both look alike.
    """
    names = [unicodedata.normalize("NFC", name) for name in names]
    taken = {name for name in names if name}
    seen: set[str] = set()
    result: list[str] = []
    problems: list[Problem] = []
    # A row in quotes as a whole, above rows that are not, leaves half a pair at either end.
    whole = len(names) > 1 and all(each.count('"') == 1 for each in (names[0], names[-1]))
    whole = whole and names[0].startswith('"') and names[-1].endswith('"')
    for position, name in enumerate(names, 1):
        new = (name.strip('"') if whole else name) or f"Column {position}"
        if new in seen or (not name and new in taken):
            counter = 2
            while f"{new} ({counter})" in seen or f"{new} ({counter})" in taken:
                counter += 1
            new = f"{new} ({counter})"
        if new != name:
            what = say("has the name “{name}” a second time", name=name) if name else say("has no name")
            if whole and '"' in name:
                what = say("has the quotation mark of the whole row in its name")
            problems.append(
                Problem(
                    ProblemKind.NAME_CHANGED,
                    say("Column {position} {what}; it is called “{new}”.", position=position, what=what, new=new),
                    sheet,
                    row,
                    new,
                    name,
                )
            )
        seen.add(new)
        result.append(new)
    return tuple(result), problems
