"""Publishing on a cluster: count, plan, gate, draw, write, check and register, in this order and all or nothing.

The same functions as everywhere say what is planned, risked and promised; here stands what they are told of a table
that is on no one machine, and what is asked of a cluster. This process sees counts, keys and files' hashes, no record.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.cluster.counted import CountedColumn, column_of_texts
from splu_desktop.cluster.machines import Cluster, ClusterFailed, sent_to, torn
from splu_desktop.cluster.source import SourceFolder, found
from splu_desktop.cluster.work import MOST, ClusterJob, Coded, Counting, DealtColumn, Survey, WrittenPart, part_name
from splu_desktop.core.checks.gate import Elsewhere, Gate, Light, Line, persons_line, table_lines
from splu_desktop.core.checks.selfcheck import Check, check_counts, check_kept, check_records, check_rows
from splu_desktop.core.draw import Draw
from splu_desktop.core.errors import BadSetting, SpluError
from splu_desktop.core.generalise import check_sensitive, column_after
from splu_desktop.core.messages import listed, say
from splu_desktop.core.persons import persons_of
from splu_desktop.core.plan import Plan, steps_as_dicts
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.randomness import Randomness, SystemRandomness, permutation
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.disk.whole import whole_folder
from splu_desktop.files.importer import ImportChoices
from splu_desktop.files.importer.parquet import cell_text
from splu_desktop.files.language import language
from splu_desktop.files.publish.entry import entry_body
from splu_desktop.files.publish.gate_lines import register_lines
from splu_desktop.files.publish.order import Examination, Order, check_target
from splu_desktop.files.publish.publishing import Outcome, SelfCheckFailed, SourceChanged, pass_gate, tidy
from splu_desktop.files.register.book import RELEASE, WITHDRAWN, Entry, Register, RegisterFault
from splu_desktop.files.register.earlier import costs, find_earlier
from splu_desktop.files.register.fingerprint import Fingerprints, column_fingerprint
from splu_desktop.files.release.facts import as_published
from splu_desktop.files.release.folder import describe
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.files.tables.spelling import plain
from splu_desktop.files.tables.table_writers import has_values, parquet_values
from splu_desktop.frozen import dataclass

Ints = NDArray[np.int64]

RECORDS = 1 << 20  # of a part of the release, about, and of a block at least
_MOST_PARTS = 1 << 16  # told apart by 16 bits
SAMPLE = 1 << 20  # records of which is asked which columns tell of others


NO_PERSONS = (
    "On a cluster nothing can be done about persons with several records yet; leave --person out, or publish on one "
    "machine."
)
NO_BLOCKS = "On a cluster columns can't be drawn together yet; draw them one by one, or publish on one machine."


class TooManyValues(SpluError):
    """A column has more different values than can be counted."""


@dataclass(frozen=True, eq=False)
class Surveyed:
    """A table as a cluster counted it.

    Attributes
    ----------
    source : its files.
    table : its columns, each known by its counts.
    texts : column -> the texts that its `codes` stand for.
    choices : how it is read.
    uncounted : columns with too many values.
    """

    source: SourceFolder
    table: Table
    texts: Mapping[str, list[str]]
    choices: ImportChoices

    @property
    def uncounted(self) -> tuple[str, ...]:
        """Columns with more different values than are counted."""
        return tuple(c.name for c in self.table.columns if isinstance(c, CountedColumn) and not c.counted)


def survey(machines: Cluster, folder: Path, asked: ImportChoices, progress: Progress = SILENT) -> Surveyed:
    """Count a table. Raises FileFault, ClusterFailed; Cancelled."""
    source = found(folder, asked)
    progress.report("Counting values", 0.0)
    work = Counting(source)
    parts = sent_to(machines.parts(source.units).mapPartitionsWithIndex(work.count), len(source.names))
    totals = {place: (n, of) for place, n, of in machines.told(parts.mapPartitionsWithIndex(work.merge))}
    columns: list[CountedColumn] = []
    texts: dict[str, list[str]] = {}
    types: dict[str, Kind] = {}
    missing: dict[str, tuple[str, ...]] = {}
    for place, name in enumerate(source.names):
        column, texts[name], own = column_of_texts(name, totals[place][1], totals[place][0], source.choices)
        columns.append(column)
        types |= own.types
        missing |= own.missing
    choices = replace(source.choices, types=types, missing=missing)
    return Surveyed(source, Table(tuple(columns), {"file": folder.name}), texts, choices)


def publish(
    machines: Cluster,
    surveyed: Surveyed,
    order: Order,
    *,
    accepted: Mapping[str, str] | None = None,
    strict: bool = True,
    register: Register | None = None,
    progress: Progress = SILENT,
    records: int = RECORDS,
) -> Outcome:
    """Publish as `files.publish.publishing.publish` does, as a folder of Parquet files.

    Parameters
    ----------
    order : what and where; its table is the surveyed one.
    records : of a part of the release, about, and of a block.

    Raises SpluError, of which ClusterFailed where the cluster gives up; Cancelled. Nothing is left behind then.
    """
    register = register or Register()
    plan = order.plan
    language(order.spoken)
    check_target(order)
    check_plan(plan, surveyed)
    tidy(register)
    run = _Run(machines, surveyed, order, records, progress)
    try:
        examination = run.examined(register)
        gate = Gate(examination.gate.lines, dict(accepted or {}))
        pass_gate(gate, order, strict)
        return run.written(examination, gate, register)
    except ClusterFailed:
        if surveyed.source.changed:
            raise _changed() from None
        raise


def check_plan(plan: Plan, surveyed: Surveyed) -> None:
    """Raise BadSetting or TooManyValues where a plan can't be carried out on a cluster."""
    plan.check(surveyed.table)
    if plan.persons is not None:
        raise BadSetting(NO_PERSONS)
    if any(len(names) > 1 for names in plan.blocks):
        raise BadSetting(NO_BLOCKS)
    for name, draw in plan.draws.items():
        if draw.domain(surveyed.table[name]) is not surveyed.table[name]:
            raise BadSetting(
                "A cluster shows no values declared in advance; leave the list of “{name}” away.", name=name
            )
    for name in surveyed.uncounted:
        if plan.roles[name].published:
            raise TooManyValues(
                "Column “{name}” has more than {most} different values, which single records out; leave it out, or "
                "make it coarser before it is given to the cluster.",
                name=name,
                most=MOST,
            )


class _Run:
    """One publish."""

    def __init__(self, machines: Cluster, surveyed: Surveyed, order: Order, records: int, progress: Progress) -> None:
        self._machines, self._surveyed, self._order, self._progress = machines, surveyed, order, progress
        self._plan, self._source = order.plan, surveyed.source
        self._units = machines.parts(list(self._source.units))
        self._n = surveyed.table.n
        self._number = max(1, -(-self._n // max(records, -(-self._n // _MOST_PARTS))))
        self._random = SystemRandomness()
        self._columns: dict[str, CountedColumn] = {}
        for name in surveyed.table.names:
            column = surveyed.table[name]
            assert isinstance(column, CountedColumn)
            if self._plan.roles[name].published:
                steps = self._plan.generalisations.get(name, ())
                self._columns[name] = column.through(partial(column_after, steps=steps))
        self._generalised = Table(tuple(self._columns.values()))
        for name, draw in self._plan.draws.items():
            check_sensitive(surveyed.table[name], self._columns[name])
            draw.check(self._columns[name])
        self._draws: dict[str, Draw] = {
            name: draw.learned(self._generalised, name, self._plan.thresholds)
            for name, draw in self._plan.draws.items()
        }
        self._coded = tuple(self._code(name) for name in self._columns)

    def _code(self, name: str) -> Coded:
        column = self._columns[name]
        codes = dict(zip(self._surveyed.texts[name], column.codes.tolist(), strict=True))
        bits = self._random.bits(2 * column.m).view(np.uint64)
        return Coded(_bare(column), codes, bits)

    # --- the gate

    def examined(self, register: Register) -> Examination:
        """Return what decides whether the release may go ahead."""
        self._progress.report("Looking at the records", 0.0)
        ranges = min(max(1, len(self._source.units)), 1 + self._n // (1 << 22))
        look = Survey(self._source, self._plan, self._draws, self._coded, ranges, (self._n, SAMPLE))
        sent = sent_to(self._units.mapPartitionsWithIndex(look.look), ranges + 1)
        answers = self._machines.told(sent.mapPartitionsWithIndex(look.told))
        sizes = np.sum([size for size, _, _ in answers], axis=0)
        sample = max(n for _, _, n in answers)
        giveaway = tuple(line for _, lines, _ in answers for line in lines)
        if sample < self._n:
            seen = say(
                "Columns that tell of sensitive ones were looked for in {sample} records drawn at random; figures of "
                "the lines above are about these.",
                sample=sample,
            )
            giveaway = (*giveaway, Line("giveaway", Light.GREEN, seen, "classify"))

        def below(k: int) -> int:
            if k >= len(sizes):
                raise BadSetting("A cluster tells classes of up to {most} records apart.", most=len(sizes) - 1)
            return int(sizes[:k].sum())

        lines = [
            *table_lines(self._surveyed.table, self._plan, elsewhere=Elsewhere(below, giveaway, self._persons())),
            *self._uncounted(),
        ]
        if self._source.changed:
            raise _changed()
        register.check_writable()
        key, reading = register.key(), register.read()
        prints = self._fingerprints(key)
        earlier = find_earlier(
            reading, prints, self._surveyed.table, self._plan, key, register.folder, progress=self._progress
        )
        told = {line.column for line in lines if line.name == "public-figures"}
        fall = costs(replace(self._plan, draws=self._draws), earlier, told)
        lines += register_lines(reading, earlier, fall)
        text = say(
            "A cluster recognises an earlier release by columns with the very same counts alone: one of some of these "
            "records goes unnoticed. Look at the list of releases yourself."
        )
        lines.append(Line("register", Light.AMBER, text, "publish"))
        lines.append(
            Line("destination", Light.GREEN, say("“{target}” can be written.", target=self._order.target), "publish")
        )
        return Examination(Gate(tuple(lines)), earlier, fall, prints, reading)

    def _persons(self) -> Line:
        uncounted = self._surveyed.uncounted
        if not uncounted:
            told = self._plan.named(Role.IDENTIFIER)
            return persons_line(self._surveyed.table, self._generalised, self._plan.draws, told=told)
        text = say(
            "Whether persons have several records was not looked at, since {columns} have too many different values "
            "for a cluster to count. The promise is per record; take one record per person before, where they have.",
            columns=listed([say("“{name}”", name=name) for name in uncounted], "{head}, {tail}"),
        )
        return Line("persons", Light.AMBER, text, "classify")

    def _uncounted(self) -> list[Line]:
        found = []
        for name, draw in self._draws.items():
            number = draw.blocks(_whole(self._columns[name]), self._number, self._random).number
            each = self._n // number
            if each > 8 * RECORDS:
                text = say(
                    "“{name}” can be drawn only in blocks of {records} records, each in the memory of one machine.",
                    name=name,
                    records=each,
                )
                found.append(Line("memory", Light.AMBER, text, "publish"))
        return found

    def _fingerprints(self, key: bytes) -> Fingerprints:
        """Return what can be told of the source by counts: of each column, and of all of them."""
        prints = {
            column.name: column_fingerprint(column, key)
            for column in self._surveyed.table.columns
            if isinstance(column, CountedColumn) and column.counted
        }
        both = repr((self._n, sorted(prints.items()))).encode("utf-8", "surrogatepass")
        digest = hmac.new(key, b"counts" + both, hashlib.sha256)
        secret = hmac.new(key, b"secret" + both, hashlib.sha256)
        nsas = self._plan.named(Role.NSA)
        return Fingerprints(digest.hexdigest(), prints, nsas=nsas, secret=secret.digest())

    # --- drawing and writing

    def _drawn(self) -> tuple[tuple[DealtColumn, ...], list[tuple[Any, list[Ints], list[Ints]]]]:
        """Return how each column is drawn, and with each unit its counts and those of the units before it."""
        names = list(self._columns)
        look = Survey(self._source, self._plan, self._draws, self._coded, 1, (1, 1))
        held = sorted(self._machines.told(self._units.mapPartitionsWithIndex(look.held)), key=lambda each: each[0])
        drawn, before, first = [], [], 0
        for at, name in enumerate(name for name in names if name in self._draws):
            each = np.stack([counts[at] for _, _, counts in held])
            column = self._columns[name]
            if not np.array_equal(each.sum(axis=0), column.counts()):
                raise _changed()
            # Units come in a random order of their own for each column.
            chain = permutation(self._random, len(held))
            ahead = np.empty_like(each)
            ahead[chain] = np.cumsum(each[chain], axis=0) - each[chain]
            before.append(ahead)
            blocks = self._draws[name].blocks(_whole(column), self._number, self._random)
            turn = _turns(column.counts(), self._random)
            # Of the whole column, its name and labels alone go with it.
            made: Any = replace(blocks, column=_bare(column))  # type: ignore[type-var]
            drawn.append(DealtColumn(names.index(name), made, column.counts(), turn, first))
            first += made.number
        items = [(unit, held[at][2], [ahead[at] for ahead in before]) for at, unit in enumerate(self._source.units)]
        return tuple(drawn), items

    def written(self, examination: Examination, gate: Gate, register: Register) -> Outcome:
        """Draw, write, check and register."""
        order = self._order
        facts: dict[str, Any] = {}
        entries: list[Entry] = []
        checks: list[Check] = []
        published: Published | None = None

        def enter(partial: Path) -> None:
            if self._source.changed:
                raise _changed()
            with register.held():
                if register.read(since=examination.seen) != examination.seen:
                    raise ClusterFailed(
                        "Another release was registered while this one was made; nothing was written, so publish again."
                    )
                body = entry_body(order, facts, tuple(checks), gate, examination, partial, None)
                entries.append(register.append(RELEASE, facts["id"], body))

        try:
            with whole_folder(order.target, before=enter) as folder:
                published, parts, found = self._made(folder)
                checks += found
                for check in checks:
                    if not check.passed:
                        raise SelfCheckFailed(check)
                for part in parts:
                    (folder / part.written).rename(folder / part_name(part.number))
                names = [part_name(part.number) for part in parts]
                for left in folder.iterdir():  # of attempts that were lost
                    if left.name not in names:
                        left.unlink()
                tables = [
                    {"name": part_name(part.number), "format": "parquet", "bytes": part.size, "sha256": part.sha256}
                    for part in parts
                ]
                facts.update(
                    describe(
                        published,
                        folder,
                        tables,
                        named=_named(names),
                        generalisations=steps_as_dicts(order.plan.generalisations),
                        spoken=order.spoken,
                    )
                )
        except BaseException:
            if entries and not order.target.exists():
                with contextlib.suppress(RegisterFault):
                    register.append(WITHDRAWN, facts["id"], {"reason": "the destination could not be written"})
            raise
        assert published is not None
        return Outcome(OpenRelease(order.target, facts, published), tuple(checks), entries[0], gate)

    def _made(self, folder: Path) -> tuple[Published, list[WrittenPart], list[Check]]:
        """Draw and write the table. Raises ClusterFailed."""
        machines = self._machines
        self._progress.report("Drawing values", 0.0)
        drawn, items = self._drawn()
        units = len(items)
        job = ClusterJob(self._source, self._coded, drawn, units, self._number)
        dealt = sent_to(machines.parts(items).mapPartitionsWithIndex(job.deal), job.blocks)
        back = sent_to(dealt.mapPartitionsWithIndex(job.redraw), units)
        told = machines.told(back.mapPartitionsWithIndex(job.shown))
        shown = {
            name: np.sum([counts[at] for _, counts in told], axis=0)
            for at, name in enumerate(list(self._columns)[one.place] for one in drawn)
        }
        finals = {name: _Final.of(column, shown.get(name)) for name, column in self._columns.items()}
        self._progress.report("Writing Parquet", 0.0)
        place = job.place([item[0] for item in items])
        placed = sent_to(back.mapPartitionsWithIndex(place), self._number)
        write = job.write(str(folder), [finals[name].aligned(column.m) for name, column in self._columns.items()])
        parts: list[WrittenPart] = sorted(
            machines.told(placed.mapPartitionsWithIndex(write)), key=lambda part: part.number
        )
        # All machines worked on the same draws, and these are the ones that were counted.
        seen = np.array([part.lineage for part in parts])
        if len(set(seen.tolist())) != 1 or len({lineage for lineage, _ in told}) != 1:
            raise torn()
        counts = [np.sum([part.counts[at] for part in parts], axis=0) for at in range(len(self._columns))]
        for at, name in enumerate(self._columns):
            if name in shown and not np.array_equal(counts[at], shown[name]):
                raise torn()
        checks = self._checks(parts, counts, drawn)
        draws = {
            name: draw.within(finals[name].before.labels).respelled(finals[name].before, finals[name].after)
            for name, draw in self._draws.items()
        }
        table = Table(tuple(final.published() for final in finals.values()))
        known = None
        if not self._surveyed.uncounted:
            known = persons_of(self._surveyed.table, told=self._plan.named(Role.IDENTIFIER))
        repeats = None if known is None else known.public
        published = Published(table, draws, self._plan.thresholds, repeats)
        return published, parts, checks

    def _checks(
        self, parts: Sequence[WrittenPart], counts: Sequence[Ints], drawn: Sequence[DealtColumn]
    ) -> list[Check]:
        """Return the self-check of the files as they were read back, against what the units told."""
        found = [check_records(self._n, sum(part.records for part in parts))]
        found.append(Check("columns", True, "No identifier and no dropped column is in the table."))
        sums = np.sum([part.sums for part in parts], axis=0, dtype=np.uint64)
        rows = bool(np.array_equal(sums, parts[0].sent))
        names = list(self._columns)
        unchanged = [name for name in names if name not in self._draws]
        for name in unchanged:
            rows &= bool(np.array_equal(counts[names.index(name)], self._columns[name].counts()))
        found.append(check_rows(rows, unchanged))
        for at, one in enumerate(drawn):
            column, draw = self._columns[names[one.place]], self._draws[names[one.place]]
            found.append(check_counts(column, counts[one.place], draw))
            if draw.two_numbers(column.counts().astype(float)) is not None:
                found.append(check_kept(column, parts[0].kept[at], draw))
        mixed = all(part.mixed for part in parts)
        found.append(
            Check(
                "order",
                mixed,
                "The records stand in random order."
                if mixed
                else "The records still stand in an order that follows the source's.",
            )
        )
        return found


def _changed() -> SourceChanged:
    return SourceChanged(
        "The files of the source changed while the release was made; nothing was written, publish again."
    )


def _named(files: list[str]) -> list[str]:
    """Return how the README names the files of the table."""
    return files if len(files) < 4 else [files[0], "…", files[-1]]


def _turns(counts: Ints, source: Randomness) -> Ints:
    """Return (m,) uniform whole numbers below the counts, which may be beyond 32 bits."""
    limit = np.maximum(counts, 1).astype(np.uint64)
    excess = (np.uint64(0) - limit) % limit  # as many of the lowest are rejected, see `randomness.below`
    drawn = source.bits(2 * len(counts)).view(np.uint64)
    while len(again := np.flatnonzero(drawn < excess)):
        drawn[again] = source.bits(2 * len(again)).view(np.uint64)
    return (drawn % limit).astype(np.int64)


def _whole(column: CountedColumn) -> Column:
    return Column.of_counts(
        column.name, column.counts(), column.labels, column.missing, column.values, kind=column.kind
    )


def _bare(column: CountedColumn) -> Column:
    """Return a column with these labels and no record."""
    nothing = np.zeros(0, np.int32)
    return Column(column.name, column.kind, nothing, column.labels, column.missing, column.values)


@dataclass(frozen=True, eq=False)
class _Final:
    """A column as it is published.

    Attributes
    ----------
    before, after : its values that are published, and these as they are spelled.
    places : (k,) their codes before.
    """

    before: CountedColumn
    after: CountedColumn
    places: Ints

    @classmethod
    def of(cls, column: CountedColumn, shown: Ints | None) -> _Final:
        """Return a generalised column in its final form; `shown` are (m,) records with each value where re-drawn."""
        counts = column.counts() if shown is None else shown
        some = np.flatnonzero(counts)
        values = None if column.values is None else column.values[some]
        codes = np.arange(len(some), dtype=np.int32)
        kept = Column(column.name, column.kind, codes, column.labels[some], column.missing[some], values)
        before = CountedColumn.of(kept, counts[some], column.n)
        return cls(before, before.through(lambda c: plain(c if shown is None else as_published(c))), some)

    def aligned(self, m: int) -> Column:
        """Return the column whose labels stand for the m codes before; no record has the ones that have none."""
        stored = _stored(self.after)
        labels, missing = np.full(m, "", object), np.ones(m, bool)
        labels[self.places], missing[self.places] = stored.labels[stored.codes], stored.missing[stored.codes]
        values = None
        if stored.values is not None:
            empty = np.datetime64("NaT") if stored.values.dtype.kind == "M" else np.nan
            values = np.full(m, empty, stored.values.dtype)
            values[self.places] = stored.values[stored.codes]
        return Column(stored.name, stored.kind, np.zeros(0, np.int32), labels, missing, values)

    def published(self) -> Column:
        """Return the column with its counts."""
        after = self.after
        return Column.of_counts(after.name, after.counts(), after.labels, after.missing, after.values, kind=after.kind)


def _stored(column: Column) -> Column:
    """Return a column as Parquet gives its very labels back: as texts where numbers or dates are spelled otherwise.

    A number or date is read with one spelling, and no value as the empty text.
    """
    if has_values(column) and list(map(cell_text, parquet_values(column))) == column.labels.tolist():
        return column
    return replace(column, values=None)
