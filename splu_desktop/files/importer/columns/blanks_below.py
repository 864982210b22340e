"""Values that are said once for the records below them, as people write lists and as pivot tables print them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from splu_desktop.core.messages import say
from splu_desktop.files.importer.columns.header import shape_of
from splu_desktop.files.importer.columns.missing import is_blank
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawColumn

_COLUMNS = 3  # from the left, where such values stand
_LEAST_BLANK = 0.3  # of the records
_MOST = 5_000  # different values


def blanks_below(names: Sequence[str], columns: Sequence[RawColumn]) -> Iterator[Problem]:
    """Yield a problem for each column at the left whose few words stand once each, above blanks, from the top on.

    They are read as they stand: nobody can know what was meant of a blank.
    """
    for name, column in list(zip(names, columns, strict=True))[:_COLUMNS]:
        n = len(column.codes)
        if len(column.labels) > _MOST or n < 2 or is_blank(column.labels[column.codes[0]]):
            continue
        counts = column.counts
        blank = np.fromiter(map(is_blank, column.labels), bool)
        said = np.flatnonzero((counts > 0) & ~blank)
        if len(said) < 2 or counts[blank].sum() < _LEAST_BLANK * n or (counts[said] > 1).any():
            continue
        if 4 * len(said) <= n and all(shape_of(column.labels[code]) == "t" for code in said.tolist()):
            sentence = say(
                "Column “{column}” says each value once, with blanks below it; they are read as no value. If the value "
                "holds for the rows below it, too, write it into each of them and export the table again.",
                column=name,
            )
            yield Problem(ProblemKind.NOTE, sentence, column=name)
