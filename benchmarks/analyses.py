"""How often the intervals of analyses hold what the original table says, over releases of every kind of draw.

    python benchmarks/analyses.py [--records 20000] [--releases 100] [--draw plain]

The table is generated (tests/files/kit_releases.py), so that the truth is what the same analysis says of it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program runs (isolation/limits.py)
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from splu_desktop.core import sanitise
from splu_desktop.core.analyse import analyses, regression
from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.draw.joined import design
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Condition, Reader, parse_condition
from tests.files.kit_releases import plans, table_of
from tests.seeded import Seeded

Asked = Callable[[Reader], Analysed]


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
            f"trend {sa}": lambda r, m=met: analyses.trend(r, m(r), "day"),
            f"logit {sa} on age": lambda r, m=met: regression.logit(r, m(r), ["age", "ward"]),
            f"logit of ward on {sa}": lambda r, m=met, w=ward: regression.logit(r, w(r), [m(r), "age"]),
            f"Poisson {sa}": lambda r, m=met: regression.poisson(r, m(r), ["ward", "age"]),
        }
    if "stay" in sensitive:
        found["mean stay"] = lambda r: analyses.mean(r, "stay", of("ward=B")(r))
        found["median stay"] = lambda r: analyses.quantile(r, "stay", 0.5, of("age=60..79")(r))
        found["Poisson stay on age"] = lambda r: regression.poisson(r, "stay", ["age"])
    if len(sensitive) > 1:
        one, other = (of(value[sa]) for sa in sensitive[:2])
        found["odds ratio of two"] = lambda r: analyses.odds_ratio(r, one(r), other(r))
        found["odds ratio of two in a ward"] = lambda r: analyses.odds_ratio(r, one(r), other(r), of("ward=B")(r))
        found["logit of one on other"] = lambda r: regression.logit(r, one(r), [other(r), "age"])
    return found


def main() -> None:
    """Print, for every draw and analysis, how often the interval held, its bias in standard errors, and its width."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--releases", type=int, default=100)
    parser.add_argument("--draw", action="append")
    args = parser.parse_args()
    table = table_of(args.records)
    for name, plan in plans(table).items():
        if args.draw and name not in args.draw:
            continue
        # Each value published as it is: the same analyses then say what the original table says.
        kept = {sa: design(table[sa], Tolerances(dict.fromkeys(map(str, table[sa].labels), 1))) for sa in plan.draws}
        true = Reader(Published(table, kept))
        asked = questions(tuple(each for each in table.names if each in plan.draws))
        truth = {what: one(true) for what, one in asked.items()}
        held, gaps, refused = defaultdict(list), defaultdict(list), defaultdict(int)
        for seed in range(args.releases):
            reader = Reader(sanitise.run(table, plan, randomness=Seeded(seed)))
            for what, one in asked.items():
                try:
                    found = one(reader)
                except BadQuestion:
                    refused[what] += 1
                    continue
                for part in (found, *found.parts.values()) if "logit" in what or "trend" in what else (found,):
                    key = what if part is found else f"{what}: all parts"
                    right = truth[what] if part is found else truth[what].parts[part.what]
                    held[key].append(part.low - 1e-9 <= right.estimate <= part.high + 1e-9)
                    gaps[key].append((part.estimate - right.estimate) / max((part.high - part.low) / 3.92, 1e-12))
        print(f"\n{name}, {table.n} records")
        for what, each in held.items():
            finite = [gap for gap in gaps[what] if np.isfinite(gap)]
            print(
                f"  {what:32} holds {np.mean(each):.3f} of {len(each):5}  bias {np.mean(finite):+.2f} se"
                f"  spread {np.std(finite):.2f}  refused {refused[what]}"
            )
        every = np.concatenate([each for what, each in held.items() if "parts" not in what])
        print(f"  {'all':32} holds {every.mean():.3f} of {len(every)}", flush=True)


if __name__ == "__main__":
    main()
