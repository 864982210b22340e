"""The recipient's kits give the program's figures to rounding, in Python with and without pandas, and in R."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from splu_desktop.core.answer.analyses import Analysis, analyse
from splu_desktop.core.answer.conditions import Condition, parse_condition
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.mechanism import Block, Lenders
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Kind, Table
from splu_desktop.files.language import LANGUAGES, language
from splu_desktop.files.release.reading import OpenRelease
from tests.columns import column_of
from tests.files.releases import KIT, load_kit, released, ward_plan, ward_table
from tests.optional import needs

KINDS = ("rows", "one block", "persons", "numbered persons", "persons in one block")
COUNTS = (
    ("dx=yes",),
    ("dx=yes", "sex=f", "age=40-59"),
    ("smoker=yes", "dx=yes", "sex=f", "limits=None"),
    ("los=3..6", "the ward=001"),
    ("los>=4", "dx=yes"),
    ("los>=4", "dx=yes", "smoker=yes", "sex=f"),
    ("smoker=yes", "los=4", "sex=m", "age=20-39"),  # below none where persons have numbers
    ("sex=f",),
    ("dx=yes|no", "sex=f"),  # all that rows show, but not all that somebody may have
    ("limits=(empty)", "smoker=yes"),
    ("dx!=yes", "age=80+|60-79", "bmi=20..30"),
)
Ask = Callable[[Any], Any]


@pytest.fixture(scope="module")
def kit() -> ModuleType:
    return load_kit()


@pytest.fixture(scope="module", params=KINDS)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> OpenRelease:
    seed = KINDS.index(request.param)
    table = ward_table(1_200, seed, persons="persons" in request.param)
    blocks = (("smoker", "dx", "los"),) if "one block" in request.param else (("smoker",), ("dx", "los"))
    plan = ward_plan(table, blocks=blocks, number=request.param == "numbered persons")
    return released(table, plan, tmp_path_factory.mktemp("kit") / "release", seed)


def _where(published: Published, *texts: str) -> tuple[Condition, ...]:
    return tuple(parse_condition(text, published) for text in texts)


def _analyses(published: Published) -> list[tuple[Analysis, Ask, str]]:
    where = _where
    return [
        (Analysis("share", "dx", "yes", where=where(published, "sex=f")), lambda r: r.share("dx=yes", ["sex=f"]),
         'share(r, "dx=yes", "sex=f")'),
        (Analysis("share", "smoker", "yes", where=where(published, "los=4", "age=20-39")),
         lambda r: r.share("smoker=yes", ["los=4", "age=20-39"]), 'share(r, "smoker=yes", c("los=4", "age=20-39"))'),
        (Analysis("mean", "los", where=where(published, "dx=yes")), lambda r: r.mean("los", "dx=yes"),
         'mean(r, "los", "dx=yes")'),
        (Analysis("share", "limits", "Mild"), lambda r: r.share("limits=Mild"), 'share(r, "limits=Mild")'),
        (Analysis("risk ratio", "dx", "yes", "smoker", "yes"), lambda r: r.risk_ratio("dx=yes", "smoker=yes"),
         'risk_ratio(r, "dx=yes", "smoker=yes")'),
        (Analysis("odds ratio", "dx", "yes", "sex", "m"), lambda r: r.odds_ratio("dx=yes", "sex=m"),
         'odds_ratio(r, "dx=yes", "sex=m")'),
        (Analysis("difference", "los", exposure="sex", exposed="m"), lambda r: r.difference("los", "sex=m"),
         'difference(r, "los", "sex=m")'),
        (Analysis("linear", "los", covariates=("sex", "age")), lambda r: r.regress("los ~ sex + age"),
         "regress(r, los ~ sex + age)"),
        (Analysis("logistic", "dx", "yes", covariates=("smoker", "the ward")),
         lambda r: r.regress("dx=yes ~ smoker + the ward", family="logistic"),
         'regress(r, (dx == "yes") ~ smoker + `the ward`, family = "logistic")'),
    ]  # fmt: skip


def _figures(published: Published) -> list[list[float]]:
    """The program's figures, in the order in which the kits say theirs."""
    reader, found = Reader(published), []
    for texts in COUNTS:
        a = reader.answer(_where(published, *texts))
        found.append([a.estimate, a.low_alike, a.high_alike, a.low, a.high])
    for analysis, _, _ in _analyses(published):
        each = analyse(reader, analysis).estimates
        found.append([x for e in each for x in (e.estimate, e.low_alike, e.high_alike, e.low, e.high)])
    return found


def test_the_python_kit_says_what_the_program_says(kit: ModuleType, release: OpenRelease) -> None:
    r = kit.load(release.path)
    results = [r.count(*texts) for texts in COUNTS] + [ask(r) for _, ask, _ in _analyses(release.published)]
    for result, figures in zip(results, _figures(release.published), strict=True):
        assert result.summary().to_numpy().ravel() == pytest.approx(figures, rel=1e-8, abs=1e-8), result.what
    one = results[0]
    assert one.low <= one.low_table <= one.estimate <= one.high_table <= one.high


@needs("R")
def test_the_r_kit_says_what_the_program_says(release: OpenRelease) -> None:
    calls = ["count(r, " + ", ".join(map(json.dumps, texts)) + ")" for texts in COUNTS]
    calls += [call for _, _, call in _analyses(release.published)]
    script = f'source("{KIT / "splu_release.R"}"); r <- load_release("{release.path}")\n'
    script += "".join(f'cat(sprintf("%.12g", c(t(as.matrix(summary({call}))))), "\\n")\n' for call in calls)
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, check=True)
    for call, line, figures in zip(calls, ran.stdout.splitlines(), _figures(release.published), strict=True):
        assert list(map(float, line.split())) == pytest.approx(figures, rel=1e-8, abs=1e-8), call


@needs("R")
def test_the_r_kit_leaves_out_what_the_python_kit_leaves_out(kit: ModuleType, thin: OpenRelease) -> None:
    mine = kit.load(thin.path)
    asked = {
        'regress(r, (dx == "yes") ~ sex + `the ward` + site, family = "logistic")':
            mine.regress("dx=yes ~ sex + the ward + site", family="logistic"),
        'regress(r, dx == "yes" ~ (smoker == "yes") + bmi, family = "poisson")':
            mine.regress("dx=yes ~ smoker=yes + bmi", family="poisson"),
        'crosstab(r, c("sex", "the ward"), "smoker=yes")': mine.crosstab(["sex", "the ward"], "smoker=yes"),
        'crosstab(r, "limits", "dx", "sex=f")': mine.crosstab("limits", "dx", "sex=f"),
    }  # fmt: skip
    script = f'source("{KIT / "splu_release.R"}"); r <- load_release("{thin.path}")\n'
    for call in asked:
        script += f"x <- {call}; cat(length(x$names), x$names, x$notes, sprintf('%.12g', c(t(x$rows))), sep = '\\n')\n"
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    for call, result in asked.items():
        words, figures = [*result.names, *result.notes], [x for row in result.rows for x in row]
        assert [int(lines[0]), *lines[1 : 1 + len(words)]] == [len(result.names), *words], call
        del lines[: 1 + len(words)]
        assert list(map(float, lines[: len(figures)])) == pytest.approx(figures, rel=1e-8, abs=1e-8), call
        del lines[: len(figures)]
    assert not lines


def test_the_odds_ratio_is_that_of_a_model_for_misclassified_outcomes(kit: ModuleType, tmp_path: Path) -> None:
    """As RRreg fits it, by likelihood: P(shown | x) = (1 - a) g + a expit(x b), with the T that the release tells.

    The published share g is taken as known there, so the two agree within a part of the error, not to rounding.
    """
    table = ward_table(8_000, 11)
    r = kit.load(released(table, ward_plan(table), tmp_path / "release", 11).path)
    fit = r.regress("dx=yes ~ sex + age + bmi", family="logistic")
    terms = [r.table[name] == label for name, _, label in (each.partition("=") for each in fit.names[1:-1])]
    x = np.column_stack([np.ones(r.n), *terms, r.table["bmi"] / 10]).astype(float)
    shown, keep = r.table["dx"] == "yes", r.keep[r.block_of["dx"]]
    share = shown.groupby(r.table["lender class"]).transform("mean").to_numpy()

    def loss(b: np.ndarray) -> float:
        chance = (1 - keep) * share + keep * expit(x @ b)
        return float(-np.log(np.where(shown, chance, 1 - chance)).sum())

    theirs = minimize(loss, np.zeros(x.shape[1]), method="BFGS").x
    ours, errors = fit.coef.to_numpy(copy=True), np.sqrt(np.diag(fit.vcov()))
    ours[-1], errors[-1] = ours[-1] * 10, errors[-1] * 10
    assert np.abs(ours - theirs).max() > 1e-6  # it is another way
    assert (np.abs(ours - theirs) < errors / 2)[1:-1].all()


def _log_odds_ratio(y: Any, x: Any) -> float:
    n = np.array([[np.sum((y == i) & (x == j)) for j in (0, 1)] for i in (0, 1)])
    return float(np.log(n[1, 1] * n[0, 0] / (n[1, 0] * n[0, 1])))


def test_the_odds_ratio_by_a_drawn_exposure_is_that_of_mc_simex(kit: ModuleType, tmp_path: Path) -> None:
    """As simex of R does it (Küchenhoff, Mwalili and Lesaffre 2006): the exposure is drawn on and on, by T to the power
    of 1/2 to 2, and the naive figure is followed back to T to the power of -1 by a parabola. T^s keeps with a^s.
    """
    table = ward_table(20_000, 12)
    r = kit.load(released(table, ward_plan(table, 1.5, blocks=(("smoker",),)), tmp_path / "release", 12).path)
    y, shown = ((r.table[name] == "yes").to_numpy() for name in ("dx", "smoker"))
    share = pd.Series(shown).groupby(r.table["lender class"].to_numpy()).transform("mean").to_numpy()
    powers, means, rng = [0, 0.5, 1, 1.5, 2], [], np.random.default_rng(1)
    for power in powers:
        kept = rng.random((20, r.n)) < r.keep[0] ** power
        again = np.where(kept, shown, rng.random(kept.shape) < share)
        means.append(np.mean([_log_odds_ratio(y, each) for each in again]))
    theirs = np.polyval(np.polyfit(powers, means, 2), -1)
    fit = r.regress("dx=yes ~ smoker=yes", family="logistic")
    ours, error = fit.coef["smoker=yes"], fit.vcov().to_numpy()[1, 1] ** 0.5
    assert abs(means[0] - ours) > 2 * error  # what is not corrected is far away
    assert abs(theirs - ours) < error


def test_scores_add_up_to_the_unbiased_count(kit: ModuleType, release: OpenRelease) -> None:
    r = kit.load(release.path)
    mine = np.array(r.table["sex"] == "f")
    unbiased = Reader(release.published).answer(_where(release.published, "dx=yes", "sex=f"), "unbiased").estimate
    assert r.score("dx=yes")[mine].sum() == pytest.approx(unbiased)
    scores = pd.read_csv(release.path / "scores.csv")
    assert scores["dx_yes"][mine].sum() == pytest.approx(unbiased)


def test_it_does_without_pandas(kit: ModuleType, release: OpenRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = kit.load(release.path).regress("los ~ sex").coef.to_dict()
    monkeypatch.setattr(kit, "pandas", None)
    r = kit.load(release.path)
    assert r.regress("los ~ sex").coef == pytest.approx(wanted)
    assert set(r.table["limits"]) == {"None", "Mild", "Severe", None}


def test_types_stay(kit: ModuleType, release: OpenRelease) -> None:
    table = kit.load(release.path).table
    assert (table["limits"] == "None").sum() > 0
    assert set(table["the ward"]) == {"000", "001", "002", "003"}
    assert pd.api.types.is_numeric_dtype(table["bmi"])
    assert pd.api.types.is_integer_dtype(table["los"])


def test_a_formula_takes_values_that_end_with_a_plus(kit: ModuleType, release: OpenRelease) -> None:
    r = kit.load(release.path)
    names = ["(intercept)", "age=80+", "sex=m"]
    for formula in ("los ~ age=80+ + sex=m", "los~sex=m+age=80+", "`los` ~ age=80+  +  sex=m"):
        assert set(r.regress(formula).names) == set(names), formula


def test_results_are_frames(kit: ModuleType, release: OpenRelease) -> None:
    fit = kit.load(release.path).regress("los ~ sex + bmi")
    assert list(fit.coef.index) == list(fit.vcov().columns) == ["(intercept)", fit.names[1], "bmi"]
    assert list(fit.confint("table").columns) == ["low", "high"]


@pytest.fixture(scope="module")
def thin(tmp_path_factory: pytest.TempPathFactory) -> OpenRelease:
    """A release where 3 stays have the sex "unknown", 60 of nobody ill the ward 004, and all are of one site."""
    table = ward_table(1_500, 5)
    unknown, healthy = np.arange(1_500) < 3, (table["dx"].labels[table["dx"].codes] == "no").nonzero()[0][:60]
    texts = {column.name: column.labels[column.codes].copy() for column in table.columns}
    texts["sex"][unknown], texts["the ward"][healthy] = "unknown", "004"
    columns = [column_of(c.name, texts[c.name].tolist(), kind=c.kind) for c in table.columns]
    table = Table((*columns, column_of("site", ["A"] * table.n, kind=Kind.CATEGORY)))
    return released(table, ward_plan(table), tmp_path_factory.mktemp("thin") / "release", 5)


def test_thin_categories_cost_a_sentence_and_not_the_regression(kit: ModuleType, thin: OpenRelease) -> None:
    """Of too few rows, or of a share that the noise puts below none: both would leave a logistic model without root."""
    fit = kit.load(thin.path).regress("dx=yes ~ sex + the ward + site", family="logistic")
    theirs = analyse(Reader(thin.published), Analysis("logistic", "dx", "yes", covariates=("sex", "the ward", "site")))
    assert fit.names == [each.name for each in theirs.estimates]
    assert fit.coef.to_list() == pytest.approx([each.estimate for each in theirs.estimates])
    assert len(fit.names) == 5
    assert "unknown" in fit.notes[0]
    assert "004" in fit.notes[1]
    assert "site" in fit.notes[2]
    assert len(theirs.notes) == 3


@pytest.mark.parametrize("spoil", ["{", "[]", '{"format": "splu-release", "version": 3}', '{"version": 2}'])
def test_no_release_gets_a_sentence(kit: ModuleType, tmp_path: Path, spoil: str) -> None:
    (tmp_path / "release.json").write_text(spoil, encoding="utf-8")
    with pytest.raises(kit.Refused, match="release"):
        kit.load(tmp_path)


def test_the_kits_stay_small() -> None:
    lines = {
        name: len((KIT / name).read_text(encoding="utf-8").splitlines())
        for name in ("splu_release.py", "splu_release.R")
    }
    assert lines["splu_release.py"] <= 500
    assert lines["splu_release.R"] <= 450
    imports = re.findall(r"^(?:import|from) (\w+)", (KIT / "splu_release.py").read_text(encoding="utf-8"), re.M)
    assert set(imports) <= {"csv", "functools", "itertools", "json", "math", "re", "sys", "collections", "pathlib"}


def test_the_page_for_recipients_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = ward_table(600)
    released(table, ward_plan(table), tmp_path / "stays")
    text = (KIT.parents[1] / "docs/recipient.md").read_text(encoding="utf-8")
    (python,) = re.findall(r"```python\n(.*?)```", text, re.S)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "stays"))
    done: dict[str, Any] = {}
    exec(python, done)
    assert len(done["fit"].coef) == 3


@pytest.fixture(scope="module")
def banded(tmp_path_factory: pytest.TempPathFactory) -> OpenRelease:
    """A release with quarters, ages and weights in bands, and a secret stay in bands."""
    rng, n = np.random.default_rng(3), 600
    cells = {
        "came": [f"2024 Q{at}" for at in rng.integers(1, 5, n)],
        "age": rng.choice(["20 to 29", "30 to 39", "40 and more"], n).tolist(),
        "weight": rng.choice(["below 50", "50 to below 62.5", "62.5 and more"], n).tolist(),
        "stay": rng.choice(["below 5", "5 to 9", "10 and more"], n).tolist(),
    }
    table = Table(tuple(column_of(name, texts, kind=Kind.CATEGORY) for name, texts in cells.items()))
    roles = dict.fromkeys(cells, Role.NSA) | {"stay": Role.SA}
    return released(
        table, Plan(roles, (Block(("stay",), Lenders(4)),), ("age",)), tmp_path_factory.mktemp("banded") / "release", 3
    )


@needs("R")
def test_both_kits_say_that_bands_count_as_one_number_and_print_all_five_figures(
    kit: ModuleType, banded: OpenRelease
) -> None:
    r, said = kit.load(banded.path), "A band of “stay” counts as one number: means may lie outside."
    script = f'source("{KIT / "splu_release.R"}"); r <- load_release("{banded.path}"); options(width = 200)\n'
    script += 'print(mean(r, "stay")); print(regress(r, stay ~ age)); print(share(r, "stay=5 to 9"))'
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, check=True)
    mine = [r.mean("stay"), r.regress("stay ~ age"), r.share("stay=5 to 9")]
    for printed in (ran.stdout, "\n".join(map(repr, mine))):
        assert printed.count(said) == 2
        assert all(name in printed for name in ("estimate", "low_table", "high_table"))
    table = repr(r.crosstab(["age", "weight"], "stay"))
    assert "..." not in table
    assert "age=40 and more, weight=50 to below 62.5, stay=10 and more" in table


CUT = [
    "age=25..39",
    "age=20..30",
    "age=35",
    "weight=50..60",
    "stay=2..9",
    "stay=7",
    "stay=bellow 5",
    "came=2024-01-01..2024-05-15",
    "came=2023",
    "came=2024-01",
    "age=41",
    "age=20..39|41",
]
WHOLE = ["age=20..39", "age=30..", "weight=50..", "stay=5..9", "stay>=5", "came=2024 Q2..2024 Q3", "came=2024..2024"]
WHOLE += ["came=2024", "came=2024 Q1|2024 Q3..2024 Q4", "came!=2024 Q1", "age=[20,30)", "age=[20,30)|40.."]


def test_a_range_that_cuts_what_was_published_whole_is_refused_and_never_counted_in_part(
    kit: ModuleType, banded: OpenRelease
) -> None:
    r = kit.load(banded.path)
    for text in WHOLE:
        theirs = Reader(banded.published).answer(_where(banded.published, text))
        assert r.count(text).estimate == pytest.approx(theirs.estimate), text
    for text in CUT:
        with pytest.raises(kit.Refused, match="fits no whole value of"):
            r.count(text)


CALLED = {"age=40+": "age=40 and more", "age=20-29|30-39": "age=20..39", "stay=<5": "stay=below 5"}


def _in_other_words(release: OpenRelease) -> dict[str, str]:
    """Return what a report in each language calls each value, and the condition that a release's table knows."""
    shown = {name: release.published.table[name].labels.tolist() for name in ("came", "age", "weight", "stay")}
    words = {f"{name}={language(code).value(value)}": f"{name}={value}"
             for code in LANGUAGES for name, values in shown.items() for value in values}  # fmt: skip
    return words | CALLED


def test_a_value_may_be_named_as_a_report_of_any_language_does(kit: ModuleType, banded: OpenRelease) -> None:
    r = kit.load(banded.path)
    for text, meant in _in_other_words(banded).items():
        expected = Reader(banded.published).answer(_where(banded.published, meant)).estimate
        assert Reader(banded.published).answer(_where(banded.published, text)).estimate == expected, text
        assert r.count(text).estimate == pytest.approx(expected), text


@pytest.mark.parametrize("where", [["sex=f"], ("sex=f", "dx=yes"), 1, None, "", "sex", "sex==f"], ids=repr)
def test_what_names_no_condition_gets_a_sentence(where: Any, kit: ModuleType, release: OpenRelease) -> None:
    r = kit.load(release.path)
    for ask in (r.count, r.score):
        with pytest.raises(kit.Refused, match=r"^“.*” (names no column|fits no whole value|holds no numbers).*\.$"):
            ask(where)


def test_no_interval_is_given_about_what_there_is_not(kit: ModuleType, release: OpenRelease) -> None:
    """A slip of the pen gave the narrower one of the two, that of the table."""
    share = kit.load(release.path).share("dx=yes", None)
    for ask in (share.confint, share.vcov):
        ask("table")
        with pytest.raises(kit.Refused, match=r"There is nothing about “tabel”; choose like or table\."):
            ask("tabel")


@pytest.mark.parametrize("formula", ["dx=yes ~ sex*smoker", "dx=yes ~ sex:smoker"])
def test_an_interaction_is_refused_with_another_way(formula: str, kit: ModuleType, release: OpenRelease) -> None:
    r = kit.load(release.path)
    with pytest.raises(kit.Refused, match="For an interaction, regress within each value by where"):
        r.regress(formula)
    assert len(r.regress("dx=yes ~ smoker", where="sex=f").coef) == 2


@needs("R")
@pytest.mark.parametrize("ask", ["confint", "vcov"])
def test_the_r_kit_gives_no_interval_about_what_there_is_not(ask: str, release: OpenRelease) -> None:
    script = f'source("{KIT / "splu_release.R"}"); x <- share(load_release("{release.path}"), "dx=yes")\n'
    script += f'cat(dim({ask}(x)), dim({ask}(x, about = "table")), "\\n")\n'
    script += f'cat(tryCatch({ask}(x, about = "tabel"), error = conditionMessage))'
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, check=True)
    sizes, *said = ran.stdout.splitlines()
    assert sizes.split() == (["1", "2"] if ask == "confint" else ["1", "1"]) * 2
    assert "should be one of" in " ".join(said)


@needs("R")
def test_the_r_kit_gives_intervals_of_95_percent_alone_and_takes_a_formula_as_text(release: OpenRelease) -> None:
    """confint(x, level = .9) gave what it was not asked for; a text in place of a formula was out of bounds."""
    script = f'source("{KIT / "splu_release.R"}"); r <- load_release("{release.path}"); x <- share(r, "dx=yes")\n'
    script += 'cat(tryCatch(confint(x, level = .9), error = conditionMessage), "\\n")\n'
    script += 'said <- coef(regress(r, "los ~ sex"))\n'
    script += 'cat(identical(said, coef(regress(r, los ~ sex))), length(said), "\\n")\n'
    script += "cat(tryCatch(regress(r, los ~ sex * age), error = conditionMessage))"
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, check=True)
    refused, same, together = ran.stdout.splitlines()
    assert refused.strip() == "Ranges are of 95 %; leave level out."
    assert same.strip() == "TRUE 2"
    assert together == "Terms are joined by + alone; for an interaction, regress within each value by where."


@needs("R")
def test_the_r_kit_understands_the_same_words(kit: ModuleType, banded: OpenRelease) -> None:
    words, r = _in_other_words(banded), kit.load(banded.path)
    listed = ", ".join(f'"{text}"' for text in words)
    script = f'source("{KIT / "splu_release.R"}"); r <- load_release("{banded.path}")\n'
    script += f"for (text in c({listed})) cat(sprintf('%.9g\\n', summary(count(r, text))$estimate))"
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, check=True)
    counted = [float(each) for each in ran.stdout.split()]
    assert counted == pytest.approx([r.count(meant).estimate for meant in words.values()])


@needs("R")
def test_the_r_kit_refuses_the_same_ranges(kit: ModuleType, banded: OpenRelease) -> None:
    script = f'source("{KIT / "splu_release.R"}"); r <- load_release("{banded.path}")\n'
    said = "sprintf('%.9g', summary(count(r, text))$estimate)"
    script += f"said <- function(text) tryCatch({said}, error = conditionMessage)\n"
    script += f"cat(vapply(c({', '.join(map(json.dumps, WHOLE + CUT))}), said, ''), sep = '\\n')\n"
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert [float(line) for line in lines[: len(WHOLE)]] == pytest.approx(
        [kit.load(banded.path).count(text).estimate for text in WHOLE]
    )
    assert all("fits no whole value of" in line for line in lines[len(WHOLE) :]), lines
