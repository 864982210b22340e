"""Values that are said once for the records below them, as people write lists and as pivot tables print them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from splu_desktop.core.messages import say
from splu_desktop.files.importer.columns.header import shape_of
from splu_desktop.files.importer.columns.missing import is_blank
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawColumn

_COLUMNS = 3  # from the left, where such values stand


def blanks_below(names: Sequence[str], columns: Sequence[RawColumn]) -> Iterator[Problem]:
    """Yield a problem for each column at the left whose few words stand once each, above blanks, from the top on.

    They are read as they stand: nobody can know what was meant of a blank.
    """
    for name, column in zip(names[:_COLUMNS], columns[:_COLUMNS], strict=True):
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
