"""`splu guarantee`: what a gamma promises about small and large counts, without any table."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from splu_desktop.cli.base.effects import misfit
from splu_desktop.cli.base.help import add_command, switch, takes
from splu_desktop.cli.base.output import print_json, print_table, whole
from splu_desktop.core.mechanism import draw_from, draw_names, law
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.thresholds import Thresholds

_T_E = (0.01, 0.02, 0.05, 0.1, 0.2)
_MOST = 12  # counts whose probability of an error is listed


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(commands, "guarantee", "what a gamma promises about small and large counts", run)
    usual, known = Thresholds(), draw_names()
    takes(parser, "--gamma G", "strength, a number from 1", type=float, required=True)
    words = say("how values are drawn: {names}", names=", ".join(known))
    takes(parser, "--draw NAME", words, choices=known, default="lenders")
    takes(parser, "--epsilon", "relative error ({usual})", usual=str(usual.epsilon), type=float, default=usual.epsilon)
    takes(parser, "--t-e T_E", "tolerated probability ({usual})", usual=str(usual.t_e), type=float, default=usual.t_e)
    takes(parser, "--alpha", "the largest small count ({usual})", usual=usual.alpha, type=int, default=usual.alpha)
    takes(parser, "--releases K", "releases of the same records averaged (1)", type=int, default=1)
    switch(parser, "--curves", "add T_f over T_E and the probability at each small count")


def run(args: argparse.Namespace) -> None:
    """Print the bounds. Raises BadSetting."""
    limits = Thresholds(args.epsilon, args.t_e, args.alpha)
    if args.releases < 1:
        raise misfit(str(args.releases), "--releases", "1 …")
    draw = draw_from({"draw": args.draw, "gamma": args.gamma})
    figures: dict[str, Any] = {
        "gamma": args.gamma,
        "draw": args.draw,
        "t_p": law.t_p(draw, limits.epsilon, limits.alpha, releases=args.releases),
        "t_f": law.t_f(draw, limits.epsilon, limits.t_e),
        "certainty": draw.certainty(0.0),
    }
    if args.curves:
        t_f = law.t_f_curve(draw, limits.epsilon, np.array(_T_E))
        errors = law.error_curve(draw, limits.epsilon, range(1, _MOST + 1))
        figures["t_f_over_t_e"] = dict(zip(map(str, _T_E), t_f.tolist(), strict=True))
        figures["errors"] = {str(count): error for count, error in enumerate(errors.tolist(), 1)}
    if args.json:
        print_json(figures)
        return
    small = say(
        "least chance that a count of 1 to {alpha} is wrong by more than {epsilon}",
        alpha=str(limits.alpha),
        epsilon=Figure(f"{100 * limits.epsilon:g} %"),
    )
    large = say("least count that is within it, but for a chance of {t_e} (exact)", t_e=Figure(f"{limits.t_e:g}"))
    rows = [
        ("T_P", Figure(f"{figures['t_p']:.4f}"), small),
        ("T_f", whole(figures["t_f"]), large),
        ("1/gamma", Figure(f"{draw.retention:.4f}"), say("share of rows that keep their value")),
        *((f"T_f({name})", whole(value), "") for name, value in figures.get("t_f_over_t_e", {}).items()),
        *((f"P({name})", Figure(f"{value:.4f}"), "") for name, value in figures.get("errors", {}).items()),
    ]
    print_table(["", "", ""], rows, right=[1])
