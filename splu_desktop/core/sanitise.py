"""Table and plan in, published table out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.band_means import band_means
from splu_desktop.core.distinct import cross_codes
from splu_desktop.core.errors import BadSetting, EmptyTable
from splu_desktop.core.generalise import check_sensitive, table_after
from splu_desktop.core.mechanism import (
    CLASS,
    Block,
    Classes,
    Randomness,
    SystemRandomness,
    Units,
    make_classes,
    permutation,
)
from splu_desktop.core.mechanism.published_numbers import row_correlation
from splu_desktop.core.persons.blanking import blank
from splu_desktop.core.persons.choice import persons
from splu_desktop.core.persons.dates import check_dates
from splu_desktop.core.persons.treatment import LEFT_OUT, even_rows, number_persons, shift_dates
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published, block_codes
from splu_desktop.core.table import Column, Kind, Table, number_codes, remember, take_codes

OTHER = "Other"  # what values are called that too few published rows show


@dataclass(frozen=True, eq=False)
class DrawInput:
    """A table as the mechanism sees it: generalised, blanked, one row per person where so chosen, and checked.

    Attributes
    ----------
    table : rows that are published, with all columns, also those that are not.
    source : the same rows as they were read.
    owner : (N,) the person of each row, from 0, for whoever counts persons; each row its own where no column tells.
    knows_persons : whether a column names them.
    units, classes : what is drawn at once, and who lends to whom.
    blanked_persons, left_out : persons of whom cells were emptied, and who were left out.
    rows_left_out : of these, and of persons of whom one row goes out.
    whole : the source with these rows, for whoever looks for another plan; None for a release that was read.
    """

    table: Table
    source: Table
    owner: NDArray[np.int64]
    knows_persons: bool
    units: Units
    classes: Classes
    blanked_persons: int = 0
    left_out: int = 0
    rows_left_out: int = 0
    whole: Table | None = field(default=None, repr=False)

    @cached_property
    def row_class(self) -> NDArray[np.int32]:
        """(N,) the class of each row."""
        return self.classes.code[self.units.owner] if self.units.person else self.classes.code

    @property
    def person_count(self) -> int:
        """How many persons there are; rows, where no column names them."""
        return int(self.owner.max(initial=-1)) + 1

    @remember
    def stay_alike(self, columns: tuple[str, ...]) -> float:
        """Return how alike a person's rows are in a block; lent or kept together, shown rows are about so."""
        # Column by column: all pairs, of which few stay more, would take as long as all else of a search.
        codes = [self.table[name].codes for name in columns]
        return row_correlation(codes, self.units, self.classes.code, crossed=False)


def prepare(table: Table, plan: Plan, most: float = np.inf) -> DrawInput:
    """Return the table as the mechanism sees it.

    Raises UnknownColumn, BadSetting (CannotGeneralise, NeedsGroups among them) or EmptyTable, each with a sentence for
    the user; EmptyTable, too, where more than `most` persons would lose cells or be left out.
    """
    # The verdict prepares, and then the draw; the last plan's table is remembered for it.
    known: tuple[Plan, DrawInput] | None = table.__dict__.get("_prepared")
    if known is None or known[0] is not plan:
        known = table.__dict__["_prepared"] = plan, _prepare(table, plan, most)
    return known[1]


def _prepare(table: Table, plan: Plan, most: float) -> DrawInput:
    if table.n == 0:
        raise EmptyTable("The table has no records, so there is nothing to publish.")
    plan.check(table)
    source = even_rows(table, plan.persons)
    for name in () if plan.persons is None else plan.persons.shift:
        check_dates(source[name])
    owner = persons(source[plan.persons.column]) if plan.persons is not None else np.arange(source.n)
    generalised = table_after(source, plan.generalisations)
    emptied, left_out, drawn = 0, 0, None  # `drawn`: units and classes
    if plan.blanking is not None:
        classes = plan.classes if plan.draws_persons else None
        blanked = blank(generalised, plan.blanking, plan.knowable, owner, classes, most)
        emptied, left_out, generalised, drawn = blanked.blanked_persons, blanked.left_out, blanked.table, blanked.units
        if len(blanked.left) < source.n:
            before, source = source.columns, source.take(blanked.left)
            # Most columns are the same in both, and are taken once.
            taken = dict(zip(map(id, before), source.columns, strict=True))
            columns = (taken.get(id(each)) or each.take(blanked.left) for each in generalised.columns)
            generalised = replace(generalised, columns=tuple(columns))
            owner = cross_codes(owner[blanked.left], table.n)[0].astype(np.int64)
    for name in plan.sensitive:
        check_sensitive(source[name], generalised[name])
    if drawn is None:
        units = Units.of_persons(owner) if plan.draws_persons else Units.of_records(source.n)
        drawn = units, make_classes([generalised[name] for name in plan.classes], units)
    gone = table.n + table.origin.get(LEFT_OUT, 0) - source.n
    draw_input = DrawInput(generalised, source, owner, plan.persons is not None, *drawn, emptied, left_out, gone, table)
    for block in plan.blocks:
        _check_block(draw_input, block)
    return draw_input


def _check_block(prepared: DrawInput, block: Block) -> None:
    if block.draw.name == "lenders":
        return
    if prepared.units.person:
        raise BadSetting("Decoy groups draw record by record; draw persons by lenders.")
    values = block_codes(prepared.table, block.columns)
    m = int(values.max()) + 1
    counts = np.bincount(prepared.row_class.astype(np.int64) * m + values, minlength=m * prepared.classes.number)
    for each in counts.reshape(-1, m):
        block.draw.check(each, block.columns[0])


def run(
    table: Table,
    plan: Plan,
    *,
    randomness: Randomness | None = None,
    keep: Callable[[Column], Column] = lambda column: column,
    progress: Progress = SILENT,
) -> Published:
    """Sanitise a table.

    Parameters
    ----------
    table : the source, N rows.
    plan : what becomes of each column.
    randomness : None, as in every release, for the operating system's source; tests pass a seeded one.
    keep : given each column as soon as it is made, says where its codes are to be kept.
    progress : hears each stage; may stop the run at any.

    Returns
    -------
    Published : unchanged columns as they were, but for what the plan generalises, blanks or moves; each block re-drawn;
        rows in uniformly random order. Lenders are gone when this returns.

    Raises
    ------
    UnknownColumn, BadSetting, EmptyTable; Cancelled.
    """
    source = randomness or SystemRandomness()
    progress.report("Preparing", 0.0)
    prepared = prepare(shift_dates(table, plan.persons, source), plan)
    table.__dict__.pop("_prepared", None)  # nobody asks for it after the draw, and it is as long as the table
    progress.report("Drawing", 0.1)
    shown = {block: show_rows(prepared, block, source) for block in plan.blocks}
    order = permutation(source, prepared.table.n).astype(np.intp)  # as NumPy takes places: else once for each column
    columns: list[Column] = []
    published = [name for name in prepared.table.names if plan.roles[name].is_published]
    for done, name in enumerate(published):
        progress.report("Putting rows in random order", 0.3 + 0.6 * done / len(published))
        rows = shown[plan.block_of(name)].take(order) if name in plan.sensitive else order
        columns.append(keep(_published_column(prepared.table[name], plan, rows)))
    correlations: tuple[float, ...] = ()
    if prepared.classes.number > 1:
        columns.append(number_codes(CLASS, prepared.row_class[order]))
    if prepared.units.person:
        assert plan.persons is not None
        if plan.persons.number:
            columns.append(number_persons(prepared.owner, source).take(order))
        codes = ([prepared.table[name].codes[shown[block]] for name in block.columns] for block in plan.blocks)
        correlations = tuple(row_correlation(each, prepared.units, prepared.classes.code) for each in codes)
    coarser = [name for name in plan.nsas if name in plan.generalisations]
    means = {name: band_means(prepared.source[name], prepared.table[name], prepared.owner) for name in coarser}
    progress.report("Putting rows in random order", 1.0)
    return Published(
        table=Table(tuple(columns)),
        blocks=plan.blocks,
        class_columns=plan.classes,
        cells=prepared.classes.cells,
        person=prepared.units.person,
        correlations=correlations,
        thresholds=plan.thresholds,
        rare=plan.rare,
        means={name: each for name, each in means.items() if each},
    )


def _published_column(column: Column, plan: Plan, rows: NDArray[np.integer]) -> Column:
    """Return a column that shows the values of (N,) rows, of a sensitive one those that were drawn."""
    if column.name in plan.sensitive:
        drawn = column.with_codes(take_codes(column.codes, rows)).without_unused_labels()
        return merge_rare(drawn, plan.rare[column.name]) if column.name in plan.rare else drawn
    # What somebody may know goes out in one spelling: a rare one would tell a row from those that look alike.
    written = column.with_codes(column.codes) if column.name in plan.knowable else column
    return written.take(rows).without_unused_labels()


def show_rows(prepared: DrawInput, block: Block, source: Randomness) -> NDArray[np.int32]:
    """Return (N,) the row whose values of a block each row is published with."""
    units = prepared.units
    values = np.zeros(units.number, np.int32) if units.person else block_codes(prepared.table, block.columns)
    lender = block.draw.choose_lenders(values, prepared.classes.code, units.sizes, source)
    return units.shown_rows(lender, source)


def merge_rare(column: Column, least: int) -> Column:
    """Return a published column with the values that fewer than `least` rows show joined as `OTHER`.

    A function of the published table alone, so that every bound of small counts stands (mechanism.md section 5).
    """
    few = (column.counts() < least) & ~column.missing
    return column if few.sum() < 2 else join_labels(column, few)


def join_labels(column: Column, few: NDArray[np.bool_]) -> Column:
    """Return a column with some of its (m,) labels joined as `OTHER`."""
    labels = np.append(column.labels, np.array([OTHER], object))
    same = np.flatnonzero(column.labels == OTHER)
    to = np.where(few, same[0] if len(same) else column.m, np.arange(column.m)).astype(np.int32)
    values = None if column.values is None or column.values.dtype.kind == "M" else np.append(column.values, np.nan)
    kind = Kind.CATEGORY if values is None else column.kind
    missing = np.append(column.missing, False)
    joined = Column.from_codes(column.name, to[column.codes], labels, missing, values, kind=kind)
    return replace(joined, weights=column.weights).without_unused_labels()
