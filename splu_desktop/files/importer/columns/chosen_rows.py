"""Only some records of a file: those that have one of some values in a column, as a REDCap export needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from splu_desktop.core.messages import no_column, quoted, say
from splu_desktop.files.importer.columns.meaning import write_plainly
from splu_desktop.files.importer.columns.missing import is_blank
from splu_desktop.files.importer.columns.words import pattern
from splu_desktop.files.importer.problems import Decision, Problem, ProblemKind
from splu_desktop.files.importer.raw import RawColumn, RawTable
from splu_desktop.files.isolation.faults import BadChoice

_REDCAP = ("redcap_repeat_instrument", "redcap_event_name")
_KIND = pattern("name_of_kind_of_rows")
_MOST = 20  # kinds


def choose_rows(raw: RawTable, rows: Mapping[str, tuple[str, ...]], *, whole: bool = True) -> RawTable:
    """Return the records that have one of some texts ("" for none) in each column named.

    Raises BadChoice where there is no such column, or no record of the `whole` table is left.
    """
    if not rows:
        return raw
    keep = np.ones(len(raw.rows), bool)
    for name, texts in rows.items():
        if name not in raw.names:
            raise BadChoice(no_column(name, raw.names))
        column = raw.columns[raw.names.index(name)]
        wanted = {write_plainly(text) for text in texts}
        keep &= np.array([write_plainly(label) in wanted for label in column.labels], bool)[column.codes]
    if whole and not keep.any() and len(keep):
        raise BadChoice("No row has {texts} in “{name}”; choose other rows.", texts=quoted(texts, 6), name=name)
    sentence = say("{n} of {all} rows {n:was|were} chosen and read.", n=int(keep.sum()), all=len(keep))
    ends = np.cumsum([count for _, count in raw.parts])
    starts = ends - [count for _, count in raw.parts]
    return replace(
        raw,
        columns=tuple(column.keep_rows(keep) for column in raw.columns),
        rows=raw.rows[keep],
        problems=(*raw.problems, Problem(ProblemKind.NOTE, sentence, rows=int((~keep).sum()), decision=Decision.DROP)),
        parts=tuple(
            (name, int(keep[start:end].sum())) for (name, _), start, end in zip(raw.parts, starts, ends, strict=True)
        ),
    )


def mixed_rows(raw: RawTable) -> Iterator[Problem]:
    """Yield a problem where rows of several instruments or events stand in one table, as REDCap writes them."""
    for name, column in zip(raw.names, raw.columns, strict=True):
        labels = column.labels
        named = name in _REDCAP or (len(labels) <= _MOST and _KIND.search(name) and _parts_columns(column, raw.columns))
        if len(labels) < 2 or not named:
            continue
        words = (
            "Rows of several kinds stand in this table: “{column}” is {listed}. Choose rows of one kind, such as "
            "“{column}={value}”."
        )
        kinds = ", ".join(f"“{label}”" for label in sorted(labels)[:5])
        yield Problem(ProblemKind.NOTE, say(words, column=name, listed=kinds, value=max(labels)), column=name)


def _parts_columns(kinds: RawColumn, columns: Sequence[RawColumn]) -> bool:
    """Whether some of the columns are blank in all rows in which others are filled, by the kind of the row."""
    groups = set[frozenset[int]]()
    for column in columns:
        blank = np.fromiter(map(is_blank, column.labels), bool, len(column.labels))
        groups.add(frozenset(np.flatnonzero(np.bincount(kinds.codes[~blank[column.codes]]) > 0).tolist()))
    return any(one and other and not one & other for one in groups for other in groups)
