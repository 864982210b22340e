"""Keyed fingerprints of a source, by which a second release of the same records is noticed without storing them.

Every fingerprint depends on the register's local key; without the key it says nothing, and even with it only whether a
guessed table, row or identifier was among those seen. Of rows and identifiers at most `_KEPT` are kept, those whose
keyed hash is smallest: the same choice in every table, so that two tables that share records share kept ones.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.rowkeys import Keys, Multiset, pieces, stirred
from splu_desktop.core.table import IN_MEMORY, Column, Kind, Storage, Table, unique
from splu_desktop.core.table import pieces as stretches
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.in_blocks import blocks
from splu_desktop.files.register.book import KEY_0_1_0
from splu_desktop.files.register.hashes import derived, multilinear, siphash, siphash_words
from splu_desktop.files.register.likeness import CHANCE, Likeness, SketchedRows
from splu_desktop.frozen import dataclass

_KEPT = 16_384
_MOST_LABELS = 20_000
_STAGE = "Recognising the source"
_IDENTIFYING = 0.9  # share of different values from which a column counts as numbering the records


@dataclass(frozen=True, eq=False)
class Sketch:
    """The kept ones of a set of keyed hashes.

    Attributes
    ----------
    size : how many the set has.
    share : which share of all possible hashes is kept; 1.0 where the whole set is.
    kept : sorted (K,) 64-bit keyed hashes.
    records : records of the table it was taken from.
    density : which share of the values between its least and its greatest it has, where these are no numbers of
        persons but moments, days or measured numbers: tables that have no person in common share so many of them. 0
        for what numbers persons, and for sketches of earlier releases.
    """

    size: int
    share: float
    kept: Keys
    records: int
    density: float = 0.0

    def overlap(self, other: Sketch) -> float:
        """Return about how many members both sets share; exact where both were kept whole."""
        common = len(np.intersect1d(self.kept, other.kept, assume_unique=True))
        return common / min(self.share, other.share)

    def as_bytes(self) -> bytes:
        """Return the kept hashes as bytes, for a file."""
        return self.kept.astype("<u8").tobytes()

    def facts(self) -> dict[str, Any]:
        """Return all but the kept hashes as plain data, with the hash of their bytes."""
        return {
            "size": self.size,
            "share": self.share,
            "records": self.records,
            "sha256": hashlib.sha256(self.as_bytes()).hexdigest(),
        }


def sketch_from(facts: Mapping[str, Any], raw: bytes) -> Sketch:
    """Return what `facts` and `as_bytes` gave. Raises KeyError, TypeError or ValueError on other data."""
    if hashlib.sha256(raw).hexdigest() != facts["sha256"]:
        raise ValueError("not these hashes")
    return Sketch(int(facts["size"]), float(facts["share"]), np.frombuffer(raw, "<u8"), int(facts["records"]))


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """What is remembered of a source.

    Attributes
    ----------
    table : of all columns' names and all rows, whatever their order.
    columns : column -> fingerprint of its values' counts, whatever its name; of all SAs, and of others with up to
        `_MOST_LABELS` values.
    identifiers : column that numbers the records -> sketch of its values.
    rows : sketch of the NSA rows that occur once.
    nsas : the columns that `rows` is about, in order.
    file : of the file's bytes; None where there was no file.
    likeness : the rows over many sets of columns; see there.
    alike : the same, still with its table, for comparison with earlier ones.
    secret : see `secret_of`; never stored.
    """

    table: str
    columns: Mapping[str, str]
    identifiers: Mapping[str, Sketch] = field(default_factory=dict)
    rows: Sketch | None = None
    nsas: tuple[str, ...] = ()
    file: str | None = None
    likeness: Likeness | None = None
    alike: SketchedRows | None = None
    secret: bytes = field(default=b"", repr=False)


def fingerprints(
    table: Table,
    plan: Plan,
    key: bytes,
    *,
    file_sha256: str | None = None,
    progress: Progress = SILENT,
    storage: Storage = IN_MEMORY,
) -> Fingerprints:
    """Return the fingerprints of a source, before generalisation; `storage` holds what is as long as it meanwhile.

    Raises Cancelled.
    """
    bits = {}
    for done, column in enumerate(table.columns):
        progress.report(_STAGE, 0.4 * done / len(table.columns))
        bits[column.name] = _label_bits(column, key, f"column {column.name}", progress)
    nsas = tuple(name for name in plan.named(Role.NSA) if name in table)
    unchanged, rows = storage.array(table.n, np.uint64), Multiset()
    others = _pieces(table, [name for name in table.names if name not in nsas], bits, progress)
    for (piece, ours), (_, rest) in zip(_pieces(table, nsas, bits, progress), others, strict=True):
        unchanged[piece] = stirred(ours)
        rows.add(stirred(ours + rest))
    # To sort the rows takes as long as all the rest, and NumPy does it without the interpreter.
    with in_background(lambda own: _unique_rows(unchanged, key, own), progress, _STAGE) as unique:
        alike = SketchedRows(table, bits, key, progress=progress)
        likeness = alike.likeness(nsas)
        progress.report(_STAGE, 0.5)
        return Fingerprints(
            table=_digest(rows, table, key).hex(),
            columns={
                column.name: column_fingerprint(column, key, progress)
                for column in table.columns
                if column.m <= _MOST_LABELS or column.name in plan.sensitive
            },
            identifiers=identifier_sketches(table, plan, key, progress=progress),
            rows=unique() if nsas else None,
            nsas=nsas,
            file=None if file_sha256 is None else hmac.new(key, file_sha256.encode(), hashlib.sha256).hexdigest(),
            likeness=likeness,
            alike=alike,
            secret=_digest(rows, table, key, b"secret"),
        )


def secret_of(table: Table, key: bytes, *, progress: Progress = SILENT) -> bytes:
    """Return what only somebody with this very source and the register's key can compute. Raises Cancelled."""
    return _digest(_all_rows(table, key, progress), table, key, b"secret")


def table_fingerprint(table: Table, key: bytes, *, progress: Progress = SILENT) -> str:
    """Return `Fingerprints.table` alone. Raises Cancelled."""
    return _digest(_all_rows(table, key, progress), table, key).hex()


def _all_rows(table: Table, key: bytes, progress: Progress) -> Multiset:
    bits = {c.name: _label_bits(c, key, f"column {c.name}", progress) for c in table.columns}
    rows = Multiset()
    for _, sums in _pieces(table, table.names, bits, progress):
        rows.add(stirred(sums))
    return rows


def _digest(rows: Multiset, table: Table, key: bytes, purpose: bytes = b"") -> bytes:
    digest = hmac.new(key, purpose + repr(sorted(table.names)).encode() + table.n.to_bytes(8, "little"), hashlib.sha256)
    digest.update(rows.first.to_bytes(8, "little"))
    digest.update(rows.second.to_bytes(8, "little"))
    return digest.digest()


def likeness_rows(table: Table, key: bytes, *, progress: Progress = SILENT) -> SketchedRows:
    """Return the rows of a table for comparison with earlier releases. Raises Cancelled."""
    bits = {c.name: _label_bits(c, key, f"column {c.name}", progress) for c in table.columns}
    return SketchedRows(table, bits, key, progress=progress)


def telling(column: Column) -> bool:
    """Return whether another column with the very same counts is the same one, and not alike by chance.

    By chance half of the records that two columns have of a value are in one of them, so equal counts c have the
    probability C(2c, c) / 4^c, about 1 / sqrt(pi c); the last value's count follows from the others'.
    """
    counts = np.sort(column.counts()[column.counts() > 0])[:-1].astype(np.float64)
    return float(-0.5 * np.log(np.pi * (counts + 0.25)).sum()) < math.log(CHANCE)


def column_fingerprint(column: Column, key: bytes, progress: Progress = SILENT) -> str:
    """Return the fingerprint of a column's values and their counts, whatever its name and the records' order."""
    digest = hmac.new(key, b"values", hashlib.sha256)
    counts, at = column.counts(), 0
    for block in blocks(column.texts, progress, _STAGE):
        of_block = counts[at : at + len(block)].tolist()
        parts = [f"{len(text)} {text} {count};" for text, count in zip(block, of_block, strict=True) if count]
        digest.update("".join(parts).encode("utf-8", "surrogatepass"))
        at += len(block)
    return digest.hexdigest()


def identifier_sketches(table: Table, plan: Plan, key: bytes, *, progress: Progress = SILENT) -> dict[str, Sketch]:
    """Return a sketch of every unpublished column that numbers the records, comparable whatever the column's name."""
    found = {}
    for name, role in plan.roles.items():
        if role.published or name not in table or table[name].m < _IDENTIFYING * table.n:
            continue
        column = table[name]
        if _counts_up(column):
            continue
        used = (column.counts() > 0) & ~column.missing
        if np.count_nonzero(used) < _IDENTIFYING * table.n:
            continue
        progress.report(_STAGE, 0.5)
        hashes = stirred(_label_bits(column, key, "identifier", progress)[used])
        least = np.partition(hashes, _KEPT)[:_KEPT] if len(hashes) > _KEPT else hashes
        sketch = _sketch(np.sort(least), len(hashes), table.n, key, progress)
        found[name] = replace(sketch, density=_density(column, role))
    return found


def _density(column: Column, role: Role) -> float:
    """Return which share of the values about its median a column has, 0 for numbers and texts that name persons.

    Moments of admission in minutes, days, amounts: any table of the same years has some of them. The half about the
    median counts, since what is not spread evenly is alike where it is dense.
    """
    if column.values is None or (column.kind is Kind.INTEGER and role is Role.IDENTIFIER):
        return 0.0
    dated = column.values.dtype.kind == "M"
    known = column.values[(column.counts() > 0) & ~column.missing]
    known = known[~np.isnat(known)].astype(np.int64) if dated else known[np.isfinite(known)]
    values = unique(known)
    if len(values) < 4:
        return 0.0
    steps = np.diff(values)
    step = float(np.gcd.reduce(steps)) if dated else float(steps.min())
    middle = values[len(values) // 4 : -(len(values) // 4) or None]
    return min(1.0, (len(middle) - 1) * step / float(middle[-1] - middle[0]))


def _counts_up(column: Column) -> bool:
    """Return whether a column numbers the rows from 0 or 1, which every table may, and so names nobody."""
    if column.values is None or column.values.dtype.kind not in "iuf":
        return False
    known = column.values[np.isfinite(column.values)]
    return len(known) > 0 and known.min() in (0, 1) and known.max() <= 1.1 * column.n


def rows_over(table: Table, names: Sequence[str], key: bytes, *, progress: Progress = SILENT) -> Sketch:
    """Return the sketch of a table's rows over some of its columns, for comparison with an earlier release's."""
    bits = {name: _label_bits(table[name], key, f"column {name}", progress) for name in names}
    keys = np.empty(table.n, np.uint64)
    for piece, sums in _pieces(table, names, bits, progress):
        keys[piece] = stirred(sums)
    return _unique_rows(keys, key, progress)


def by_chance(unique: int, records: int) -> float:
    """Return the share of unique rows that also occur once in a disjoint table of as many like records, at most.

    A row that is expected lambda times occurs once with probability lambda e^-lambda and is, given one record of it,
    unique with probability s = e^-lambda; so the share is at most -s ln s (concave, Jensen).
    """
    s = unique / records if records else 0.0
    return -s * math.log(s) if 0 < s < 1 else 0.0


_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def _label_bits(column: Column, key: bytes, purpose: str, progress: Progress) -> Keys:
    """Return (m,) keyed 64-bit hashes of the labels, with a key derived for the purpose; none of them is kept as it is.

    Registers of version 0.1.0 have them by SipHash, with a key of 96 bits and stirred as pandas' hash_array did it.
    """
    own, hashed = derived(key, purpose), multilinear
    if len(key) == KEY_0_1_0:
        own, hashed = "".join(_ALPHABET[byte & 63] for byte in own).encode("ascii"), siphash
    parts = [stirred(hashed(texts, own)) for texts in blocks(column.texts, progress, _STAGE, 0.4)]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def _pieces(
    table: Table, names: Sequence[str], bits: Mapping[str, Keys], progress: Progress
) -> Iterator[tuple[slice, Keys]]:
    codes = [table[name].codes for name in names]
    return pieces(codes, [bits[name] for name in names], table.n, progress=progress, stage=_STAGE)


def _unique_rows(keys: Keys, key: bytes, progress: Progress) -> Sketch:
    """Return the sketch of the rows that occur once; puts the keys in order."""
    progress.report(_STAGE, 0.7)
    keys.sort()
    progress.report(_STAGE, 0.9)
    size, first = 0, np.zeros(0, np.uint64)
    for part in stretches(len(keys)):
        own, alone = keys[part], np.ones(part.stop - part.start, bool)
        differs = own[1:] != own[:-1]
        alone[1:] &= differs
        alone[:-1] &= differs
        alone[0] &= not part.start or own[0] != keys[part.start - 1]
        alone[-1] &= part.stop == len(keys) or own[-1] != keys[part.stop]
        size += int(np.count_nonzero(alone))
        if len(first) < _KEPT:
            first = np.concatenate([first, own[alone]])[:_KEPT]
    return _sketch(first, size, len(keys), key, progress)


def _sketch(first: Keys, size: int, records: int, key: bytes, progress: Progress) -> Sketch:
    """Keep the `first` of sorted hashes, each hashed once more with the key: nothing of how rows add up remains."""
    progress.report(_STAGE, 0.9)
    share = 1.0 if size <= _KEPT else (int(first[_KEPT - 1]) + 1) / 2**64
    if len(key) == KEY_0_1_0:
        kept = first.astype("<u8").tobytes()
        parts = (kept[at : at + 8] for at in range(0, len(kept), 8))
        again = np.frombuffer(b"".join(hashlib.blake2b(p, digest_size=8, key=key).digest() for p in parts), "<u8")
    else:
        again = siphash_words([first], derived(key, "kept"))
    return Sketch(size, share, unique(again), records)
