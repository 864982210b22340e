"""Our comparators beside implementations of others, on the same settings.

    python -m benchmarks.outside [--draws 200000]

Laplace noise and randomised response against IBM's diffprivlib (`pip install diffprivlib`, dependency group
`benchmark-compare`): the two-sample Kolmogorov-Smirnov distance of noises with the same epsilon, and the share of
records that keep one of two values. Each line ends in "agrees" or "DIFFERS"; a false alarm has a chance of 1 in 1,000
each. Nothing of the program needs diffprivlib.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import sys
from types import ModuleType

import numpy as np
from scipy import stats

from splu_desktop.compare.base.questions import CountingQuestions
from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.counts.laplace import EPSILONS, LaplaceEach
from splu_desktop.compare.perturb.channel import drawn, evenly
from splu_desktop.compare.perturb.local import RandomisedResponse, epsilon_for
from splu_desktop.core.progress import Silent
from tests.compare.tables import small_source

_ALARM = 0.001


def mechanisms() -> ModuleType:
    """Return diffprivlib's mechanisms. Its package as a whole asks for an older scikit-learn; these do not."""
    spec = importlib.util.find_spec("diffprivlib")
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit("diffprivlib is not installed; say: pip install diffprivlib")
    package = ModuleType("diffprivlib")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["diffprivlib"] = package
    return importlib.import_module("diffprivlib.mechanisms")


def main() -> None:
    """Print one line per setting."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200_000)
    draws = parser.parse_args().draws
    theirs_of, chance = mechanisms(), np.random.default_rng(1)
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


def _say(line: str, p: float) -> None:
    print(f"{line}: {'agrees' if p > _ALARM else 'DIFFERS'}")


if __name__ == "__main__":
    main()
