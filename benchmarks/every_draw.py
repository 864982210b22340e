"""How often 95 % intervals hold the truth, for every draw, over many releases of one table.

    python -m benchmarks.every_draw diabetes130.csv.gz [--releases 20] [--only WORD]

Diabetes130 (101,766 admissions of 71,518 persons, 1 to 40 each): diag_1 from groups, readmitted and A1Cresult joined,
each record by itself and by person, single values and sets of them; tolerances; drugs together by person. And
generated admissions of 16,000 records whose 35 flags hang on age, ward and illness, in blocks of 2, 5 and 35, records
and persons; and pairs of columns with different draws in one question (`--only mixed`), records and persons. Asked is
each value, or two at once, in each cell of unchanged columns, the number of a person's records among them. Printed by
true count and by column: cells, relative error, bias in standard deviations, stated half width in true ones, how often
the interval holds the truth, and the standard error of that. All questions of a release share its draw, so the error is
that of the releases' means, or that of as many independent questions where it is larger (20 releases of 6 cells can all
hold). `*` stands where 95 % is further than 2.9 of them away, which is by chance once in 100 lines of 20 releases.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core import sanitise
from splu_desktop.core.draw import Draw, PlainGroups
from splu_desktop.core.draw.by_person import ByPerson, persons
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import GROUPS, JOINED, by_gamma, by_tolerances
from splu_desktop.core.groups.rules import by_hand
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.reader import Condition, Method, Reader
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.files.importer import read

PERSON, TIMES = "patient_nbr", "records of the person"
CELLS = (TIMES, "number_inpatient", "age", "gender", "race")
DRUGS = ("metformin", "glipizide", "glyburide", "pioglitazone", "rosiglitazone")
BANDS = ((1, 11), (11, 50), (50, 150), (150, 500), (500, 1500), (1500, 100_000))
RIGHT, FAR = (
    0.95,
    2.9,
)  # share of intervals that hold; errors beyond which it does not, once in 100 lines of 20 releases
FEWEST, MOST = 200, 1_200  # records of a value that is asked for; questions of a case


@dataclass(frozen=True)
class Case:
    """What is released and asked: values are sets of labels by sensitive column."""

    title: str
    table: Table
    draws: dict[str, Draw]
    cells: tuple[str, ...]
    values: Sequence[dict[str, tuple[str, ...]]]
    person: str = ""

    def questions(self) -> Iterator[tuple[tuple[Condition, ...], int, str]]:
        """Give conditions, the true count, and the column or number of records that the line is printed under."""
        for name in self.cells:
            cell = self.table[name]
            for asked in self.values:
                inside: NDArray[np.bool_] = np.ones(self.table.n, bool)
                for sensitive, labels in asked.items():
                    inside &= np.isin(self.table[sensitive].labels.astype(str), labels)[self.table[sensitive].codes]
                counts = np.bincount(cell.codes[inside], minlength=cell.m)
                for code in np.flatnonzero((cell.counts() >= FEWEST) & (counts > 0)).tolist():
                    label = str(cell.labels[code])
                    under = f"{name}: {label}" if name == TIMES else name
                    said = (Condition(name, (label,)), *(Condition(s, each) for s, each in asked.items()))
                    yield said, int(counts[code]), under

    def plan(self) -> Plan:
        """Return the plan that releases it."""
        roles = {
            n: Role.SA if n in self.draws else Role.NSA if n in self.cells else Role.DROPPED for n in self.table.names
        }
        if self.person:
            roles[self.person] = Role.IDENTIFIER
        return Plan(roles, self.draws, persons=ByPerson(self.person, "draw") if self.person else None)


def generated() -> Table:
    """Return 16,000 admissions with 35 flags of 3 to 15 % that hang on age, ward and illness."""
    chance = np.random.default_rng(11)
    n, flags = 16_000, 35
    age, ward, ill = chance.integers(2, 9, n), chance.choice(4, n, p=[0.4, 0.3, 0.2, 0.1]), chance.gamma(2.0, 0.5, n)
    columns = [
        Column.from_labels("age", [f"{a}0s" for a in age.tolist()]),
        Column.from_labels("ward", [f"ward {w}" for w in ward.tolist()]),
        Column.from_labels("illness", np.digitize(ill, np.quantile(ill, [0.25, 0.5, 0.75])).astype(str).tolist()),
        Column.from_labels("sex", chance.choice(["f", "m"], n).tolist()),
    ]
    for at, share in enumerate(np.exp(chance.uniform(np.log(0.03), np.log(0.15), flags))):
        lean = ill * np.exp(0.15 * (age - 5) * chance.choice([-1, 1]) + 0.3 * (ward == at % 4))
        has = chance.random(n) < np.clip(share * lean / lean.mean(), 0, 0.95)
        columns.append(Column.from_labels(f"flag {at + 1}", np.where(has, "yes", "no").tolist()))
    return Table(tuple(columns))


def blocks() -> Iterator[Case]:
    """Give blocks of 2, 5 and 35 flags, one flag and two at once, each record by itself and by person."""
    for person, table in (("", generated()), ("person", returning(35))):
        flags = [name for name in table.names if name.startswith("flag")]
        cells = tuple(name for name in ("age", "ward", "illness", "sex", TIMES) if name in table)
        how = "by person" if person else "each record"
        for size, number in ((2, 8), (5, 3), (35, 1)):
            parts = [flags[size * at : size * (at + 1)] for at in range(number)]
            single = [{name: ("yes",)} for part in parts for name in part]
            pairs = [{a: ("yes",), b: ("yes",)} for part in parts for a, b in itertools.combinations(part, 2)]
            for words, values in (("one", single), ("two", pairs)):
                draws = {name: draw for part in parts for name, draw in planned(table, part, 4).items()}
                title = f"blocks of {size} flags, {words} at once, gamma 4, {how}"
                yield Case(title, table, draws, cells, values, person)


def returning(flags: int) -> Table:
    """Return 16,000 admissions of 7,700 persons with 1 to 40 each, lasting illnesses and passing ones."""
    chance = np.random.default_rng(29)
    number = 7_700
    many = np.minimum(1 + chance.negative_binomial(0.35, 0.25, number), 40)
    who = np.repeat(np.arange(number), many)
    n = len(who)
    ill = chance.gamma(2.0, 0.5, number)[who]
    age, ward = chance.integers(2, 9, number)[who], chance.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    usual = chance.integers(0, 30, number)[who]
    code = np.where(chance.random(n) < 0.5, usual, chance.integers(0, 30, n))
    died = chance.random(n) < np.clip(0.04 * ill * (1 + (ward == 2)), 0, 0.6)
    test = np.select([chance.random(n) < 0.05 * ill, chance.random(n) < 0.15], ["high", "raised"], "normal")
    stage = np.select([chance.random(n) < 0.04 + 0.02 * (age > 6), chance.random(n) < 0.2], ["III", "II"], "I")
    columns = {
        "age": [f"{a}0s" for a in age.tolist()], "ward": [f"ward {w}" for w in ward.tolist()],
        TIMES: times(many[who]), "person": [f"P{w}" for w in who.tolist()],
        "code": [f"C{c:02d}" for c in code.tolist()],
        "outcome": np.where(died, "died", "alive").tolist(), "test": test.tolist(), "stage": stage.tolist(),
    }  # fmt: skip
    for at in range(flags):
        lasting = (chance.random(number) < 0.08)[who]
        has = np.where(
            chance.random(n) < 0.6, lasting, chance.random(n) < np.clip(0.05 * ill * (1 + (ward == at % 4)), 0, 0.8)
        )
        columns[f"flag {at + 1}"] = np.where(has, "yes", "no").tolist()
    return Table(tuple(Column.from_labels(name, labels) for name, labels in columns.items()))


def times(own: NDArray[np.int64]) -> list[str]:
    """Return in words how many records a record's person has."""
    bounds = [own == 1, own == 2, own <= 5, own <= 10]
    found: list[str] = np.select(bounds, ["1", "2", "3 to 5", "6 to 10"], "more").tolist()
    return found


def mixed() -> Iterator[Case]:
    """Give pairs of sensitive columns with different draws in one question, each record by itself and by person.

    A code of 30 values from groups, an outcome and a laboratory result joined, a stage from groups of several sizes,
    five flags together.
    """
    table = returning(5)
    flags = [name for name in table.names if name.startswith("flag")]
    draws: dict[str, Draw] = {
        "code": PlainGroups(4),
        "outcome": by_gamma(table["outcome"], 4, JOINED),
        "test": by_gamma(table["test"], 4, JOINED),
        "stage": by_tolerances(table["stage"], by_hand(table["stage"], {"III": "0.3", "II": "0.5"}, "1"), GROUPS),
        **planned(table, flags, 4),
    }
    asked = {
        "code": tuple(f"C{c:02d}" for c in range(6)), "outcome": ("died",), "test": ("high", "raised"),
        "stage": ("III", "II"), flags[0]: ("yes",), flags[3]: ("yes",),
    }  # fmt: skip
    kinds = {
        "code": "groups",
        "outcome": "joined",
        "test": "joined",
        "stage": "several sizes",
        flags[0]: "together",
        flags[3]: "together",
    }
    pairs: dict[str, list[dict[str, tuple[str, ...]]]] = {}
    for a, b in itertools.combinations(asked, 2):
        if (a, b) != (flags[0], flags[3]):
            title = f"{kinds[a]} and {kinds[b]}"
            whole = [
                {a: asked[a] if a == "code" else (x,), b: asked[b] if b == "code" else (y,)}
                for x in asked[a][:2]
                for y in asked[b][:2]
            ]
            pairs.setdefault(title, []).extend(whole)
    for person in ("", "person"):
        for title, values in pairs.items():
            named = {name for each in values for name in each}
            own = {name: draw for name, draw in draws.items() if named & set(draw.block(name))}
            how = "by person" if person else "each record"
            yield Case(f"mixed: {title} at once, gamma 4, {how}", table, own, ("age", "ward", TIMES), values, person)


def real(path: Path) -> Iterator[Case]:
    """Give diabetes130's cases."""
    table = read(path).table
    who = persons(table[PERSON])
    own = np.bincount(who)[who]
    table = replace(table, columns=(*table.columns, Column.from_labels(TIMES, times(own))))

    def labels(name: str, least: int = FEWEST) -> list[str]:
        counts = table[name].counts()
        return [str(table[name].labels[at]) for at in np.argsort(-counts, kind="stable") if counts[at] >= least]

    one = [{"diag_1": (label,)} for label in labels("diag_1")]
    top = labels("diag_1")
    chance = np.random.default_rng(5)
    sets = [{"diag_1": tuple(top[:size])} for size in (5, 10, 25, 50)]
    sets += [
        {"diag_1": tuple(chance.choice(top, size, replace=False).tolist())} for size in (10, 25, 50) for _ in "abc"
    ]
    circulatory = tuple(
        label for label in labels("diag_1", 50) if label[:3].isdecimal() and 390 <= int(label[:3]) < 460
    )
    sets.append({"diag_1": circulatory})
    again = [{"readmitted": (label,)} for label in labels("readmitted")]
    tests = [{"A1Cresult": (label,)} for label in labels("A1Cresult")]
    by_hands = by_hand(table["readmitted"], {">30": "0.5", "<30": "0.3"}, "1")
    for person in ("", PERSON):
        how = "by person" if person else "each record"
        groups = PlainGroups(5)
        yield Case(f"groups, diag_1, gamma 5, {how}", table, {"diag_1": groups}, CELLS, one, person)
        yield Case(f"groups, sets of diag_1, gamma 5, {how}", table, {"diag_1": groups}, CELLS, sets, person)
        for name, values in (("readmitted", again), ("A1Cresult", tests)):
            draw = by_gamma(table[name], 3, JOINED)
            yield Case(f"joined, {name}, gamma 3, {how}", table, {name: draw}, CELLS, values, person)
        joint = [{"diag_1": tuple(top[:size]), "readmitted": (label,)} for size in (1, 10) for label in ("<30", "NO")]
        both: dict[str, Draw] = {"diag_1": groups, "readmitted": by_gamma(table["readmitted"], 3, JOINED)}
        yield Case(f"two sensitive columns at once, {how}", table, both, CELLS, joint, person)
    tolerant = by_tolerances(table["readmitted"], by_hands, GROUPS)
    yield Case("groups with tolerances, readmitted, each record", table, {"readmitted": tolerant}, CELLS, again)
    drugs = dict(planned(table, DRUGS, 3))
    single = [{name: ("Steady",)} for name in DRUGS]
    pairs = [{a: ("Steady",), b: ("Steady",)} for a, b in itertools.combinations(DRUGS, 2)]
    for words, values in (("one", single), ("two", pairs)):
        yield Case(f"five drugs together, {words} at once, gamma 3, by person", table, drugs, CELLS, values, PERSON)


def measure(case: Case, releases: int) -> None:
    """Print the lines of a case."""
    by_values: dict[tuple[Condition, ...], list[tuple[tuple[Condition, ...], int, str]]] = {}
    for one in case.questions():
        by_values.setdefault(one[0][1:], []).append(one)  # side by side: what a draw tells of values is read once
    order = np.random.default_rng(2).permutation(len(by_values)).tolist()
    every = [one for at in order for one in list(by_values.values())[at]][:MOST]
    asked, truth, under = zip(*every, strict=True)
    true, names, plan = np.array(truth), np.array(under), case.plan()
    table = case.table.select(
        [name for name in case.table.names if name in case.cells or name in case.draws or name == case.person]
    )
    plan = replace(plan, roles={name: plan.roles[name] for name in table.names})
    off, held, spread = [], [], []
    for _ in range(releases):
        answers = Reader(sanitise.run(table, plan)).answers(asked, Method.UNBIASED)
        off.append([one.estimate for one in answers] - true)
        held.append([one.low <= t <= one.high for one, t in zip(answers, true, strict=True)])
        spread.append([one.variance or np.nan for one in answers])
    found = np.array(off), np.array(held), np.array(spread)
    print(f"\n{case.title}, {releases} releases")
    print(f"{'':32}{'cells':>7}{'rel. rmse':>11}{'bias / sd':>11}{'stated / sd':>13}{'held':>8}{'+-':>7}")
    for low, high in BANDS:
        _line(f"{low} to {high - 1:,}", (true >= low) & (true < high), true, *found)
    for name in dict.fromkeys(sorted(names.tolist())):
        _line(name, names == name, true, *found)


def _line(
    title: str,
    mine: NDArray[np.bool_],
    true: NDArray[np.int64],
    off: NDArray[np.float64],
    held: NDArray[np.bool_],
    spread: NDArray[np.float64],
) -> None:
    if not mine.any():
        return
    off, mean_square = off[:, mine], (off[:, mine] ** 2).mean(axis=0)
    sd = off.std(axis=0, ddof=1)
    error = float(np.median(np.sqrt(mean_square) / true[mine]))
    stated = float(np.sqrt(np.nanmean(spread[:, mine]) / max((sd**2).mean(), 1e-9)))
    bias = float((off.mean(axis=0) / np.maximum(sd, 1e-9)).mean())
    of_release = held[:, mine].mean(axis=1)
    found = float(of_release.mean())
    alone = np.sqrt(RIGHT * (1 - RIGHT) / mine.sum())
    doubt = float(max(of_release.std(ddof=1), alone) / np.sqrt(len(held)))
    far = abs(found - RIGHT) > FAR * doubt
    numbers = f"{mine.sum():7}{error:11.3f}{bias:11.2f}{stated:13.2f}{found:8.3f}{doubt:7.3f}"
    print(f"{title:32}{numbers}{' *' if far else ''}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--releases", type=int, default=20)
    parser.add_argument("--only", default="", help="cases whose title holds this")
    args = parser.parse_args()
    for case in itertools.chain(blocks(), mixed(), real(args.table)):
        if args.only in case.title:
            measure(case, args.releases)


if __name__ == "__main__":
    main()
