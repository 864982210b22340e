"""A large table from its file to its release: an engine reads and counts it, and holds what was drawn by the counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
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
from splu_desktop.files.disk.leftovers import partial_beside
from splu_desktop.files.importer import ImportChoices, Problem, ProblemKind, SourceFile, TableReading
from splu_desktop.files.importer.columns.build import build
from splu_desktop.files.importer.raw import RawColumn
from splu_desktop.files.importer.reader import assemble, read_raw
from splu_desktop.files.importer.recognise import facts, recognise
from splu_desktop.files.isolation.faults import NoRecords
from splu_desktop.files.language import language
from splu_desktop.files.large import MANY, rows_about
from splu_desktop.files.large.drawing import (
    MOST,
    Codes,
    CountedBlock,
    CountedTable,
    Ints,
    say_changed,
    say_too_many,
    text_codes,
)
from splu_desktop.files.large.pages import Pages
from splu_desktop.files.release.columns import column_as_handed_out
from splu_desktop.files.release.facts import Dialect, make_facts
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
    """

    def __init__(self, path: Path, asked: ImportChoices, progress: Progress) -> None:
        """Raise FileFault, BadSetting where only the importer can read it."""
        if asked.rows or asked.last_row is not None or asked.decisions:
            raise BadSetting("An engine reads all rows as they are; leave out rows, last_row and decisions.")
        self.path, self.asked, self.rows, kind = path, asked, rows_about(path), recognise(path)
        self.head, own, _ = read_raw(path, kind, asked, progress, limit=_BEGINNING)
        odd = kind != "csv" or own.escape or own.null or len(own.delimiter or "") != 1 or own.header_row not in (0, 1)
        encoded = (own.encoding or "").replace("_", "-").lower() in ("ascii", "utf-8", "utf-8-sig")
        if odd or not encoded or (own.header_rows or 1) > 1 or any(mark in str(path) for mark in "*?[]{}"):
            raise BadSetting(
                "An engine reads UTF-8 with one mark between fields and one line of names; export the table so."
            )
        self.choices, self.keys = own, {name: f"c{at}" for at, name in enumerate(self.head.names)}
        self.connect()
        self._check_read_alike(progress)

    @abstractmethod
    def connect(self) -> None:
        """Have queries know the file's records; what is nothing but blanks is none, in a table of several columns."""

    @abstractmethod
    def ask(self, words: str) -> Any:
        """Return the answer to a query as an Arrow table. Raises FileFault."""

    @abstractmethod
    def draw(self, counted: CountedTable, folder: Path, progress: Progress) -> tuple[list[Ints], Codes]:
        """Draw all rows; return for each block (P,) how many show each pair, and (n, k) some hundred thousand of them.

        Raises SpluError; Cancelled.
        """

    @abstractmethod
    def write(self, pages: Pages, folder: Path, dialect: Dialect, progress: Progress) -> dict[str, str]:
        """Write what was drawn as table.csv and scores.csv, in random order; return the SHA-256 of each.

        Raises BadRelease where the table does not read as it was written; Cancelled.
        """

    def read_sample(self, person: str | None, progress: Progress) -> TableReading:
        """Return a part of the table as if it were all, chosen by chance; of persons all rows or none.

        Who looks like few in a part looks like at least as many in the whole, so lines of the verdict err to the safe
        side. Raises FileFault; Cancelled.
        """
        part = -(-self.rows // MANY)
        # Which rows a plan is judged by is no secret: nothing of them is published.
        chosen = f"random() < {1 / part}" if person is None else f"hash({self.keys[person]}) % {part} = 0"
        with in_background(lambda own: facts(self.path, own), progress, "Fingerprinting") as source:
            table = self.ask(f"select * from source where {chosen}")
        if not table.num_rows:
            raise NoRecords(self.path, self.choices.header_row or 0)
        coded = [column.combine_chunks().dictionary_encode() for column in table.columns]
        columns = [RawColumn(each.indices.to_numpy().astype(np.int32), each.dictionary.to_pylist()) for each in coded]
        raw = replace(self.head, columns=tuple(columns), rows=np.arange(1, table.num_rows + 1))
        found = assemble(self.path, "csv", raw, self.choices, {}, source(), progress)
        sentence = say(
            "The plan is judged by {n} of about {rows} rows; in all of them persons are hidden no worse.",
            n=table.num_rows, rows=self.rows,
        )  # fmt: skip
        return replace(found, problems=(Problem(ProblemKind.NOTE, sentence), *found.problems))

    def count(self, plan: Plan, sample: TableReading, progress: Progress) -> CountedTable:
        """Return a large table after the first pass; what the sample told of types holds for all.

        Raises SpluError; Cancelled.
        """
        check_plan(plan)
        progress.report("Counting values", 0.0)
        published = [name for name in sample.table.names if plan.roles[name].is_published]
        blocks = [(*plan.classes, *block.columns) for block in plan.blocks]
        tables = self.count_sets([*((name,) for name in published), *blocks])
        singles = dict(zip(published, tables, strict=False))
        texts = {name: table.column(0).combine_chunks() for name, table in singles.items()}
        read = self._columns(singles, replace(sample.choices, missing=self.asked.missing), progress)
        made = {name: column_after(column, plan.generalisations.get(name, ())) for name, column in read.items()}
        for name in plan.sensitive:
            check_sensitive(read[name], made[name])
        unchanged = tuple(name for name in published if name not in plan.sensitive)
        columns = {name: column_as_handed_out(made[name].without_unused_labels(), drawn=False) for name in unchanged}

        counted = []
        for block, names, table in zip(plan.blocks, blocks, tables[len(published) :], strict=True):
            own = {name: text_codes(table.column(at).combine_chunks(), texts[name]) for at, name in enumerate(names)}
            times = table.column("count").to_numpy().astype(np.int64)
            pairs = {name: made[name].with_codes(made[name].codes[codes]) for name, codes in own.items()}
            # Of each block the same: classes follow from how many rows each of their cells has.
            classes = make_classes([pairs[n] for n in plan.classes], Units.of_records(len(times)), times=times)
            assert isinstance(block.draw, Lenders)  # `check_plan` lets no other draw in
            counted.append(CountedBlock(block.draw, own, [len(texts[n]) for n in own], classes.code, times))
            columns |= {name: pairs[name] for name in block.columns}
        means = {n: each for n in unchanged if n in plan.generalisations and (each := band_means(read[n], made[n]))}
        return CountedTable(int(times.sum()), texts, columns, unchanged, tuple(counted), classes.cells, means)

    def fill(
        self, plan: Plan, sample: TableReading, folder: Path, form: Form, earlier: int, progress: Progress
    ) -> OpenRelease:
        """Write all files of a release into an empty folder; README names no figures, which would need all rows.

        earlier : how many releases of the same persons the register knows.

        Raises SpluError; Cancelled.
        """
        counted = self.count(plan, sample, progress)
        shown, some = self.draw(counted, folder, progress)
        if int(shown[0].sum()) != counted.rows:
            raise say_changed()
        pages = Pages(counted, plan, shown, form.dialect)
        spread, of = pages.learn_spread(some[:_LEARNED]), pages.published
        written = self.write(pages, folder, form.dialect, progress)
        described = make_facts(of, plan, spread, title=form.title, contact=form.contact, dialect=form.dialect)
        tongue, path = language(form.language), folder / README_NAME
        write_readme(of, None, described, plan.questions, pages.scores, earlier, path, tongue)
        return OpenRelease(folder, close_folder(of, described, pages.scores, folder, form, progress, written), of)

    def count_sets(self, sets: Sequence[Sequence[str]]) -> list[Any]:
        """Return, for each set of columns, an Arrow table of its distinct combinations and their `count`.

        Raises BadSetting where they are too many.
        """
        found = []
        for begin in range(0, len(sets), _SETS):
            some = [[self.keys[name] for name in each] for each in sets[begin : begin + _SETS]]
            every = list(dict.fromkeys(key for each in some for key in each))
            # Bit i says that a row's set has not the i-th column.
            mark = " + ".join(f"cast(grouping({key}) as bigint) * {1 << at}" for at, key in enumerate(every))
            each_once = sorted({tuple(key for key in every if key in each) for each in some})
            grouped = ", ".join(f"({', '.join(each)})" for each in each_once)
            words = f"select {', '.join(every)}, {mark} as mark, count(*) as count from source"
            table = self.ask(f"{words} group by grouping sets ({grouped})")
            for each in some:
                own = sum(1 << at for at, key in enumerate(every) if key not in each)
                found.append(table.filter(pc.equal(table.column("mark"), own)).select([*each, "count"]))
        for names, table in zip(sets, found, strict=True):
            if table.num_rows > MOST:
                raise say_too_many(names)
        return found

    def _columns(self, singles: Mapping[str, Any], choices: ImportChoices, progress: Progress) -> dict[str, Column]:
        """Return the columns by the importer's rules, a row for each distinct text, then rows of no weight."""
        longest = max(table.num_rows for table in singles.values())
        raw = []
        for name in self.head.names:
            codes, weights, labels = np.zeros(longest, np.int32), np.zeros(longest, np.int64), [""]
            if name in singles:
                labels = singles[name].column(0).to_pylist()
                codes[: len(labels)] = np.arange(len(labels))
                weights[: len(labels)] = singles[name].column("count").to_numpy()
            raw.append(RawColumn(codes, labels, weights))
        table = replace(self.head, columns=tuple(raw), rows=np.arange(1, longest + 1), problems=())
        built = build(table, choices, SourceFile("", 0, ""), progress, comma_likely=choices.delimiter == ";")
        return {name: built.table[name] for name in singles}

    def _check_read_alike(self, progress: Progress) -> None:
        """Raise FileFault unless the engine reads the first records to the letter as the importer does.

        The end of the file is looked at by the importer alone, for totals and notes.
        """
        first = self.ask(f"select * from source limit {len(self.head.rows)}")
        for name, column, theirs in zip(self.head.names, self.head.columns, first.columns, strict=True):
            for row, (code, text) in enumerate(zip(column.codes.tolist(), theirs.to_pylist(), strict=False)):
                if column.labels[code] != text:
                    raise FileFault(
                        "Record {row}, column “{column}” of “{path}” would be read otherwise by the engine; export the "
                        "table anew.",
                        row=row + 1, column=name, path=self.path.name,
                    )  # fmt: skip
        with partial_beside(data_folder() / "end") as end, self.path.open("rb") as file:
            names = file.readline() if self.choices.header_row else b""
            file.seek(max(self.path.stat().st_size - _END, len(names) - 1))
            end.write_bytes(names + file.read().partition(b"\n")[2])
            last, _, _ = read_raw(end, "csv", self.choices, progress)
        if any(each.kind in (ProblemKind.SKIPPED_ROWS, ProblemKind.DOUBTFUL_ROW) for each in last.problems):
            raise FileFault(
                "“{path}” has rows that are no records, which an engine would take for some; remove them.",
                path=self.path.name,
            )


def check_plan(plan: Plan) -> None:
    """Raise BadSetting where a plan needs all rows of a table at once."""
    if any(not isinstance(block.draw, Lenders) for block in plan.blocks):
        raise BadSetting("Decoy groups need the whole table in memory; draw by lenders, or leave out --engine.")
    if plan.blanking is not None:
        raise BadSetting("An engine empties no cells of who stands out; coarsen until nobody does, or leave it out.")
    if plan.persons is not None and (plan.persons.way != "record" or plan.persons.shift):
        raise BadSetting("An engine draws row by row; choose one row per person before, or say --person none.")
