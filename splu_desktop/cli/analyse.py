"""`splu analyse`: shares, ratios, odds ratios, means, trends, cross-tables and regressions from a release alone."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import belong
from splu_desktop.cli.base.help import several, switch, takes
from splu_desktop.cli.base.opening import add_release, opened
from splu_desktop.cli.base.output import add_json, print_json, print_table, tell
from splu_desktop.core.analyse.analyses import PERIODS
from splu_desktop.core.analyse.analysis import Analysis, AnalysisKind, column_and_period, conditions_of
from splu_desktop.core.analyse.regression import Term
from splu_desktop.core.messages import say
from splu_desktop.core.progress import Silent
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition, column_named
from splu_desktop.core.query.reader import Reader
from splu_desktop.files.questions.batch import check_answers_path
from splu_desktop.files.questions.figures_file import write_figures

_SHOWN = 60  # of the figures that an answer is made of, in the terminal


def add(commands: Any) -> None:
    """Add the command to the parser."""
    one = commands.add_parser(
        "analyse",
        help=say("shares, ratios, odds ratios, means, trends, regressions from a release"),
        description=say(
            "Answer more than counts from a release alone, with 95 % intervals about the original table: by "
            "the unbiased estimate through the chances with which values were re-drawn. The same formulas come with "
            "every release as splu_release.py."
        ),
        epilog=say(
            "examples: splu analyse RELEASE odds-ratio 'Smoker=yes' 'Diagnosis=Heart failure'; "
            "splu analyse RELEASE mean Stay 'Ward=Cardiology'; splu analyse RELEASE trend 'Diagnosis=Influenza' --by "
            "Admitted:month; splu analyse RELEASE logit 'Diagnosis=Heart failure' --on Age --on Sex"
        ),
    )
    add_release(one)
    kinds = one.add_subparsers(dest="analysis", required=True, metavar="ANALYSIS")

    def kind(name: str, words: str) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = kinds.add_parser(name, help=words, description=words)
        several(parser, "--where COLUMN=VALUE", "only of records that meet this")
        takes(parser, "--out FILE", "write every figure to FILE.csv or FILE.xlsx", type=Path)
        switch(parser, "--overwrite", "replace the file if it exists")
        add_json(parser)
        parser.set_defaults(run=_analyse)
        return parser

    for name, words in (
        ("difference", say("share with the first condition less that with the second")),
        ("ratio", say("share with the first condition over that with the second")),
        ("odds-ratio", say("how many times the odds of the second condition the first one makes")),
    ):
        parser = kind(name, words)
        for at in ("first", "second"):
            takes(parser, f"{at} COLUMN=VALUE", "joined by ; where several must be met")
    for name, words in (
        ("share", say("share of records that meet conditions")),
        ("trend", say("how much a share grows per period")),
    ):
        parser = kind(name, words)
        takes(parser, "conditions COLUMN=VALUE", nargs="+")
        if name == "trend":
            takes(parser, "--by COLUMN[:PERIOD]", "dates by {periods}", periods=", ".join(PERIODS), required=True)
    for name, words in (
        ("mean", say("mean of a column of numbers")),
        ("quantile", say("quantile of a column of numbers")),
    ):
        parser = kind(name, words)
        takes(parser, "column COLUMN")
        takes(parser, "conditions COLUMN=VALUE", "only of records that meet this", nargs="*")
        if name == "quantile":
            takes(parser, "--q", "share of records at or below (%(default)s)", type=float, default=0.5)
    parser = kind("crosstab", say("counts of two columns, sensitive ones too, that add up to their margins"))
    takes(parser, "rows COLUMN")
    takes(parser, "columns COLUMN")
    for name, words in (
        ("logit", say("logistic regression of a condition on columns")),
        ("poisson", say("Poisson regression of a condition, or of a column of numbers, on columns")),
    ):
        parser = kind(name, words)
        parser.add_argument("outcome", metavar="OUTCOME", help="COLUMN=VALUE")  # in every language
        takes(parser, "--on COLUMN", "a column, or a condition; may be repeated", action="append", required=True)


def _analyse(args: argparse.Namespace) -> None:
    belong(args, "--out", "overwrite")
    if args.out is not None:
        check_answers_path(args.out, overwrite=args.overwrite, release=args.release)
    release = opened(args)
    found = _asked(args, release.published).answer(Reader(release.published))
    if args.out is not None:
        write_figures(found, release.facts["id"], args.out, Silent())
    if args.json:
        print_json(
            {**found.as_dict(), "method": "unbiased", "release": release.facts["id"]}
            | ({"file": str(args.out)} if args.out is not None else {})
        )
        return
    tell(found.what)
    figures = list(found.parts.items())[:_SHOWN]
    if not found.parts or args.analysis == "trend":
        figures = [(say("All") if found.parts else say("Answer"), found), *figures]
    heads: tuple[str, ...] = ("", say("Estimate"), say("95 % from"), say("to"))
    rows: list[tuple[str, ...]] = [(name, *one.shown) for name, one in figures]
    if any(one.possible for _, one in figures):
        heads = (*heads, "")
        rows = [(*row, say("possible") if one.possible else "") for row, (_, one) in zip(rows, figures, strict=True)]
    print_table(heads, rows)
    if len(found.parts) > _SHOWN:
        tell("{more} more; --json shows all.", more=len(found.parts) - _SHOWN)
    for note in found.notes:
        tell(note)
    tell("Release {id}.", id=release.facts["id"])
    if args.out is not None:
        tell("Written to {path}.", path=str(args.out))


def _asked(args: argparse.Namespace, published: Published) -> Analysis:
    """Return what the arguments ask for. Raises BadQuestion."""
    kind = AnalysisKind(args.analysis)
    where = _conditions(args.where, published)
    match kind:
        case AnalysisKind.SHARE:
            return Analysis(kind, _conditions(args.conditions, published), where=where)
        case AnalysisKind.DIFFERENCE | AnalysisKind.RATIO | AnalysisKind.ODDS_RATIO:
            return Analysis(kind, conditions_of(args.first, published), conditions_of(args.second, published), where)
        case AnalysisKind.MEAN | AnalysisKind.QUANTILE:
            column = column_named(args.column, published)
            q = args.q if kind is AnalysisKind.QUANTILE else 0.5
            return Analysis(kind, _conditions(args.conditions, published), where=where, columns=(column,), q=q)
        case AnalysisKind.TREND:
            by, period = column_and_period(args.by, published)
            return Analysis(kind, _conditions(args.conditions, published), where=where, columns=(by,), period=period)
        case AnalysisKind.CROSSTAB:
            columns = column_named(args.rows, published), column_named(args.columns, published)
            return Analysis(kind, where=where, columns=columns)
        case AnalysisKind.LOGIT | AnalysisKind.POISSON:
            on = tuple(_term(text, published) for text in args.on)
            counted = args.outcome if kind is AnalysisKind.POISSON and args.outcome in published.table else ""
            first = () if counted else conditions_of(args.outcome, published)
            return Analysis(kind, first, where=where, on=on, counted=counted)


def _conditions(texts: Sequence[str], published: Published) -> tuple[Condition, ...]:
    return tuple(one for text in texts for one in conditions_of(text, published))


def _term(text: str, published: Published) -> Term:
    if text in published.table or "=" not in text:
        return column_named(text, published)
    return conditions_of(text, published)
