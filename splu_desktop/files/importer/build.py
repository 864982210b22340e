"""From raw columns to the table: number format, types, missing values, and what doesn't fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer.choices import ImportChoices, MissingToken
from splu_desktop.files.importer.kinds import Typed, decide
from splu_desktop.files.importer.missing import candidates, code_proposals, proposal
from splu_desktop.files.importer.number_texts import MarkEvidence, NumberFormat
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind
from splu_desktop.files.importer.raw import RawColumn, RawTable

MAX_LISTED = 1000  # problems listed one by one, per column
_EVIDENCE = 1000  # texts per column that are looked at for decimal and thousands marks


@dataclass(frozen=True, eq=False)
class Built:
    """The table and what was decided while building it."""

    table: Table
    choices: ImportChoices
    problems: tuple[Problem, ...]
    reasons: dict[str, str]
    missing_tokens: tuple[MissingToken, ...]
    rows_dropped: int


def build(raw: RawTable, choices: ImportChoices, progress: Progress, *, comma_likely: bool = False) -> Built:
    """Type the columns of `raw` under `choices`; `comma_likely`: the file separates its fields by semicolons."""
    evidence = [_evidence(column) for column in raw.columns]
    overall = _overall(evidence, choices, comma_likely)
    reasons: dict[str, str] = {}
    problems: list[Problem] = []
    tokens: list[MissingToken] = []
    columns: list[Column] = []
    keep = np.ones(len(raw.rows), bool)
    orders: dict[str, int] = {}
    undecided: list[str] = []
    types: dict[str, Kind] = {}
    missing: dict[str, tuple[str, ...]] = {}
    for i, (name, column, marks) in enumerate(zip(raw.names, raw.columns, evidence, strict=True)):
        progress.report("Finding types", i / len(raw.names))
        counts = column.counts()
        form = overall if choices.decimal is not None else replace(marks.format(overall))
        if choices.thousands is not None:
            form = replace(form, thousands=choices.thousands)
        wanted_absent = choices.missing.get(name)
        declared = raw.declared.get(name, ())
        typed = decide(
            name,
            column.labels,
            counts,
            form,
            wanted=choices.types.get(name),
            date_order=choices.date_order,
            absent=frozenset(declared if wanted_absent is None else wanted_absent),
        )
        valued = typed.kind.ordered or typed.kind is Kind.BOOLEAN
        found = _tokens(name, column, counts, typed, valued, wanted_absent, declared)
        tokens.extend(found)
        taken = {token.token for token in found if token.applied}
        absent = np.zeros(len(column.labels), bool)
        if taken:
            absent[[i for i, label in enumerate(column.labels) if label in taken]] = True
        if typed.date_order:
            orders[typed.date_order] = orders.get(typed.date_order, 0) + 1
        if typed.date_undecided:
            undecided.append(name)
        misfits = typed.misfits & ~absent
        if misfits.any():
            decision = choices.decisions.get(ProblemKind.MISFIT, Decision.KEEP)
            problems.extend(_misfit_problems(raw, name, column, misfits, typed.kind, decision))
            if decision is Decision.MISSING:
                absent |= misfits
            elif decision is Decision.DROP:
                keep &= ~misfits[column.codes]
        values = _values(typed, absent)
        labels = np.empty(len(column.labels), object)
        labels[:] = column.labels
        types[name], missing[name] = typed.kind, tuple(sorted(taken))
        reasons[f"type of {name}"] = typed.reason
        columns.append(Column.from_codes(name, column.codes, labels, absent, values, kind=typed.kind))
    if undecided and choices.date_order is None:
        listed = ", ".join(f"“{name}”" for name in undecided[:8])
        problems.append(
            Problem(
                ProblemKind.DATE_ORDER,
                f"The dates of {listed} can be read day first or month first; they were read day first: "
                "choose the order if that is wrong.",
                column=undecided[0],
            )
        )
    table = Table(tuple(columns))
    dropped = int((~keep).sum())
    if dropped:
        table = Table(tuple(column.compacted() for column in table.take(keep).columns))
    resolved = replace(
        choices,
        names=raw.names,
        decimal=choices.decimal or overall.decimal,
        thousands=overall.thousands if choices.thousands is None else choices.thousands,
        date_order=choices.date_order or (max(orders, key=lambda o: orders[o]) if orders else None),
        types=types,
        missing=missing,
    )
    reasons["decimal"] = f"numbers are written like {'1,234.5' if overall.decimal == '.' else '1.234,5'}"
    return Built(table, resolved, tuple(problems), reasons, tuple(tokens), dropped)


def _evidence(column: RawColumn) -> MarkEvidence:
    marks = MarkEvidence()
    labels = column.labels
    step = max(1, len(labels) // _EVIDENCE)
    marks.add(labels[::step])
    return marks


def _overall(evidence: Sequence[MarkEvidence], choices: ImportChoices, comma_likely: bool) -> NumberFormat:
    if choices.decimal is not None:
        default = {".": ",", ",": "."}.get(choices.decimal, "")
        return NumberFormat(choices.decimal, default if choices.thousands is None else choices.thousands)
    total = MarkEvidence()
    for marks in evidence:  # one column, one voice: a long column must not outshout the others
        total.point += bool(marks.point)
        total.comma += bool(marks.comma)
        total.comma_three += bool(marks.comma_three)
        total.point_three += bool(marks.point_three)
        total.blank += bool(marks.blank)
        total.quote += bool(marks.quote)
        if marks.point_three or marks.comma_three:
            total.small += bool(marks.small)
            total.large += bool(marks.large)
    return total.format(NumberFormat(",", ".") if comma_likely else None)


def _values(typed: Typed, absent: NDArray[np.bool_]) -> NDArray[Any] | None:
    if typed.values is None:
        return None
    values = typed.values.copy()
    values[absent] = np.datetime64("NaT") if values.dtype.kind == "M" else np.nan
    return values


def _tokens(
    name: str,
    column: RawColumn,
    counts: NDArray[np.int64],
    typed: Typed,
    valued: bool,
    wanted: tuple[str, ...] | None,
    declared: tuple[str, ...],
) -> list[MissingToken]:
    """Return what is, or may be, a mark for "no value" in a column."""
    codes = (
        set(code_proposals(typed.values, counts))
        if typed.values is not None and typed.values.dtype.kind == "f"
        else set()
    )
    # A text with a value of its own is no mark for "no value", unless somebody says so.
    told = wanted is not None or bool(declared)
    if told:
        looked_at = list(range(len(column.labels)))
    elif typed.values is None:
        looked_at = candidates(column.labels)
    else:
        looked_at = sorted({*np.flatnonzero(_speechless(typed)).tolist(), *codes})
    found: list[MissingToken] = []
    for i in looked_at:
        label, count = column.labels[i], int(counts[i])
        advice = proposal(label, valued=valued)
        if wanted is not None and label in wanted:
            found.append(MissingToken(name, label, count, True, "chosen"))
        elif label in declared:
            found.append(MissingToken(name, label, count, wanted is None, "the file declares it as missing"))
        elif advice is not None:
            found.append(MissingToken(name, label, count, advice[0] and wanted is None, advice[1]))
        elif i in codes:
            reason = "far from all other numbers: may be a code for no value"
            found.append(MissingToken(name, label, count, False, reason))
    return found


def _speechless(typed: Typed) -> NDArray[np.bool_]:
    if typed.values is None:
        return np.ones(len(typed.misfits), bool)
    return np.asarray(np.isnat(typed.values) if typed.values.dtype.kind == "M" else np.isnan(typed.values), bool)


def _misfit_problems(
    raw: RawTable, name: str, column: RawColumn, misfits: NDArray[np.bool_], kind: Kind, decision: Decision
) -> list[Problem]:
    at = np.flatnonzero(misfits[column.codes])
    listed = [
        Problem(
            ProblemKind.MISFIT,
            f"Row {int(raw.rows[i])}, column “{name}”: “{column.labels[column.codes[i]][:80]}” is no {kind.value}.",
            row=int(raw.rows[i]),
            column=name,
            value=column.labels[column.codes[i]],
            decision=decision,
        )
        for i in at[:MAX_LISTED]
    ]
    if len(at) > MAX_LISTED:
        rest = len(at) - MAX_LISTED
        listed.append(
            Problem(
                ProblemKind.MISFIT,
                f"Column “{name}” has {rest} further values that are no {kind.value}.",
                column=name,
                rows=rest,
                decision=decision,
            )
        )
    return listed
