"""The first pass: what each column holds, as counts; from them columns, classes and lenders, by the usual rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from splu_desktop.core.band_means import band_means
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.generalise import check_sensitive
from splu_desktop.core.generalise.chain import column_after
from splu_desktop.core.mechanism import ClassCell, LenderPool, Lenders, SystemRandomness, Units, make_classes
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column
from splu_desktop.files.importer import ImportChoices, SourceFile, TableReading
from splu_desktop.files.importer.columns.build import build
from splu_desktop.files.importer.raw import RawColumn
from splu_desktop.files.large.drawing import MOST, CountedBlock, Drawing, Keys, say_too_many, text_codes
from splu_desktop.files.large.engine import Engine
from splu_desktop.files.release.columns import column_handed_out


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A large table after the first pass.

    Attributes
    ----------
    rows : how many there are.
    drawing : what the second pass needs.
    unchanged_columns : published columns that are not drawn, as handed out; a row for each text, with its weight.
    block_columns : of each block, its columns with a row for each pair.
    cells : what each class is.
    means : as in `Published`.
    """

    rows: int
    drawing: Drawing
    unchanged_columns: Mapping[str, Column]
    block_columns: tuple[Mapping[str, Column], ...]
    cells: tuple[ClassCell, ...]
    means: Mapping[str, Mapping[str, float]]


def check_plan(plan: Plan) -> None:
    """Raise BadSetting where a plan needs all rows of a table at once."""
    if any(not isinstance(block.draw, Lenders) for block in plan.blocks):
        raise BadSetting("Decoy groups need the whole table in memory; draw by lenders, or leave out --engine.")
    if plan.blanking is not None:
        raise BadSetting("An engine empties no cells of who stands out; coarsen until nobody does, or leave it out.")
    if plan.persons is not None and (plan.persons.way != "record" or plan.persons.shift):
        raise BadSetting("An engine draws row by row; choose one row per person before, or say --person none.")


def count(engine: Engine, plan: Plan, asked: ImportChoices, sample: TableReading, progress: Progress) -> CountedTable:
    """Return a large table after the first pass.

    asked : how the file is to be read, as the user said it; what the sample told of types holds for all.

    Raises SpluError; Cancelled.
    """
    check_plan(plan)
    progress.report("Counting values", 0.0)
    published = [name for name in sample.table.names if plan.roles[name].is_published]
    blocks = [(*plan.classes, *block.columns) for block in plan.blocks]
    sets = [*((name,) for name in published), *blocks]
    tables = engine.count_sets(sets)
    for table, names in zip(tables, sets, strict=True):
        if table.num_rows > MOST:
            raise say_too_many(names)
    singles = dict(zip(published, tables, strict=False))
    rows = int(np.sum(singles[published[0]].column("count").to_numpy())) if singles else 0
    if rows == 0:
        raise EmptyTable("The table has no records, so there is nothing to publish.")
    texts = {name: table.column(0).combine_chunks() for name, table in singles.items()}
    read = _columns(engine, singles, replace(sample.choices, missing=asked.missing), progress)
    made: dict[str, Column] = {}
    for name, column in read.items():
        made[name] = column_after(column, plan.generalisations.get(name, ()))
        if name in plan.sensitive:
            check_sensitive(column, made[name])

    drawn, shown = [], []
    for block, names, table in zip(plan.blocks, blocks, tables[len(published) :], strict=True):
        own = {name: text_codes(table.column(at).combine_chunks(), texts[name]) for at, name in enumerate(names)}
        times = table.column("count").to_numpy().astype(np.int64)
        columns = [made[name].with_codes(made[name].codes[own[name]]) for name in plan.classes]
        # Of each block the same: classes follow from how many rows each of their cells has.
        classes = make_classes(columns, Units.of_records(len(times)), times=times)
        pairs = Keys({name: (made[name].codes[: len(texts[name])], made[name].m) for name in names}, own)
        place, of_pair = pairs.of(own), np.zeros(len(pairs.keys), np.int32)
        of_pair[place] = classes.code
        weights = np.bincount(place, times, minlength=len(pairs.keys)).astype(np.int64)
        assert isinstance(block.draw, Lenders)  # `check_plan` lets no other draw in
        drawn.append(CountedBlock(pairs, of_pair, LenderPool(of_pair, weights), block.draw))
        shown.append({n: made[n].with_codes(codes) for n, codes in pairs.values().items() if n in block.columns})
    unchanged = {
        n: column_handed_out(made[n].without_unused_labels(), drawn=False) for n in published if n not in plan.sensitive
    }
    handed = tuple((name, column.codes[: len(texts[name])]) for name, column in unchanged.items())
    means = {n: each for n in unchanged if n in plan.generalisations and (each := band_means(read[n], made[n]))}
    drawing = Drawing(texts, handed, tuple(drawn), SystemRandomness().bits(8).tobytes())
    return CountedTable(rows, drawing, unchanged, tuple(shown), classes.cells, means)


def _columns(
    engine: Engine, singles: Mapping[str, Any], choices: ImportChoices, progress: Progress
) -> dict[str, Column]:
    """Return the columns by the importer's rules, a row for each distinct text, then rows of no weight."""
    head = engine.file.head
    longest = max(table.num_rows for table in singles.values())
    raw = []
    for name in head.names:
        if name not in singles:
            raw.append(RawColumn(np.zeros(longest, np.int32), [""], np.zeros(longest, np.int64)))
            continue
        labels = singles[name].column(0).to_pylist()
        codes, weights = np.zeros(longest, np.int32), np.zeros(longest, np.int64)
        codes[: len(labels)] = np.arange(len(labels))
        weights[: len(labels)] = singles[name].column("count").to_numpy()
        raw.append(RawColumn(codes, labels, weights))
    table = replace(head, columns=tuple(raw), rows=np.arange(1, longest + 1), problems=())
    source = SourceFile("", 0, "")
    built = build(table, choices, source, progress, comma_likely=choices.delimiter == ";")
    return {name: built.table[name] for name in singles}
