"""A book as a document: its tables as they are printed, and how they are read."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from splu_desktop import __version__
from splu_desktop.core.answer.answer import EXACT, HIDDEN, say_trust
from splu_desktop.core.mechanism.cell_noise import MOST, small_count_error
from splu_desktop.core.messages import say
from splu_desktop.core.sanitise import OTHER
from splu_desktop.core.thresholds import Thresholds
from splu_desktop.files.language import Language
from splu_desktop.report.book.printed_book import Figure, Line, PrintedTable
from splu_desktop.report.book.tables import BookTable
from splu_desktop.report.document import Block, Cell, Document, Heading, Number, Paragraph, TableBlock, cell_text

_LINE = 90  # letters of a line on the sheet that is read first
_BESIDE, _SHEET = 6, 16_000  # columns of counts that a page, and a sheet, has room for


@dataclass(frozen=True)
class PrintedBook:
    """A book with all its numbers.

    Attributes
    ----------
    title : of the book.
    tables : in their order.
    id, timestamp : of the release it follows from; "" for a book with noise.
    persons : whether persons are counted.
    noise : what is said of small counts in a book with noise; None for one of a release.
    least : groups shown with fewer were joined.
    averages : whether averages were asked for, which protected counts do not give.
    """

    title: str
    tables: tuple[PrintedTable, ...]
    id: str = ""
    timestamp: str = ""
    persons: bool = False
    noise: Thresholds | None = None
    least: int = 0
    averages: bool = False


def book_document(book: PrintedBook, t: Language, *, sheets: bool = False) -> Document:
    """Return the pages of a book, or its sheets: how it is read, its tables, and every cell in numbers."""
    captions = [t("Table {n}. {what}", n=at, what=table_words(each.table, t)) for at, each in enumerate(book.tables, 1)]
    tables = [_tables(book, each, at, t, _SHEET if sheets else _BESIDE) for at, each in enumerate(book.tables, 1)]
    if sheets:
        texts = [(line,) for text in (*captions, *notes(book, t)) for line in textwrap.wrap(text, _LINE)]
        blocks: list[Block] = [
            TableBlock((book.title,), texts, "l", (1.0,), name=t("Read me")),
            *itertools.chain(*tables),
            _cells(book, t),
        ]
    else:
        blocks = [Paragraph(book.title, "title")]
        for caption, parts in zip(captions, tables, strict=True):
            blocks += [Heading(caption), *parts]
        blocks += [Heading(t("How to read these tables")), *(Paragraph(text, "item") for text in notes(book, t))]
    edition = t("For the recipient: holds nothing that the release does not tell")
    if book.noise is not None:
        edition = t("Protected counts: every number has noise")
    footer = " · ".join(filter(None, (book.title, book.id[:16])))
    return Document(book.title, edition, False, footer, t.code, t("Page {page} of {pages}"), tuple(blocks))


def notes(book: PrintedBook, t: Language) -> list[str]:
    """Return how the tables are read, a sentence or two each."""
    hidden = t("“hidden”: so few that the number is hidden on purpose; its range is all that is told.")
    if book.noise is None:
        return [
            t("The range in brackets holds the true figure in 95 of 100 releases, a mean of bands as their middles have"
              " it. Numbers without a range are exact."),
            hidden,
            t("All numbers are sums over one published table: parts add up and subtracting tells nothing new, but a"
              " count asked alone may differ a little."),
            t("Made from the release {id} of {date} by SPLU Desktop {version}.",
              id=book.id[:16], date=t.day(book.timestamp), version=__version__),
        ]  # fmt: skip
    # Down, since “at least” must not promise more than holds.
    share = math.floor(100 * small_count_error(book.noise.epsilon, book.noise.alpha))
    return [
        *([t("Averages were asked for, too; protected tables only count.")] if book.averages else []),
        t("Every number has noise of at most {most}, zero on average. The range in brackets holds the true count in 95"
          " of 100 cases.", most=MOST),
        hidden,
        t("The same persons or rows have the same noise in every table, so repeating a count tells nothing more."),
        t("Totals have noise of their own: parts may differ from them by a few, and adding all up tells a little"
          " more."),
        t("Counts of 1 to {alpha} are shown wrong by more than {epsilon} in at least {share} of 100 cases (T_P).",
          alpha=book.noise.alpha, epsilon=t.percent(book.noise.epsilon, 0), share=share),
        t("Groups and values shown with fewer than {least} are joined as “{other}”.",
          least=book.least, other=t.value(OTHER)), t("Made by SPLU Desktop {version}.", version=__version__),
    ]  # fmt: skip


def table_words(asked: BookTable, t: Language) -> str:
    """Return what a table shows: its own title, or in words."""
    if asked.title:
        return asked.title
    what = (
        asked.column if asked.value is None else t("{column}: {value}", column=asked.column, value=t.value(asked.value))
    )
    what = t.sentence(say("mean of {what}", what=what)) if asked.show == "mean" else what
    others = ", ".join(asked.columns[1:])
    what = t.sentence(say("{what} by {columns}", what=what, columns=others)) if others else what
    return t("{what}, per 100", what=what) if asked.show == "rate" else what


def line_words(line: Line, t: Language) -> str:
    """Return what a line is called."""
    return ", ".join(_label_words(label, t) for label in line.labels) or t("All")


def _label_words(label: str, t: Language) -> str:
    return ", ".join(map(t.value, label.split(", ")))  # below one another, tables have lines of several columns


def _tables(book: PrintedBook, table: PrintedTable, at: int, t: Language, beside: int) -> list[TableBlock]:
    """Return a table as it is printed, in parts of at most `beside` columns of counts.

    Where there are more values than lines, and too many to stand side by side, they stand below one another.
    """
    heads, sides, before = list(table.heads), list[list[str]](), ""
    tops = [t.sentence(say("persons") if book.persons else say("rows")), *_labels(table, t)]
    counts = [[count_cell(e.rows, t), *(_cell(*cell, table.table.show, t) for cell in e.cells)] for e in table.lines]
    for line in table.lines:
        labels = [_label_words(label, t) for label in line.labels] or [t("All"), *[""] * (len(heads) - 1)]
        if len(labels) > 1:  # the first label stands once, before the first of its lines
            labels[0], before = ("" if labels[0] == before else labels[0]), labels[0]
        sides.append(labels)
    if len(table.lines) < len(table.labels) > _BESIDE:
        heads, sides = [table.table.across or table.table.column], [[top] for top in tops]
        tops, counts = [line_words(line, t) for line in table.lines], list(map(list, zip(*counts, strict=True)))
    blocks = []
    for part in (slice(start, start + beside) for start in range(0, len(tops), beside)):
        rows = [[*side, *cells[part]] for side, cells in zip(sides, counts, strict=True)]
        align = "l" * len(heads) + "r" * len(tops[part])
        blocks.append(TableBlock([*heads, *tops[part]], rows, align, [1.0] * len(align), name=t("Table {n}", n=at)))
    return blocks


def _labels(table: PrintedTable, t: Language) -> list[str]:
    alone = table.table.column if table.table.show == "mean" else t.value("")
    none = t("All") if table.table.across else alone
    return [t.value(label) if label else none for label in table.labels]


def count_cell(figure: Figure, t: Language) -> Cell:
    """Return a count as it is printed."""
    return _say_range(figure, figure.number, (figure.low, figure.high), 0, t)


def _say_range(figure: Figure, number: float, ends: tuple[float, float], digits: int, t: Language) -> Cell:
    text, span = t.number(number, digits), f"{t.number(ends[0], digits)}–{t.number(ends[1], digits)}"
    if ends[0] == ends[1]:
        return Number(text, round(number, digits))
    if figure.trust == HIDDEN:
        return t("hidden ({range})", range=span)
    return f"{text} ({span})" if figure.is_told else f"({span})"


def _cell(figure: Figure, of: Figure, show: str, t: Language) -> Cell:
    """Return a count, the same per 100 with a range rounded outwards, or both."""
    if show == "mean":
        digits = 1 if abs(figure.number) >= 10 else 2
        scale = 10**digits
        ends = math.floor(figure.low * scale + 1e-9) / scale, math.ceil(figure.high * scale - 1e-9) / scale
        if figure.trust == EXACT:
            return Number(t.number(figure.number, digits), round(figure.number, digits))
        return "–" if figure.trust == HIDDEN else _say_range(figure, figure.number, ends, digits, t)
    count = count_cell(figure, t)
    known = of.is_told and of.number > 0
    if show == "count" or (show == "both" and not (figure.is_told and known)):
        return count
    if not known:
        return "–"
    rate = min(100 * figure.number / of.number, 100.0)
    if show == "both":
        return f"{cell_text(count)}; {t.percent(rate / 100)}"
    if figure.trust == EXACT == of.trust:
        return Number(t.number(rate, 1), round(rate, 1))
    # The widest that both ranges allow, since count and total may be wrong in opposite directions.
    low, high = figure.low / max(of.high, 1), min(figure.high / max(of.low, 1), 1.0)
    return _say_range(figure, rate, (math.floor(1000 * low + 1e-9) / 10, math.ceil(1000 * high - 1e-9) / 10), 1, t)


def _cells(book: PrintedBook, t: Language) -> TableBlock:
    """Return every cell as numbers, which a program reads; a number that is hidden is empty here, too."""

    def number(of: float | None) -> Cell:
        if of is None:
            return ""
        return Number(f"{of:.6g}" if of % 1 else f"{of:.0f}", of)

    rows: list[Sequence[Cell]] = []
    for at, table in enumerate(book.tables, 1):
        for line in table.lines:
            for label, (figure, of) in zip(_labels(table, t), line.cells, strict=True):
                no_mean = table.table.show == "mean" and figure.trust == HIDDEN
                ends = [None, None] if no_mean else [figure.low, figure.high]
                numbers = [figure.number if figure.is_told else None, *ends, of.number if of.is_told else None]
                rows.append(
                    [number(at), line_words(line, t), label, *map(number, numbers), t.sentence(say_trust(figure.trust))]
                )
    header = (t("Table"), t("group"), t("value"), t("count"), t("from"), t("to"), t.sentence(say("rows")), t("trust"))
    return TableBlock(header, rows, "rllrrrrl", [1.0] * 8, name=t("Cells"))
