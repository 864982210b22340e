"""A large table from its file to its release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.importer import ImportChoices, Imported, Problem, ProblemKind
from splu_desktop.files.importer.raw import RawColumn
from splu_desktop.files.importer.reader import assemble
from splu_desktop.files.importer.recognise import facts
from splu_desktop.files.isolation.faults import NoRecords
from splu_desktop.files.language import language
from splu_desktop.files.large.counted import Counted, count
from splu_desktop.files.large.engine import Engine
from splu_desktop.files.large.pages import Pages, Written
from splu_desktop.files.release.facts import Dialect, make_facts
from splu_desktop.files.release.folder import Form, close_folder
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.files.release.readme import README_NAME, write_readme

_SAMPLE = 1_000_000  # rows by which a plan is made and judged


@dataclass(frozen=True, eq=False)
class LargeTable:
    """A table that an engine has opened.

    Attributes
    ----------
    engine : reads and counts it.
    write : draws all rows and writes table.csv and scores.csv into a folder; returns what describes them, and what
        `write_pages` does.
    """

    engine: Engine
    write: Callable[[Counted, Plan, Path, Dialect, Progress], tuple[Pages, Written]]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return self.engine.file.head.names

    @property
    def is_sampled(self) -> bool:
        """Whether it has more rows than a plan is judged by."""
        return self.engine.file.rows > _SAMPLE

    def read_sample(self, person: str | None, progress: Progress) -> Imported:
        """Return a part of the table as if it were all, chosen by chance; of persons all rows or none.

        Who looks like few in a part looks like at least as many in the whole, so lines of the verdict err to the safe
        side. Raises FileFault; Cancelled.
        """
        file = self.engine.file
        with in_background(lambda own: facts(file.path, own), progress, "Fingerprinting") as source:
            table = self.engine.sample(_SAMPLE, person)
        if not table.num_rows:
            raise NoRecords(file.path, file.choices.header_row or 0)
        columns = []
        for column in table.columns:
            coded = column.combine_chunks().dictionary_encode()
            columns.append(RawColumn(coded.indices.to_numpy().astype(np.int32), coded.dictionary.to_pylist()))
        raw = replace(file.head, columns=tuple(columns), rows=np.arange(1, table.num_rows + 1))
        found = assemble(file.path, "csv", raw, file.choices, {}, source(), progress)
        if not self.is_sampled:
            return found
        sentence = say(
            "The plan is judged by {n} of about {rows} rows; in all of them persons are hidden no worse.",
            n=table.num_rows, rows=file.rows,
        )  # fmt: skip
        return replace(found, problems=(Problem(ProblemKind.NOTE, sentence), *found.problems))

    def fill(
        self,
        plan: Plan,
        asked: ImportChoices,
        sample: Imported,
        folder: Path,
        form: Form,
        earlier: int,
        progress: Progress,
    ) -> OpenRelease:
        """Write all files of a release into an empty folder; README names no figures, which would need all rows.

        asked : how the file is to be read, as the user said it.
        earlier : how many releases of the same persons the register knows.

        Raises SpluError; Cancelled.
        """
        counted = count(self.engine, plan, asked, sample, progress)
        pages, (spread, written) = self.write(counted, plan, folder, form.dialect, progress)
        described = make_facts(
            pages.published, plan, spread, title=form.title, contact=form.contact, dialect=form.dialect
        )
        tongue, path = language(form.spoken), folder / README_NAME
        write_readme(pages.published, None, described, plan.questions, pages.scores, earlier, path, tongue)
        described = close_folder(pages.published, described, pages.scores, folder, form, progress, written)
        return OpenRelease(folder, described, pages.published)
