"""Keyed marks of a source, by which the same persons are recognised in a later release. No value can be read off them.

- a digest of each column's counts, which the same table has again in whatever order its rows stand;
- the smallest keyed hashes of the identifiers, which another table of the same persons shares;
- the same of rows that hardly occur by chance, for tables without identifiers.

Running numbers (1 to 400) say nothing of who somebody is: tables of any two clinics have them. So have identifiers that
fill their range densely, as dates of birth do, of which two clinics share many by chance; and names, of which they
share fewer than half. Running numbers written as texts ("P001") tell, unless sex and age of those who share one do not
go together at all.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import stir
from splu_desktop.core.table import Column, Table, pieces, remember, unique

KEPT = 512  # hashes of a sketch
_DENSE = 0.05  # share of their range that numbers fill, above which they are told apart by nothing
_RARE = 0.01  # rows of a kind expected by chance, below which a row tells
_NAMESAKES = 0.5  # share of names in common that strangers do not reach
_SURE = 30.0  # bits of chance at which equal counts are no accident
_LOOKED_AT = 1_000  # texts by which running numbers are known
_FEWEST = 20  # persons with one number of whom it is told whether their sex or age goes together
_DEVIATIONS = 6.0  # standard errors from which it does, and one more for the long tail of few cells

# "size": different things, "least": the smallest hashes in order as text, 16 hexadecimal digits each, "names": whether
# they are no numbers, "traits": of running numbers, what is asked -> a digit of the hash of each person's value
Sketch = dict[str, Any]
# "rows": how many, "columns": name -> digest and bits, "persons": name -> sketch, "telling": sketch of rows
Marks = Mapping[str, Any]


@remember
def marks_of(
    table: Table, identifiers: Sequence[str], key: bytes, rows: bool = True, traits: Sequence[tuple[str, str]] = ()
) -> Marks:
    """Return the marks of a table as it was read, as the register keeps them.

    identifiers : columns that name persons, by which they are recognised where they do.
    rows : whether rows are marked, too, which takes seconds; `may_share_rows` says where nothing comes of it.
    traits : what does not change ("sex", "age") and the column that tells it.
    """
    # Running numbers are the same in any two tables of one length.
    hashed = {one.name: _hashes(one, key, f"row {one.name}") for one in table.columns if rows and not is_dense(one)}
    columns = {name: [_counts_digest(table[name], hashes, key), _bits(table[name])] for name, hashes in hashed.items()}
    before = marks_of(table, identifiers, key, False, traits)["persons"] if rows else {}
    persons = before or {  # once, with rows or without
        name: _person_sketch(table, name, key, traits)
        for name in identifiers
        if not _fills_range(table[name]) and table[name].m > 1 and not table[name].kind.is_date
    }
    return {"rows": table.n, "columns": columns, "persons": persons, "telling": _sketch(_telling_rows(table, hashed))}


def may_share_rows(table: Table, marks: Marks) -> bool:
    """Return whether rows may be shared with those of marks: there are as many, or they have the same columns."""
    telling = {each.name for each in table.columns if not is_dense(each)}
    return bool(marks.get("rows") == table.n or telling == set(marks.get("columns", ())))


def _person_sketch(table: Table, name: str, key: bytes, traits: Sequence[tuple[str, str]]) -> Sketch:
    column, hashes = table[name], _hashes(table[name], key, "person")
    sketch = {**_sketch(unique(hashes)), "names": _is_worded(column)}
    if is_serial(column) and column.weights is None:
        _, kept = np.unique(hashes, return_index=True)
        some = np.zeros(column.m, np.int64)  # a row of each person
        some[column.codes] = np.arange(table.n)
        rows = some[kept[:KEPT]]
        sketch["traits"] = {what: _digits(table[trait], rows, key, what) for what, trait in traits}
    return sketch


def _digits(column: Column, rows: NDArray[np.int64], key: bytes, what: str) -> str:
    """Return a hexadecimal digit for each row's value: enough to see what goes together, too little to tell it."""
    digits = _hashes(column, key, what) >> np.uint64(60)
    return "".join(f"{digit:x}" for digit in digits[column.codes[rows]].tolist())


@remember
def is_dense(column: Column) -> bool:
    """Return whether a column holds running numbers, as numbers or as texts."""
    return _fills_range(column) or is_serial(column)


def is_serial(column: Column) -> bool:
    """Return whether a column holds texts with running numbers behind one and the same beginning: "P001" to "P400"."""
    texts = column.labels[~column.missing]
    if column.values is not None or len(texts) < _FEWEST or 2 * len(texts) < column.n:
        return False
    hits = [re.fullmatch(r"(?a)(.*?)(\d{1,15})\s*", text) for text in texts[:: 1 + len(texts) // _LOOKED_AT].tolist()]
    if None in hits or len({each[1].strip() for each in hits if each}) > 1:
        return False
    numbers = [int(each[2]) for each in hits if each]
    return len(texts) > _DENSE * (max(numbers) - min(numbers) + 1)


def _fills_range(column: Column) -> bool:
    """Return whether a column holds whole numbers, nearly each once, that fill their range."""
    if column.values is None or column.values.dtype.kind != "f" or column.m < 20:
        return False
    numbers = column.values[np.isfinite(column.values)]
    whole = len(numbers) >= 20 and 2 * len(numbers) >= column.n and (numbers == np.floor(numbers)).all()
    return bool(whole and len(numbers) > _DENSE * (numbers.max() - numbers.min() + 1))


def _is_worded(column: Column) -> bool:
    """Whether most of the values hold no digit."""
    return bool(2 * sum(any(map(str.isdigit, text)) for text in column.labels) < column.m)


def overlap(ours: Marks, theirs: Marks) -> float:
    """Return the share of our persons (or rows) that an earlier release held, 0 where nothing tells."""
    try:
        return max(_same_table(ours, theirs), *_shared_persons(ours, theirs), _shared_rows(ours, theirs))
    except (KeyError, TypeError, ValueError):
        return 0.0


def _same_table(ours: Marks, theirs: Marks) -> float:
    # Counts of the same table agree to the last row; one more row is found by persons.
    if ours["rows"] != theirs["rows"]:
        return 0.0
    bits = sum(
        bits for name, (digest, bits) in ours["columns"].items() if theirs["columns"].get(name, [""])[0] == digest
    )
    # A small table can't reach the usual certainty: there all that it has must agree.
    every = min(sum(bits for _, bits in ours["columns"].values()), _SURE)
    return 1.0 if bits >= _SURE or (every > 8 and bits >= every) else 0.0


def _shared_persons(ours: Marks, theirs: Marks) -> list[float]:
    """Return shares by each pair of identifier columns: one may be renamed from month to month."""
    shares = [0.0]
    for one in ours["persons"].values():
        for other in theirs["persons"].values():
            share = 0.0 if _are_others(one, other) else _overlap(one, other)
            # "Anna Meier" stands in any two clinics, a number of twelve digits does not.
            shares.append(share if share >= _NAMESAKES or not one["names"] else 0.0)
    return shares


def _are_others(one: Sketch, other: Sketch) -> bool:
    """Return whether those who share a running number are other persons: nothing that stays goes together.

    By chi-square, so that it need not be written alike, nor an age be that of the same year.
    """
    (mine, ours), (theirs, traits) = ((_hashes_in(each), each.get("traits", {})) for each in (one, other))
    _, left, right = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    seen = False
    for what in ours.keys() & traits.keys() if len(left) >= _FEWEST else ():
        both = np.zeros((16, 16))
        pairs = [int(ours[what][at], 16) for at in left], [int(traits[what][at], 16) for at in right]
        np.add.at(both, pairs, 1)
        both = both[both.any(1)][:, both.any(0)]
        free, expected = (both.shape[0] - 1) * (both.shape[1] - 1), np.outer(both.sum(1), both.sum(0)) / both.sum()
        if free and ((both - expected) ** 2 / expected).sum() > free + _DEVIATIONS * (1 + np.sqrt(2 * free)):
            return False
        seen |= free > 0
    return seen


def _shared_rows(ours: Marks, theirs: Marks) -> float:
    share = _overlap(ours["telling"], theirs["telling"])
    # Rows are weaker evidence than identifiers: a few alike are chance that the model of independent columns misses.
    return share if share >= 0.05 else 0.0


def _overlap(one: Sketch, other: Sketch) -> float:
    """Return about which share of the things of one sketch the other holds, 0 where no more than chance is shared."""
    mine, theirs = _hashes_in(one), _hashes_in(other)
    if not len(mine) or not len(theirs):
        return 0.0
    # Both sketches are complete up to the smaller of their largest hashes, unless they hold all that there is.
    ends = [each[-1] for each, size in ((mine, one["size"]), (theirs, int(other["size"]))) if size > KEPT]
    inside = mine[mine <= min(ends)] if ends else mine
    near = theirs[np.minimum(np.searchsorted(theirs, inside), len(theirs) - 1)]
    common = int((near == inside).sum())
    # One or two in common may be a test patient or a slip of the keyboard.
    return common / len(inside) if common >= 3 else 0.0


def _hashes_in(sketch: Sketch) -> NDArray[np.uint64]:
    return np.frombuffer(bytes.fromhex(sketch["least"]), ">u8").astype(np.uint64)


def _sketch(hashes: NDArray[np.uint64]) -> Sketch:
    """Return the sketch of hashes that ascend."""
    return {"size": len(hashes), "least": hashes[:KEPT].astype(">u8").tobytes().hex()}


def _telling_rows(table: Table, hashed: Mapping[str, NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Return the hashes of rows that would stand in a table by chance less than once in a hundred.

    hashed : of the columns that are looked at, (m,) hashes of the labels.
    """
    n = table.n
    if not hashed or n == 0:
        return np.zeros(0, np.uint64)
    # Logarithms of how many rows like it chance would put into a table of this length.
    each = [(table[name].codes, np.log(table[name].counts() / n), hashes) for name, hashes in hashed.items()]
    telling = []
    for part in pieces(n):
        expected = np.full(part.stop - part.start, np.log(n))
        total = np.zeros(len(expected), np.uint64)
        for codes, chance, hashes in each:
            places = codes[part].astype(np.intp)
            expected += chance.take(places)
            total += hashes.take(places)
        telling.append(stir(total.compress(expected < np.log(_RARE))))
    return unique(np.concatenate(telling))


def _hashes(column: Column, key: bytes, about: str) -> NDArray[np.uint64]:
    """Return (m,) keyed hashes of labels; numbers by their value, not by their spelling; missing ones as one."""
    mac = hmac.new(key, about.encode("utf-8"), hashlib.sha256).digest()
    texts = [label.strip() for label in column.labels.tolist()]
    if column.values is not None:
        # 7 and 7.0 are one person in two exports.
        dates = column.values.dtype.kind == "M"
        texts = [str(value) for value in column.values] if dates else list(map(repr, column.values.tolist()))
    for at in np.flatnonzero(column.missing).tolist():
        texts[at] = ""
    begun, hashed = hashlib.blake2b(digest_size=8, key=mac), []
    for text in texts:  # a copy takes half the time of a new one
        each = begun.copy()
        each.update(text.encode("utf-8", "surrogatepass"))
        hashed.append(each.digest())
    return np.frombuffer(b"".join(hashed), ">u8").astype(np.uint64)


def _counts_digest(column: Column, hashed: NDArray[np.uint64], key: bytes) -> str:
    counts = column.counts()
    order = np.lexsort((counts, hashed))
    pairs = list(zip(hashed[order].tolist(), counts[order].tolist(), strict=True))
    return hmac.new(key, str(pairs).encode("ascii"), hashlib.sha256).hexdigest()[:32]


def _bits(column: Column) -> float:
    """Return about how unlikely it is, in bits, that two tables of the same kind have just these counts."""
    counts = np.sort(column.counts())[:-1].astype(float)
    return float(0.5 * np.log2(np.maximum(2 * np.pi * counts * (1 - counts / max(column.n, 1)), 1)).sum())
