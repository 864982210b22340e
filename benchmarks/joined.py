"""Section 8's table of mechanism.md: half widths of 95 % intervals of cell counts, groups and joined, same tolerance.

Run: python -m benchmarks.joined [diabetes130.csv]

Tables of the shape given there are generated, each is drawn in both ways, and the half widths are those of the answers,
mean over the releases. With a file it prints columns of diabetes130 besides, both ways, by computation.
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
from splu_desktop.core.query.reader import Condition, Method, Reader
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


def simulated(name: str, limit: str, way: str) -> dict[str, float]:
    """Return the mean half width of each cell's interval, and of the whole table's count."""
    table, (value, _, _, cells) = generated(name), TABLES[name]
    tolerances = Tolerances({value: Fraction(limit), "other": Fraction(1)})
    draw = by_tolerances(table[name], tolerances, way)
    plan = Plan({each: Role.SA if each == name else Role.NSA for each in table.names}, {name: draw})
    asked = [[Condition(cell, ("yes",)), Condition(name, (value,))] for cell, _, _ in cells]
    widths = np.zeros(len(cells) + 1)
    for _ in range(RELEASES):
        reader = Reader(sanitise.run(table, plan))
        answers = reader.answers([*asked, [Condition(name, (value,))]], Method.UNBIASED)
        widths += [1.96 * (answer.variance or np.inf) ** 0.5 for answer in answers]
    return dict(zip([*(cell for cell, _, _ in cells), "whole table"], (widths / RELEASES).tolist(), strict=True))


def section_8() -> Iterable[tuple[str, str, float, float, tuple[int, int] | None]]:
    """Give cell, limit, half widths in groups and joined, and those stated."""
    for name in TABLES:
        for place, limit in enumerate(LIMITS):
            groups, joined = (simulated(name, limit, way) for way in (GROUPS, JOINED))
            for cell in groups:
                yield cell, limit, groups[cell], joined[cell], STATED[cell][place] if cell in STATED else None


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
    for cell, limit, groups, joined, stated in section_8():
        if stated is None:
            print(f"{cell:<12}{limit:>8}{groups:>9.0f}{'':>8}{joined:>9.0f}")
            continue
        off = f"{100 * (joined / stated[1] - 1):+.0f} %"
        print(f"{cell:<12}{limit:>8}{groups:>9.0f}{stated[0]:>8}{joined:>9.0f}{stated[1]:>8}{off:>8}")
    if len(sys.argv) > 1:
        real(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
