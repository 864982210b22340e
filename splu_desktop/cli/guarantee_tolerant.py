"""`splu guarantee --tolerance`: what holds for a value in groups of several sizes, without any table."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.output import print_json, print_table, tell, whole
from splu_desktop.core.draw import DecoyGroups, Draw
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.groups.tolerances import Tolerances
from splu_desktop.core.guarantees.exact import checked_epsilon, checked_probability
from splu_desktop.core.guarantees.tolerant import MOST_ALPHA
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.thresholds import Thresholds


def add_tolerant(parser: argparse.ArgumentParser) -> None:
    """Give the command its options for a tolerance in place of gamma."""
    group = parser.add_argument_group(say("a tolerance per value, in place of --gamma"))
    takes(
        group,
        "--tolerance F",
        "share of the rows showing the value that may truly have it, on average, above 0, up to 1",
    )
    takes(group, "--sizes S,S,...", "group sizes, such as 1,4")
    takes(group, "--fakes N", "fake values in each group (default: 0)")


def tolerant(
    args: argparse.Namespace, sizes: list[int], epsilon: Fraction, t_e: Fraction, alpha: int, releases: int, fakes: int
) -> None:
    """Print T_P, T_f, confidence and certainty of a value with this tolerance. Raises BadSetting."""
    if releases < 1:
        raise BadSetting("The number of releases must be 1 or more, not {releases}.", releases=str(releases))
    shares = (Fraction(1, len(sizes)),) * len(sizes) if sizes else ()
    grouping = DecoyGroups(tuple(sizes), shares, Tolerances({say("VALUE"): args.tolerance}), fakes)
    limit = grouping.tolerances.limits[say("VALUE")]
    if limit.numerator * grouping.largest < limit.denominator:
        raise BadSetting(
            "A value with the tolerance {limit} may not stand in a group of {largest} even once; add groups of "
            "{least} or more to --sizes.",
            limit=Figure(f"{float(limit):g}"),
            largest=grouping.largest,
            least=-(-limit.denominator // limit.numerator) - fakes,
        )
    thresholds = Thresholds(float(checked_epsilon(epsilon)), float(checked_probability(t_e)), alpha)
    if alpha > MOST_ALPHA:
        raise BadSetting("With tolerances alpha can be at most {most}, not {alpha}.", most=MOST_ALPHA, alpha=str(alpha))
    own = {"tolerance": float(limit), "fakes": fakes, "certainty": float(grouping.certainty) if limit < 1 else 1.0}
    of_draw(grouping, thresholds, releases, args.json, own)


def of_draw(
    draw: Draw, thresholds: Thresholds, releases: int, as_json: bool, own: Mapping[str, float] = MappingProxyType({})
) -> None:
    """Print what any draw promises, and figures of its `own`."""
    found: dict[str, Any] = {
        **draw.as_dict(),
        **own,
        "epsilon": thresholds.epsilon,
        "t_e": thresholds.t_e,
        "alpha": thresholds.alpha,
        "releases": releases,
        "t_p": draw.t_p(thresholds, releases),
        "t_f": draw.t_f(thresholds),
        "confidence": float(draw.confidence),
    }
    sentences = draw.sentences(say("COLUMN"), thresholds)
    if releases > 1:  # the draws of several releases can be averaged
        chance = math.floor(100 * found["t_p"] * (1 + 1e-12))
        sentences = [
            say(
                "With {releases} releases of the same records averaged, a count of the value of {alpha} or fewer is "
                "shown wrong by more than {epsilon} with a probability of at least {chance}.",
                releases=releases,
                alpha=thresholds.alpha,
                epsilon=Figure(f"{100 * thresholds.epsilon:g} %"),
                chance=Figure(f"{chance} %"),
            )
        ]
    readers = list(draw.readers(say("COLUMN")))
    if as_json:
        print_json({**found, "sentences": sentences, "readers": readers})
        return
    for sentence in (*sentences, *readers):
        tell(sentence)
    print()
    rows = [
        [
            "T_P",
            Figure(f"{found['t_p']:.4f}"),
            say("least probability of a larger error in counts 1 to {alpha}", alpha=str(thresholds.alpha)),
        ],
        ["T_f", whole(found["t_f"]), say("count from which the error is kept, from one release")],
        [
            "f'",
            Figure(f"{found['confidence']:.4g}"),
            say("share of the rows showing the value that truly have it, on average, at most"),
        ],
    ]
    if "certainty" in own:
        known = say("the same by someone who knows all other records of its group")
        rows.append(["1/(1+N)", Figure(f"{found['certainty']:.4g}"), known])
    print_table([say("figure"), say("value"), say("meaning")], rows, right=[1])
