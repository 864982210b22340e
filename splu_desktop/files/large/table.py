"""A large table from its file to its release."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.resources import data_folder
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.leftovers import partial_beside
from splu_desktop.files.importer import ImportChoices, Problem, ProblemKind, TableReading
from splu_desktop.files.importer.raw import RawColumn
from splu_desktop.files.importer.reader import assemble
from splu_desktop.files.importer.recognise import facts
from splu_desktop.files.isolation.faults import NoRecords
from splu_desktop.files.language import language
from splu_desktop.files.large.counted_table import count
from splu_desktop.files.large.drawing import RANDOM, Drawing
from splu_desktop.files.large.engine import Engine, text_file
from splu_desktop.files.large.pages import Pages, pages_of, spread_of
from splu_desktop.files.release.facts import Dialect, make_facts
from splu_desktop.files.release.folder import Form, close_folder
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.files.release.readme import README_NAME, write_readme

_SAMPLE = 1_000_000  # rows by which a plan is made and judged
_LEARNED = 200_000  # published rows from which it is learned how far counts spread


class LargeTable(Engine):
    """A table that an engine has opened."""

    @classmethod
    @contextmanager
    def open(cls, path: Path, choices: ImportChoices, progress: Progress) -> Iterator[LargeTable]:
        """Open a file; what does not fit in memory lies in a folder of one's own until the block ends.

        Raises FileFault, BadSetting.
        """
        found = text_file(path, choices, progress)
        data_folder().mkdir(parents=True, exist_ok=True, mode=0o700)
        with partial_beside(data_folder() / "engine") as folder:
            folder.mkdir(mode=0o700)
            with closing(cls(found, folder)) as table:
                table.check_read_alike(progress)
                yield table

    @abstractmethod
    def close(self) -> None:
        """Let go of the file and of what lies on disk."""

    @abstractmethod
    def draw(self, drawing: Drawing, rows: int, folder: Path, progress: Progress) -> None:
        """Draw all rows, about so many, so that queries know them, hidden, as `drawn`. Raises SpluError; Cancelled."""

    @abstractmethod
    def tally(self, drawing: Drawing) -> list[NDArray[np.int64]]:
        """Return for each block (P,) how many drawn rows show each pair."""

    @abstractmethod
    def write(
        self, pages: Pages, drawing: Drawing, rows: int, folder: Path, dialect: Dialect, progress: Progress
    ) -> dict[str, str]:
        """Write table.csv and scores.csv in the order of random bits; return the SHA-256 of each.

        Raises BadSetting where there are other rows than counted, BadRelease where the table does not read as it was
        written; Cancelled.
        """

    @property
    def is_sampled(self) -> bool:
        """Whether it has more rows than a plan is judged by."""
        return self.file.rows > _SAMPLE

    def read_sample(self, person: str | None, progress: Progress) -> TableReading:
        """Return a part of the table as if it were all, chosen by chance; of persons all rows or none.

        Who looks like few in a part looks like at least as many in the whole, so lines of the verdict err to the safe
        side. Raises FileFault; Cancelled.
        """
        file = self.file
        with in_background(lambda own: facts(file.path, own), progress, "Fingerprinting") as source:
            table = self.sample(_SAMPLE, person)
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
        sample: TableReading,
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
        counted = count(self, plan, asked, sample, progress)
        drawing = counted.drawing
        self.draw(drawing, counted.rows, folder, progress)
        pages = pages_of(counted, plan, self.tally(drawing))
        some = self.ask(f"select * from drawn order by {', '.join(RANDOM)} limit {_LEARNED}")
        spread = spread_of(pages, drawing.reveal(some))
        written = self.write(pages, drawing, counted.rows, folder, form.dialect, progress)
        described = make_facts(
            pages.published, plan, spread, title=form.title, contact=form.contact, dialect=form.dialect
        )
        tongue, path = language(form.language), folder / README_NAME
        write_readme(pages.published, None, described, plan.questions, pages.scores, earlier, path, tongue)
        described = close_folder(pages.published, described, pages.scores, folder, form, progress, written)
        return OpenRelease(folder, described, pages.published)
