"""Which delimiter, quote and escape character a text file uses.

Every candidate is tried on a sample and judged by two things multiplied: how regular the rows become, and what share of
the cells then look like something a table holds. After van den Burg, Nazabal and Sutton, Wrangling messy CSV files by
detecting row and type patterns, Data Mining and Knowledge Discovery 33 (2019), sections 3.2 and 3.3.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from splu_desktop.core.messages import say
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.columns.header import shape_of
from splu_desktop.files.importer.columns.missing import neutral
from splu_desktop.files.importer.columns.words import pattern
from splu_desktop.files.importer.text import fixed_width
from splu_desktop.files.importer.text.delimiters import USUAL, candidates
from splu_desktop.files.importer.text.stray_quotes import records

csv.field_size_limit(1 << 26)
_SAMPLE_LINES = 150
_SAMPLE_CHARACTERS = 40_000
_RULED = "blanks or dashes below one another part columns of fixed width"
_FEWEST = 3  # lines below a name that tell whether it names all of them
_ALIKE = 0.6  # of the lines that have as many of a mark, where it parts fields
_NEEDS_VALUES = " :@+$"  # they stand in ordinary text: only rows of numbers or dates may be split there
_RARELY = (*_NEEDS_VALUES, "*", "#", "!", "&")  # where columns of fixed width are the better guess
# What is rarely a delimiter has to win clearly.
_HANDICAP = {":": 0.5, " ": 0.5, "#": 0.7, "&": 0.7, "*": 0.7, "!": 0.7, "@": 0.4, "+": 0.5, "$": 0.5}
_WORDS = re.compile(r"[^\W_](?:[\w\ \-.'’()/%°&+]*[\w)%.?!:])?", re.UNICODE)
_WHOLE = pattern("whole_value")
_COMMA_NUMBER = re.compile(r"[+-]?\d+(?:,\d+)?")


@dataclass(frozen=True)
class Dialect:
    """How fields stand in a line.

    Attributes
    ----------
    delimiter : one character, several ("||", "|#|"), " " for runs of blanks, "fixed 0 12 43" for columns of fixed width
        that begin at these places, or "" where lines are not split.
    quote, escape : one character, "" for none.
    skip_blanks : whether blanks after a delimiter belong to the layout, not to the field.
    trims_fields : whether blanks before a delimiter do, too.
    quotes_lines : whether each line stands in quotes as a whole, its own quotes doubled.
    lacks_gaps : whether columns of fixed width follow one another without blanks.
    null : a field that stands for NULL before quotes and escapes are looked at (\\N, "N), "" for none.
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    skip_blanks: bool = False
    trims_fields: bool = False
    quotes_lines: bool = False
    lacks_gaps: bool = False
    null: str = ""

    @property
    def mends_quotes(self) -> bool:
        """Whether quotes out of place are put right before lines are split."""
        odd = self.quotes_lines or self.escape or self.delimiter == " " or fixed_width.edges_of(self.delimiter)
        return bool(self.quote) and len(self.delimiter) == 1 and not odd

    def read(
        self, lines: Iterable[str], *, strict: bool = False, stray: Callable[[int], None] | None = None
    ) -> Iterator[list[str]]:
        """Split lines (with their ends) into fields. Raises csv.Error where a field is beyond all measure.

        `strict` : raise it for a quote out of place, too. `stray` : told the number, from 0, of each row with one.
        """
        if self.null:  # written so that it comes out as \N, whatever is taken off fields
            token, end = re.escape(self.null), re.escape(self.delimiter or "\x1f")
            field = re.compile(rf"(^|{end})\s*{token}(?=\s*(?:{end}|[\r\n]*$))")
            plain = r"\1\\\\N" if self.escape == "\\" else r"\1\\N"
            lines = (field.sub(plain, line) if self.null in line else line for line in lines)
        if self.mends_quotes and not strict:
            blanks = self.skip_blanks
            lines = (text for text, _ in records(lines, self.delimiter, self.quote, blanks=blanks, tell=stray))
        if self.quotes_lines:
            lines = (row[0] + "\n" for row in csv.reader(lines, delimiter="\x1f") if row)
        if edges := fixed_width.edges_of(self.delimiter):
            return (fixed_width.split(line, edges, anywhere=self.lacks_gaps) for line in lines)
        delimiter = self.delimiter or "\x1f"
        if several := len(delimiter) > 1:  # the standard library knows single characters only
            lines, delimiter = (line.replace(self.delimiter, "\x1f") for line in lines), "\x1f"
        elif delimiter == " " and self.skip_blanks:
            lines = (line.strip(" \r\n") + "\n" for line in lines)
        options: dict[str, Any] = {
            "delimiter": delimiter,
            "doublequote": True,
            "strict": strict,
            "skipinitialspace": self.skip_blanks,
            "quotechar": self.quote or None,
            "quoting": csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            "escapechar": self.escape or None,
        }
        rows: Iterator[list[str]] = csv.reader(lines, **options)
        if several and self.quote:  # a delimiter within quotes is text
            rows = ([cell.replace("\x1f", self.delimiter) for cell in row] for row in rows)
        return ([cell.rstrip(" ") for cell in row] for row in rows) if self.trims_fields else rows


def split_lines(text: str) -> list[str]:
    """Split at line ends of any kind, keeping them."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)


_NO_TEXT = re.compile("\x00|^(?:\ufeff|ï»¿|\f)+|^\x1a+\\s*$")


def clean(line: str) -> str:
    """Return a line without zero bytes, marks of an encoding or a page at its beginning, and an old mark of an end."""
    return _NO_TEXT.sub("", line) if "\x00" in line or line[:1] in "\ufeffï\x1a\f" else line


def detect(text: str, choices: ImportChoices) -> tuple[Dialect, str]:
    """Find the dialect of a sample. Choices given are kept. Returns it with the reason in words."""
    delimiter, quote, escape, null = choices.delimiter, choices.quote, choices.escape, choices.null
    lines = split_lines(text[:_SAMPLE_CHARACTERS])
    if len(text) > _SAMPLE_CHARACTERS and len(lines) > 1:
        lines.pop()  # cut off in the middle
    lines = lines[:_SAMPLE_LINES]
    why = ""
    if lines and delimiter is None and (match := re.fullmatch(r"\"?sep=(.)\"?\s*", lines[0])):
        delimiter, why = match[1], "chosen"
        lines = lines[1:]
    if quote in (None, '"') and (inner := _unwrap(lines)) is not None:
        within, why = detect("".join(inner), replace(choices, delimiter=delimiter))
        return replace(within, quotes_lines=True), why
    if delimiter is not None and (edges := fixed_width.edges_of(delimiter)):
        return Dialect(delimiter, "", lacks_gaps=not fixed_width.is_parted(lines, edges)), "chosen"
    if delimiter is None and (edges := fixed_width.by_ruler(lines)):
        return Dialect(fixed_width.name_columns(edges), ""), _RULED
    joined = "".join(lines)
    quotes = [quote] if quote is not None else _quotes(joined)
    best = Dialect(delimiter or ",", '"' if quote is None else quote, escape or "")
    best_score = _single_column(lines) if delimiter is None else 0.0
    for d in [delimiter] if delimiter is not None else candidates(joined):
        for q in quotes:
            for e in _escapes(joined, d, q) if escape is None else [escape]:
                skips = _skips_blanks(joined, d, q)
                for runs in (True, False) if d == " " else (skips,):  # blanks one by one part empty fields, too
                    candidate = Dialect(d, q, e, runs, d != " " and _pads(joined, d))
                    score = _score(lines, candidate, best_score)
                    if score > best_score * 1.0001:
                        best, best_score = candidate, score
    single = delimiter is None and (best_score <= _single_column(lines) or _parts_nothing(lines, best.delimiter))
    if delimiter is None and best.delimiter != "\t" and (edges := fixed_width.by_blanks(lines)):
        ruled = Dialect(fixed_width.name_columns(edges), "")  # what stands there may hold commas
        if single or best.delimiter in _RARELY or _score(lines, ruled, best_score) > best_score:
            return ruled, _RULED
    if single:
        unsplit = Dialect("" if best.delimiter in joined else best.delimiter, best.quote, best.escape)
        return _with_null(unsplit, lines, null), "every row has one field: no delimiter"
    return _with_null(best, lines, null), why or say(
        "{mark} give the most regular rows", mark=say(describe(best.delimiter))
    )


def writes_na(dialect: Dialect, lines: Sequence[str]) -> bool:
    """Whether NA stands without quotes where all other words have them: R's way to write that there is no value."""
    if dialect.quote != '"' or dialect.escape or len(dialect.delimiter) != 1 or not any('"' in line for line in lines):
        return False
    end = re.escape(dialect.delimiter)
    words = re.compile(rf'(?:^|{end})([^\W\d_][^"{end}\r\n]*)(?=[{end}\r\n]|$)')
    bare = {word for line in lines[1:] for word in words.findall(line)}
    return bare - {"TRUE", "FALSE", "NaN", "Inf"} == {"NA"} and not any('"NA"' in line for line in lines)


def _with_null(dialect: Dialect, lines: Sequence[str], chosen: str | None) -> Dialect:
    """Return the dialect with the field by which it writes NULL: \\N beside escapes, "N where quotes are escapes."""
    if chosen is not None:
        return replace(dialect, null=chosen)
    if dialect.escape == "\\":
        return replace(dialect, null="\\N")
    if dialect.quote not in ('"', "") or len(dialect.delimiter) != 1:
        return dialect
    end = re.escape(dialect.delimiter)
    field = re.compile(rf'(^|{end})"N(?={end}|[\r\n]*$)')
    bare = [field.sub(r"\1", line) for line in lines]
    odd = [line.count('"') % 2 for line, before in zip(bare, lines, strict=True) if line != before]
    # As a text that begins with N it would lack its second quote: in its line, or below where its line ends there.
    if odd and not any(odd) and not "".join(bare).count('"') % 2:
        written = replace(dialect, null='"N')
        return max(written, dialect, key=lambda each: _share_whole(each.read(lines)))
    return dialect


def _share_whole(rows: Iterable[Sequence[str]]) -> float:
    widths = [len(row) for row in rows]
    return widths.count(widths[0]) / len(widths)


def describe(delimiter: str) -> str:
    """Name a delimiter in words."""
    names = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks", ":": "colons"}
    return names.get(delimiter, f"“{delimiter}”")


def _quotes(text: str) -> list[str]:
    quotes = ['"']
    if re.search(r"(?:^|[^\w\s])'|'(?:$|[^\w\s])", text, re.MULTILINE):
        quotes.append("'")
    if '"' in text:
        quotes.append("")
    return quotes


def _escapes(text: str, delimiter: str, quote: str) -> list[str]:
    if "\\" not in text:
        return [""]
    if quote and f"\\{quote}" in text and quote * 2 not in text.replace(f"\\{quote}", ""):
        return ["\\", ""]  # quotes are not doubled here, so that the first of equals is likelier
    return ["", "\\"] if (quote and f"\\{quote}" in text) or f"\\{delimiter}" in text else [""]


def _skips_blanks(text: str, delimiter: str, quote: str) -> bool:
    """Whether blanks follow the delimiters as a matter of layout: nearly always, or before a quoted field."""
    if delimiter in " \t":
        return False
    if quote and re.search(re.escape(delimiter) + " +" + re.escape(quote), text) and f"{delimiter}{quote}" not in text:
        return True
    total, spaced = text.count(delimiter), text.count(delimiter + " ")
    return total >= 3 and spaced > 0.8 * (total - text.count(delimiter + "\n") - text.count(delimiter + "\r"))


def _pads(text: str, delimiter: str) -> bool:
    """Whether blanks stand before nearly every delimiter, too."""
    first = len(re.findall("^" + re.escape(delimiter), text, re.MULTILINE))  # of Markdown: none can stand before it
    return text.count(" " + delimiter) > 0.8 * (text.count(delimiter) - first)


_QUOTED_LINE = re.compile(r'\s*"(?:[^"\r\n]|"")*"\s*')


def _unwrap(lines: Sequence[str]) -> list[str] | None:
    """Return the lines without the quotes around each as a whole; None where quotes stand around fields."""
    filled = [line for line in lines if line.strip()]
    if len(filled) < 2 or not all(map(_QUOTED_LINE.fullmatch, filled)):
        return None
    inner = [line.strip()[1:-1].replace('""', '"') + "\n" for line in filled]
    for mark in USUAL:
        widths = {len(row) for row in csv.reader(inner, delimiter=mark)} if mark in inner[0] else set()
        if len(widths) == 1 and widths != {1}:
            return inner
    return None


def _single_column(lines: Sequence[str]) -> float:
    """Score of leaving the lines whole: high where each is one value that only looks like several."""
    filled = [line.strip() for line in lines if line.strip()]
    body = filled[1:] if len(filled) > 1 else filled
    if not body:
        return 1e-9
    if sum(_WHOLE.fullmatch(line) is not None for line in body) > 0.9 * len(body):
        return len(body)
    if "," not in filled[0] and len(filled) > 1 and all(_COMMA_NUMBER.fullmatch(line) for line in body):
        return len(body)  # a name above numbers with a decimal comma
    if len(filled) > 1 and all(map(_QUOTED_LINE.fullmatch, body)) and not any(mark in filled[0] for mark in USUAL):
        return len(body)  # a name above quoted texts
    return 1e-9


def _parts_nothing(lines: Sequence[str], mark: str) -> bool:
    """Whether a mark stands in texts below one name: not as often in each, or once in each with a blank behind it."""
    head, *body = [line for line in lines if line.strip()] or [""]
    if len(body) < _FEWEST or mark not in USUAL or mark in head or '"' in "".join(body):
        return False
    often, times = Counter(line.count(mark) for line in body).most_common(1)[0]
    alone = often == 1 and all(line.count(mark) == line.count(f"{mark} ") for line in body)
    return alone or times < _ALIKE * len(body)


def _score(lines: Sequence[str], dialect: Dialect, least: float) -> float:
    try:
        rows = [row for row in dialect.read(lines) if row]
    except csv.Error:
        return 0.0
    if not rows:
        return 0.0
    patterns = Counter(map(len, rows))
    split = sum(count for length, count in patterns.items() if length > 1) / len(rows)
    if split < 0.25:
        return 0.0
    rare = dialect.delimiter not in USUAL
    # A header one field short of every record is how R writes a table with row names.
    short = len(patterns) == 2 and len(rows[0]) == len(rows[-1]) - 1 and patterns[len(rows[0])] == 1
    if rare and max(patterns.values()) < 0.85 * len(rows) and not short:
        return 0.0
    # Pattern score: rows of equal length, many of them, with more than one field. A record in several lines counts as
    # many, so that letters in quotes are not outdone by splitting their lines.
    usual = patterns.most_common(1)[0][0]
    several = sum(cell.count("\n") for row in rows if len(row) == usual for cell in row if "\n" in cell)
    regular = sum(count * max(length - 1, 0.001) / length for length, count in patterns.items()) / len(patterns)
    regular += several * max(usual - 1, 0.001) / usual / len(patterns)
    regular *= _HANDICAP.get(dialect.delimiter, 1.0)
    # A quote or an escape that is not needed to read the rows is left out: fewer, longer rows mean swallowed lines.
    if regular <= least:
        return 0.0
    word = 0.3 if dialect.delimiter in _NEEDS_VALUES else 0.95
    known = typed = 0.0
    cells = Counter(chain.from_iterable(rows))
    for cell, times in cells.items():
        if shape_of(cell) != "t" or (neutral(cell) and "\\" not in cell):
            known += times
            typed += times
        elif len(cell) < 400 and all(_WORDS.fullmatch(line.strip()) for line in cell.splitlines() or [cell]):
            known += word * times
        elif cell[:1] not in "\"'" or dialect.quote:
            known += 0.1 * times
    total = cells.total()
    if max(cell.count("\n") + cell.count("\r") for cell in cells) > 30:
        return 0.0  # a stray quote has swallowed half the file
    if dialect.delimiter in _NEEDS_VALUES and typed < 0.35 * total:
        return 0.0
    return regular * max(known / total, 1e-10)
