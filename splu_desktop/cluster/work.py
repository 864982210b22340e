"""What the machines of a cluster do: plain functions of a part of the table, which know no cluster.

The table is read in units (`source`). For each sensitive column its codes travel to the blocks in which they are drawn
(`core.groups.blocks`) and back, without the rows they belong to; then whole rows travel once, each to a uniformly
drawn place of the release. Everything random comes from the operating system of the machine that draws it.

A cluster does work again that a lost machine took along, and a draw made again is another draw: rows would be doubled
or lost, or two draws mixed. So whatever is sent bears the stamp of the attempt that made it and the lineage of what it
was made from; who receives parts of one thing checks that all come of the same attempts, and raises `Torn` otherwise.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.cluster.source import SourceFolder, Unit
from splu_desktop.core.checks.gate import Line, giveaway_lines
from splu_desktop.core.checks.selfcheck import check_order
from splu_desktop.core.distinct import by_number
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.draw import Blocks
from splu_desktop.core.errors import SpluError, place_of
from splu_desktop.core.groups.blocks import Slots
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Silent
from splu_desktop.core.randomness import SystemRandomness, below, permutation
from splu_desktop.core.rowkeys import row_sums, stirred
from splu_desktop.core.table import Column, Table
from splu_desktop.files.disk.in_blocks import file_sha256
from splu_desktop.files.tables.table_writers import parquet_reads_back, write_parquet
from splu_desktop.frozen import dataclass

Codes = NDArray[Any]
Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]
Sent = tuple[int, tuple[int, bytes, bytes, Any]]  # receiver; sender, stamp of its attempt, lineage, what it sends

MOST = 200_000  # different values of a column that are counted
_SMALL = 10  # sizes of classes told apart
_FAR = 8.0  # standard deviations, as in `selfcheck`
_OTHER = np.uint64(0x9E3779B97F4A7C15)

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Torn(SpluError):
    """Parts of two attempts met, or something is not there as often as it must be."""


class WorkFailed(SpluError):
    """Work failed; says where in this program, and nothing of the data."""


def _quiet(work: Callable[_P, Iterator[_T]]) -> Callable[_P, Iterator[_T]]:
    """Let no text of a fault leave the machine, since it can hold values: a cluster logs `WorkFailed` or `Torn`."""

    @wraps(work)
    def quiet(*args: _P.args, **kwargs: _P.kwargs) -> Iterator[_T]:
        try:
            yield from work(*args, **kwargs)
        except (Torn, GeneratorExit):
            raise
        except BaseException as fault:
            where = place_of(fault)
        else:
            return
        raise WorkFailed(where)

    return quiet


# --- before the plan: what is there


@dataclass(frozen=True)
class Counting:
    """Counts the values of all columns."""

    source: SourceFolder

    @_quiet
    def count(self, at: int, units: Iterable[Unit]) -> Iterator[tuple[int, tuple[int, dict[str, int] | None]]]:
        """Give, for each column, how many records a unit has, and of each text; None where they are too many."""
        for unit in units:
            for place, (codes, texts) in enumerate(self.source.texts(unit, self.source.names).values()):
                few = len(texts) <= MOST
                held = np.bincount(codes, minlength=len(texts)).tolist() if few else []
                found = {text: n for text, n in zip(texts, held, strict=True) if n} if few else None
                yield place, (len(codes), found)

    @staticmethod
    @_quiet
    def merge(
        at: int, parts: Iterable[tuple[int, tuple[int, dict[str, int] | None]]]
    ) -> Iterator[tuple[int, int, dict[str, int] | None]]:
        """Give column, number of records and the counts of all units."""
        records: dict[int, int] = {}
        totals: dict[int, dict[str, int] | None] = {}
        for place, (n, found) in parts:
            records[place] = records.get(place, 0) + n
            total = totals.setdefault(place, {})
            if total is None or found is None:
                totals[place] = None
                continue
            for text, count in found.items():
                total[text] = total.get(text, 0) + count
            if len(total) > MOST:
                totals[place] = None
        yield from ((place, records[place], total) for place, total in totals.items())


# --- with the plan


@dataclass(frozen=True, eq=False)
class Coded:
    """A column that is published.

    Attributes
    ----------
    column : its name, kind and labels as they stand after generalisation; it has no records.
    codes : text of the source -> code.
    bits : (m,) random bits of each label, for keys of rows.
    """

    column: Column
    codes: Mapping[str, int]
    bits: Keys

    def of(self, cells: tuple[NDArray[np.int32], list[str]]) -> Codes:
        """Return (n,) codes of records with these texts. Raises Torn where a text is new: the source changed."""
        new = np.array([self.codes.get(text, -1) for text in cells[1]], np.int64)
        if (new < 0).any():
            raise Torn
        return new.astype(_narrow(self.column.m))[cells[0]] if len(new) else np.zeros(0, _narrow(self.column.m))


def _narrow(m: int) -> type[np.uint8] | type[np.uint16] | type[np.int32]:
    return np.uint8 if m <= 1 << 8 else np.uint16 if m <= 1 << 16 else np.int32


@dataclass(frozen=True, eq=False)
class Survey:
    """Looks at the records for the gate.

    Attributes
    ----------
    coded : every published column, in the table's order.
    ranges : places to which keys of rows are sent, the same ones to the same place.
    sampled : records of the table, and how many of them about are looked at together.
    """

    source: SourceFolder
    plan: Plan
    draws: Mapping[str, Draw]
    coded: tuple[Coded, ...]
    ranges: int
    sampled: tuple[int, int]

    @_quiet
    def held(self, at: int, units: Iterable[Unit]) -> Iterator[tuple[int, int, list[Ints]]]:
        """Give unit, number of its records, and the counts of each sensitive column's codes."""
        mine = [one for one in self.coded if one.column.name in self.plan.draws]
        for unit in units:
            cells = self.source.texts(unit, [one.column.name for one in mine])
            codes = [one.of(cells[one.column.name]) for one in mine]
            yield at, len(codes[0]), [_counts(c, one.column.m) for c, one in zip(codes, mine, strict=True)]

    @_quiet
    def look(self, at: int, units: Iterable[Unit]) -> Iterator[tuple[int, Any]]:
        """Send keys of the unchanged columns' rows to where equal ones meet, and a sample of the records to one place.

        Of the rows nothing but keys travels, with how many records have each.
        """
        source = SystemRandomness()
        for unit in units:
            codes = _published(self.source, unit, self.coded)
            rows = [at for at, one in enumerate(self.coded) if one.column.name not in self.plan.draws]
            n = len(codes[0])
            keys, counts = np.unique(_keys(self.coded, codes, rows, n), return_counts=True)
            order, begins = by_number((keys % np.uint64(self.ranges)).astype(np.uint16), self.ranges)
            for to in range(self.ranges):
                mine = order[begins[to] : begins[to + 1]]
                yield to, (keys[mine], counts[mine])
            total, wanted = self.sampled
            some = slice(None) if wanted >= total else below(source, 1 << 30, n) < (wanted << 30) // total
            yield self.ranges, [each[some] for each in codes]

    @_quiet
    def told(self, to: int, parts: Iterable[tuple[int, Any]]) -> Iterator[tuple[Ints, tuple[Line, ...], int]]:
        """Give (K,) records in classes of each size, the last for all larger ones; the gate's lines by the sample."""
        sent = [part for _, part in parts]
        if to < self.ranges:
            keys = np.concatenate([keys for keys, _ in sent])
            counts = np.concatenate([counts for _, counts in sent])
            same = np.unique(keys, return_inverse=True)[1]
            sizes = np.bincount(same, counts).astype(np.int64)
            yield np.bincount(np.minimum(sizes, _SMALL), sizes, _SMALL + 1).astype(np.int64), (), 0
            return
        codes = [np.concatenate(each).astype(np.int32) for each in zip(*sent, strict=True)]
        sample = Table(tuple(one.column.with_codes(c) for one, c in zip(self.coded, codes, strict=True)))
        sample = Table(tuple(column.compacted() for column in sample.columns))
        ways: dict[str, Draw] = {}
        for name, draw in self.draws.items():
            try:  # a value may be too frequent in the sample by chance
                draw.check(sample[name])
                ways[name] = draw
            except SpluError:
                continue
        yield np.zeros(_SMALL + 1, np.int64), giveaway_lines(sample, self.plan, ways), sample.n


@dataclass(frozen=True, eq=False)
class DealtColumn:
    """A sensitive column that is drawn in blocks.

    Attributes
    ----------
    place : of the column among the published ones.
    blocks : how its records are parted, and drawn.
    counts : (m,) records of each value; the first slot of a value follows.
    turn : (m,) by how much each value's slots are turned, at random, so that every record may have every one.
    first : number of its first block among those of all columns.
    """

    place: int
    blocks: Blocks
    counts: Ints
    turn: Ints
    first: int

    def dealt(self, codes: NDArray[np.int32], begins: Ints) -> NDArray[np.uint16]:
        """Return (n,) the blocks of records in random order; (m,) records of each value stand in units before."""
        start = np.cumsum(self.counts) - self.counts
        slots = Slots(self.counts, start + begins).of(codes)
        turned = (slots - start[codes] + self.turn[codes]) % self.counts[codes]
        return self.blocks.of(start[codes] + turned, codes)


@dataclass(frozen=True, eq=False)
class ClusterJob:
    """Draws and publishes; one for all machines.

    Attributes
    ----------
    coded : every published column, in the table's order.
    drawn : those that are drawn.
    units, parts : numbers of units of the source and of files of the release.
    """

    source: SourceFolder
    coded: tuple[Coded, ...]
    drawn: tuple[DealtColumn, ...]
    units: int
    parts: int

    @property
    def blocks(self) -> int:
        """Number of blocks, of all columns together."""
        return sum(one.blocks.number for one in self.drawn)

    @_quiet
    def deal(self, at: int, units: Iterable[tuple[Unit, list[Ints], list[Ints]]]) -> Iterator[Sent]:
        """Send the sensitive columns' codes of a unit to their blocks; `units` has its counts, and those before it."""
        source, stamp = SystemRandomness(), secrets.token_bytes(16)
        for unit, held, before in units:
            mine = [self.coded[one.place] for one in self.drawn]
            cells = self.source.texts(unit, [one.column.name for one in mine])
            for one, of, counts, begins in zip(self.drawn, mine, held, before, strict=True):
                codes = of.of(cells[of.column.name])
                if not np.array_equal(_counts(codes, of.column.m), counts):
                    raise Torn
                ids = permutation(source, len(codes))
                order, starts = by_number(one.dealt(np.take(codes, ids).astype(np.int32), begins), one.blocks.number)
                for block in range(one.blocks.number):
                    records = ids[order[starts[block] : starts[block + 1]]]
                    yield one.first + block, (at, stamp, b"", (records, codes[records]))

    @_quiet
    def redraw(self, to: int, parts: Iterable[Sent]) -> Iterator[Sent]:
        """Draw a block and send the new codes back to the units of their records."""
        stamp = secrets.token_bytes(16)
        sent, lineage = _received(parts, self.units)
        one = [one for one in self.drawn if one.first <= to][-1]
        ends = np.cumsum([len(codes) for _, codes in sent])[:-1]
        before = np.concatenate([codes for _, codes in sent]).astype(np.int32)
        after = one.blocks.redraw(to - one.first, before, SystemRandomness(), Silent())
        narrow = _narrow(self.coded[one.place].column.m)
        for at, ((records, _), codes) in enumerate(zip(sent, np.split(after, ends), strict=True)):
            yield at, (to, stamp, lineage, (records, codes.astype(narrow)))

    @_quiet
    def shown(self, at: int, parts: Iterable[Sent]) -> Iterator[tuple[bytes, list[Ints]]]:
        """Give the lineage, and how many records of a unit show each value of each sensitive column."""
        lineage, after = self._together(parts)
        yield (
            lineage,
            [_counts(codes, self.coded[one.place].column.m) for one, codes in zip(self.drawn, after, strict=True)],
        )

    def _together(self, parts: Iterable[Sent]) -> tuple[bytes, list[Codes]]:
        """Return the lineage and, for each sensitive column, the new codes of a unit's records."""
        sent, lineage = _received(parts, self.blocks)
        found = []
        for one in self.drawn:
            mine = sent[one.first : one.first + one.blocks.number]
            records = np.concatenate([records for records, _ in mine])
            codes = np.concatenate([codes for _, codes in mine])
            if len(records) and not (np.bincount(records, minlength=len(records)) == 1).all():
                raise Torn
            after = np.empty_like(codes)
            after[records] = codes
            found.append(after)
        return lineage, found

    def place(self, units: Sequence[Unit]) -> Callable[[int, Iterable[Sent]], Iterator[Sent]]:
        """Return what sends the rows of a unit, with their new values, to places drawn uniformly."""

        @_quiet
        def place(at: int, parts: Iterable[Sent]) -> Iterator[Sent]:
            stamp = secrets.token_bytes(16)
            lineage, after = self._together(parts)
            codes = _published(self.source, units[at], self.coded)
            kept = []
            for one, new in zip(self.drawn, after, strict=True):
                if len(new) != len(codes[one.place]):
                    raise Torn
                kept.append(int(np.count_nonzero(codes[one.place] == new)))
                codes[one.place] = new
            n = len(codes[0])
            order, starts = by_number(below(SystemRandomness(), self.parts, n).astype(np.uint16), self.parts)
            sums = _sums(_keys(self.coded, codes, range(len(codes)), n))
            for to in range(self.parts):
                rows = order[starts[to] : starts[to + 1]]
                # What is told once of a unit goes with the first part.
                yield to, (at, stamp, lineage, ([each[rows] for each in codes], (kept, sums) if not to else None))

        return place

    def write(self, folder: str, published: Sequence[Column]) -> Callable[[int, Iterable[Sent]], Iterator[WrittenPart]]:
        """Return what writes a file of the release; `published` are the columns as they are spelled, without records.

        Their labels stand for the codes of `coded`, one for one.
        """

        @_quiet
        def write(to: int, parts: Iterable[Sent]) -> Iterator[WrittenPart]:
            sent, lineage = _received(parts, self.units)
            kept, told = [0] * len(self.drawn), np.zeros(2, np.uint64)
            for _, once in sent:
                if once is not None:
                    kept = [a + b for a, b in zip(kept, once[0], strict=True)]
                    told += once[1]
            codes = [np.concatenate(each) for each in zip(*(rows for rows, _ in sent), strict=True)]
            n = len(codes[0])
            order = permutation(SystemRandomness(), n)
            codes = [each[order] for each in codes]
            table = Table(tuple(c.with_codes(each.astype(np.int32)) for c, each in zip(published, codes, strict=True)))
            # A name of this attempt alone: one that was given up may still be writing.
            path = Path(folder) / f".{part_name(to)}.{secrets.token_hex(6)}"
            write_parquet(table, path, Silent())
            if not parquet_reads_back(table, path):
                raise Torn
            with path.open("r+b") as file:
                os.fsync(file.fileno())
            yield WrittenPart(
                to,
                path.name,
                n,
                path.stat().st_size,
                file_sha256(path),
                lineage,
                [_counts(each, one.column.m) for each, one in zip(codes, self.coded, strict=True)],
                kept,
                told,
                _sums(_keys(self.coded, codes, range(len(codes)), n)),
                check_order(table).passed and _in_no_order(order),
            )

        return write


@dataclass(frozen=True, eq=False)
class WrittenPart:
    """A file of the release, as the machine that wrote it and read it back tells of it.

    Attributes
    ----------
    number : of the part.
    written : name of its file until all are there.
    records, size, sha256 : of the file, its size in bytes.
    lineage : of all that it was made from; one for all parts.
    counts : for each column, (m,) records of each code.
    kept, sent : records that kept their value, per sensitive column, and sums of the keys of all rows, as the units
        told them; of the first part alone.
    sums : sums of the keys of its rows.
    mixed : whether its records stand in no order that could be told.
    """

    number: int
    written: str
    records: int
    size: int
    sha256: str
    lineage: bytes
    counts: list[Ints]
    kept: list[int]
    sent: Keys
    sums: Keys
    mixed: bool


def part_name(number: int) -> str:
    """Return the name of a file of the release."""
    return f"table-{number:05d}.parquet"


def _published(source: SourceFolder, unit: Unit, coded: Sequence[Coded]) -> list[Codes]:
    cells = source.texts(unit, [one.column.name for one in coded])
    return [one.of(cells[one.column.name]) for one in coded]


def _counts(codes: Codes, m: int) -> Ints:
    return np.bincount(codes, minlength=m).astype(np.int64)


def _keys(coded: Sequence[Coded], codes: Sequence[Codes], places: Iterable[int], n: int) -> Keys:
    places = list(places)
    return stirred(row_sums([codes[at] for at in places], [coded[at].bits for at in places], n))


def _sums(keys: Keys) -> Keys:
    """Return two sums, modulo 2^64, that tell multisets of random keys apart."""
    return np.array([keys.sum(dtype=np.uint64), stirred(keys ^ _OTHER).sum(dtype=np.uint64)], np.uint64)


def _in_no_order(order: NDArray[np.int32]) -> bool:
    """Whether places have nothing to do with the order in which rows came, which is that of the source's units."""
    n = len(order)
    if n < 2:
        return True
    middle = (n - 1) / 2
    here = np.arange(n) - middle
    return abs(float(np.dot(order - middle, here) / np.dot(here, here))) * float(np.sqrt(n - 1)) <= _FAR


def _received(parts: Iterable[Sent], senders: int) -> tuple[list[Any], bytes]:
    """Return what each sender sent, in their order, and the lineage of it all.

    Raises Torn unless each sent once, and all made theirs of the same.
    """
    found = sorted((part for _, part in parts), key=lambda part: part[0])
    if [sender for sender, *_ in found] != list(range(senders)) or len({lineage for _, _, lineage, _ in found}) != 1:
        raise Torn
    digest = hashlib.blake2b(found[0][2], digest_size=16)
    for _, stamp, _, _ in found:
        digest.update(stamp)
    return [sent for *_, sent in found], digest.digest()
