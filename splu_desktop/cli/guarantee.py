"""`splu guarantee`: what a gamma promises about small and large counts, without any table."""

from __future__ import annotations

import argparse
import re
from fractions import Fraction
from typing import Any

from splu_desktop.cli.base.effects import without_effect
from splu_desktop.cli.base.help import switch, takes
from splu_desktop.cli.base.output import add_json, print_json, print_promise, print_table, tell
from splu_desktop.cli.base.output import whole as shown
from splu_desktop.cli.base.tolerance_options import draw_said
from splu_desktop.cli.guarantee_tolerant import add_tolerant, of_draw, tolerant
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees import attackers, sentences
from splu_desktop.core.guarantees import exact as guarantees
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.thresholds import Thresholds

_DECIMAL = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?", re.ASCII)
_OF_GAMMA, _OF_TOLERANCE = ("gamma", "records", "values", "curves"), ("tolerance", "sizes", "fakes")
_WHOLE = re.compile(r"[+-]?\d{1,4000}", re.ASCII)  # of more digits Python makes no number


def add(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("guarantee", help=say("what a gamma promises about small and large counts"))
    # Taken as text: 0.3 has to stay three tenths, and a fault gets a sentence instead of argparse's.
    takes(parser, "--gamma", "size of the decoy groups, from 2")
    takes(parser, "--epsilon", "relative error, above 0 and at most 1 (default: 0.3)", default="0.3")
    takes(parser, "--t-e T_E", "tolerated probability, 0 to 1 (default: 0.05)", default="0.05")
    takes(parser, "--alpha", "the largest small count, from 1 (default: 3)", default="3")
    takes(parser, "--releases K", "releases of the same records averaged", default="1")
    takes(parser, "--records N", "records of the table, to see what public figures alone tell")
    takes(parser, "--values M", "values of its sensitive column, with --records")
    switch(parser, "--curves", "add T_f over T_E and the probability at each small count")
    takes(parser, "--draw DRAW", "any draw, by its name and settings: NAME,SETTING=VALUE,...")
    add_tolerant(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def decimal(text: str, name: str) -> Fraction:
    """Return the number that a decimal text means, exactly. Raises BadSetting.

    Lengths are bounded first: Fraction("1e999999999") would be worked out digit by digit.
    """
    if not _DECIMAL.fullmatch(text.strip()):
        raise BadSetting("{name} must be a decimal number such as 0.05, not “{text}”.", name=name, text=text[:40])
    return Fraction(text.strip())


def whole(text: str, name: str) -> int:
    """Return the whole number that a text means. Raises BadSetting."""
    if not _WHOLE.fullmatch(text.strip()):
        raise BadSetting("{name} must be a whole number such as 5, not “{text}”.", name=name, text=text[:40])
    return int(text)


def run(args: argparse.Namespace) -> None:
    """Print T_P and T_f (exact, Chebyshev, as published), and the curves where asked. Raises BadSetting."""
    alpha = whole(args.alpha, say("The largest small count alpha"))
    releases = whole(args.releases, say("The number of releases"))
    epsilon = decimal(args.epsilon, say("The relative error epsilon"))
    t_e = decimal(args.t_e, say("The tolerated probability T_E"))
    if args.draw is not None:
        without_effect(args, say("A draw says its own settings"), *_OF_GAMMA, *_OF_TOLERANCE)
        of_draw(draw_said(args.draw), Thresholds(float(epsilon), float(t_e), alpha), releases, args.json)
        return
    if (args.gamma is None) == (args.tolerance is None) or (args.tolerance is None) != (args.sizes is None):
        raise BadSetting("Give either --gamma, or --tolerance with --sizes.")
    if args.tolerance is not None:
        without_effect(args, say("A tolerance has groups of several sizes"), *_OF_GAMMA)
        decimal(args.tolerance, say("The tolerance"))
        sizes = sorted({whole(size, say("A group size")) for size in args.sizes.split(",")})
        fakes = whole(args.fakes or "0", say("The number of fake values"))
        tolerant(args, sizes, epsilon, t_e, alpha, releases, fakes)
        return
    without_effect(args, say("Fake values stand in groups that have tolerances"), "fakes")
    gamma = whole(args.gamma, say("The group size gamma"))
    found: dict[str, Any] = {
        "gamma": gamma,
        "epsilon": float(guarantees.checked_epsilon(epsilon)),
        "t_e": float(guarantees.checked_probability(t_e)),
        "alpha": alpha,
        "releases": releases,
        "t_p": guarantees.t_p(gamma, epsilon, alpha, releases),
        "t_f": guarantees.t_f(gamma, epsilon, t_e, releases),
        "t_f_chebyshev": guarantees.t_f_chebyshev(gamma, epsilon, t_e, releases),
        "t_f_as_published": guarantees.t_f_as_published(gamma, epsilon, t_e),
    }
    if (args.records is None) != (args.values is None):
        raise BadSetting("Give --records and --values together, or neither.")
    known = None
    if args.records is not None:
        records, values = (
            whole(args.records, say("The number of records")),
            whole(args.values, say("The number of values")),
        )
        known = sentences.unprotected(records, gamma, values, epsilon, alpha)
        if known:
            found["t_p"] = 0.0
    promises = [
        sentences.relieved(known) or sentences.small_count_promise(gamma, epsilon, alpha, releases=releases),
        sentences.large_count_promise(gamma, epsilon, t_e, releases=releases),
    ]
    readers = list(attackers.of_gamma(say("COLUMN"), gamma))
    if args.curves:
        exact, chebyshev, published = guarantees.t_f_curve(gamma, epsilon, releases=releases)
        found["curves"] = {
            "t_e": guarantees.T_E_GRID.tolist(),
            "t_f": exact.tolist(),
            "t_f_chebyshev": chebyshev.tolist(),
            "t_f_as_published": published.tolist(),
            "small_count": list(range(1, alpha + 1)),
            "probability": guarantees.small_count_curve(gamma, epsilon, alpha, releases).tolist(),
        }
    if args.json:
        print_json({**found, "sentences": promises, "readers": readers})
    else:
        _print_text(found, [*promises, *readers])


def _print_text(found: dict[str, Any], said: list[str]) -> None:
    for sentence in said:
        tell(sentence)
    print()
    print_promise(found, found["alpha"])
    if "curves" not in found:
        return
    curves = found["curves"]
    print()
    print_table(
        ["T_E", say("T_f exact"), "Chebyshev", say("as published (not valid)")],
        [
            [Figure(f"{t:.4f}"), shown(exact), shown(chebyshev), Figure(f"{published:,.1f}")]
            for t, exact, chebyshev, published in zip(
                curves["t_e"], curves["t_f"], curves["t_f_chebyshev"], curves["t_f_as_published"], strict=True
            )
        ],
        right=[0, 1, 2, 3],
    )
    print()
    print_table(
        [say("count"), say("probability of a larger error")],
        [[str(f), Figure(f"{p:.4f}")] for f, p in zip(curves["small_count"], curves["probability"], strict=True)],
        right=[0, 1],
    )
