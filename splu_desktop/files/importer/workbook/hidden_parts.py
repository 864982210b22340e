"""Rows and columns of a sheet that are not shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from splu_desktop.core.messages import say
from splu_desktop.files.importer.problems import Problem, ProblemKind

_HIDDEN = b' hidden="'
_HIDDEN_ROW = re.compile(rb'<row\b[^>]*\shidden="(?:1|true)"')
_COLUMNS = re.compile(rb'<col\b(?=[^>]*\shidden="(?:1|true)")(?=[^>]*\bmin="(\d+)")[^>]*\bmax="(\d+)"')
_WIDEST = 16_384


@dataclass
class Hidden:
    """How many rows of a sheet are hidden, and which columns, from 0."""

    rows: int = 0
    columns: set[int] = field(default_factory=set)

    def look(self, xml: bytes) -> None:
        """Count what is hidden in a part of a sheet's XML."""
        if _HIDDEN not in xml:
            return
        self.rows += len(_HIDDEN_ROW.findall(xml))
        for first, last in _COLUMNS.findall(xml):
            self.columns.update(range(int(first) - 1, min(int(last), _WIDEST)))

    def problems(self, names: Mapping[int, str], sheet: str) -> Iterator[Problem]:
        """Yield a problem for hidden rows, and one for each hidden column that is read."""
        rows_too = [(None, self.rows)] if self.rows else []
        for column, rows in [*rows_too, *((names[at], 0) for at in sorted(self.columns & names.keys()))]:
            what = say("rows: {n}", n=rows) if column is None else say("“{name}”", name=column)
            sentence = say("Hidden in this sheet, but read like the rest: {what}.", what=what)
            yield Problem(ProblemKind.NOTE, sentence, sheet, column=column, rows=rows)
