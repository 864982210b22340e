"""The program from Python: `read`, `propose`, `publish`, `open_release`, with DataFrames in and out (docs/api.md).

    proposal = api.propose(frame, "partner", tables=["Diagnosis by Sex, Age"])
    release = api.publish(proposal, "my-release", accept={"persons-alike": "The contract allows it"})
    release.count("Diagnosis=Heart failure", "Sex=female")

It calls what window and command line call. Faults are a `SpluError`. The only module that loads pandas.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from splu_desktop.core.answer.analyses import Analysis, Estimate, analyse, outcome_asked
from splu_desktop.core.answer.answer import Answer
from splu_desktop.core.answer.conditions import Condition, column_named, parse_condition
from splu_desktop.core.answer.crosstab import Cell, crosstab
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import SpluError
from splu_desktop.core.persons.choice import ByPerson
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy import limits_for, title_of
from splu_desktop.core.questions import parse_question
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files import importer
from splu_desktop.files.importer import ImportChoices
from splu_desktop.files.importer.columns.cells import shorten
from splu_desktop.files.project.recipe import Recipe, read_recipe, write_recipe
from splu_desktop.files.publish.planning import PlannedTable, judge, propose_plan
from splu_desktop.files.publish.publishing import Options, Refused
from splu_desktop.files.publish.publishing import publish as publish_table
from splu_desktop.files.release.dummy import draw_dummy
from splu_desktop.files.release.facts import public_values
from splu_desktop.files.release.folder import Form
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.files.release.reading import open_release as read_release
from splu_desktop.files.release.score_columns import score_columns

__all__ = ["Audience", "ByPerson", "Figure", "Form", "ImportChoices", "Kind", "Proposal", "Refused", "Release", "Role",
           "Source", "SpluError", "open_release", "propose", "publish", "read"]  # fmt: skip
Where = str | Iterable[str]


@dataclass(frozen=True, eq=False)
class Source:
    """A table as it was read, with all that was decided on the way; `path` is None where a frame was given."""

    reading: importer.TableReading
    path: Path | None = None

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows with their types; words are categories in their order."""
        return _frame(self.reading.table)


def read(data: Any, choices: ImportChoices | None = None) -> Source:
    """Read a path, a DataFrame (without its index) or a frame with `__arrow_c_stream__`, by the rules for files.

    choices : what is not to be detected: ImportChoices(sheet="Stays", types={"ward": Kind.CATEGORY}).
    """
    if isinstance(data, Source):
        return data
    if isinstance(data, str | Path):
        return Source(importer.read(Path(data), choices), Path(data))
    if not isinstance(data, pd.DataFrame):
        data = pd.DataFrame.from_arrow(data)  # type: ignore[attr-defined] # new in pandas 3, unknown to its stubs
    return Source(
        importer.read_columns([(str(name), *_encode_column(column)) for name, column in data.items()], choices)
    )


def _encode_column(column: pd.Series[Any]) -> tuple[np.ndarray[Any, np.dtype[np.int32]], list[Any]]:
    """Return (N,) codes and the distinct values of a column, None for those that pandas takes for missing."""
    codes, known = pd.factorize(column)
    kind = known.to_numpy().dtype.type
    values = [
        each.to_pydatetime(warn=False) if isinstance(each, pd.Timestamp) else shorten(each, kind)
        for each in known.tolist()
    ]
    if values and all(isinstance(each, dt.datetime) and each.time() == dt.time.min for each in values):
        values = [each.date() for each in values]
    all_codes = np.where(codes < 0, len(values), codes).astype(np.int32)
    return all_codes, [*values, None] if (codes < 0).any() else values


def _frame(table: Table) -> pd.DataFrame:
    return pd.DataFrame({column.name: _series(column) for column in table.columns})


def _series(column: Column) -> Any:
    if column.values is None:
        kept = ~column.missing
        codes = np.where(kept, np.cumsum(kept) - 1, -1)[column.codes]
        return pd.Categorical.from_codes(codes, pd.Index(column.labels[kept], dtype="str"))
    values = column.values[column.codes]
    return pd.array(values, dtype="Int64") if column.kind is Kind.INTEGER else values


@dataclass(frozen=True, eq=False)
class Proposal(PlannedTable):
    """A plan for a table and the verdict on it; `path` as in `Source`."""

    path: Path | None = None

    @property
    def lines(self) -> pd.DataFrame:
        """The lines of the verdict by name: state "ok", "amber" or "red", sentence, value, limit, repair."""
        return pd.DataFrame([line.as_dict() for line in self.verdict.lines]).set_index("name")

    def with_plan(self, plan: Plan) -> Proposal:
        """Return another plan for the same table, such as `plan.with_gamma(8)`, judged anew."""
        return Proposal(**vars(judge(self.reading, plan)), path=self.path)

    def save_recipe(self, path: str | Path) -> None:
        """Write how the table was read and what is published, for `recipe` and `splu publish --recipe`."""
        write_recipe(Recipe(self.reading.choices, self.plan.as_dict(), self.reading.source), Path(path))

    def __repr__(self) -> str:
        open_lines = "".join(f"\n  {line.name} ({line.state}): {line.sentence}" for line in self.verdict.open)
        return f"{title_of(self.verdict.state)} (gamma {self.plan.gamma:g}): {self.verdict.sentence}{open_lines}"


def propose(
    data: Any,
    audience: str | Audience = "partner",
    *,
    tables: Sequence[str] = (),
    within: float | None = None,
    person: str | None = "",
    recipe: str | Path | None = None,
    **settings: Any,
) -> Proposal:
    """Return the strongest protection of a table that answers what must come out, or the plan of a recipe.

    Parameters
    ----------
    data : what `read` takes, or what it returned.
    audience : "colleague", "partner" or "public"; an `Audience` says more (recipient, purpose, limits of its own).
    tables : at most three that must come out, such as "Diagnosis=Asthma by Age, Sex"; none for the most telling ones.
    within : relative error up to which their cells count as read; that of the audience.
    person : the column that names the person, "" to look for one, None for none.
    recipe : a file that says all of this in place of the rest.
    settings : roles (column -> Role), row_word, persons (a `ByPerson`), as in `propose_plan`.
    """
    if recipe is not None:
        stored = read_recipe(Path(recipe))
        source = read(data, stored.choices)
        plan = stored.plan_for(source.reading.table, name=Path(recipe).name)
        return Proposal(**vars(judge(source.reading, plan)), path=source.path)
    source = read(data)
    table = source.reading.table
    who = audience if isinstance(audience, Audience) else Audience(audience, signed=audience != "public")
    proposal = propose_plan(
        source.reading,
        who,
        person=person,
        questions=[parse_question(text, table, within or limits_for(who).within) for text in tables],
        within=within,
        **settings,
    )
    return Proposal(**vars(proposal), path=source.path)


def publish(
    data: Any,
    out: str | Path,
    *,
    accept: Mapping[str, str] | None = None,
    accept_all: str = "",
    form: Form | None = None,
    password: str | None = None,
    **questions: Any,
) -> Release:
    """Publish a proposal, or what `propose` gives for the data and these questions: whole or not at all.

    Parameters
    ----------
    out : the new folder; with a password the new ZIP.
    accept, accept_all : open line of the verdict -> why it is accepted, or one reason for all; kept in the register.
    form : title, contact, dialect, workbook, language of the README.

    Raises Refused with `lines` that are open and not accepted; nothing is written then.
    """
    proposal = data if isinstance(data, Proposal) else propose(data, **questions)
    digest = proposal.reading.source.sha256
    options = Options(form or Form(), password is not None, password, proposal.path, digest, accept_all=accept_all)
    table, target = proposal.reading.table, Path(out)
    done = publish_table(table, proposal.plan, target, judged=proposal.verdict, accepted=accept, options=options)
    return Release(done.release, done.fingerprint)


class Figure(NamedTuple):
    """A figure, its 95 % intervals for persons like these and for this table, and how far a count is trusted."""

    estimate: float
    low: float
    high: float
    low_table: float
    high_table: float
    trust: str = ""


@dataclass(frozen=True, eq=False)
class Release:
    """A release that answers; `fingerprint` are six words for the telephone where it was published here.

    Conditions are COLUMN=VALUE, COLUMN=A|B, COLUMN=LOW..HIGH, COLUMN>=LOW, COLUMN!=VALUE.
    """

    content: OpenRelease
    fingerprint: str = ""

    @cached_property
    def table(self) -> pd.DataFrame:
        """The published rows. Re-drawn columns must not be counted: ask, or add up `scores`."""
        return _frame(self.content.published.table)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The same rows in numbers to add up, for least squares and pivot tables (`scores.csv`)."""
        columns = score_columns(self.content.published, public_values(self.content.facts))
        return pd.DataFrame({each.name: each.scores for each in columns})

    def dummy(self, rows: int | None = None) -> pd.DataFrame:
        """Return a table to write code on: the published columns, each in an order of its own. No figure is right."""
        return _frame(draw_dummy(self.content.published, rows))

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.content.published)

    def _where(self, texts: Where) -> tuple[Condition, ...]:
        some = [texts] if isinstance(texts, str) else texts
        return tuple(parse_condition(text, self.content.published) for text in some)

    def count(self, *where: str) -> Figure:
        """Return how many rows meet all conditions."""
        answer = self._reader.answer(self._where(where))
        return _figure(answer, answer.trust())

    def crosstab(self, by: str | Sequence[str], column: str, where: Where = ()) -> pd.DataFrame:
        """Return counts of each value of a column in each combination of others, a cell a line."""
        by = [by] if isinstance(by, str) else by
        table = crosstab(self._reader, by, column, self._where(where))
        cells = list(table.cells())
        index = pd.MultiIndex.from_tuples([(*each.line, each.label) for each in cells], names=[*by, column])
        return pd.DataFrame([_figure(each, each.trust) for each in cells], index)

    def share(self, outcome: str, where: Where = ()) -> Figure:
        """Return the share of rows with an outcome among those that meet the conditions."""
        return self._figure("share", outcome, where)

    def mean(self, column: str, where: Where = ()) -> Figure:
        """Return the mean of a column of numbers or bands."""
        return self._figure("mean", column, where)

    def difference(self, outcome: str, exposure: str, where: Where = ()) -> Figure:
        """Return the share (or mean) of the outcome among the exposed less that among the others."""
        return self._figure("difference", outcome, where, exposure)

    def risk_ratio(self, outcome: str, exposure: str, where: Where = ()) -> Figure:
        """Return the share of the outcome among the exposed over that among the others."""
        return self._figure("risk ratio", outcome, where, exposure)

    def odds_ratio(self, outcome: str, exposure: str, where: Where = ()) -> Figure:
        """Return the odds of the outcome among the exposed over those among the others."""
        return self._figure("odds ratio", outcome, where, exposure)

    def regress(self, formula: str, where: Where = (), family: str = "linear") -> pd.DataFrame:
        """Fit "outcome ~ column + column" by least squares ("linear"), "logistic" or "poisson" regression.

        `attrs` has the covariances for persons like these ("vcov"), and sentences on thin categories ("notes").
        """
        outcome, _, right = (part.strip() for part in formula.replace("`", "").partition("~"))
        on = tuple(column_named(word, self.content.published) for word in right.split("+"))
        asked = outcome_asked(outcome, self.content.published)
        fit = analyse(self._reader, Analysis(family, *asked, covariates=on, where=self._where(where)))
        names = [each.name for each in fit.estimates]
        table = pd.DataFrame([_figure(each) for each in fit.estimates], names)[list(Figure._fields[:-1])]
        table.attrs = {"vcov": pd.DataFrame(fit.covariance_alike, names, names), "notes": list(map(str, fit.notes))}
        return table

    def _figure(self, kind: str, outcome: str, where: Where, exposure: str = "") -> Figure:
        """Return the one figure of an analysis."""
        published = self.content.published
        compared = outcome_asked(exposure, published) if exposure else ("", None)
        analysis = Analysis(kind, *outcome_asked(outcome, published), *compared, where=self._where(where))
        return _figure(analyse(self._reader, analysis).first)


def _figure(each: Answer | Cell | Estimate, trust: str = "") -> Figure:
    return Figure(each.estimate, each.low_alike, each.high_alike, each.low, each.high, trust)


def open_release(path: str | Path, password: str | None = None) -> Release:
    """Open a release: its folder, or a ZIP of it. Raises BadRelease, PasswordNeeded: both are SpluError."""
    return Release(read_release(Path(path), password=password))
