"""A large table from its file to its release: an engine reads and counts it, and holds what was drawn by the counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from splu_desktop.core.band_means import band_means
from splu_desktop.core.errors import BadSetting, FileFault
from splu_desktop.core.generalise import check_sensitive
from splu_desktop.core.generalise.chain import column_after
from splu_desktop.core.mechanism import Lenders, Units, make_classes
from splu_desktop.core.messages import say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.resources import data_folder
from splu_desktop.core.table import Column
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.digests import DigestedFile
from splu_desktop.files.disk.leftovers import partial_beside
from splu_desktop.files.importer import ImportChoices, Problem, ProblemKind, SourceFile, TableReading
from splu_desktop.files.importer.columns.build import build
from splu_desktop.files.importer.raw import RawColumn
from splu_desktop.files.importer.reader import assemble, read_raw
from splu_desktop.files.importer.recognise import describe_file, recognise
from splu_desktop.files.isolation.faults import NoRecords
from splu_desktop.files.language import language
from splu_desktop.files.large import MANY, rows_about
from splu_desktop.files.large.drawing import CHANGED, CountedBlock, CountedTable, Drawn, check_held, text_codes
from splu_desktop.files.large.pages import Pages
from splu_desktop.files.release.columns import column_as_handed_out
from splu_desktop.files.release.csv_table import checked_file
from splu_desktop.files.release.facts import make_facts
from splu_desktop.files.release.folder import Form, close_folder
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.files.release.readme import README_NAME, write_readme

_BEGINNING = 400  # records that are compared; of the end it is asked whether there are totals or notes
_END = 1 << 17  # bytes
_SETS = 20  # that are counted at once, of at most three columns but for blocks
_LEARNED = 200_000  # published rows from which it is learned how far counts spread
NO_TEXT = "\x01"  # what no cell is: else an engine takes empty cells for something else than a text


class LargeTable(ABC):
    """A text file with delimiters that an engine has opened: queries know its records as `source`, all cells texts.

    Parameters
    ----------
    path : the file.
    asked : how it is to be read.

    Attributes
    ----------
    head : its first records as the importer reads them, with what it knows of columns besides their texts.
    choices : how it is read.
    rows : about how many records it has.
    keys : name of each column -> its name in queries, which needs no quotes.
    filled : a condition of queries, on records of several columns: not nothing but blanks.
    """

    def __init__(self, path: Path, asked: ImportChoices, progress: Progress) -> None:
        """Raise FileFault, BadSetting where only the importer can read it."""
        if asked.rows or asked.last_row is not None or asked.decisions:
            raise BadSetting("An engine reads all rows as they are; leave out rows, last_row and decisions.")
        self.path, self.asked, self.rows, kind = path, asked, rows_about(path), recognise(path)
        self.head, how, _ = read_raw(path, kind, asked, progress, limit=_BEGINNING)
        odd = kind != "csv" or how.escape or how.null or len(how.delimiter or "") != 1 or how.header_row not in (0, 1)
        encoded = (how.encoding or "").replace("_", "-").lower() in ("ascii", "utf-8", "utf-8-sig")
        if odd or not encoded or (how.header_rows or 1) > 1 or any(mark in str(path) for mark in "*?[]{}"):
            raise BadSetting("An engine reads UTF-8 with one mark between fields and one line of names; export it so.")
        self.choices, self.keys = how, {name: f"c{at}" for at, name in enumerate(self.head.names)}
        self.filled = " or ".join(f"trim({key}) <> ''" for key in self.keys.values()) if len(self.keys) > 1 else "true"
        self.connect()
        self._check_read_alike(progress)

    @abstractmethod
    def connect(self) -> None:
        """Have queries know the file's records."""

    @abstractmethod
    def ask(self, words: str) -> Any:
        """Return the answer to a query as an Arrow table. Raises FileFault."""

    @abstractmethod
    def draw(self, counted: CountedTable, folder: Path, progress: Progress) -> AbstractContextManager[Drawn]:
        """Draw all rows; give (P,) how many show each pair, block after block, and (n, k) some by chance.

        A context, in which `write` finds what was drawn. Raises SpluError; Cancelled.
        """

    @abstractmethod
    def write(self, pages: Pages, files: Sequence[DigestedFile], progress: Progress) -> None:
        """Write what was drawn to table.csv and scores.csv, in random order. Raises BadRelease; Cancelled."""

    def read_sample(self, person: str | None, progress: Progress) -> TableReading:
        """Return a part of the table as if it were all, chosen by chance; of persons all rows or none.

        Who looks like few in a part looks like at least as many in the whole, so lines of the verdict err to the safe
        side. Raises FileFault; Cancelled.
        """
        part = -(-self.rows // MANY)
        # Which rows a plan is judged by is no secret: nothing of them is published.
        chosen = f"random() < {1 / part}" if person is None else f"hash({self.keys[person]}) % {part} = 0"
        with in_background(lambda watch: describe_file(self.path, watch), progress, "Fingerprinting") as source:
            table = self.ask(f"select * from source where {chosen}")
        if not table.num_rows:
            raise NoRecords(self.path, self.choices.header_row or 0)
        coded = [column.combine_chunks().dictionary_encode() for column in table.columns]
        columns = [RawColumn(each.indices.to_numpy().astype(np.int32), each.dictionary.to_pylist()) for each in coded]
        raw = replace(self.head, columns=tuple(columns), rows=np.arange(1, table.num_rows + 1))
        reading = assemble("csv", raw, self.choices, {}, source(), progress)
        sentence = say(
            "The plan is judged by {n} of about {rows} rows; in all of them persons are hidden no worse.",
            n=table.num_rows, rows=self.rows,
        )  # fmt: skip
        return replace(reading, problems=(Problem(ProblemKind.NOTE, sentence), *reading.problems))

    def count(self, plan: Plan, sample: TableReading, progress: Progress) -> CountedTable:
        """Return the table after the first pass; the sample's types hold for all. Raises SpluError; Cancelled."""
        check_plan(plan)
        progress.report("Counting values", 0.0)
        published = [name for name in sample.table.names if plan.roles[name].is_published]
        blocks = [(*plan.classes, *block.columns) for block in plan.blocks]
        tables = self.count_sets([*((name,) for name in published), *blocks])
        singles = dict(zip(published, tables, strict=False))
        texts = {name: table.column(0).combine_chunks() for name, table in singles.items()}
        read = self._columns(singles, replace(sample.choices, missing=self.asked.missing), progress)
        coarser = {name: column_after(column, plan.generalisations.get(name, ())) for name, column in read.items()}
        for name in plan.sensitive:
            check_sensitive(read[name], coarser[name])
        columns = {}
        for name in plan.nsas:
            # As in memory: what somebody may know goes out in one spelling.
            written = replace(coarser[name], spellings=None) if name in plan.knowable else coarser[name]
            columns[name] = column_as_handed_out(written.without_unused_labels(), drawn=False)
        counted = []
        for block, names, table in zip(plan.blocks, blocks, tables[len(published) :], strict=True):
            coded = {name: text_codes(table.column(at).combine_chunks(), texts[name]) for at, name in enumerate(names)}
            times = table.column("count").to_numpy().astype(np.int64)
            pairs = {name: coarser[name].with_codes(coarser[name].codes[codes]) for name, codes in coded.items()}
            # Of each block the same: classes follow from how many rows each of their cells has.
            classes = make_classes([pairs[n] for n in plan.classes], Units.of_records(len(times)), times=times)
            assert isinstance(block.draw, Lenders)  # `check_plan` lets no other draw in
            counted.append(CountedBlock(block.draw, coded, [len(texts[n]) for n in coded], classes.code, times))
            columns |= {name: pairs[name] for name in block.columns}
        means = {n: each for n in plan.nsas if n in plan.generalisations and (each := band_means(read[n], coarser[n]))}
        return CountedTable(int(times.sum()), texts, columns, plan.nsas, tuple(counted), classes.cells, means)

    def fill(
        self, plan: Plan, sample: TableReading, folder: Path, form: Form, earlier: int, progress: Progress
    ) -> OpenRelease:
        """Write all files of a release into an empty folder; README names no figures, which would need all rows.

        earlier : how many releases of the same persons the register knows. Raises SpluError; Cancelled.
        """
        counted = self.count(plan, sample, progress)
        with ExitStack() as opened:
            shown, some = opened.enter_context(self.draw(counted, folder, progress))
            if int(shown.sum()) != counted.rows * len(counted.blocks):
                raise BadSetting(CHANGED)
            pages = Pages(counted, plan, shown, form.dialect)
            spread, of = pages.learn_spread(some[:_LEARNED]), pages.published
            files = {
                name: opened.enter_context(checked_file(folder / name, columns, form.dialect, progress))
                for name, columns in pages.names.items()
            }
            self.write(pages, list(files.values()), progress)
        written = {name: file.digest.hexdigest() for name, file in files.items()}
        described = make_facts(of, plan, spread, title=form.title, contact=form.contact, dialect=form.dialect)
        tongue, path = language(form.language), folder / README_NAME
        write_readme(of, None, described, plan.questions, pages.scores, earlier, path, tongue)
        return OpenRelease(folder, close_folder(of, described, pages.scores, folder, form, progress, written), of)

    def count_sets(self, sets: Sequence[Sequence[str]]) -> list[Any]:
        """Return for each set of columns, as Arrow tables, its combinations and their `count`. Raises BadSetting."""
        parts = []
        for begin in range(0, len(sets), _SETS):
            some = [[self.keys[name] for name in each] for each in sets[begin : begin + _SETS]]
            every = list(dict.fromkeys(key for each in some for key in each))
            grouped = ", ".join(dict.fromkeys(f"({', '.join(each)})" for each in some))  # each set once
            # Of each column, from the first on, a bit says that a row's set has it not.
            words = f"select {', '.join(every)}, grouping_id({', '.join(every)}) as mark, count(*) as count from source"
            table = self.ask(f"{words} group by grouping sets ({grouped})")
            for names, each in zip(sets[begin:], some, strict=False):
                mark = int("".join(str(int(key not in each)) for key in every), 2)
                parts.append(table.filter(pc.equal(table.column("mark"), mark)).select([*each, "count"]))
                check_held(names, parts[-1].num_rows)
        return parts

    def _columns(self, singles: Mapping[str, Any], choices: ImportChoices, progress: Progress) -> dict[str, Column]:
        """Return the columns by the importer's rules, a row for each distinct text."""
        columns = []
        for table in singles.values():
            codes, counts = np.arange(table.num_rows, dtype=np.int32), table.column("count").to_numpy()
            columns.append(RawColumn(codes, table.column(0).to_pylist(), counts))
        raw = replace(self.head, names=tuple(singles), columns=tuple(columns), problems=())
        built = build(raw, choices, SourceFile("", 0, ""), progress, comma_likely=choices.delimiter == ";")
        return {column.name: column for column in built.table.columns}

    def _check_read_alike(self, progress: Progress) -> None:
        """Raise FileFault unless the engine reads the first records to the letter as the importer does.

        The end of the file is looked at by the importer alone, for totals and notes.
        """
        first = self.ask(f"select * from source limit {len(self.head.rows)}")
        for name, column, theirs in zip(self.head.names, self.head.columns, first.columns, strict=True):
            if [column.labels[code] for code in column.codes.tolist()] != theirs.to_pylist():
                raise FileFault("The engine reads column “{column}” otherwise; export the table anew.", column=name)
        with partial_beside(data_folder() / "end") as end, self.path.open("rb") as file:
            names = file.readline() if self.choices.header_row else b""
            file.seek(max(self.path.stat().st_size - _END, len(names) - 1))
            end.write_bytes(names + file.read().partition(b"\n")[2])
            last, _, _ = read_raw(end, "csv", self.choices, progress)
        if any(each.kind in (ProblemKind.SKIPPED_ROWS, ProblemKind.DOUBTFUL_ROW) for each in last.problems):
            raise FileFault("At the end of “{path}” are rows that are no records; remove them.", path=self.path.name)


def check_plan(plan: Plan) -> None:
    """Raise BadSetting where a plan needs all rows of a table at once."""
    if any(not isinstance(block.draw, Lenders) for block in plan.blocks):
        raise BadSetting("Decoy groups need the whole table in memory; draw by lenders, or leave out --engine.")
    if plan.blanking is not None:
        raise BadSetting("An engine empties no cells of who stands out; coarsen until nobody does, or leave it out.")
    if plan.persons is not None and (plan.persons.way != "record" or plan.persons.shift):
        raise BadSetting("An engine draws row by row; choose one row per person before, or say --person none.")
