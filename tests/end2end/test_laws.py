"""Laws of the published files themselves, over many publishes of one table with the operating system's randomness.

No seed is fixed here, since a release can have none: each test's false-alarm rate is stated and below 1e-6 together.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import splu_desktop
from splu_desktop.cli import main
from splu_desktop.core import sanitise
from splu_desktop.core.table import Column, Table
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.folder import read_release
from tests.core.tables import plan_for

N, M, GAMMA, RELEASES = 600, 12, 4, 120
FAR = 6.0  # standard deviations; the normal tail beyond is 2e-9, and there are some hundred figures


@pytest.fixture(scope="module")
def source() -> Table:
    rng = np.random.default_rng(1)
    counts = np.array([150, 140, 100, 70, 50, 30, 20, 15, 12, 8, 4, 1])
    values = rng.permutation(np.repeat(np.arange(M), counts))
    return Table(
        (
            Column.from_labels("visit", [f"{i:04d}" for i in range(N)]),
            Column.from_labels("s", [f"v{i:02d}" for i in values]),
        )
    )


@pytest.fixture(scope="module")
def releases(source: Table, tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """(RELEASES, N, 2) visit number and value of each published record, in the order of the file."""
    folder = tmp_path_factory.mktemp("laws")
    plan = plan_for(source, s=GAMMA)
    found = np.empty((RELEASES, N, 2), np.int64)
    for number in range(RELEASES):
        order = Order(source, plan, folder / f"r{number}")
        # A register each: what one says of earlier releases is no law of theirs, and takes longer with every entry.
        publish(order, strict=False, register=Register(folder / f"register{number}"))
        table = read_release(folder / f"r{number}").published.table
        found[number, :, 0] = [int(label) for label in table["visit"].labels[table["visit"].codes]]
        found[number, :, 1] = [int(label[1:]) for label in table["s"].labels[table["s"].codes]]
    return found


def true_values(source: Table) -> np.ndarray:
    return np.array([int(label[1:]) for label in source["s"].labels[source["s"].codes]])


def test_counts_have_the_mean_and_variance_of_the_law(source: Table, releases: np.ndarray) -> None:
    """f' ~ Binomial(gamma f, 1/gamma): mean f, variance f (1 - 1/gamma); gamma divides N."""
    assert N % GAMMA == 0
    f = np.bincount(true_values(source), minlength=M)
    counts = np.array([np.bincount(release[:, 1], minlength=M) for release in releases])
    variance = f * (1 - 1 / GAMMA)
    assert (np.abs(counts.mean(axis=0) - f) <= FAR * np.sqrt(variance / RELEASES)).all()
    # The mean square's own variance, from the binomial's fourth moment: 2 v^2 + v (1 - 6 p q) over the releases.
    p = 1 / GAMMA
    fourth = 2 * variance**2 + variance * (1 - 6 * p * (1 - p))
    squares = ((counts - f) ** 2).mean(axis=0)
    assert (np.abs(squares - variance) <= 7 * np.sqrt(fourth / RELEASES) + 0.2).all()


def test_each_record_keeps_its_value_once_in_gamma(source: Table, releases: np.ndarray) -> None:
    kept = np.array([(true_values(source)[release[:, 0]] == release[:, 1]) for release in releases])
    total = int(kept.sum())
    assert stats.binomtest(total, RELEASES * N, 1 / GAMMA).pvalue > 1e-9
    by_record = np.zeros(N)
    for release, row in zip(releases, kept, strict=True):
        by_record[release[:, 0]] += row
    expected, spread = RELEASES / GAMMA, np.sqrt(RELEASES / GAMMA * (1 - 1 / GAMMA))
    assert np.abs(by_record - expected).max() <= 6.5 * spread


def test_a_lost_value_is_replaced_in_proportion(source: Table, releases: np.ndarray) -> None:
    """A record of value u is published as s with b_s = (1 - a) f_s / (N - f_s) on average over all other u.

    Draws of one release are only nearly independent; the limit is twice as wide as for independent ones.
    """
    true = true_values(source)
    f = np.bincount(true, minlength=M)
    for s in range(M - 1):
        others = sum(int(((release[:, 1] == s) & (true[release[:, 0]] != s)).sum()) for release in releases)
        mean = RELEASES * (1 - 1 / GAMMA) * f[s]
        assert abs(others - mean) <= 2 * FAR * np.sqrt(mean)


def test_the_order_has_nothing_to_do_with_the_source_or_another_release(releases: np.ndarray) -> None:
    places = np.array([np.argsort(release[:, 0]) for release in releases])  # place of each visit
    ranks = places - (N - 1) / 2
    norm = (N**3 - N) / 12
    source_order = np.arange(N) - (N - 1) / 2
    assert np.abs(ranks @ source_order / norm).max() <= FAR / np.sqrt(N - 1)
    between = ranks @ ranks.T / norm
    np.fill_diagonal(between, 0)
    assert np.abs(between).max() <= 6.5 / np.sqrt(N - 1)
    # Every visit is equally likely to stand anywhere: the mean place of each, over the releases.
    assert np.abs(ranks.mean(axis=0)).max() <= FAR * np.sqrt((N**2 - 1) / 12 / RELEASES)


def test_two_releases_share_no_randomness(source: Table, releases: np.ndarray) -> None:
    """Whether a record kept its value in one release tells nothing about the next."""
    kept = np.empty((RELEASES, N))
    for row, release in zip(kept, releases, strict=True):
        row[release[:, 0]] = true_values(source)[release[:, 0]] == release[:, 1]
    centred = kept - 1 / GAMMA
    pairs = np.einsum("ij,ij->i", centred[:-1], centred[1:]).sum()
    spread = (1 / GAMMA) * (1 - 1 / GAMMA) * np.sqrt((RELEASES - 1) * N)
    assert abs(pairs) <= FAR * spread
    same = [
        bool((a[np.argsort(a[:, 0]), 1] == b[np.argsort(b[:, 0]), 1]).all()) for a, b in itertools.pairwise(releases)
    ]
    assert not any(same)


@pytest.mark.system_randomness
def test_every_release_path_draws_from_the_operating_system(
    source: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window and the command line both publish by `publish`, which can't be given another source of randomness."""
    assert "randomness" not in inspect.signature(publish).parameters
    asked: list[int] = []
    real = os.urandom

    def watched(count: int) -> bytes:
        asked.append(count)
        return real(count)

    monkeypatch.setattr(os, "urandom", watched)
    publish(Order(source, plan_for(source, s=GAMMA), tmp_path / "r"), strict=False, register=Register(tmp_path / "reg"))
    # Ids, draws and order take at least 32, 8 and 32 bits a record; the self-check has bits of its own.
    assert sum(asked) >= N * (4 + 1 + 4)


def test_no_seedable_generator_is_within_reach_of_a_release() -> None:
    """The only seedable generator that sanitising can reach is the one that mixes groups, driven by random ids."""
    seeders = {"default_rng", "RandomState", "Generator", "PCG64", "Philox", "MT19937", "SFC64", "seed", "Random"}
    found = set()
    root = Path(splu_desktop.__file__).parent
    reached = release_modules(root)
    for room in ("core", "files", "cli", "gui"):
        for path in (root / room).rglob("*.py"):
            if path.name not in reached:
                continue
            tree = ast.parse(path.read_text("utf-8"))
            within = {
                id(node): function.name
                for function in ast.walk(tree)
                if isinstance(function, ast.FunctionDef)
                for node in ast.walk(function)
            }  # of nested functions the inner one, which is walked later
            for node in ast.walk(tree):
                if isinstance(node, ast.Import) and any(name.name == "random" for name in node.names):
                    found.add((path.name, within.get(id(node), ""), "import random"))
                if isinstance(node, ast.ImportFrom) and node.module in ("random", "numpy.random"):
                    found.add((path.name, within.get(id(node), ""), f"from {node.module}"))
                if isinstance(node, ast.Attribute) and node.attr in seeders and "random" in ast.unparse(node.value):
                    found.add((path.name, within.get(id(node), ""), node.attr))
    assert found <= MIXERS | PLANNERS, found - MIXERS - PLANNERS


# Mixing is a function of random ids (mechanism.md section 2, step 3): they seed its generator, never a choice.
# Fake values are dealt by the mixer's own stream, which `fakes` is handed and only names as a type.
MIXERS = {
    *(("forming.py", "assign_tolerant", what) for what in ("Generator", "PCG64")),
    *(("combined_groups.py", "formed", what) for what in ("Generator", "PCG64")),
    ("forming.py", "_mix", "Generator"),
    ("fakes.py", "_level", "Generator"),
    ("fakes.py", "dealt", "Generator"),
}
# What a plan costs and how a reader takes groups apart is worked out by fixed streams; no release is drawn by them.
PLANNERS = {
    ("together.py", "planned", "default_rng"),
    ("recognition.py", "recognised", "default_rng"),
    ("recognition.py", "recognised_anywhere", "default_rng"),
    ("recognition.py", "_marks", "Generator"),  # the type of what those two hand it
    ("combined_groups.py", "of", "default_rng"),
    ("combined_groups.py", "mixing", "default_rng"),
    ("by_person.py", "__init__", "default_rng"),  # draws that are measured and shown to nobody
    ("joined_chances.py", "starts", "default_rng"),  # where the search for chances begins
}


def release_modules(root: Path) -> set[str]:
    """File names of the modules that sanitising imports, directly or not, at the top of a module or within."""
    seen: set[Path] = set()
    waiting = [root / "core" / "sanitise.py"]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
            elif isinstance(node, ast.Import):
                names = [name.name for name in node.names]
            for name in names:
                if name.startswith("splu_desktop."):
                    module = root.joinpath(*name.split(".")[1:])
                    waiting += [p for p in (module.with_suffix(".py"), module / "__init__.py") if p.exists()]
    return {path.name for path in seen}


def test_a_seed_can_not_be_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("a,s\n" + "".join(f"{i},v{i % 9}\n" for i in range(90)))
    with pytest.raises(SystemExit):
        main(["publish", str(tmp_path / "t.csv"), "--sa", "s:3", "--seed", "1", "--out", str(tmp_path / "r")])
    said = capsys.readouterr().err
    assert "Correct --seed 1 or leave it out" in said
    assert said.endswith("splu publish --help”.\n")
    assert "seed" not in {name.lower() for name in inspect.signature(sanitise.run).parameters}
    assert not (tmp_path / "r").exists()
