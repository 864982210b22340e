"""Our comparators beside implementations of others, on the same settings.

    python -m benchmarks.outside [--draws 200000]

Laplace noise and randomised response against IBM's diffprivlib: the two-sample Kolmogorov-Smirnov distance of noises
with the same epsilon, and the share of records that keep one of two values; a false alarm has a chance of 1 in 1,000
each. k-anonymity against anonypy's Mondrian: the same classes where columns have no ties, so that both cut alike, and
their number on adult, where they do not. k, l, entropy l, t and delta of what our systems publish against pycanon's
measures of the same tables, to nine digits. Each line ends in "agrees" or "DIFFERS".

Nothing of the program needs these packages (dependency group `benchmark-compare`); anonypy and pycanon are installed
with --no-deps, since they ask for older versions of NumPy and pandas than ours and do without.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
from scipy import stats

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.counts.laplace import EPSILONS, LaplaceEach
from splu_desktop.compare.generalise.classes import ClassDisclosure, Generalised
from splu_desktop.compare.generalise.closeness import Closeness, equal_distance
from splu_desktop.compare.generalise.delta_disclosure import DeltaDisclosure
from splu_desktop.compare.generalise.diversity import DistinctDiversity, EntropyDiversity, entropy
from splu_desktop.compare.generalise.k_anonymity import KAnonymity
from splu_desktop.compare.generalise.mondrian import Mondrian
from splu_desktop.compare.perturb.channel import drawn, evenly
from splu_desktop.compare.perturb.local import RandomisedResponse, epsilon_for
from splu_desktop.core.progress import Silent
from splu_desktop.files.importer import ImportChoices, read
from tests.compare.tables import small_source
from tests.core.tables import column

_ALARM = 0.001


@cache
def part_of(package: str, part: str) -> ModuleType:
    """Return a module of a package without what the package as a whole asks for: plots, older versions, a console."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit(f"{package} is not installed; say: pip install --no-deps {package}")
    bare = ModuleType(package)
    bare.__path__ = list(spec.submodule_search_locations)
    sys.modules[package] = bare
    return importlib.import_module(f"{package}.{part}")


def main() -> None:
    """Print one line per setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200_000)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    args = parser.parse_args()
    noises(args.draws)
    partitions()
    adult = read(args.data / "adult.csv.gz", ImportChoices()).table
    some = np.sort(np.random.default_rng(1).permutation(adult.n)[:3_000])
    part = TrueTable.of(adult.take(some), ("age", "hours-per-week", "educational-num"), "occupation")
    sizes(part)
    measures(TrueTable.of(part.table.take(np.arange(1_200)), part.names, "occupation"))


def noises(draws: int) -> None:
    """Compare with diffprivlib."""
    theirs_of, chance = part_of("diffprivlib", "mechanisms"), np.random.default_rng(1)
    source = small_source()
    for name, epsilon in EPSILONS.items():
        ours = _noise(source, epsilon, draws, chance)
        mechanism = theirs_of.Laplace(epsilon=epsilon, sensitivity=1, random_state=1)
        theirs = np.array([mechanism.randomise(0.0) for _ in range(draws // 10)])
        found = stats.ks_2samp(ours, theirs)
        _say(f"Laplace noise, epsilon {name}: distance {found.statistic:.4f}, p {found.pvalue:.3f}", found.pvalue)
    two = TrueTable(source.columns, small_source(m=2).sensitive)
    for gamma in (2, 3, 5, 10):
        epsilon = epsilon_for(two.shares, gamma)
        odds = math.exp(epsilon)
        kept = int((drawn(evenly(2, odds / (odds + 1)), np.zeros(draws, np.int64), chance) == 0).sum())
        mechanism = theirs_of.Binary(epsilon=epsilon, value0="no", value1="yes", random_state=1)
        same = sum(mechanism.randomise("no") == "no" for _ in range(draws // 10))
        table = [[kept, draws - kept], [same, draws // 10 - same]]
        p = float(stats.chi2_contingency(table)[1])
        shares = f"{100 * kept / draws:.2f} % and {1000 * same / draws:.2f} %"
        _say(f"{RandomisedResponse.title}, 2 values, gamma {gamma}: kept {shares}, p {p:.3f}", p)


def _noise(source: TrueTable, epsilon: float, draws: int, chance: np.random.Generator) -> np.ndarray:
    questions = CountingQuestions.of_margins(source)
    parts = []
    for _ in range(-(-draws // len(questions.row))):
        answers = LaplaceEach(epsilon).publish(source, chance, Silent()).answer(questions)
        parts.append(answers.estimate - questions.truth)
    return np.concatenate(parts)[:draws]


def their_classes(frame: pd.DataFrame, k: int) -> np.ndarray:
    """Return (N,) the number of each record's class by anonypy's Mondrian."""
    found = np.empty(len(frame), np.int64)
    for number, members in enumerate(part_of("anonypy", "mondrian").Mondrian(frame, list(frame.columns)).partition(k)):
        found[members.to_numpy()] = number
    return found


def our_classes(source: TrueTable, k: int) -> Generalised:
    """Return what our k-anonymity publishes."""
    return KAnonymity(k).publish(source, np.random.default_rng(1), Silent())


def partitions() -> None:
    """Compare classes where no column has ties."""
    chance, n = np.random.default_rng(1), 1_000
    names = ("a", "b", "c")
    columns = tuple(column(name, chance.permutation(n)) for name in names)
    source = TrueTable(columns, column("s", chance.integers(0, 5, n)))
    for k in (2, 5, 20):
        theirs = their_classes(pd.DataFrame({each.name: each.codes for each in columns}), k)
        ours = our_classes(source, k).classes
        both = np.unique(np.stack([ours, theirs]), axis=1).shape[1]
        same = both == ours.max() + 1 == theirs.max() + 1
        _say_whether(f"k-anonymity, no ties, k {k}: {ours.max() + 1} classes and {theirs.max() + 1}, the same", same)


def sizes(source: TrueTable) -> None:
    """Compare the classes of real columns, of which both must have the same least size; ours may be finer."""
    frame = pd.DataFrame({each.name: each.codes for each in source.columns})
    for k in (2, 5, 20):
        theirs, ours = np.bincount(their_classes(frame, k)), our_classes(source, k).sizes
        line = f"k-anonymity, adult, k {k}: least class {ours.min()} and {theirs.min()}, {len(ours)} and {len(theirs)}"
        _say_whether(f"{line} classes", bool(min(ours.min(), theirs.min()) >= k and len(ours) >= 0.9 * len(theirs)))


def measures(source: TrueTable) -> None:
    """Compare what pycanon measures of our tables with what we say of them."""
    theirs = part_of("pycanon", "anonymity")
    systems: tuple[Mondrian, ...] = (
        *(KAnonymity(k) for k in (2, 10)),
        *(DistinctDiversity(l_) for l_ in (2, 5)),
        *(EntropyDiversity(l_) for l_ in (2, 5)),
        *(Closeness(t) for t in (0.5, 0.3)),
        *(DeltaDisclosure(delta) for delta in (3.0, 2.0)),
    )
    for system in systems:
        outcome = system.publish(source, np.random.default_rng(1), Silent())
        frame = pd.DataFrame({"class": outcome.classes, "s": source.sensitive.labels[source.sensitive.codes]})
        asked = frame, ["class"], ["s"]
        counts = outcome.counts.toarray()
        share = counts / counts.sum(axis=1, keepdims=True)
        whole = np.where(share > 0, np.abs(np.log(np.where(share > 0, share, 1) / source.shares)), 0.0)
        full = bool((counts > 0).all())
        told = theirs.entropy_l_diversity(*asked)
        pairs = {
            "k": (int(outcome.sizes.min()), theirs.k_anonymity(frame, ["class"])),
            "l": (int((counts > 0).sum(axis=1).min()), theirs.l_diversity(*asked)),
            "entropy l": (_whole_part(float(np.exp(entropy(counts).min())), told), told),
            "t": (float(equal_distance(counts, source.shares).max()), theirs.t_closeness(*asked)),
            # Theirs passes over values that a class lacks; to ours these are infinitely far.
            "delta": (
                ClassDisclosure.of(outcome.counts).quotient if full else float(whole.max()),
                theirs.delta_disclosure(*asked),
            ),
        }
        same = all(math.isclose(one, other, rel_tol=1e-9) for one, other in pairs.values())
        words = ", ".join(f"{name} {one:.6g} and {other:.6g}" for name, (one, other) in pairs.items())
        _say_whether(f"{system.title}, {system.setting}: {words}", same)


def _whole_part(value: float, told: int) -> int:
    """Return the whole part; of a whole number but for rounding, either side of which is right, the one told."""
    return told if abs(value - round(value)) < 1e-9 and told in (round(value) - 1, round(value)) else int(value)


def _say(line: str, p: float) -> None:
    _say_whether(line, p > _ALARM)


def _say_whether(line: str, same: bool) -> None:
    print(f"{line}: {'agrees' if same else 'DIFFERS'}", flush=True)


if __name__ == "__main__":
    main()
