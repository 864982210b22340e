"""Section 8's table of mechanism.md: half widths of 95 % intervals of cell counts, groups and joined, same tolerance.

Run: python -m benchmarks.joined [diabetes130.csv]

Tables of the shape given there are generated, each is drawn in both ways, and the half widths are those of the answers,
mean over the releases; then two hospital tables of our own, an emergency register and laboratory results, beside the
section's formulas. With a file it prints columns of diabetes130 besides, both ways, by computation.

Groups come out up to a third sharper than the section's table says, since their sizes are chosen better: one size with
as many records of the value as the tolerance allows, and the rest alone, where the table had one size for all.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import numpy as np

from splu_desktop.core import sanitise
from splu_desktop.core.draw.ways import GROUPS, JOINED, WAYS, by_tolerances, gamma_tolerances, half_widths
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT
from splu_desktop.core.query.reader import Condition, Method, Reader
from splu_desktop.core.randomness import SystemRandomness
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table

RELEASES = 10
LIMITS = ("0.1", "0.2", "0.5")
# value, its records, all records, and the cells: name, records, of which with the value
TABLES = {
    "test result": ("positive", 865, 15_446, (("one sex", 7_832, 449), ("one class", 1_378, 127))),
    "admissions": ("death", 1_127, 16_100, (("women", 5_763, 403), ("age 40s", 1_622, 76))),
}
# mechanism.md section 8: groups / joined, by limit
STATED = {
    "one sex": ((876, 195), (276, 88), (71, 42)),
    "one class": ((372, 72), (113, 37), (34, 18)),
    "women": ((1_367, 216), (270, 85), (72, 38)),
    "age 40s": ((564, 114), (145, 53), (35, 22)),
}


def generated(name: str) -> Table:
    """Return a table with the value and cells of these sizes."""
    value, bearers, records, cells = TABLES[name]
    has = np.arange(records) < bearers
    columns = [Column.from_labels(name, np.where(has, value, "other").tolist())]
    for cell, size, inside in cells:
        member = np.zeros(records, bool)
        member[:inside] = member[bearers : bearers + size - inside] = True
        columns.append(Column.from_labels(cell, np.where(member, "yes", "no").tolist()))
    return Table(tuple(columns))


def simulated(name: str, limit: str, way: str) -> tuple[dict[str, float], float]:
    """Return the mean half width of each cell's interval, and of the whole table's count, and how many rows are right.

    The last: of the rows that show the value, over all releases. Where the program calls a cell unreadable (a signal
    below a thirtieth), the half width is that of the section's variance, from the draw's own chances.
    """
    table, (value, _, _, cells) = generated(name), TABLES[name]
    tolerances = Tolerances({value: Fraction(limit), "other": Fraction(1)})
    draw = by_tolerances(table[name], tolerances, way)
    plan = Plan({each: Role.SA if each == name else Role.NSA for each in table.names}, {name: draw})
    asked = [[Condition(cell, ("yes",)), Condition(name, (value,))] for cell, _, _ in cells]
    code = table[name].code_of(value)
    chances, sizes = draw.chances(table[name]), [*((size, has) for _, size, has in cells), (table.n, 0)]
    keep, come = float(chances[code, code]), float(chances[1 - code, code])
    computed = [
        1.96 * (has * keep * (1 - keep) + (size - has) * come * (1 - come)) ** 0.5 / (keep - come)
        for size, has in sizes
    ]
    widths, shown, right = np.zeros(len(cells) + 1), 0, 0
    for _ in range(RELEASES):
        reader = Reader(sanitise.run(table, plan))
        answers = reader.answers([*asked, [Condition(name, (value,))]], Method.UNBIASED)
        widths += [
            1.96 * one.variance**0.5 if one.variance and np.isfinite(one.variance) else other
            for one, other in zip(answers, computed, strict=True)
        ]
        codes = draw.redraw(table[name], SystemRandomness(), SILENT).codes  # a release forgets the order of its records
        shown += int((codes == code).sum())
        right += int(((codes == code) & (table[name].codes == code)).sum())
    found = zip([*(cell for cell, _, _ in cells), "whole table"], (widths / RELEASES).tolist(), strict=True)
    return dict(found), right / shown


def section_8() -> Iterable[tuple[str, str, float, float, tuple[int, int] | None]]:
    """Give cell, limit, half widths in groups and joined, and those stated."""
    for name in TABLES:
        for place, limit in enumerate(LIMITS):
            (groups, one), (joined, other) = (simulated(name, limit, way) for way in (GROUPS, JOINED))
            print(f"{name}, at most {limit}: rows that show the value are right in {one:.3f} and {other:.3f}")
            for cell in groups:
                yield cell, limit, groups[cell], joined[cell], STATED[cell][place] if cell in STATED else None


def hospital() -> Iterable[tuple[Table, str, str, tuple[Condition, ...]]]:
    """Give two tables not in the section, each with a rare value, its column and a cell."""
    chance = np.random.default_rng(21)
    n = 23_000  # an emergency register: triage, arrival, and outcomes that hang on both
    triage, night = chance.choice(5, n, p=[0.02, 0.14, 0.44, 0.3, 0.1]), chance.random(n) < 0.31
    admitted = chance.random(n) < np.array([0.9, 0.55, 0.25, 0.08, 0.02])[triage]
    sepsis = chance.random(n) < np.array([0.12, 0.06, 0.015, 0.003, 0.001])[triage] * np.where(night, 1.5, 0.8)
    died = chance.random(n) < np.where(sepsis, 0.2, 0.002) + np.array([0.2, 0.02, 0.002, 0, 0])[triage]
    flags = {"admitted": admitted, "sepsis": sepsis, "died": died}
    register = Table(
        (
            Column.from_labels("triage", [str(1 + each) for each in triage.tolist()]),
            Column.from_labels("night", np.where(night, "yes", "no").tolist()),
            *(Column.from_labels(name, np.where(has, "yes", "no").tolist()) for name, has in flags.items()),
        )
    )
    for name in flags:
        yield register, name, "yes", (Condition("triage", ("2", "3")),)
        yield register, name, "yes", (Condition("night", ("yes",)), Condition("triage", ("3",)))
    n = 9_400  # a laboratory's: troponin and culture, by ward and age
    ward, age = chance.choice(6, n, p=[0.35, 0.25, 0.15, 0.1, 0.1, 0.05]), chance.integers(2, 10, n)
    troponin = np.digitize(chance.lognormal(2.2 + 0.08 * age + 0.5 * (ward == 3), 0.9), [14, 52, 200])
    culture = np.where(chance.random(n) < 0.03 + 0.06 * (ward == 4), "MRSA", "none")
    levels = np.array(["normal", "grey", "raised", "high"])[troponin]
    laboratory = Table(
        (
            Column.from_labels("ward", [f"ward {each}" for each in ward.tolist()]),
            Column.from_labels("age", [f"{each}0s" for each in age.tolist()]),
            Column.from_labels("troponin", levels.tolist()),
            Column.from_labels("culture", culture.tolist()),
        )
    )
    for name, value in (("troponin", "high"), ("culture", "MRSA")):
        yield laboratory, name, value, (Condition("ward", ("ward 0", "ward 1")),)
        yield laboratory, name, value, (Condition("age", ("70s", "80s")),)


def own() -> None:
    """Print half widths on the tables of our own: groups, joined, the section's closed form, and how far it is off."""
    print(
        f"\n{'table, value':<18}{'cell':<18}{'of it':>8}{'limit':>9}{'groups':>8}{'joined':>8}{'formula':>9}{'off':>8}"
    )
    worst = 0.0
    for table, name, value, cell in hospital():
        column, inside = table[name], np.ones(table.n, bool)
        for condition in cell:
            inside &= np.isin(table[condition.column].labels.astype(str), condition.values)[
                table[condition.column].codes
            ]
        has = column.codes == column.code_of(value)
        size, bearers = int(inside.sum()), int((inside & has).sum())
        share = float(has.mean())
        for limit in (each for each in LIMITS if float(each) > share):
            limits = Tolerances(
                {str(label): Fraction(limit) if label == value else Fraction(1) for label in column.labels}
            )
            q = share * (1 - float(limit)) / (float(limit) * (1 - share))
            formula = 1.96 * ((size - bearers) * q / (1 - q)) ** 0.5
            found = {}
            for way in (GROUPS, JOINED):
                roles = {each: Role.SA if each == name else Role.NSA for each in table.names}
                plan = Plan(roles, {name: by_tolerances(column, limits, way)})
                asked = [[*cell, Condition(name, (value,))]]
                each = [Reader(sanitise.run(table, plan)).answers(asked, Method.UNBIASED)[0].variance for _ in range(4)]
                found[way] = 1.96 * float(np.mean([variance or np.inf for variance in each])) ** 0.5
            off = found[JOINED] / formula - 1
            worst = max(worst, abs(off))
            where = " ".join(f"{c.column} {'+'.join(c.values)}" for c in cell)[:17]
            print(
                f"{name + ' ' + value:<18}{where:<18}{bearers:>8}{limit:>9}{found[GROUPS]:>8.0f}{found[JOINED]:>8.0f}"
                f"{formula:>9.0f}{100 * off:>+7.0f} %"
            )
    print(f"joined is off by at most {100 * worst:.0f} % from the section's formula")


def real(path: Path) -> None:
    """Print diabetes130's readmitted, A1Cresult and drugs: half widths in a tenth of the table, and in all of it."""
    from splu_desktop.files.importer import ImportChoices, read

    table = read(path, ImportChoices()).table
    drugs = [c.name for c in table.columns if {str(v) for v in c.labels} & {"Up", "Steady", "Down"}]
    print(f"\n{'column':<26}{'tolerances':<16}{'groups':>9}{'joined':>9}{'whole, groups':>15}{'joined':>9}")
    for name in ("readmitted", "A1Cresult", *drugs):
        column = table[name]
        commonest = str(column.labels[column.counts().argmax()])
        for words, limits in (
            ("gamma 3", gamma_tolerances(column, 3)),
            ("but for " + commonest, gamma_tolerances(column, 3, [commonest])),
        ):
            both = [half_widths(column, by_tolerances(column, limits, way)) for way in WAYS]
            (cell, whole), (sharp, off) = both
            print(f"{name:<26}{words:<16}{cell:>9.0f}{sharp:>9.0f}{whole:>15.0f}{off:>9.0f}")


def main() -> None:
    print(f"{'cell':<12}{'f-prime':>8}{'groups':>9}{'stated':>8}{'joined':>9}{'stated':>8}{'off by':>8}")
    sharper = 0
    for cell, limit, groups, joined, stated in section_8():
        if stated is None:
            print(f"{cell:<12}{limit:>8}{groups:>9.0f}{'':>8}{joined:>9.0f}")
            continue
        off = f"{100 * (joined / stated[1] - 1):+.0f} %"
        print(f"{cell:<12}{limit:>8}{groups:>9.0f}{stated[0]:>8}{joined:>9.0f}{stated[1]:>8}{off:>8}")
        sharper += groups < 0.85 * stated[0]
    print(f"in {sharper} of 12 cells groups are sharper than the section's table by 15 % or more (see above)")
    own()
    if len(sys.argv) > 1:
        real(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
