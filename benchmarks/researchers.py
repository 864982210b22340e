"""What a researcher gets: 34 questions of an epidemiologist on four tables, asked of many releases by the kits.

    python -m benchmarks.researchers [--releases 10] [--data FOLDER] [--gamma 5]

Tables of 900 to 100,000 rows, one of persons with several rows, each made anew for each release, and `adult` where
FOLDER holds it. Two shares are told: how often the interval about this table holds the figure of the source, and how
often that about persons like these holds the figure of the population (of adult: of the source). Of the first release
of each table the R kit answers, too, and sums and least squares over scores.csv are held against the kit.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Kind, Table
from tests.columns import column_of
from tests.files.releases import KIT, load_kit, released

POPULATION, POPULATIONS = 1_000_000, 5  # one alone would stray by a third of what a sample of 100,000 does


@dataclass(frozen=True)
class Study:
    """A table and what is asked of it: y, x conditions on drawn columns, z a drawn number; s, g, n unchanged."""

    make: Callable[[int], pd.DataFrame]
    y: str
    x: str
    z: str
    s: str
    g: tuple[str, str]
    n: str
    blocks: tuple[tuple[str, ...], ...]
    classes: tuple[str, ...]
    person: str = ""
    population: Callable[[int], pd.DataFrame] | None = None


def make_stays(rows: int, seed: int, most: int = 1) -> pd.DataFrame:
    """Return stays: illness depends on sex, age and smoking, the days on illness; persons have up to `most` stays."""
    rng = np.random.default_rng(seed)
    each = rng.integers(1, most + 1, rows)
    pid = np.repeat(np.arange(rows), each)[:rows]
    sex, age, smoker, frail = rng.random(rows) < 0.5, rng.integers(0, 5, rows), rng.random(rows), rng.normal(0, 1, rows)
    sex, age, smoker = sex[pid], age[pid], (smoker < 0.25 + 0.1 * sex)[pid]
    bmi = rng.normal(25, 4, rows).round(1)
    frailty = 0.5 * frail[pid] if most > 1 else 0
    ill = rng.random(rows) < expit(-2.6 + 0.35 * age + 0.6 * sex + 0.7 * smoker + 0.03 * (bmi - 25) + frailty)
    return pd.DataFrame(
        {
            "pid": [f"P{i}" for i in pid],
            "sex": np.where(sex, "m", "f"),
            "age": np.array(["0-19", "20-39", "40-59", "60-79", "80+"])[age],
            "bmi": bmi,
            "smoker": np.where(smoker, "yes", "no"),
            "dx": np.where(ill, "yes", "no"),
            "los": np.minimum(rng.poisson(3 + 2 * ill + 0.5 * age), 15),  # of 21 numbers a column is drawn in bands
        }
    )


def studies(data: Path) -> dict[str, Study]:
    """Return the tables by name."""
    words: dict[str, Any] = {"y": "dx=yes", "x": "smoker=yes", "z": "los", "s": "sex=m", "n": "bmi"}
    words |= {"g": ("age=40-59", "age=80+"), "blocks": (("smoker",), ("dx", "los")), "classes": ("sex", "age")}
    found = {}
    for name, rows, most in (("900", 900, 1), ("12,000 of persons", 12_000, 3), ("100,000", 100_000, 1)):
        found[name] = Study(
            lambda seed, rows=rows, most=most: make_stays(rows, seed, most),
            person="pid" if most > 1 else "",
            population=lambda seed, most=most: make_stays(POPULATION, seed, most),
            **words,
        )
    if (data / "adult.csv.gz").exists():
        columns = ["gender", "race", "educational-num", "occupation", "income", "hours-per-week"]
        adult = pd.read_csv(data / "adult.csv.gz", keep_default_na=False)[columns]
        adult["hours-per-week"] = adult["hours-per-week"] // 10 * 10  # measured numbers are drawn in bands
        found["adult"] = Study(
            lambda seed: adult, "income=>50K", "occupation=Sales", "hours-per-week", "gender=Male",
            ("race=Black", "race=White"), "educational-num", (("occupation",), ("income", "hours-per-week")),
            ("gender", "race"),
        )  # fmt: skip
    return found


# --- the questions: name, how the kit is asked in Python and in R, and the truth

AnsweredQuestion = tuple[str, str, str, Callable[[pd.DataFrame], float]]


def _flags(frame: pd.DataFrame, *conditions: str) -> Any:
    found = np.ones(len(frame), bool)
    for condition in conditions:
        name, _, value = condition.partition("=")
        found &= (frame[name].astype(str) == value).to_numpy()
    return found


def _regression(frame: pd.DataFrame, y: Any, columns: Sequence[Any], logistic: bool) -> Any:
    x = np.column_stack([np.ones(len(frame)), *columns]).astype(float)
    if not logistic:
        return np.linalg.lstsq(x, y, rcond=None)[0]
    theta = np.zeros(x.shape[1])
    for _ in range(30):
        p = expit(x @ theta)
        theta = theta + np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x, x.T @ (y - p))
    return theta


def questions(q: Study) -> list[AnsweredQuestion]:
    """Return the 34 questions: kind, call of the Python kit, call of the R kit, truth in a source."""
    found: list[AnsweredQuestion] = []

    def ask(
        kind: str, function: str, arguments: Sequence[str], truth: Callable[[pd.DataFrame], float], *where: str
    ) -> None:
        words = ", ".join(map(json.dumps, arguments))
        if function != "count" and where:
            python, r = f"{words}, {list(where)!r}", f"{words}, c({', '.join(map(json.dumps, where))})"
        else:
            python = r = words
        found.append((kind, f"r.{function}({python})", f"{function}(r, {r})", truth))

    def rate(frame: pd.DataFrame, of: str, among: Any) -> float:
        return float((_flags(frame, of) if "=" in of else frame[of].to_numpy())[among].mean())

    for conditions in ([q.y], [q.y, q.s], [q.y, q.g[0]], [q.y, q.g[1]], [q.y, q.s, q.g[0]], [q.x], [q.x, q.s],
                       [q.x, q.y], [q.x, q.y, q.s], [q.x, q.g[1]]):  # fmt: skip
        kind = "counts of two blocks" if q.x in conditions and q.y in conditions else "counts"
        ask(kind, "count", conditions, lambda f, c=tuple(conditions): float(_flags(f, *c).sum()))
    for outcome, *where in ((q.y,), (q.y, q.s), (q.y, q.x), (q.x, q.g[0])):
        ask("shares", "share", [outcome], lambda f, o=outcome, w=tuple(where): rate(f, o, _flags(f, *w)), *where)
    for where in ((), (q.s,), (q.y,), (q.x,)):
        ask("means", "mean", [q.z], lambda f, w=where: rate(f, q.z, _flags(f, *w)), *where)
    for outcome, exposure in ((q.y, q.s), (q.y, q.x), (q.z, q.s), (q.z, q.y)):
        ask("differences", "difference", [outcome, exposure],
            lambda f, o=outcome, e=exposure: rate(f, o, _flags(f, e)) - rate(f, o, ~_flags(f, e)))  # fmt: skip
    for outcome, exposure, *where in ((q.y, q.s), (q.y, q.x), (q.y, q.s, q.g[0]), (q.x, q.s)):
        ask("risk ratios, by a drawn exposure" if exposure == q.x else "risk ratios", "risk_ratio", [outcome, exposure],
            lambda f, o=outcome, e=exposure, w=tuple(where): rate(f, o, _flags(f, e, *w))
            / rate(f, o, ~_flags(f, e) & _flags(f, *w)), *where)  # fmt: skip
    for outcome, exposure in ((q.y, q.s), (q.y, q.x), (q.x, q.g[1])):

        def odds(f: pd.DataFrame, o: str = outcome, e: str = exposure) -> float:
            one, other = (rate(f, o, flags) for flags in (_flags(f, e), ~_flags(f, e)))
            return one / (1 - one) / (other / (1 - other))

        ask("odds ratios", "odds_ratio", [outcome, exposure], odds)
    _ask_regressions(q, found)
    return found


def _ask_regressions(q: Study, found: list[AnsweredQuestion]) -> None:
    def as_r(term: str) -> str:
        name, sign, value = term.partition("=")
        return f"(`{name}` == {json.dumps(value)})" if sign else f"`{name}`"

    for outcome, terms, at, family in ((q.z, (q.s, q.n), 1, "linear"), (q.z, (q.s, q.n), 2, "linear"),
                                       (q.y, (q.s, q.n), 1, "logistic"), (q.y, (q.s, q.n), 2, "logistic"),
                                       (q.y, (q.x, q.s), 1, "logistic")):  # fmt: skip

        def truth(
            f: pd.DataFrame, o: str = outcome, t: tuple[str, ...] = terms, at: int = at, fit: str = family
        ) -> float:
            columns = [_flags(f, each) if "=" in each else f[each].to_numpy() for each in t]
            y = _flags(f, o) if "=" in o else f[o].to_numpy()
            return float(_regression(f, y, columns, fit == "logistic")[at])

        kind = "regressions on a drawn covariate" if q.x in terms else "regressions"
        call = f"regress(r, {as_r(outcome)} ~ {' + '.join(map(as_r, terms))}, family = {json.dumps(family)})"
        found.append((f"{kind}|{at}", f"r.regress('{outcome} ~ {' + '.join(terms)}', family='{family}')", call, truth))


# --- one release


def publish(study: Study, frame: pd.DataFrame, gamma: float, folder: Path, seed: int) -> Path:
    """Draw and write a release of a frame."""
    kinds = {"i": Kind.INTEGER, "f": Kind.DECIMAL}
    columns = tuple(
        column_of(str(name), frame[name].astype(str).tolist(), kind=kinds.get(frame[name].dtype.kind, Kind.CATEGORY))
        for name in frame.columns
        if study.person or name != "pid"
    )
    drawn = {name for block in study.blocks for name in block}
    roles = {column.name: Role.SA if column.name in drawn else Role.NSA for column in columns}
    persons = None
    if study.person:
        roles[study.person], persons = Role.IDENTIFIER, ByPerson(study.person, "draw", number=True)
    blocks = tuple(Block(block, Lenders(gamma)) for block in study.blocks)
    return released(Table(columns), Plan(roles, blocks, study.classes, persons=persons), folder, seed).path


def figures_of(kit: ModuleType, r: Any, call: str, kind: str) -> Any:
    """Return estimate, low, high, low_table, high_table; None where the kit refuses."""
    try:
        rows = eval(call, {"r": r}).rows
    except kit.Refused:
        return None
    return rows[int(kind.partition("|")[2] or 0)]


def truths_of(study: Study, asked: Sequence[AnsweredQuestion]) -> list[float | None]:
    """Return the figures of the population, on average over several of them; None for a table that has none."""
    if study.population is None:
        return [None for _ in asked]
    found = []
    for seed in range(POPULATIONS):
        people = study.population(1_000_000 + seed)
        found.append([truth(people) for *_, truth in asked])
    return [float(each) for each in np.mean(found, axis=0)]


def compare_with_r(folder: Path, asked: Sequence[AnsweredQuestion], mine: Sequence[Any]) -> float:
    """Return the largest relative distance of the R kit's figures from the Python kit's."""
    script = f'source("{KIT / "splu_release.R"}"); r <- load_release("{folder}")\n'
    for kind, _, call, _ in asked:
        row = int(kind.partition("|")[2] or 0) + 1
        script += f'cat(tryCatch(sprintf("%.12g", {call}$rows[{row}, ]), error = function(e) rep("NA", 5)), "\\n")\n'
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, check=True)
    away = 0.0
    for line, figures, (_, call, _, _) in zip(ran.stdout.splitlines(), mine, asked, strict=True):
        if ("NA" in line) != (figures is None):
            raise AssertionError(call)
        if figures is not None:
            theirs = np.array([float(each) for each in line.split()])
            both = np.isfinite(theirs) & np.isfinite(figures)
            away = max(away, float((np.abs(theirs - figures) / (1e-6 + np.abs(figures)))[both].max()))
    return away


def compare_with_scores(study: Study, folder: Path, r: Any) -> float:
    """Return how far sums and least squares over scores.csv are from what the kit says, relative."""
    scores, table = pd.read_csv(folder / "scores.csv"), r.table
    line, mine = _flags(table, study.s), r.score(study.y)
    near = min((each for each in scores.columns if each.startswith(study.y.partition("=")[0])),
               key=lambda each: float(np.abs(scores[each] - mine).max()))  # fmt: skip
    away = [scores[near][line].sum() / mine[line].sum() - 1]
    number = scores[f"{study.z.replace('-', '_')}_score"].to_numpy()
    theirs = _regression(table, number, [line, table[study.n].to_numpy()], False)
    away += list(theirs / r.regress(f"{study.z} ~ {study.s} + {study.n}").coef.to_numpy() - 1)
    return float(np.abs(away).max())


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=10)
    parser.add_argument("--gamma", type=float, default=5)
    parser.add_argument("--data", type=Path, default=Path("/nowhere"))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    kit = load_kit()
    tally: dict[str, list[int]] = {}
    for name, study in studies(args.data).items():
        asked = questions(study)
        wide = truths_of(study, asked)
        own = [0, 0, 0, 0]  # asked, held about the table, about persons like these, refused
        for seed in range(args.releases):
            frame = study.make(seed + 1)
            with tempfile.TemporaryDirectory() as folder:
                path = publish(
                    study, frame, args.gamma, Path(folder) / "release", 10_000 + seed
                )  # another stream than the table's
                r = kit.load(path)
                mine = [figures_of(kit, r, call, kind) for kind, call, _, _ in asked]
                if not seed:
                    in_r = f"{compare_with_r(path, asked, mine):.0e}" if shutil.which("Rscript") else "no R"
                    print(
                        f"{name}: R kit away by {in_r}, scores.csv by {compare_with_scores(study, path, r):.0e}",
                        flush=True,
                    )
            for (kind, _, _, truth), figures, like in zip(asked, mine, wide, strict=True):
                counts = tally.setdefault(kind.partition("|")[0], [0, 0, 0, 0])
                true = truth(frame)
                # The population has so many times the rows; a count is held against the rate in it.
                near = true if like is None else like * len(frame) / POPULATION if kind.startswith("counts") else like
                held = (
                    (0, 0, 0, 1)
                    if figures is None
                    else (1, figures[3] <= true <= figures[4], figures[1] <= near <= figures[2], 0)
                )
                for at, each in enumerate(held):
                    counts[at] += each
                    own[at] += each
        _print({f"all of {name}": own})
    _print(tally)


def _print(tally: Mapping[str, Sequence[int]]) -> None:
    for kind, (number, table, like, refused) in tally.items():
        shares = [f"{100 * each / max(number, 1):.1f} %" for each in (table, like)]
        print(f"{kind:36} {number:>6} asked, held {shares[0]:>7} this table, {shares[1]:>7} persons like these, "
              f"{refused} refused", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
