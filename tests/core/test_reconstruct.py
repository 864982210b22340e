"""The estimators against their formulas and, over many releases, against the truth."""

from __future__ import annotations

import numpy as np
import pytest

from splu_desktop.core.query.reader import Condition, Method, Reader
from tests.core.published_tables import dependent_table, release, true_count

TABLE = dependent_table(5_000)
GAMMA = 4


def ask(reader: Reader, method: Method, **labels: str):
    return reader.answer([Condition(name, (label,)) for name, label in labels.items()], method)


def test_unbiased_is_the_formula_of_mechanism_section_4():
    published = release(TABLE, {"disease": GAMMA})
    reader = Reader(published)
    n, f = published.n, true_count(published.table, disease="d3")
    y, n_p = true_count(published.table, disease="d3", sex="m"), true_count(published.table, sex="m")
    a = (n // GAMMA) / n
    b = (1 - a) * f / (n - f)
    answer = ask(reader, Method.UNBIASED, disease="d3", sex="m")
    assert answer.estimate == pytest.approx((y - n_p * b) / (a - b))
    assert answer.published == y


def test_iterative_bayes_reaches_the_cut_unbiased_answer():
    published = release(TABLE, {"disease": GAMMA, "ward": 3})
    reader = Reader(published)
    for value in published.table["disease"].labels:
        straight = ask(reader, Method.UNBIASED, disease=value, city="E..f")
        answer = ask(reader, Method.BAYES, disease=value, city="E..f")
        assert answer.estimate == pytest.approx(min(max(straight.estimate, 0), straight.n_p), abs=1e-6)


def test_estimates_and_variance_are_right_over_many_releases():
    """Mean of the unbiased estimate and its variance over 300 releases, one and two SAs.

    Six z-scores at 4.5 standard errors: a false alarm in 1 of 20,000 seeds. The variance's own standard error over 300
    releases is 8 %; 35 % is more than four of them.
    """
    questions = [
        {"disease": "d3", "sex": "m"},
        {"disease": "d1", "age": "40"},
        {"disease": "d5", "sex": "f", "city": "Aa"},
        {"disease": "d3", "ward": "2"},
        {"disease": "d6", "ward": "0", "sex": "m"},
        {"ward": "1", "city": "C|d"},
    ]
    asked = [[Condition(name, (label,)) for name, label in question.items()] for question in questions]
    found, claimed = [], []
    for seed in range(300):
        answers = Reader(release(TABLE, {"disease": GAMMA, "ward": 3}, seed)).answers(asked, Method.UNBIASED)
        found.append([answer.estimate for answer in answers])
        claimed.append([answer.variance for answer in answers])
    estimates = np.array(found)
    truth = np.array([true_count(TABLE, **question) for question in questions])
    spread = estimates.std(axis=0, ddof=1)
    z = (estimates.mean(axis=0) - truth) / (spread / np.sqrt(len(estimates)))
    assert np.abs(z).max() < 4.5
    ratio = np.mean(claimed, axis=0) / spread**2
    assert np.all((ratio > 0.65) & (ratio < 1.35)), ratio
