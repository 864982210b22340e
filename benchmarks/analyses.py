"""How often the intervals of analyses hold what the original table says, over releases of every kind of draw.

    python benchmarks/analyses.py [--records 20000] [--releases 100] [--first 0] [--draw plain] [--only Poisson]
        [--real FOLDER]

The table is generated (tests/files/kit_releases.py), or diabetes130 in a folder; the truth is what the same analysis
says of it. Of 100 releases an interval that holds the truth in 95 % holds it 90 to 99 times (the range printed), so the
worst of many analyses looks worse than it is, and analyses of one column share its noise: ask for more releases of it
with --only, and for others than those that made it the worst with --first. The scatter, in stated standard errors, says
sooner than shares held whether intervals are too narrow.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program runs (isolation/limits.py)
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from splu_desktop.core import sanitise
from splu_desktop.core.analyse import analyses, regression
from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.draw import Draw, PlainGroups
from splu_desktop.core.draw.joined import design
from splu_desktop.core.draw.ways import gamma_tolerances
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.generalise import table_after
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Condition, Reader, parse_condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Table
from splu_desktop.files.importer import read
from tests.files.kit_releases import DRAWS, kit_plan, table_of
from tests.seeded import Seeded

Asked = Callable[[Reader], Analysed]


def answered(one: Asked, reader: Reader) -> bool:
    """Return whether an analysis can be asked of a table at all."""
    try:
        one(reader)
    except BadQuestion:
        return False
    return True


def finest(reader: Reader) -> str:
    """Return the finest period of all dates up to months."""
    return "month" if "month" in (told := analyses.told_periods(reader.published.table["day"])) else told[-1]


def kept(table: Table, sensitive: Iterable[str]) -> Reader:
    """Return the reader of a release that shows each value as it is: its answers are the truth."""
    as_it_is = {sa: design(table[sa], Tolerances(dict.fromkeys(map(str, table[sa].labels), 1))) for sa in sensitive}
    return Reader(Published(table, as_it_is))


def questions(sensitive: tuple[str, ...]) -> dict[str, Asked]:
    """Return analyses that the table's sensitive columns allow."""

    def of(*texts: str) -> Callable[[Reader], tuple[Condition, ...]]:
        return lambda reader: tuple(parse_condition(text, reader.published) for text in texts)

    value = {
        "code": "code=03|04",
        "stay": "stay=3..5",
        "test": "test=positive",
        "flag": "flag=yes",
        "other": "other=yes",
        "dose": "dose=12..19",
    }
    found: dict[str, Asked] = {}
    for sa in sensitive:
        met, ward, rest = of(value[sa]), of("ward=A"), of("ward!=A")
        found |= {
            f"share {sa}": lambda r, m=met, w=ward: analyses.share(r, m(r), w(r)),
            f"difference {sa}": lambda r, s=sa: analyses.difference(
                r, of("ward=A", value[s])(r), of("ward!=A", value[s])(r)
            ),
            f"ratio {sa}": lambda r, s=sa: analyses.ratio(r, of("ward=A", value[s])(r), of("ward!=A", value[s])(r)),
            f"odds ratio {sa}": lambda r, m=met, w=rest: analyses.odds_ratio(r, w(r), m(r)),
            f"mean age with {sa}": lambda r, m=met: analyses.mean(r, "age", m(r)),
            f"trend {sa}": lambda r, m=met: analyses.trend(r, m(r), "day", finest(r)),
            f"logit {sa} on age": lambda r, m=met: regression.logit(r, m(r), ["age", "ward"]),
            f"logit of ward on {sa}": lambda r, m=met, w=ward: regression.logit(r, w(r), [m(r), "age"]),
            f"Poisson {sa}": lambda r, m=met: regression.poisson(r, m(r), ["ward", "age"]),
        }
    found[f"crosstab of wards and {sensitive[0]}"] = lambda r: analyses.crosstab(r, "ward", sensitive[0])
    if "stay" in sensitive:
        found["mean stay"] = lambda r: analyses.mean(r, "stay", of("ward=B")(r))
        found["median stay"] = lambda r: analyses.quantile(r, "stay", 0.5, of("age=60..79")(r))
        found["Poisson stay on age"] = lambda r: regression.poisson(r, "stay", ["age"])
    if "dose" in sensitive:
        found["mean dose"] = lambda r: analyses.mean(r, "dose", of("ward=B")(r))
        found["median dose"] = lambda r: analyses.quantile(r, "dose", 0.5, of("age=60..79")(r))
    if len(sensitive) > 1:
        one, other = (of(value[sa]) for sa in sensitive[:2])
        found["odds ratio of two"] = lambda r: analyses.odds_ratio(r, one(r), other(r))
        found["odds ratio of two in a ward"] = lambda r: analyses.odds_ratio(r, one(r), other(r), of("ward=B")(r))
        found["logit of one on other"] = lambda r: regression.logit(r, one(r), [other(r), "age"])
    return found


KINDS = {
    "share": "share",
    "difference": "difference",
    "ratio": "ratio",
    "odds": "odds ratio",
    "mean": "mean",
    "median": "quantile",
    "trend": "trend",
    "crosstab": "crosstab",
    "logit": "logit",
    "Poisson": "Poisson",
}  # by the first word of a question


def by_kind(held: Mapping[str, Mapping[str, list[bool]]]) -> Iterator[str]:
    """Yield a table, draws down and kinds of analyses across, of how often intervals held, their parts included."""
    yield f"{'':18}" + "".join(f"{kind:>12}" for kind in KINDS.values())
    for draw, each in held.items():
        line = f"{draw:18}"
        for word in KINDS:
            found = [one for what, ones in each.items() if re.match(rf"{word}\b", what) for one in ones]
            line += f"{f'{np.mean(found):.3f} {len(found)}' if found else '-':>12}"
        yield line


def admissions(folder: Path) -> tuple[Table, dict[str, Plan], dict[str, Asked]]:
    """Return diabetes130, plans for it, and analyses: outcomes, covariates, both sensitive."""
    table = read(folder / "diabetes130.csv.gz").table
    names = ("gender", "num_procedures", "number_inpatient", "num_medications")
    sensitive = ("insulin", "time_in_hospital", "A1Cresult", "readmitted")
    table = Table(tuple(table[name] for name in (*names, *sensitive)))
    draws: dict[str, dict[str, Draw]] = {
        "plain": {"insulin": PlainGroups(2), "time_in_hospital": PlainGroups(4)},
        "joined": {
            name: design(table[name], gamma_tolerances(table[name], 3), follows=3)
            for name in ("A1Cresult", "readmitted")
        },
    }
    found = {}
    for way, chosen in draws.items():
        roles = {name: Role.SA if name in chosen else Role.NSA for name in table.names}
        found[way] = Plan(roles, chosen)

    def of(reader: Reader, *texts: str) -> tuple[Condition, ...]:
        return tuple(parse_condition(text, reader.published) for text in texts)

    def both(reader: Reader) -> tuple[str, str]:
        plain = reader.published.is_sensitive("insulin")
        return ("insulin=Up", "time_in_hospital=7..14") if plain else ("readmitted=<30", "A1Cresult=>8")

    on = ["num_medications", "number_inpatient"]  # and the sex, of which the third value has three records
    return (
        table,
        found,
        {
            "share": lambda r: analyses.share(r, of(r, both(r)[0]), of(r, "gender=Female")),
            "difference": lambda r: analyses.difference(
                r, of(r, "gender=Female", both(r)[0]), of(r, "gender=Male", both(r)[0])
            ),
            "ratio": lambda r: analyses.ratio(r, of(r, "gender=Female", both(r)[0]), of(r, "gender=Male", both(r)[0])),
            "odds ratio": lambda r: analyses.odds_ratio(r, of(r, "num_medications=20..81"), of(r, both(r)[0])),
            "odds ratio of two": lambda r: analyses.odds_ratio(r, of(r, both(r)[1]), of(r, both(r)[0])),
            "mean of a sensitive column": lambda r: analyses.mean(
                r, "time_in_hospital", of(r, "num_medications=20..81")
            ),
            "mean where sensitive": lambda r: analyses.mean(r, "num_medications", of(r, both(r)[0])),
            "median where sensitive": lambda r: analyses.quantile(r, "num_medications", 0.5, of(r, both(r)[0])),
            "median of a sensitive column": lambda r: analyses.quantile(
                r, "time_in_hospital", 0.5, of(r, "num_medications=20..81")
            ),
            "trend": lambda r: analyses.trend(r, of(r, both(r)[0]), "num_procedures"),
            "logit, sensitive outcome": lambda r: regression.logit(r, of(r, both(r)[0]), [of(r, "gender=Female"), *on]),
            "logit, sensitive covariate": lambda r: regression.logit(
                r, of(r, "gender=Female"), [of(r, both(r)[0]), *on]
            ),
            "logit, both sensitive": lambda r: regression.logit(r, of(r, both(r)[0]), [of(r, both(r)[1]), *on]),
            "Poisson of a condition": lambda r: regression.poisson(r, of(r, both(r)[0]), on),
            "Poisson of a column": lambda r: regression.poisson(r, "time_in_hospital", on),
        },
    )


def main() -> None:
    """Print, for every draw and analysis, how often the interval held, its bias in standard errors, and its width."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--releases", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first release: others are other draws")
    parser.add_argument("--draw", action="append")
    parser.add_argument("--only", default="", help="analyses whose name holds this")
    parser.add_argument("--real", type=Path, help="folder of diabetes130.csv.gz")
    args = parser.parse_args()
    table, planned, known = admissions(args.real) if args.real else (table_of(args.records), None, {})
    found_by: dict[str, dict[str, list[bool]]] = {}
    for name, plan in (planned or {name: kit_plan(table, name) for name in DRAWS}).items():
        if args.draw and name not in args.draw:
            continue
        whole, true = (kept(each, plan.draws) for each in (table, table_after(table, plan.generalisations)))
        asked = known or questions(tuple(each for each in table.names if each in plan.draws))
        asked = {what: one for what, one in asked.items() if args.only in what and answered(one, true)}
        # Of numbers published in intervals the mean is that of the numbers themselves.
        truth = {what: one(whole if what == "mean dose" else true) for what, one in asked.items()}
        held, gaps, refused = defaultdict(list), defaultdict(list), defaultdict(int)
        for seed in range(args.first, args.first + args.releases):
            reader = Reader(sanitise.run(table, plan, randomness=Seeded(seed)))
            for what, one in asked.items():
                try:
                    found = one(reader)
                except BadQuestion:
                    refused[what] += 1
                    continue
                for part in (found, *found.parts.values()):
                    key = what if part is found else f"{what}: all parts"
                    right = truth[what] if part is found else truth[what].parts[part.what]
                    held[key].append(part.low - 1e-9 <= right.estimate <= part.high + 1e-9)
                    gaps[key].append((part.estimate - right.estimate) / max((part.high - part.low) / 3.92, 1e-12))
        found_by[name] = held
        print(f"\n{name}, {table.n} records")
        for what, each in held.items():
            finite = [gap for gap in gaps[what] if np.isfinite(gap)]
            low, high = np.quantile(finite, [0.1587, 0.8413])
            # Parts of one release are not independent: their range is that of as many releases.
            arm = 1.96 * np.sqrt(0.95 * 0.05 / min(len(each), args.releases))
            print(
                f"  {what:36} holds {np.mean(each):.3f} of {len(each):5} (by chance {0.95 - arm:.3f} to"
                f" {min(0.95 + arm, 1):.3f})  bias {np.median(finite):+.2f} scatter {(high - low) / 2:.2f} se"
                f"  refused {refused[what]}"
            )
        every = np.concatenate([each for what, each in held.items() if "parts" not in what])
        print(f"  {'all':36} holds {every.mean():.3f} of {len(every)}", flush=True)
    print("\nheld, and of how many intervals", *by_kind(found_by), sep="\n")


if __name__ == "__main__":
    main()
