"""Tables and releases for tests of mechanism and answers: drawn without a plan, by seeded bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_desktop.core.mechanism import (
    CLASS,
    NUMBER,
    Block,
    Classes,
    Draw,
    Lenders,
    Units,
    keep_even_rows,
    make_classes,
)
from splu_desktop.core.mechanism.published_numbers import row_correlation
from splu_desktop.core.published import Published, block_codes
from splu_desktop.core.table import Column, Kind, Table
from tests.seeded import Seeded


def column(name: str, values: ArrayLike) -> Column:
    """A column of texts; of numbers where all values are some."""
    given = np.asarray(values)
    labels, codes = np.unique(given, return_inverse=True)
    texts = np.array([str(each) for each in labels.tolist()], object)
    if given.dtype.kind in "if":
        found = labels.astype(float)
        return Column.from_codes(name, codes, texts, np.zeros(len(texts), bool), found, kind=Kind.INTEGER)
    return Column.from_codes(name, codes, texts, np.zeros(len(texts), bool), None, kind=Kind.CATEGORY)


def table(columns: Mapping[str, ArrayLike]) -> Table:
    return Table(tuple(column(name, values) for name, values in columns.items()))


class Releases:
    """Releases of one table, each by another seed.

    blocks : columns drawn as one, each with gamma or a draw.
    classes : columns whose values make the classes.
    owner : (N,) the person of each row; None where rows are drawn.
    """

    def __init__(
        self,
        source: Table,
        blocks: Mapping[tuple[str, ...], float | Draw],
        classes: Sequence[str] = (),
        owner: NDArray[np.integer] | None = None,
        number: bool = False,
    ) -> None:
        self.source, self.number = source, number
        self.blocks = tuple(
            Block(names, Lenders(float(draw)) if isinstance(draw, int | float) else draw)
            for names, draw in blocks.items()
        )
        self.units = Units.of_records(source.n) if owner is None else Units.of_persons(owner)
        self.classes: Classes = make_classes([source[name] for name in classes], self.units)

    def draw(self, seed: int) -> Published:
        """Return a release whose rows stand in the source's order."""
        bits = Seeded(seed)
        columns = {each.name: each for each in self.source.columns}
        correlations = []
        for block in self.blocks:
            values = block_codes(self.source, block.columns)
            units = np.zeros(self.units.number, np.int32) if self.units.person else values
            lender = block.draw.choose_lenders(units, self.classes.code, self.units.sizes, bits)
            rows = self.units.shown_rows(lender, bits)
            for name in block.columns:
                columns[name] = self.source[name].with_codes(self.source[name].codes[rows])
            codes = [self.source[name].codes[rows] for name in block.columns]
            correlations.append(row_correlation(codes, self.units, self.classes.code))
        extra = []
        if self.classes.number > 1:
            extra.append(_numbers(CLASS, self.classes.code[self.units.owner]))
        if self.number:
            extra.append(_numbers(NUMBER, self.units.owner))
        person = self.units.person
        return Published(
            Table((*columns.values(), *extra)),
            self.blocks,
            self.classes.columns,
            self.classes.cells,
            person=person,
            correlations=tuple(correlations) if person else (),
        )


def _numbers(name: str, codes: NDArray[np.integer]) -> Column:
    number = int(codes.max()) + 1
    labels = np.array([str(each) for each in range(1, number + 1)], object)
    return Column.from_codes(
        name, codes.astype(np.int32), labels, np.zeros(number, bool), np.arange(1.0, number + 1), kind=Kind.INTEGER
    )


def lines_of(source: Table, names: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    """Return (N,) the line of each row by the crossed values of columns, and how many there are."""
    key = np.zeros(source.n, np.int64)
    for name in names:
        key = key * source[name].m + source[name].codes
    found, line = np.unique(key, return_inverse=True)
    return line, len(found)


def people(number: int, seed: int, most: int = 40, values: int = 12) -> tuple[Table, NDArray[np.int64]]:
    """Return rows of persons of 1 to `most` rows, each person with leanings of its own, and their owners."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(rng.geometric(0.35, number), most)
    many = rng.random(number) < 0.03
    sizes[many] = rng.integers(min(8, most), most + 1, int(many.sum()))
    owner = rng.permutation(np.repeat(np.arange(number), sizes))
    owner = owner[keep_even_rows(owner)]
    leaning = rng.dirichlet(np.full(values, 0.4), number).cumsum(axis=1)
    value = (rng.random(len(owner))[:, None] > leaning[owner]).sum(axis=1).clip(0, values - 1)
    sex, age = rng.integers(0, 2, number), rng.integers(0, 6, number)
    found = table(
        {
            "sex": np.array(["f", "m"])[sex[owner]],
            "age": np.array([f"{each}0" for each in range(6)])[age[owner]],
            "unit": np.array([f"u{each}" for each in range(8)])[rng.integers(0, 8, len(owner))],
            "dx": np.array([f"d{each:02}" for each in range(values)])[value],
        }
    )
    return found, owner
