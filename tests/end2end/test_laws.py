"""Laws of the published files themselves, over many publishes of one table with the operating system's randomness.

No seed is fixed here, since a release can have none: limits lie six and more standard deviations away, so that all
tests together raise a false alarm in one of 100,000 runs.
"""

from __future__ import annotations

import inspect
import os
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.mechanism.randomness import SystemRandomness
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.verdict import verdict
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table
from splu_desktop.files.publish.publishing import Options, publish
from splu_desktop.files.register import Register
from splu_desktop.files.release.reading import open_release
from tests.columns import column_of
from tests.conftest import SYSTEM_BITS

COUNTS = np.array([150, 140, 100, 70, 50, 30, 20, 15, 12, 8, 4, 1])
TRUE = np.random.default_rng(1).permutation(np.repeat(np.arange(len(COUNTS)), COUNTS))
N, GAMMA, RELEASES = len(TRUE), 4, 50
SHARE = COUNTS / N
KEPT, LENT = 1 / GAMMA, (1 - 1 / GAMMA) * SHARE  # chances to show the own value by keeping it, and any by lending
ACCEPTED = Options(accept_all="A test of the laws")
FAR = 6.0  # standard deviations; the normal tail beyond is 2e-9, and there are some hundred figures


@pytest.fixture(scope="module")
def source() -> Table:
    visits = column_of("visit", [f"{i:04d}" for i in range(N)])
    return Table((visits, column_of("s", [f"v{value:02d}" for value in TRUE])))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan({"visit": Role.NSA, "s": Role.SA}, (Block(("s",), Lenders(GAMMA)),))


@pytest.fixture(scope="module")
def releases(source: Table, plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """(RELEASES, N, 2) visit number and value of each published record, in the order of the file."""
    folder = tmp_path_factory.mktemp("laws")
    found = np.empty((RELEASES, N, 2), np.int64)
    judged = verdict(source, plan)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SystemRandomness, "bits", SYSTEM_BITS)
        for number in range(RELEASES):
            register = Register(folder / f"register{number}")  # one each: they grow slower with each entry
            publish(source, plan, folder / f"r{number}", judged=judged, options=ACCEPTED, register=register)
            table = open_release(folder / f"r{number}").published.table
            for at, (name, start) in enumerate((("visit", 0), ("s", 1))):
                labels = np.array([int(str(label)[start:]) for label in table[name].labels])
                found[number, :, at] = labels[table[name].codes]
    return found


def test_counts_have_the_mean_and_variance_of_the_law(releases: np.ndarray) -> None:
    """f' = Bin(f, a + (1-a) f/n) + Bin(n - f, (1-a) f/n): mean f (law 4)."""
    counts = np.array([np.bincount(release[:, 1], minlength=len(COUNTS)) for release in releases])
    own, lent = KEPT + LENT, LENT
    variance = COUNTS * own * (1 - own) + (N - COUNTS) * lent * (1 - lent)
    assert (np.abs(counts.mean(axis=0) - COUNTS) <= FAR * np.sqrt(variance / RELEASES)).all()
    # The mean square's own variance: 2 v^2, and the fourth cumulant, at most v, for sums of chances.
    squares = ((counts - COUNTS) ** 2).mean(axis=0)
    assert (np.abs(squares - variance) <= 7 * np.sqrt((2 * variance**2 + variance) / RELEASES) + 0.5).all()


def test_a_record_keeps_its_value_once_in_gamma_and_else_shows_one_of_its_class(releases: np.ndarray) -> None:
    """Of each true value and each shown one, the number of records over all releases (laws 1 and 2)."""
    shown = np.zeros((len(COUNTS), len(COUNTS)))
    own = np.zeros(N)
    for release in releases:
        np.add.at(shown, (TRUE[release[:, 0]], release[:, 1]), 1)
        own[release[:, 0]] += TRUE[release[:, 0]] == release[:, 1]
    chance = LENT[None, :] + KEPT * np.eye(len(COUNTS))
    trials = RELEASES * COUNTS[:, None]
    spread = np.sqrt(trials * chance * (1 - chance))
    assert (np.abs(shown - trials * chance) <= FAR * spread + 6).all()  # the 6: few are expected of rare values
    # No record is luckier than another: chi-square over records, of variance 2 + 1/(R p q) each.
    p = (KEPT + LENT)[TRUE]
    squares = (own - RELEASES * p) ** 2 / (RELEASES * p * (1 - p))
    assert abs(squares.sum() - N) <= 7 * np.sqrt(N * (2 + 1 / (RELEASES * p * (1 - p)).min()))


def test_the_order_has_nothing_to_do_with_the_source_or_another_release(releases: np.ndarray) -> None:
    ranks = np.array([np.argsort(release[:, 0]) for release in releases]) - (N - 1) / 2  # place of each visit
    norm = (N**3 - N) / 12
    assert np.abs(ranks @ (np.arange(N) - (N - 1) / 2) / norm).max() <= FAR / np.sqrt(N - 1)
    between = ranks @ ranks.T / norm
    np.fill_diagonal(between, 0)
    assert np.abs(between).max() <= 6.5 / np.sqrt(N - 1)
    assert np.abs(ranks.mean(axis=0)).max() <= FAR * np.sqrt((N**2 - 1) / 12 / RELEASES)


def test_two_releases_share_no_randomness(releases: np.ndarray) -> None:
    """Whether a record showed its own value in one release tells nothing about the next."""
    kept = np.empty((RELEASES, N))
    for row, release in zip(kept, releases, strict=True):
        row[release[:, 0]] = TRUE[release[:, 0]] == release[:, 1]
    p = (KEPT + LENT)[TRUE]
    pairs = ((kept[:-1] - p) * (kept[1:] - p)).sum()
    assert abs(pairs) <= FAR * np.sqrt((RELEASES - 1) * ((p * (1 - p)) ** 2).sum())


@pytest.mark.system_randomness
def test_a_release_draws_from_the_operating_system(
    source: Table, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Window and command line both publish by `publish`, which can't be given a seed or another source."""
    given = {*inspect.signature(publish).parameters, *inspect.signature(Options).parameters}
    assert not {name for name in given if "random" in name or "seed" in name}
    assert "seed" not in inspect.signature(sanitise.run).parameters
    asked: list[int] = []
    real = os.urandom

    def watched(count: int) -> bytes:
        asked.append(count)
        return real(count)

    monkeypatch.setattr(os, "urandom", watched)
    publish(source, plan, tmp_path / "r", options=ACCEPTED, register=Register(tmp_path / "register"))
    assert sum(asked) >= N * (4 + 4 + 4)  # bits of a record: whether it keeps, who lends, its place
