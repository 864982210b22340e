"""`splu analyse`: shares, ratios, odds ratios, means, trends, cross-tables and regressions from a release alone."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from splu_desktop.cli.base.opening import add_release, opened
from splu_desktop.cli.base.output import add_json, one_line, print_json, print_table, tell
from splu_desktop.core.analyse import analyses, regression
from splu_desktop.core.analyse.figures import Analysed
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.messages import say
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition, column_named, parse_condition
from splu_desktop.core.query.reader import Reader

_SHOWN = 60  # of the figures that an answer is made of, in the terminal


def add(commands: Any) -> None:
    """Add the command to the parser."""
    one = commands.add_parser(
        "analyse",
        help="shares, ratios, odds ratios, means, trends, regressions from a release",
        description="Answer more than counts from a release alone, with 95 %% intervals about the original table: by "
        "the unbiased estimate through the chances with which values were re-drawn. The same formulas come with every "
        "release as splu_release.py.",
        epilog="examples: splu analyse RELEASE odds-ratio 'Smoker=yes' 'Diagnosis=Heart failure'; "
        "splu analyse RELEASE mean Stay 'Ward=Cardiology'; splu analyse RELEASE trend 'Diagnosis=Influenza' --by "
        "Admitted:month; splu analyse RELEASE logit 'Diagnosis=Heart failure' --on Age --on Sex",
    )
    add_release(one)
    kinds = one.add_subparsers(dest="analysis", required=True, metavar="ANALYSIS")

    def kind(name: str, words: str) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = kinds.add_parser(name, help=words, description=words[0].upper() + words[1:])
        parser.add_argument(
            "--where", action="append", default=[], metavar="COLUMN=VALUE", help="only of records that meet this"
        )
        add_json(parser)
        parser.set_defaults(run=_analyse)
        return parser

    for name, words in (
        ("difference", "share with the first condition less that with the second"),
        ("ratio", "share with the first condition over that with the second"),
        ("odds-ratio", "how many times the odds of the second condition the first one makes"),
    ):
        parser = kind(name, words)
        for at in ("first", "second"):
            parser.add_argument(at, metavar="COLUMN=VALUE", help="joined by ; where several must be met")
    for name, words in (
        ("share", "share of records that meet conditions"),
        ("trend", "how much a share grows per period"),
    ):
        parser = kind(name, words)
        parser.add_argument("conditions", nargs="+", metavar="COLUMN=VALUE")
        if name == "trend":
            parser.add_argument(
                "--by", required=True, metavar="COLUMN[:PERIOD]", help=f"dates by {', '.join(analyses.PERIODS)}"
            )
    for name, words in (("mean", "mean of a column of numbers"), ("quantile", "quantile of a column of numbers")):
        parser = kind(name, words)
        parser.add_argument("column", metavar="COLUMN")
        parser.add_argument("conditions", nargs="*", metavar="COLUMN=VALUE")
        if name == "quantile":
            parser.add_argument("--q", type=float, default=0.5, help="share of records at or below (%(default)s)")
    parser = kind("crosstab", "counts of two columns, sensitive ones too, that add up to their margins")
    parser.add_argument("rows", metavar="COLUMN")
    parser.add_argument("columns", metavar="COLUMN")
    for name, words in (
        ("logit", "logistic regression of a condition on columns"),
        ("poisson", "Poisson regression of a condition, or of a column of numbers, on columns"),
    ):
        parser = kind(name, words)
        parser.add_argument("outcome", metavar="OUTCOME", help="COLUMN=VALUE")
        parser.add_argument(
            "--on", action="append", required=True, metavar="COLUMN", help="a column, or a condition; may be repeated"
        )


def _analyse(args: argparse.Namespace) -> None:
    release = opened(args)
    found = _answer(args, Reader(release.published))
    if args.json:
        print_json({**found.as_dict(), "method": "unbiased", "release": release.facts["id"]})
        return
    tell(found.what)
    rows = [(name, *part.shown) for name, part in found.parts.items()][:_SHOWN]
    estimate, low, high = found.shown
    if not found.parts or args.analysis == "trend":
        rows = [("All" if found.parts else "Answer", estimate, low, high), *rows]
    print_table(("", "Estimate", "95 % from", "to"), [tuple(map(one_line, row)) for row in rows])
    if len(found.parts) > _SHOWN:
        tell(say("{more} more; --json shows all.", more=len(found.parts) - _SHOWN))
    tell(say("Release {id}.", id=release.facts["id"]))


def _answer(args: argparse.Namespace, reader: Reader) -> Analysed:
    published = reader.published
    where = _conditions(args.where, published)
    match args.analysis:
        case "share":
            return analyses.share(reader, _conditions(args.conditions, published), where)
        case "difference" | "ratio" | "odds-ratio":
            ask = {
                "difference": analyses.difference,
                "ratio": analyses.ratio,
                "odds-ratio": analyses.odds_ratio,
            }[args.analysis]
            return ask(reader, _joined(args.first, published), _joined(args.second, published), where)
        case "mean" | "quantile":
            column = column_named(args.column, published)
            where = (*_conditions(args.conditions, published), *where)
            if args.analysis == "mean":
                return analyses.mean(reader, column, where)
            return analyses.quantile(reader, column, args.q, where)
        case "trend":
            by, period = _by(args.by, published)
            return analyses.trend(reader, (*_conditions(args.conditions, published), *where), by, period)
        case "crosstab":
            columns = column_named(args.rows, published), column_named(args.columns, published)
            return analyses.crosstab(reader, *columns, where)
        case "logit":
            return regression.logit(reader, _joined(args.outcome, published), _terms(args.on, published), where)
        case _:
            outcome = args.outcome if args.outcome in published.table else _joined(args.outcome, published)
            return regression.poisson(reader, outcome, _terms(args.on, published), where)


def _conditions(texts: Sequence[str], published: Published) -> tuple[Condition, ...]:
    return tuple(parse_condition(text, published) for text in texts)


def _joined(text: str, published: Published) -> tuple[Condition, ...]:
    """Read one condition, or several with ; between them."""
    try:
        return (parse_condition(text, published),)
    except BadQuestion:
        parts = text.split(";")
        if len(parts) == 1:
            raise
        return _conditions([part.strip() for part in parts], published)


def _terms(texts: Sequence[str], published: Published) -> list[regression.Term]:
    return [text if text in published.table else _term(text, published) for text in texts]


def _term(text: str, published: Published) -> regression.Term:
    return _joined(text, published) if "=" in text else column_named(text, published)


def _by(text: str, published: Published) -> tuple[str, str]:
    """Read COLUMN or COLUMN:PERIOD; a name may hold a colon itself."""
    name, _, period = text.rpartition(":")
    if text in published.table or not name or period not in analyses.PERIODS:
        return column_named(text, published), "month"
    return column_named(name, published), period
