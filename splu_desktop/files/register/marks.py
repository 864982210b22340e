"""Keyed marks of a source, by which the same persons are recognised in a later release. No value can be read off them.

- a digest of each column's counts, which the same table has again in whatever order its rows stand;
- the smallest keyed hashes of the identifiers, which another table of the same persons shares;
- the same of rows that hardly occur by chance, for tables without identifiers.

Running numbers (1 to 400) say nothing of who somebody is: tables of any two clinics have them. So have identifiers that
fill their range densely, as dates of birth do, of which two clinics share many by chance; and names, of which they
share fewer than half.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.distinct import stir
from splu_desktop.core.table import Column, Kind, Table, pieces, remember, unique

KEPT = 512  # hashes of a sketch
_DENSE = 0.05  # share of their range that numbers fill, above which they are told apart by nothing
_RARE = 0.01  # rows of a kind expected by chance, below which a row tells
_NAMESAKES = 0.5  # share of names in common that strangers do not reach
_SURE = 30.0  # bits of chance at which equal counts are no accident

# "size": different things, "least": the smallest hashes in order as text, 16 hexadecimal digits each, "names": whether
# they are no numbers
Sketch = dict[str, Any]
# "rows": how many, "columns": name -> digest and bits, "persons": name -> sketch, "telling": sketch of rows
Marks = Mapping[str, Any]


@remember
def marks_of(table: Table, identifiers: Sequence[str], key: bytes, rows: bool = True) -> Marks:
    """Return the marks of a table as it was read, as the register keeps them.

    identifiers : columns that name persons, by which they are recognised where they do.
    rows : whether rows are marked, too, which takes seconds; `may_share_rows` says where nothing comes of it.
    """
    # Running numbers are the same in any two tables of one length.
    hashed = {one.name: _hashes(one, key, f"row {one.name}") for one in table.columns if rows and not is_dense(one)}
    columns = {name: [_counts_digest(table[name], hashes, key), _bits(table[name])] for name, hashes in hashed.items()}
    persons = (marks_of(table, identifiers, key, False)["persons"] if rows else {}) or {  # once, with rows or without
        name: {**_sketch(unique(_hashes(table[name], key, "person"))), "names": _is_worded(table[name])}
        for name in identifiers
        if not is_dense(table[name]) and table[name].m > 1 and table[name].kind not in (Kind.DATE, Kind.DATETIME)
    }
    return {"rows": table.n, "columns": columns, "persons": persons, "telling": _sketch(_telling_rows(table, hashed))}


def may_share_rows(table: Table, marks: Marks) -> bool:
    """Return whether rows may be shared with those of marks: there are as many, or they have the same columns."""
    telling = {each.name for each in table.columns if not is_dense(each)}
    return bool(marks.get("rows") == table.n or telling == set(marks.get("columns", ())))


def is_dense(column: Column) -> bool:
    """Return whether a column holds whole numbers, nearly each once, that fill their range: running numbers."""
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
    found = [0.0]
    for one in ours["persons"].values():
        for other in theirs["persons"].values():
            share = _overlap(one, other)
            # "Anna Meier" stands in any two clinics, a number of twelve digits does not.
            found.append(share if share >= _NAMESAKES or not one["names"] else 0.0)
    return found


def _shared_rows(ours: Marks, theirs: Marks) -> float:
    found = _overlap(ours["telling"], theirs["telling"])
    # Rows are weaker evidence than identifiers: a few alike are chance that the model of independent columns misses.
    return found if found >= 0.05 else 0.0


def _overlap(one: Sketch, other: Sketch) -> float:
    """Return about which share of the things of one sketch the other holds, 0 where no more than chance is shared."""
    mine, theirs = (np.frombuffer(bytes.fromhex(each["least"]), ">u8").astype(np.uint64) for each in (one, other))
    if not len(mine) or not len(theirs):
        return 0.0
    # Both sketches are complete up to the smaller of their largest hashes, unless they hold all that there is.
    ends = [each[-1] for each, size in ((mine, one["size"]), (theirs, int(other["size"]))) if size > KEPT]
    inside = mine[mine <= min(ends)] if ends else mine
    near = theirs[np.minimum(np.searchsorted(theirs, inside), len(theirs) - 1)]
    common = int((near == inside).sum())
    # One or two in common may be a test patient or a slip of the keyboard.
    return common / len(inside) if common >= 3 else 0.0


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
    hashed = (hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=mac).digest() for text in texts)
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
