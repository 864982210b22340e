"""From raw columns to the table: number format, types, missing values, and what doesn't fit."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import Phrase, quoted, say
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.codes import store_codes
from splu_desktop.files.importer.choices import FAR, ImportChoices, MissingToken, SourceFile, TableReading
from splu_desktop.files.importer.columns.header import shape_of
from splu_desktop.files.importer.columns.kinds import ColumnType, Texts, decide, says_birth
from splu_desktop.files.importer.columns.meaning import FoldedTexts, fold, say_folded
from splu_desktop.files.importer.columns.measured_texts import Quantities, measure_texts
from splu_desktop.files.importer.columns.missing import MAY_BE, code_proposals, day_proposals, is_blank, proposal
from splu_desktop.files.importer.columns.number_texts import MarkEvidence, NumberFormat
from splu_desktop.files.importer.columns.words import MEANT
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind, report_cells
from splu_desktop.files.importer.raw import RawColumn, RawTable, float_text

_WORKERS = 2
_EVIDENCE = 1000  # texts per column that are looked at for decimal and thousands marks

_FEWEST_MARKS = 10  # numbers with three digits behind a point, where nothing tells what it is
_FEWEST_NUMBERS = 5  # different ones, for a column of numbers with results in words among them
_AT_LEFT = 3  # columns in which a value may be said once for the records below it, as pivot tables print them
_PREGNANCY = dt.timedelta(days=366)  # of which a table may know when it began, and nothing later than births
_LEAST_NUMBERS = 0.2  # of the records, likewise


def build(
    raw: RawTable, choices: ImportChoices, source: SourceFile, progress: Progress, *, comma_likely: bool = False
) -> TableReading:
    """Type the columns of `raw` under `choices`; `comma_likely`: the file separates its fields by semicolons."""
    evidence = [_evidence(column) for column in raw.columns]
    overall = _overall(evidence, choices, comma_likely)
    proved = _find_proof(evidence)
    forms = [(_form(marks, overall, choices, proved), marks) for marks in evidence]
    parts, order = _type_columns(raw, forms, choices, progress)
    problems = []
    if order is None and (undecided := [one.column.name for one in parts if one.typed.date_undecided]):
        problems.append(_order_problem(undecided))
    for one, marks in zip(parts, evidence, strict=True):
        chosen = proved or choices.decimal or choices.thousands or one.column.name in raw.number_cells
        many = comma_likely or marks["points"] >= _FEWEST_MARKS
        if (many and marks.tells_nothing and not chosen) or (marks["point"] and marks["comma"] and one.folded is None):
            problems.extend(_mark_problems(one.column))
    decision = choices.decisions.get(ProblemKind.MISFIT, Decision.KEEP)
    problems.extend(_list_problems(raw, parts, decision))
    keep = np.ones(len(raw.rows), bool)
    for column, one in zip(raw.columns, parts, strict=True) if decision is Decision.DROP else ():
        keep &= ~one.misfits[column.codes]
    table = Table(tuple(one.column for one in parts))
    dropped = int((~keep).sum())
    if dropped:
        table = Table(tuple(column.without_unused_labels() for column in table.take(keep).columns))
    resolved = replace(
        choices,
        names=raw.names,
        decimal=choices.decimal or overall.decimal,
        thousands=overall.thousands if choices.thousands is None else choices.thousands,
        date_order=order or next((one.typed.date_order for one in parts if one.typed.date_order), None),
        types={one.column.name: one.typed.kind for one in parts},
        missing={one.column.name: tuple(sorted(token.token for token in one.tokens if token.applied)) for one in parts},
    )
    reasons = {f"type of {one.column.name}": one.typed.reason for one in parts}
    if any(marks.keys() - {"small", "large"} for marks in evidence):  # else nothing tells
        # Of the file's own: a mark that none of its numbers has is in no example.
        fraction = any(marks["point"] or marks["comma"] for marks in evidence) or not overall.thousands
        example = f"1{overall.decimal}5" if fraction else f"1{overall.thousands}234"
        reasons["decimal"] = say("numbers are written like {example}", example=example)
    tokens = tuple(token for one in parts for token in one.tokens)
    return TableReading(table, resolved, tuple(problems), source, reasons, tokens, dropped, raw.sheets)


@dataclass(frozen=True, eq=False)
class _One:
    """One column typed."""

    column: Column
    typed: ColumnType
    tokens: list[MissingToken]
    misfits: NDArray[np.bool_]
    note: Phrase | None
    folded: FoldedTexts | None


def _type_columns(
    raw: RawTable, forms: Sequence[tuple[NumberFormat, MarkEvidence]], choices: ImportChoices, progress: Progress
) -> tuple[list[_One], str | None]:
    """Return all columns typed, and the order of day and month that holds for them; None where nothing tells."""
    parts = []
    with ThreadPoolExecutor(_WORKERS, "splu-type") as pool:  # columns beside each other, as far as NumPy lets them
        typed = [pool.submit(_one, raw, i, *form, choices, choices.date_order) for i, form in enumerate(forms)]
        try:
            for i, each in enumerate(typed):
                progress.report("Finding types", i / len(typed))
                parts.append(each.result())
        finally:
            pool.shutdown(cancel_futures=True)
    orders = {one.typed.date_order for one in parts if one.typed.date_order and not one.typed.date_undecided}
    order = choices.date_order or (orders.pop() if len(orders) == 1 else None)  # none where columns contradict
    for i, one in enumerate(parts):
        if one.typed.date_undecided and order is not None:  # what one column tells holds for the others
            progress.report("Finding types", 1.0)
            parts[i] = _one(raw, i, *forms[i], choices, order)
    births = [i for i, one in enumerate(parts) if one.column.kind.is_date and says_birth(one.column.name)]
    others = [one.column for i, one in enumerate(parts) if one.column.kind.is_date and i not in births]
    latest = max(map(_last_moment, others), default=dt.datetime.max - _PREGNANCY) + _PREGNANCY
    for i in births:
        if latest < min(_last_moment(parts[i].column), dt.datetime.now()):  # as 13.01.25 of a table that ends in 1996
            parts[i] = _one(raw, i, *forms[i], choices, order, latest)
    return parts, order


def _last_moment(column: Column) -> dt.datetime:
    """Return the last moment of a column of dates that is no mark for "no end"; the first of all where it has none."""
    known = np.asarray(column.values)[~column.marks]
    last: dt.datetime = known.max().item() if len(known) else dt.datetime.min
    return last


def _list_problems(raw: RawTable, parts: Sequence[_One], decision: Decision) -> Iterator[Problem]:
    """Give what is to be said of typed columns, and the cells that do not fit, about which is decided."""
    for column, one in zip(raw.columns, parts, strict=True):
        if one.note is not None:
            yield Problem(ProblemKind.NOTE, one.note, column=one.column.name)
        if one.misfits.any():
            yield from _misfit_problems(raw, one.column.name, column, one.misfits, one.typed.kind, decision)
    yield from _blanks_below(raw.names, raw.columns)
    if several := [one.folded for one in parts if one.folded is not None]:
        cells = sum(each.records for each in several)
        yield Problem(ProblemKind.NOTE, say_folded(several), column=several[0].column, rows=cells)
    words = "The times of “{column}” have several offsets from UTC ({listed}); the clock of the place counts."
    for name, offsets in ((one.column.name, one.typed.offsets) for one in parts if len(one.typed.offsets) > 1):
        yield Problem(ProblemKind.NOTE, say(words, column=name, listed=", ".join(offsets[:6])), column=name)


def _blanks_below(names: Sequence[str], columns: Sequence[RawColumn]) -> Iterator[Problem]:
    """Yield a problem for each column at the left whose few words stand once each, above blanks, from the top on.

    They are read as they stand: nobody can know what was meant of a blank.
    """
    for name, column in zip(names[:_AT_LEFT], columns[:_AT_LEFT], strict=True):
        if 4 * (len(column.labels) - 1) > len(column.codes):
            continue
        present = [code for code, label in enumerate(column.labels) if not is_blank(label)]
        few = len(present) > 1 and column.codes[0] in present and bool((column.counts[present] == 1).all())
        if few and all(shape_of(column.labels[code]) == "t" for code in present):
            words = (
                "Column “{column}” says each value once, with blanks below it; they are read as no value. If the value "
                "holds for the rows below it, too, write it into each of them and export the table again."
            )
            yield Problem(ProblemKind.NOTE, say(words, column=name), column=name)


def _find_proof(evidence: Sequence[MarkEvidence]) -> str:
    """Return the mark that groups thousands in the file: 1.299,99 says so, else 0,5; "" where nothing does, or both."""
    for names in (".,", ("comma", "point")):
        points, commas = (any(marks[name] for marks in evidence) for name in names)
        if points != commas:
            return "." if points else ","
    return ""


def _form(marks: MarkEvidence, overall: NumberFormat, choices: ImportChoices, proved: str) -> NumberFormat:
    form = overall if choices.decimal is not None else marks.format(overall, proved=proved)
    return form if choices.thousands is None else replace(form, thousands=choices.thousands)


def _one(
    raw: RawTable,
    i: int,
    form: NumberFormat,
    marks: MarkEvidence,
    choices: ImportChoices,
    order: str | None,
    latest: dt.datetime | None = None,
) -> _One:
    name, column = raw.names[i], raw.columns[i]
    counts = column.counts
    wanted = choices.missing.get(name)
    declared = raw.declared_missing.get(name, ())
    # Among 1.5 a text 1,0 is 1, since no other number is written so.
    both = marks["comma" if form.decimal == "," else "point"] > 0
    if name in raw.number_cells:
        # The numbers' own texts have a point; texts among them may be written another way.
        both = choices.decimal == "," or marks["comma"] > 0
        form = NumberFormat(".", form.thousands if form.decimal == "." else "")
    other = NumberFormat(".", ",") if form.decimal == "," else NumberFormat(",", ".")
    marks_of_none = frozenset(declared if wanted is None else wanted)
    texts = Texts(
        name, column.labels, counts, form, other if both else None, order, raw.first_day, marks_of_none, latest=latest
    )
    typed, quantities = _decide_measured(texts, choices.types.get(name))
    valued = typed.kind.has_order or typed.kind is Kind.BOOLEAN
    tokens = _tokens(texts, typed, valued, wanted, declared)
    absent = np.zeros(len(column.labels), bool)
    absent[[i for i, token in tokens.items() if token.applied]] = True
    misfits = typed.misfits & ~absent
    if choices.decisions.get(ProblemKind.MISFIT) is Decision.MISSING:
        absent |= misfits
    labels = np.empty(len(column.labels), object)
    labels[:] = column.labels
    values = _values(typed, absent)
    built, folded = Column.from_codes(name, column.codes, labels, absent, values, kind=typed.kind), None
    built = replace(built, weights=column.weights)
    if not counts.all():  # merged cells leave a blank that nobody has
        built = built.without_unused_labels()
    if name not in choices.keep_spellings:
        bounds = {} if quantities is None or typed.values is None else quantities.bounds(typed.values)
        means = {column.labels[i]: bound for i, bound in bounds.items()}
        if typed.kind is Kind.BOOLEAN:
            means = {text: MEANT[low] for text in column.labels if (low := text.strip().lower()) in MEANT}
        built, folded = fold(built, means)
    note = None if quantities is None else quantities.note(name, column.labels)
    return _One(store_codes(built), typed, list(tokens.values()), misfits, note, folded)


def _decide_measured(texts: Texts, kind: Kind | None) -> tuple[ColumnType, Quantities | None]:
    """Return the type of a column, and its quantities where it is one of measured numbers by them."""
    typed = decide(texts, kind)
    quantities = _measure(texts.labels, texts.plain, typed)
    if quantities is not None:
        again = decide(replace(texts, labels=quantities.bare, beside=quantities.result), kind)
        if again.values is not None and again.kind.is_number and _many(again, texts.counts):
            return replace(again, values=quantities.values(again.values, whole=again.kind is Kind.INTEGER)), quantities
    return typed, None


def _many(typed: ColumnType, counts: NDArray[np.int64]) -> bool:
    """Whether a column has numbers enough to be one of numbers, with words among them."""
    numbers = ~_speechless(typed) & (counts > 0)
    return bool(numbers.sum() >= _FEWEST_NUMBERS and counts[numbers].sum() >= _LEAST_NUMBERS * counts.sum())


def _measure(labels: Sequence[str], plain: NDArray[np.float64], typed: ColumnType) -> Quantities | None:
    """Return what a column says as measured numbers, where it was taken for words or has texts that are no number."""
    numeric = typed.kind.is_number
    if typed.kind is not Kind.CATEGORY and not (numeric and typed.misfits.any()):
        return None
    return measure_texts(labels, np.flatnonzero(np.isnan(plain)))


def _order_problem(names: Sequence[str]) -> Problem:
    words = (
        "The dates of {listed} can be read day first or month first; they were read day first: choose the order if "
        "that is wrong."
    )
    return Problem(ProblemKind.DATE_ORDER, say(words, listed=quoted(names, 8)), column=names[0])


def _mark_problems(column: Column) -> Iterator[Problem]:
    words = "“{column}” may hold thousands or decimals: {text} was read as {number}. Set decimal if that is wrong."
    if column.values is None or not column.kind.is_number:
        return
    known = np.flatnonzero(np.isfinite(column.values)).tolist()
    at = next((at for at in known if "," in column.labels[at]), known[0] if known else None)
    if at is not None:
        sentence = say(words, column=column.name, text=column.labels[at], number=float_text(float(column.values[at])))
        yield Problem(ProblemKind.NOTE, sentence, column=column.name)


def _evidence(column: RawColumn) -> MarkEvidence:
    """Return what some texts of a column say of its marks, or all where these leave it open."""
    marks, step = MarkEvidence(), max(1, len(column.labels) // _EVIDENCE)
    marks.add(column.labels[::step])
    if marks.open and step > 1:
        marks.add(column.labels)
    return marks


def _overall(evidence: Sequence[MarkEvidence], choices: ImportChoices, comma_likely: bool) -> NumberFormat:
    if choices.decimal is not None:
        default = {".": ",", ",": "."}.get(choices.decimal, "")
        return NumberFormat(choices.decimal, default if choices.thousands is None else choices.thousands)
    total = MarkEvidence()
    for marks in evidence:  # one column, one voice: a long column must not outshout the others
        present = {name for name, count in marks.items() if count}
        total.update(present if marks["points"] or marks["commas"] else present - {"small", "large"})
    return total.format(NumberFormat(",", ".") if comma_likely else None)


def _values(typed: ColumnType, absent: NDArray[np.bool_]) -> NDArray[Any] | None:
    if typed.values is None:
        return None
    values = typed.values.copy()
    values[absent] = np.datetime64("NaT") if values.dtype.kind == "M" else np.nan
    return values


def _tokens(
    texts: Texts, typed: ColumnType, valued: bool, wanted: tuple[str, ...] | None, declared: tuple[str, ...]
) -> dict[int, MissingToken]:
    """Return what is, or may be, a mark for "no value" in a column, by the place of its text."""
    name, labels, counts = texts.name, texts.labels, texts.counts
    codes: set[int] = set()
    if typed.values is not None:
        dated = typed.values.dtype.kind == "M"
        codes = set(day_proposals(typed.values) if dated else code_proposals(typed.values, counts))
    # Among numbers that are all 0 or 1.
    plain = None if typed.values is None or typed.kind is not Kind.INTEGER else typed.values[~_speechless(typed)]
    crosses = plain is not None and bool(np.isin(plain, (0, 1)).all())
    # A text with a value of its own is no mark for "no value", unless somebody says so.
    named = {*(wanted or ()), *declared}
    chosen = (i for i, label in enumerate(labels if named else ()) if label in named)
    looked_at = sorted({*chosen, *codes, *np.flatnonzero(_speechless(typed) if valued else texts.empty).tolist()})
    tokens: dict[int, MissingToken] = {}
    for i in looked_at:
        label, count = labels[i], int(counts[i])
        if not count and label not in (wanted or ()):
            continue  # it stood in rows that are no records
        advice = proposal(label, valued=valued)
        if crosses and advice is not None and label.strip().lower() in ("x", "+"):
            advice = False, MAY_BE  # a cross for yes
        if wanted is not None and label in wanted:
            tokens[i] = MissingToken(name, label, count, True, "chosen")
        elif label in declared:
            tokens[i] = MissingToken(name, label, count, wanted is None, "the file declares it as missing")
        elif advice is not None:
            tokens[i] = MissingToken(name, label, count, advice[0] and wanted is None, advice[1])
        elif i in codes:
            tokens[i] = MissingToken(name, label, count, False, FAR)
    return tokens


def _speechless(typed: ColumnType) -> NDArray[np.bool_]:
    if typed.values is None:
        return np.ones(len(typed.misfits), bool)
    return np.asarray(np.isnat(typed.values) if typed.values.dtype.kind == "M" else np.isnan(typed.values), bool)


def _misfit_problems(
    raw: RawTable, name: str, column: RawColumn, misfits: NDArray[np.bool_], kind: Kind, decision: Decision
) -> Iterator[Problem]:
    at = np.flatnonzero(misfits[column.codes])
    ends = np.cumsum([count for _, count in raw.parts])
    sheets = [raw.parts[part][0] if raw.parts else None for part in np.searchsorted(ends, at, side="right").tolist()]
    cells = (
        (int(raw.rows[i]), name, column.labels[column.codes[i]], sheet) for i, sheet in zip(at, sheets, strict=True)
    )
    return report_cells(ProblemKind.MISFIT, kind.value, cells, len(at), decision)
