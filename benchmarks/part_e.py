"""An odds ratio, a mean, a trend and a logistic coefficient, which naive counting gets wrong: do intervals hold them?

    python benchmarks/part_e.py [--data ../shared/data] [--releases 40]

Of adult and of two invented hospitals (`benchmarks/coverage.py`), each with a sensitive column in plain groups. Prints
for each question the truth, the naive answer of the first release, how often the 95 % interval held the truth, and
whether the recipient's kit said the same of the first release.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.coverage import hospital
from splu_desktop.core import sanitise
from splu_desktop.core.analyse.analysis import Analysis, AnalysisKind
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.draw.joined import design
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Reader, parse_condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import read
from tests.files.kit_releases import kit
from tests.seeded import Seeded
from tests.written import write_release

Asked = tuple[str, str, str, str, str]  # sensitive value, group, numbers, times, covariate


def cases(data: Path) -> Iterator[tuple[str, Table, str, int, Asked]]:
    """Yield name, table, sensitive column, gamma, and what is asked."""
    adult = read(data / "adult.csv.gz").table
    names = [each for each in adult.names if adult[each].m <= 120]
    job = next(each for each in names if each.startswith("occupation"))
    pay = next(each for each in names if each.startswith(("income", "salary", "class")))
    rich = str(adult[pay].labels[-1])
    yield "adult", adult.select(names), job, 4, (f"{job}=Prof-specialty", f"{pay}={rich}", "age", "age", "age")
    for seed in (3, 8):
        made = hospital(seed)
        columns = [
            Column.from_labels(each.name, [str(each.labels[code]) for code in each.codes], kind=Kind.INTEGER)
            for each in made.columns
        ]
        asked = ("code=1|2", "age=7..10", "stay", "ward", "sex")
        yield f"hospital {seed}", Table(tuple(columns)), "code", 2, asked


def analyses_of(published: Published, asked: Asked) -> dict[str, Analysis]:
    """Return the four questions."""
    met, group, numbers, times, covariate = asked
    value, other = (parse_condition(text, published) for text in (met, group))
    return {
        "odds ratio": Analysis(AnalysisKind.ODDS_RATIO, (other,), (value,)),
        "mean": Analysis(AnalysisKind.MEAN, (value,), columns=(numbers,)),
        "trend": Analysis(AnalysisKind.TREND, (value,), columns=(times,)),
        "logit": Analysis(AnalysisKind.LOGIT, (other,), on=((value,), covariate)),
    }


def main() -> None:
    """Print a line for each table and question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--releases", type=int, default=40)
    args = parser.parse_args()
    for name, table, sa, gamma, asked in cases(args.data):
        plan = Plan({each: Role.SA if each == sa else Role.NSA for each in table.names}, {sa: PlainGroups(gamma)})
        plain = design(table[sa], Tolerances(dict.fromkeys(map(str, table[sa].labels), 1)))
        true = Reader(Published(table, {sa: plain}))
        truth = {what: one.answer(true).estimate for what, one in analyses_of(true.published, asked).items()}
        held: dict[str, list[bool]] = {what: [] for what in truth}
        for seed in range(args.releases):
            published = sanitise.run(table, plan, randomness=Seeded(seed))
            reader = Reader(published)
            found = {what: one.answer(reader) for what, one in analyses_of(published, asked).items()}
            for what, one in found.items():
                held[what].append(one.low <= truth[what] <= one.high)
            if seed == 0:
                naive = Reader(Published(published.table, {sa: plain}))
                counted = {
                    what: one.answer(naive).estimate for what, one in analyses_of(naive.published, asked).items()
                }
                with tempfile.TemporaryDirectory() as base:
                    release = kit().Release(write_release(published, Path(base) / "r").folder)
                    met, group, numbers, times, covariate = asked
                    theirs = {
                        "odds ratio": release.odds_ratio(group, met),
                        "mean": release.mean(numbers, met),
                        "trend": release.trend(met, times),
                        "logit": release.logit(group, [met, covariate]),
                    }
                same = {
                    what: np.allclose(
                        [one.estimate, one.low, one.high],
                        [theirs[what].estimate, theirs[what].low, theirs[what].high],
                        rtol=1e-4,
                    )
                    for what, one in found.items()
                }
        for what, each in held.items():
            print(
                f"{name}, {what}: true {truth[what]:.4g}, naive {counted[what]:.4g}, held {np.mean(each):.3f} of"
                f" {len(each)}, the kit {'says the same' if same[what] else 'DIFFERS'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
