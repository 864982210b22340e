"""An odds ratio, a mean, a trend and a logistic coefficient, which naive counting gets wrong: do intervals hold them?

    python benchmarks/part_e.py [--data ../shared/data] [--releases 40]

Of adult, census workers, two invented hospitals (`benchmarks/coverage.py`), an invented intensive care unit (long
stays, few deaths), a shipyard and a canteen (odds ratios of 25, skewed flags, sensitive numbers), a cohort with
repeated visits and a register, drawn by person. Prints for each question the truth, the naive answer of the first
release, how often the 95 % interval held the truth, and which of the recipient's kits said the same of that release.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.coverage import hospital
from splu_desktop.core import sanitise
from splu_desktop.core.analyse.analyses import told_periods
from splu_desktop.core.analyse.analysis import Analysis, AnalysisKind
from splu_desktop.core.draw import Draw, PlainGroups
from splu_desktop.core.draw.by_person import ByPerson
from splu_desktop.core.draw.joined import design
from splu_desktop.core.draw.ways import JOINED, by_gamma
from splu_desktop.core.generalise import table_after
from splu_desktop.core.generalise.dates import DatePart, Part
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query.reader import Reader, parse_condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import read
from tests.files.kit_questions import Question, alike, asked_in_r, asked_of_kit, figures_of
from tests.files.kit_releases import kit
from tests.seeded import Seeded
from tests.written import write_release

Asked = tuple[str, str, str, str, str]  # sensitive value, group, numbers, times, covariate


def intensive_care() -> Table:
    """Return 12,000 stays: sepsis grows by the month and lengthens the stay, which has a long tail; 7 % die."""
    chance, n = np.random.default_rng(77), 12_000
    age = np.clip(chance.gamma(14, 4.6, n), 18, 97).astype(int)
    ventilated = chance.random(n) < np.clip(0.15 + 0.004 * (age - 40), 0.05, 0.6)
    day = np.datetime64("2022-01-01") + chance.integers(0, 730, n)
    since = (day.astype("datetime64[M]") - np.datetime64("2022-01")).astype(int)
    sepsis = chance.random(n) < np.where(ventilated, 0.3, 0.09) * (1 + 0.02 * since)
    stay = np.clip(np.round(chance.lognormal(0.9 + 0.5 * sepsis + 0.4 * ventilated, 0.9)), 1, 60).astype(int)
    died = chance.random(n) < 1 / (1 + np.exp(4.2 - 0.035 * (age - 40) - 1.4 * sepsis - 0.6 * ventilated))
    others = chance.choice(
        ["Stroke", "Trauma", "Pneumonia", "Heart failure", "Operation"], n, p=[0.15, 0.15, 0.2, 0.2, 0.3]
    )
    columns = {
        "age": (age, Kind.INTEGER),
        "ventilated": (np.where(ventilated, "yes", "no"), Kind.CATEGORY),
        "admitted": (day, Kind.DATE),
        "stay": (stay, Kind.INTEGER),
        "diagnosis": (np.where(sepsis, "Sepsis", others), Kind.CATEGORY),
        "outcome": (np.where(died, "died", np.where(chance.random(n) < 0.12, "moved", "home")), Kind.CATEGORY),
    }
    return _table(columns)


def cohort() -> Table:
    """Return 4,000 patients' visits, 1 to 10 each: flares of smokers, fewer from visit to visit; the same all along."""
    chance, patients = np.random.default_rng(78), 4_000
    who = np.repeat(np.arange(patients), 1 + np.minimum(chance.poisson(2.2, patients), 9))
    smoker = (chance.random(patients) < 0.28)[who]
    ill = (chance.normal(size=patients) + 0.9 * (chance.random(patients) < 0.3))[who] + 0.9 * smoker
    visit = np.arange(len(who)) - np.searchsorted(who, who) + 1
    day = np.datetime64("2019-01-01") + chance.integers(0, 900, patients)[who] + 120 * visit
    flare = chance.random(len(who)) < 1 / (1 + np.exp(1.5 - 0.8 * ill + 0.15 * visit))
    calm = chance.choice(["remission", "stable"], len(who), p=[0.6, 0.4])
    columns = {
        "patient": (np.char.add("K", who.astype(str)), Kind.CATEGORY),
        "smoker": (np.where(smoker, "yes", "no"), Kind.CATEGORY),
        "visit": (visit, Kind.INTEGER),
        "seen": (day, Kind.DATE),
        "state": (np.where(flare, "flare", calm), Kind.CATEGORY),
    }
    return _table(columns)


def dialysis() -> Table:
    """Return visits of 5,000 patients: one in twelve on dialysis, who come 3 to 12 times, the others 1 to 3 times."""
    chance, patients = np.random.default_rng(5), 5_000
    often = chance.random(patients) < 0.08
    who = np.repeat(np.arange(patients), np.where(often, *(chance.integers(*of, patients) for of in ((3, 13), (1, 4)))))
    kinds = ["anaemia", "infection", "access", "other"]
    own = chance.choice(kinds, patients, p=[0.2, 0.3, 0.1, 0.4])
    own = np.where(often & (chance.random(patients) < 0.4), "access", own)[who]
    seen = np.where(chance.random(len(who)) < 0.6, own, chance.choice(kinds, len(who), p=[0.25, 0.35, 0.1, 0.3]))
    columns = {
        "patient": (np.char.add("K", who.astype(str)), Kind.CATEGORY),
        "dialysis": (np.where(often[who], "yes", "no"), Kind.CATEGORY),
        "sex": (np.where(chance.random(patients) < 0.5, "f", "m")[who], Kind.CATEGORY),
        "age": (chance.integers(20, 90, patients)[who], Kind.INTEGER),
        "ward": (chance.choice(["A", "B", "C"], len(who), p=[0.5, 0.3, 0.2]), Kind.CATEGORY),
        "seen": (np.datetime64("2021-01-01") + chance.integers(0, 600, len(who)), Kind.DATE),
        "illness": (seen, Kind.CATEGORY),
    }
    return _table(columns)


def shipyard() -> Table:
    """Return 5,000 workers: few had asbestos, of whom 25 times the odds had a mesothelioma; fibres by year of entry."""
    chance, n = np.random.default_rng(2611), 5_000
    entered = np.datetime64("1968-03-01") + chance.integers(0, 4_500, n)
    since = (entered.astype("datetime64[Y]") - np.datetime64("1968")).astype(int)
    asbestos = chance.random(n) < 0.16 - 0.01 * since
    age = np.clip(np.round(chance.normal(58, 11, n)), 30, 92).astype(int)
    ill = chance.random(n) < 1 / (1 + np.exp(3.6 - np.log(25) * asbestos - 0.02 * (age - 58)))
    fibres = np.minimum(chance.poisson(np.where(asbestos, 7, 2) + 2 * ill), 15)
    columns = {
        "age": (age, Kind.INTEGER),
        "entered": (entered, Kind.DATE),
        "mesothelioma": (np.where(ill, "yes", "no"), Kind.CATEGORY),
        "asbestos": (np.where(asbestos, "yes", "no"), Kind.CATEGORY),
        "fibres": (fibres, Kind.INTEGER),
    }
    return _table(columns)


def banquet() -> Table:
    """Return 6,000 guests of a canteen: who ate the salad fell ill with 25 times the odds, fewer from week to week."""
    chance, n = np.random.default_rng(2612), 6_000
    salad = chance.random(n) < 0.35
    day = np.datetime64("2025-04-07") + chance.integers(0, 70, n)
    week = (day - np.datetime64("2025-04-07")).astype(int) // 7
    age = chance.integers(17, 68, n)
    ill = chance.random(n) < 1 / (1 + np.exp(2.6 - np.log(25) * salad + 0.12 * week - 0.01 * (age - 40)))
    days = np.where(ill, np.minimum(1 + chance.geometric(0.25, n), 14), chance.choice(3, n, p=[0.7, 0.2, 0.1]))
    columns = {
        "salad": (np.where(salad, "yes", "no"), Kind.CATEGORY),
        "age": (age, Kind.INTEGER),
        "day": (day, Kind.DATE),
        "norovirus": (np.where(ill, "positive", "negative"), Kind.CATEGORY),
        "days off": (days, Kind.INTEGER),
    }
    return _table(columns)


def _table(columns: dict[str, tuple[np.ndarray, Kind]]) -> Table:
    return Table(
        tuple(Column.from_labels(name, each.astype(str).tolist(), kind=kind) for name, (each, kind) in columns.items())
    )


def cases(data: Path) -> Iterator[tuple[str, Table, Plan, Asked]]:
    """Yield name, table, plan, and what is asked."""

    def plan(table: Table, draws: dict[str, Draw]) -> Plan:
        return Plan({name: Role.SA if name in draws else Role.NSA for name in table.names}, draws)

    adult = read(data / "adult.csv.gz").table
    names = [each for each in adult.names if adult[each].m <= 120]
    job = next(each for each in names if each.startswith("occupation"))
    pay = next(each for each in names if each.startswith(("income", "salary", "class")))
    rich, adult = str(adult[pay].labels[-1]), adult.select(names)
    yield (
        "adult",
        adult,
        plan(adult, {job: PlainGroups(4)}),
        (f"{job}=Prof-specialty", f"{pay}={rich}", "age", "age", "age"),
    )
    census = read(data / "census_workers.csv.gz").table
    asked = ("Education=Bachelors degree(BA AB BS)", "IncomeClass=50000+.", "Age", "WeeksWorked", "Age")
    yield "census workers", census, plan(census, {"Education": PlainGroups(2)}), asked
    for seed in (3, 8):
        made = hospital(seed)
        columns = [
            Column.from_labels(each.name, [str(each.labels[code]) for code in each.codes], kind=Kind.INTEGER)
            for each in made.columns
        ]
        table, asked = Table(tuple(columns)), ("code=1|2", "age=7..10", "stay", "ward", "sex")
        yield f"hospital {seed}", table, plan(table, {"code": PlainGroups(2)}), asked
    care = intensive_care()
    asked = ("diagnosis=Sepsis", "ventilated=yes", "stay", "admitted", "age")
    yield "intensive care, sepsis", care, plan(care, {"diagnosis": PlainGroups(3)}), asked
    dead = {"outcome": by_gamma(care["outcome"], 3, JOINED)}
    yield (
        "intensive care, deaths",
        care,
        plan(care, dead),
        ("outcome=died", "ventilated=yes", "stay", "admitted", "age"),
    )
    visits, asked = cohort(), ("state=flare", "smoker=yes", "visit", "seen", "visit")
    for title, steps in (("", {}), (", quarters", {"seen": (DatePart(Part.QUARTER),)})):
        roles = dict.fromkeys(visits.names, Role.NSA) | {"state": Role.SA, "patient": Role.IDENTIFIER}
        drawn = {"state": by_gamma(visits["state"], 3, JOINED)}
        persons = ByPerson("patient", "draw")
        yield f"visits by person{title}", visits, Plan(roles, drawn, persons=persons, generalisations=steps), asked

    yard = shipyard()
    drawn = {"asbestos": by_gamma(yard["asbestos"], 3, JOINED), "fibres": PlainGroups(3)}
    asked = ("asbestos=yes", "mesothelioma=yes", "age", "entered", "age")
    yield "shipyard", yard, plan(yard, drawn), asked
    yield "shipyard, fibres", yard, plan(yard, drawn), ("fibres=7..", "mesothelioma=yes", "fibres", "entered", "age")
    guests = banquet()
    drawn = {"norovirus": by_gamma(guests["norovirus"], 3, JOINED), "days off": by_gamma(guests["days off"], 2)}
    yield "banquet", guests, plan(guests, drawn), ("norovirus=positive", "salad=yes", "days off", "day", "age")
    register = dialysis()
    roles = dict.fromkeys(register.names, Role.NSA) | {"illness": Role.SA, "patient": Role.IDENTIFIER}
    for title, drawn in (("joined", by_gamma(register["illness"], 3, JOINED)), ("groups", PlainGroups(3))):
        for group, covariate in (("dialysis=yes", "age"), ("sex=f", "dialysis"), ("ward=A", "sex")):
            made = Plan(roles, {"illness": drawn}, persons=ByPerson("patient", "draw"))
            asked = ("illness=infection", group, "age", "seen", covariate)
            yield f"dialysis by person, {title}, {group}", register, made, asked


def analyses_of(published: Published, asked: Asked) -> dict[str, Analysis]:
    """Return the four questions."""
    met, group, numbers, times, covariate = asked
    told = told_periods(published.table[times])
    period = "month" if "month" in told else "".join(told[-1:])
    value, other = (parse_condition(text, published) for text in (met, group))
    return {
        "odds ratio": Analysis(AnalysisKind.ODDS_RATIO, (other,), (value,)),
        "mean": Analysis(AnalysisKind.MEAN, (value,), columns=(numbers,)),
        "trend": Analysis(AnalysisKind.TREND, (value,), columns=(times,), period=period),
        "logit": Analysis(AnalysisKind.LOGIT, (other,), on=((value,), covariate)),
    }


def main() -> None:
    """Print a line for each table and question."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--releases", type=int, default=40)
    parser.add_argument("--only", default="", help="tables whose name holds this")
    args = parser.parse_args()
    for name, table, plan, asked in cases(args.data):
        if args.only not in name:
            continue
        # As generalised and without who is who, and each value published as it is: so the analyses say the truth.
        seen = table_after(table, plan.generalisations).select(
            [each for each, role in plan.roles.items() if role in (Role.SA, Role.NSA)]
        )
        kept = {
            sa: design(seen[sa], Tolerances(dict.fromkeys(map(str, seen[sa].labels), Fraction(1)))) for sa in plan.draws
        }
        true = Reader(Published(seen, kept))
        truth = {what: one.answer(true).estimate for what, one in analyses_of(true.published, asked).items()}
        held: dict[str, list[bool]] = {what: [] for what in truth}
        for seed in range(args.releases):
            published = sanitise.run(table, plan, randomness=Seeded(seed))
            reader = Reader(published)
            found = {what: one.answer(reader) for what, one in analyses_of(published, asked).items()}
            for what, one in found.items():
                held[what].append(one.low <= truth[what] <= one.high)
            if seed == 0:
                naive = Reader(Published(published.table, kept))
                counted = {
                    what: one.answer(naive).estimate for what, one in analyses_of(naive.published, asked).items()
                }
                with tempfile.TemporaryDirectory() as base:
                    folder = write_release(published, Path(base) / "r").folder
                    release = kit().Release(folder)
                    period = analyses_of(published, asked)["trend"].period
                    met, group, numbers, times, covariate = asked
                    questions = [
                        Question("odds_ratio", (group, met, [])),
                        Question("mean", (numbers, [met])),
                        Question("trend", (met, times, period)),
                        Question("logit", (group, [met, covariate], [])),
                    ]
                    ours = [figures_of(one.as_dict()) for one in found.values()]
                    theirs = {"Python": [asked_of_kit(release, question) for question in questions]}
                    if shutil.which("Rscript"):
                        theirs["R"] = asked_in_r(folder, questions)
                same = {
                    what: " and ".join(who for who, each in theirs.items() if alike(ours[at], each[at])) or "NONE"
                    for at, what in enumerate(found)
                }
        for what, each in held.items():
            print(
                f"{name}, {what}: true {truth[what]:.4g}, naive {counted[what]:.4g}, held {np.mean(each):.3f} of"
                f" {len(each)}, the same in: {same[what]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
