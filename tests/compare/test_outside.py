"""Comparators against outside libraries, where these are installed: within their noise."""

from __future__ import annotations

import gzip
import math
import random
import sys
from types import ModuleType

import numpy as np
import pytest

from splu_desktop.compare.base import CountingQuestions
from splu_desktop.compare.outcome import CURVE
from splu_desktop.compare.runner import compare
from splu_desktop.compare.systems.generalise import Closeness, DeltaDisclosure, DistinctDiversity, KAnonymity, Mondrian
from splu_desktop.compare.systems.laplace import Laplace
from splu_desktop.compare.systems.matrices import Pram, Retention
from splu_desktop.compare.systems.splu import PlannedDraw
from splu_desktop.core.mechanism.cell_noise import noise_law
from splu_desktop.core.progress import SILENT
from tests.compare.tables import column as coded
from tests.compare.tables import small_questions, small_source
from tests.optional import real


def test_laplace_noise_is_that_of_diffprivlib(monkeypatch: pytest.MonkeyPatch) -> None:
    # Its forests ask for an older scikit-learn than there is; the mechanisms need none.
    monkeypatch.setitem(sys.modules, "diffprivlib.models", ModuleType("diffprivlib.models"))
    mechanisms = pytest.importorskip("diffprivlib.mechanisms", reason="diffprivlib", exc_type=ImportError)
    source = small_source(300)
    questions = small_questions(source)
    object.__setattr__(source, "sensitivity", questions.sensitivity)
    theirs = mechanisms.Laplace(epsilon=1.0, sensitivity=questions.sensitivity, random_state=5)
    noise = np.array([theirs.randomise(0.0) for _ in range(20_000)])
    chance = np.random.default_rng(2)
    own = [Laplace(1.0).publish(source, chance, SILENT).answer(questions) - questions.truth for _ in range(300)]
    # Five standard errors of a mean of |Lap|.
    assert np.abs(own).mean() == pytest.approx(np.abs(noise).mean(), rel=5 * math.sqrt(1 / 20_000 + 1 / 20_000))


def test_classes_are_those_of_anonypy() -> None:
    anonypy = pytest.importorskip("anonypy", reason="anonypy")
    pandas = pytest.importorskip("pandas", reason="anonypy")
    source = small_source(500)
    frame = pandas.DataFrame({column.name: column.codes for column in source.columns} | {"s": source.sensitive.codes})
    theirs = anonypy.Preserver(frame, [each.name for each in source.columns], "s").anonymize_k_anonymity(k=5)
    ours = KAnonymity(5).publish(source, np.random.default_rng(1), SILENT)
    number = len({tuple(str(row[name]) for name in ("a", "b", "c")) for row in theirs})
    # Both are Mondrian; anonypy cuts at the median, ours where halves are most nearly equal.
    assert len(ours.sizes) == pytest.approx(number, rel=0.3)


@pytest.mark.parametrize(
    "system", [KAnonymity(5), DistinctDiversity(3), Closeness(0.3), DeltaDisclosure(1.0)], ids=lambda each: each.name
)
@pytest.mark.filterwarnings("ignore:In a future version")  # pandas about pycanon
def test_what_classes_keep_is_what_pycanon_finds(system: Mondrian) -> None:
    anonymity = pytest.importorskip("pycanon.anonymity", reason="pycanon")
    pandas = pytest.importorskip("pandas", reason="pycanon")
    source = small_source(2_000)
    outcome = system.publish(source, np.random.default_rng(1), SILENT)
    values = [f"v{code}" for code in source.sensitive.codes]
    asked = pandas.DataFrame({"class": [f"c{number}" for number in outcome.group], "s": values}), ["class"]
    counts = outcome.counts.toarray()
    apart = np.abs(counts / outcome.sizes[:, None] - source.shares).sum(axis=1) / 2
    assert anonymity.k_anonymity(*asked) == outcome.sizes.min()
    assert anonymity.l_diversity(*asked, ["s"]) == (counts > 0).sum(axis=1).min()
    assert anonymity.t_closeness(*asked, ["s"]) == pytest.approx(apart.max())
    if (counts > 0).all():  # pycanon passes over what a class lacks
        assert anonymity.delta_disclosure(*asked, ["s"]) == pytest.approx(outcome.metrics()["A_quot"])


@pytest.mark.parametrize("count", [1, 2, 4])
def test_cell_key_noise_has_the_moments_that_ptable_solves_for(count: int) -> None:
    # ptable's laws: mean 0, the variance asked for where the bounds allow it, largest entropy (Giessing 2016).
    law, steps = noise_law(count, 4, 3.0), np.arange(-4, 5)
    assert law @ steps == pytest.approx(0, abs=1e-6)
    assert law @ steps**2 == pytest.approx(min(3.0, 0.98 * 4 * count), rel=1e-4)
    there = law > 0
    assert np.linalg.matrix_rank(np.vstack([np.ones(there.sum()), steps[there], steps[there] ** 2])) == 3
    fit = np.polyfit(steps[there], np.log(law[there]), 2)
    assert np.log(law[there]) == pytest.approx(np.polyval(fit, steps[there]), abs=1e-6)


@pytest.mark.parametrize("system", [Pram(0.8), Pram(0.5), Retention(0.4)], ids=lambda each: each.setting)
def test_a_record_changes_as_its_definition_says(system: Pram) -> None:
    # By code of its own that follows the definition (Gouweleeuw and others 1998): who changes goes to one of the `BAND`
    # values before or behind, each as likely, by retention replacement to any other; counts are those whose expectation
    # was published.
    source, draws, rng, keep = small_source(300, m=13), 200, random.Random(4), system.keep
    reach = 13 if isinstance(system, Retention) else 5
    near = {value: [each for each in range(13) if each != value and abs(each - value) <= reach] for value in range(13)}
    chances = [[keep * (u == v) + (1 - keep) * (u in near[v]) / len(near[v]) for u in range(13)] for v in range(13)]
    first = source.columns[0].codes.tolist()
    selected = [at for at, label in enumerate(first) if label == 1]
    theirs = []
    for _ in range(draws):
        values = [int(source.sensitive.codes[at]) for at in selected]
        shown = [value if rng.random() < keep else rng.choice(near[value]) for value in values]
        published = [shown.count(value) for value in range(13)]
        theirs.append(np.linalg.solve(np.array(chances).T, published))
    flags = np.arange(source.columns[0].m) == 1
    questions = CountingQuestions.from_flags(source, [{0: flags}] * 13, np.arange(13))
    chance = np.random.default_rng(6)
    some = [system.publish(source, chance, SILENT) for _ in range(draws)]
    assert some[0].transition(source.counts) == pytest.approx(np.array(chances))
    ours = np.array([questions.pick(each.count(questions).estimate) for each in some])
    # Five standard errors of a difference of means, and of a ratio of spreads, of each of 13 values.
    off = np.abs(ours.mean(axis=0) - np.mean(theirs, axis=0))
    assert (off < 5 * np.sqrt((ours.var(axis=0) + np.var(theirs, axis=0)) / draws)).all()
    assert ours.std(axis=0) == pytest.approx(np.std(theirs, axis=0), rel=5 / math.sqrt(draws))


def test_laplace_at_ln_3_tells_most_large_counts_of_adult() -> None:
    lines = gzip.decompress(real("adult.csv.gz").read_bytes()).decode().splitlines()
    head, rows = lines[0].split(","), [line.split(",") for line in lines[1:]]

    def column(name: str) -> tuple[str, np.ndarray]:
        return name, np.unique([row[head.index(name)] for row in rows], return_inverse=True)[1]

    names = ("age", "workclass", "education", "marital-status", "race", "gender", "hours-per-week")
    source = type(small_source(9))(tuple(coded(*column(name)) for name in names), coded(*column("occupation")))
    comparison = compare(source, [Laplace], plan=PlannedDraw(5), size=600, draws=1, seed=3)
    at = next(
        each
        for each in comparison.systems
        if isinstance(each.system, Laplace) and each.line == CURVE and each.system.epsilon == pytest.approx(math.log(3))
    )
    assert (at.median("large_right") or 0) > 0.8
    assert comparison.source.sensitivity < 100
