"""Protected tables in place of rows, for a table too small for a release.

All tables are sums of the cells of one finest table, rounded once, so that they agree with one another and no
difference of two of them tells more than the cells do. Groups with too few persons are joined beforehand. What is
rounded are running sums of the cells from a start by chance: sums of neighbours are no further off than one cell is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import column_after
from splu_desktop.core.mechanism import Randomness, SystemRandomness
from splu_desktop.core.mechanism.randomness import below
from splu_desktop.core.messages import say
from splu_desktop.core.persons.choice import persons
from splu_desktop.core.plan import Plan
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.table import Column, Table, unique

Counts = NDArray[np.int64]

LEAST, BASE = 10, 5  # persons of a group, and what every cell is a multiple of
_MOST_CELLS = 20_000


@dataclass(frozen=True, eq=False)
class ProtectedTable:
    """One table.

    Attributes
    ----------
    asked : the table.
    lines : (L,) groups; "" for all.
    labels : (Q,) what is counted.
    counts, truth : (L, Q) as they go out, and as they are.
    rows, true_rows : (L,) rows of each line.
    """

    asked: AskedTable
    lines: tuple[str, ...]
    labels: tuple[str, ...]
    counts: Counts
    truth: Counts
    rows: Counts
    true_rows: Counts


@dataclass(frozen=True, eq=False)
class Protected:
    """All tables, and which groups were joined, in sentences."""

    tables: tuple[ProtectedTable, ...]
    joined: tuple[str, ...]


def protect_tables(table: Table, plan: Plan, source: Randomness | None = None) -> Protected:
    """Return the counted tables of a plan with every cell rounded to 5 at random, groups under 10 persons joined.

    Law: a cell of x is shown as one of the two multiples of 5 around it, with the mean x. Raises BadSetting where no
    table is counted, or one would have too many cells.
    """
    asked = [each for each in plan.questions if each.kind != "mean"]
    if not asked:
        raise BadSetting("Only tables of counts can be handed out without rows; ask for one.")
    owner = persons(table[plan.persons.column]) if plan.persons is not None else np.arange(table.n)
    events: dict[tuple[str, str | None], tuple[NDArray[np.int64], list[str]]] = {}
    for each in asked:
        events[each.sa, each.value] = _events(column_after(table[each.sa], _steps(plan, each.sa)), each.value)
    joined: list[str] = []
    groups: dict[str, tuple[NDArray[np.int64], list[str]]] = {}
    for name in dict.fromkeys(name for each in asked for name in each.by):
        told = [events[each.sa, each.value] for each in asked if name in each.by]
        groups[name] = _groups(column_after(table[name], _steps(plan, name)), told, owner, joined)
    parts = [*events.values(), *groups.values()]
    sizes = [len(labels) + (at < len(events)) for at, (_, labels) in enumerate(parts)]
    key = np.zeros(table.n, np.int64)
    for (codes, _), size in zip(parts, sizes, strict=True):
        key = key * size + codes
    cells, truth = np.unique(key, return_counts=True)
    if len(cells) > _MOST_CELLS:
        raise BadSetting("The tables would have more than {most} cells; count by fewer columns.", most=_MOST_CELLS)
    shown = round_at_random(truth, BASE, source or SystemRandomness())
    codes_of: list[NDArray[np.int64]] = []
    rest = cells
    for size in reversed(sizes):
        rest, code = np.divmod(rest, size)
        codes_of.insert(0, code)
    names = [*events, *groups]
    places = {name: at for at, name in enumerate(names)}
    tables = [
        _sum(each, [groups[name] for name in each.by], [codes_of[places[name]] for name in each.by],
             events[each.sa, each.value][1], codes_of[places[each.sa, each.value]], truth, shown)
        for each in asked
    ]  # fmt: skip
    return Protected(tuple(tables), tuple(joined))


def round_at_random(counts: Counts, base: int, source: Randomness) -> Counts:
    """Return (K,) counts as multiples of `base`, each one of the two around it, with its own mean.

    Proof: floor((C + U) / base) of running sums C, U uniform on 0..base-1, grows over a cell of x = q base + r by q or
    q + 1, the latter with probability r / base. Whoever knows U still knows each C to `base` values alone.
    """
    sums = np.concatenate([[0], np.cumsum(counts)]) + int(below(source, base, 1)[0])
    return np.asarray(np.diff(sums // base) * base, np.int64)


def _steps(plan: Plan, name: str) -> tuple:  # type: ignore[type-arg]
    return tuple(plan.generalisations.get(name, ()))


def _events(column: Column, value: str | None) -> tuple[NDArray[np.int64], list[str]]:
    """Return (N,) which event each row has, the last code for none, and the events' labels."""
    labels = [str(label) for at, label in enumerate(column.labels) if not column.missing[at]]
    kept = labels if value is None else [label for label in labels if label == value]
    to = {label: at for at, label in enumerate(kept)}
    codes = np.array([to.get(str(label), len(kept)) for label in column.labels], np.int64)
    codes[column.missing] = len(kept)
    return codes[column.codes], kept


def _groups(
    column: Column,
    told: Sequence[tuple[NDArray[np.int64], list[str]]],
    owner: NDArray[np.int64],
    joined: list[str],
) -> tuple[NDArray[np.int64], list[str]]:
    """Return (N,) the group of each row, and the groups' labels; those with too few persons join a neighbour."""
    labels = [[str(label) or say("(empty)")] for label in column.labels]
    code = column.codes.astype(np.int64)
    while len(labels) > 1:
        sizes = [_persons(code, owner, len(labels))]
        sizes += [_persons(code[e < len(k)], owner[e < len(k)], len(labels)) for e, k in told if len(k) == 1]
        least = np.min(sizes, axis=0)
        worst = int(least.argmin())
        if least[worst] >= LEAST:
            break
        # The neighbour in the column's order that has fewer persons itself.
        near = [at for at in (worst - 1, worst + 1) if 0 <= at < len(labels)]
        into = min(near, key=lambda at: int(sizes[0][at]))
        first, last = sorted((worst, into))
        one, other = _span(labels[worst]), _span(labels[into])
        joined.append(say("“{one}” was merged with “{other}”.", one=one, other=other))
        labels[first] += labels.pop(last)
        code = np.where(code == last, first, code - (code > last))
    return code, [_span(each) for each in labels]


def _span(labels: Sequence[str]) -> str:
    return " or ".join(labels) if len(labels) < 3 else f"{labels[0]} … {labels[-1]}"


def _persons(code: NDArray[np.int64], owner: NDArray[np.int64], m: int) -> Counts:
    """Return (m,) how many persons have a row in each group."""
    pairs = unique(code * (int(owner.max(initial=0)) + 1) + owner)
    return np.bincount(pairs // (int(owner.max(initial=0)) + 1), minlength=m)


def _sum(
    asked: AskedTable,
    groups: Sequence[tuple[NDArray[np.int64], list[str]]],
    codes: Sequence[NDArray[np.int64]],
    labels: Sequence[str],
    event: NDArray[np.int64],
    truth: Counts,
    shown: Counts,
) -> ProtectedTable:
    """Return a table as sums of cells, all lines together last."""
    line = np.zeros(len(truth), np.int64)
    for (_, names), code in zip(groups, codes, strict=True):
        line = line * len(names) + code
    keys, at = np.unique(line, return_inverse=True)
    heads = []
    for key in keys.tolist():
        parts: list[str] = []
        for _, names in reversed(groups):
            key, code = divmod(key, len(names))
            parts.insert(0, names[code])
        heads.append(", ".join(parts))
    q = len(labels) + 1

    def add(weights: Counts) -> Counts:
        cells = np.bincount(at * q + event, weights, len(keys) * q).reshape(-1, q).astype(np.int64)
        return np.vstack([cells, cells.sum(axis=0)]) if asked.by else cells

    true, out = add(truth), add(shown)
    lines = (*heads, "") if asked.by else tuple(heads)
    return ProtectedTable(asked, lines, tuple(labels), out[:, :-1], true[:, :-1], out.sum(axis=1), true.sum(axis=1))
