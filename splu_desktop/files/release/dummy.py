"""A dummy of a release: a table to write code on, with the same columns, formats and values.

Each column is the published one in an order of its own, so it is made of published margins alone: no promise is spent,
and no figure of several columns is right.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.mechanism import Randomness, SystemRandomness, permutation
from splu_desktop.core.messages import say
from splu_desktop.core.progress import SILENT
from splu_desktop.core.published import Published
from splu_desktop.core.table import Table
from splu_desktop.files.disk.whole_files import whole_file
from splu_desktop.files.language import Language
from splu_desktop.files.release.csv_table import write_table
from splu_desktop.files.release.facts import Dialect
from splu_desktop.files.release.reading import OpenRelease

DUMMY_NAME = "DUMMY-table.csv"


def draw_dummy(published: Published, rows: int | None = None, source: Randomness | None = None) -> Table:
    """Return a table of as many rows as the release, or of `rows`. Raises BadSetting."""
    if rows is not None and not 1 <= rows <= 100 * published.n:
        raise BadSetting("Write {right}, not “{given}”.", right=f"--rows 1 … {100 * published.n}", given=str(rows))
    random = source or SystemRandomness()
    size = published.n if rows is None else rows
    # An order of its own for each, also within a block: only margins remain.
    columns = (each.take(np.resize(permutation(random, published.n), size)) for each in published.table.columns)
    return Table(tuple(columns))


def write_dummy(release: OpenRelease, path: Path, language: Language, rows: int | None = None) -> Table:
    """Write a dummy as a CSV file like the release's table, and a text beside it that says what it is.

    Raises BadSetting where the file's name does not say that it is one, or `rows` is none; CannotWrite.
    """
    if not (path.name.startswith("DUMMY") and path.suffix == ".csv"):
        raise BadSetting("Call the file {name}, or DUMMY and more, so that nobody takes it for data.", name=DUMMY_NAME)
    table = draw_dummy(release.published, rows)
    sentences = [
        say("This is a dummy of “{title}” (release {id}): a table to write code on, not to count in.",
            title=release.title, id=release.id[:8]),
        say(
            "Columns, formats and values are the published ones, each column in an order of its own: rows mean nothing."
        ),
    ]  # fmt: skip
    with whole_file(path.with_suffix(".txt")) as text, whole_file(path) as partial:
        write_table(table, partial, Dialect(**release.facts["dialect"]), SILENT)
        text.write_text("\n".join(map(language.sentence, sentences)) + "\n", encoding="utf-8", newline="\n")
    return table
