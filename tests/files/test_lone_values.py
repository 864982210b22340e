"""A regression that a value of few records keeps from a solution names it, in program and kit, and goes without it."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

from splu_desktop.core import sanitise
from splu_desktop.core.analyse import regression
from splu_desktop.core.draw import PlainGroups
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.plan import Plan
from splu_desktop.core.query.reader import Reader, parse_condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.files.release.folder import OpenRelease
from tests.files.kit_releases import KIT, kit
from tests.optional import needs
from tests.seeded import Seeded
from tests.written import write_release

# Outcome and regressors; the value that keeps them from a solution. "gender" has a value of 3 records, whose share of
# the sensitive outcome is estimated from noise alone and lies outside 0 to 1, and who are all at home.
ASKED = (
    ("logit", "sick=a", ("gender",), "gender=Unknown/Invalid"),
    ("logit", "sick=a", ("ward", "gender"), "gender=Unknown/Invalid"),
    ("logit", "home=yes", ("gender",), "gender=Unknown/Invalid"),
    ("poisson", "home=no", ("gender",), "gender=Unknown/Invalid"),
    ("logit", "home=yes", ("gender=Unknown/Invalid", "ward"), "gender=Unknown/Invalid"),
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> OpenRelease:
    n, chance = 900, np.random.default_rng(4)
    gender = chance.choice(["Female", "Male"], n)
    gender = np.where(np.arange(n) < 3, "Unknown/Invalid", gender)
    cells = {
        "gender": gender,
        "ward": chance.choice(["A", "B"], n),
        "home": np.where(np.arange(n) < 3, "yes", chance.choice(["yes", "no"], n)),
        "sick": np.where(np.arange(n) < 3, "b", chance.choice(list("abcdef"), n)),
    }
    table = Table(tuple(Column.from_labels(name, texts.tolist()) for name, texts in cells.items()))
    roles = {name: Role.SA if name == "sick" else Role.NSA for name in table.names}
    published = sanitise.run(table, Plan(roles, {"sick": PlainGroups(3)}), randomness=Seeded(3))
    return write_release(published, tmp_path_factory.mktemp("lone") / "r")


@pytest.mark.parametrize(("analysis", "outcome", "on", "value"), ASKED)
def test_the_value_is_named_and_can_be_left_out(
    opened: OpenRelease, analysis: str, outcome: str, on: tuple[str, ...], value: str
) -> None:
    published, release = opened.published, kit().Release(opened.folder)
    ask = getattr(regression, analysis)
    terms = [term if "=" not in term else (parse_condition(term, published),) for term in on]
    conditions = (parse_condition(outcome, published),)
    with pytest.raises(BadQuestion) as ours:
        ask(Reader(published), conditions, terms)
    assert f"“{value}” (records: 3)" in str(ours.value)
    with pytest.raises(kit().Refused) as theirs:
        getattr(release, analysis)(outcome, list(on))
    assert str(theirs.value) == str(ours.value)
    # What the sentence says to do helps.
    if value in on:
        return
    without = "gender!=Unknown/Invalid"
    expected = ask(Reader(published), conditions, terms, (parse_condition(without, published),))
    got = getattr(release, analysis)(outcome, list(on), [without])
    assert value not in expected.parts
    assert list(got.parts) == list(expected.parts)
    assert [part.estimate for part in got.parts.values()] == pytest.approx(
        [part.estimate for part in expected.parts.values()], rel=1e-4, abs=1e-5
    )


@needs("R")
def test_the_kit_in_r_names_it_too(opened: OpenRelease) -> None:
    script = [
        f"source({json.dumps(str(KIT / 'splu_release.R'))})",
        f"r <- splu_release({json.dumps(str(opened.folder))})",
    ]
    release, expected = kit().Release(opened.folder), []
    for analysis, outcome, on, value in ASKED:
        asked = f"r${analysis}({json.dumps(outcome)}, c({', '.join(map(json.dumps, on))})"
        script.append(f"cat(tryCatch({{ {asked}); 'none' }}, splu_refused = conditionMessage), '\\n')")
        with pytest.raises(kit().Refused) as theirs:
            getattr(release, analysis)(outcome, list(on))
        expected.append(str(theirs.value))
        if value not in on:
            without = "gender!=Unknown/Invalid"
            script.append(f"cat({asked}, {json.dumps(without)})$estimate, '\\n')")
            expected.append(getattr(release, analysis)(outcome, list(on), [without]).estimate)
    ran = subprocess.run(["Rscript", "-"], input="\n".join(script), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    for line, wanted in zip(ran.stdout.splitlines(), expected, strict=True):
        assert line.strip() == wanted if isinstance(wanted, str) else float(line) == pytest.approx(wanted, abs=1e-4)
