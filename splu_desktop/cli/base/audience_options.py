"""`--audience` and `--limit`: who gets the release, and `--make-safe`: the aim that follows, or another one."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from splu_desktop.cli.base.help import several, takes
from splu_desktop.core.checks.make_safe import Aim
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.guarantees.audience import HOLDS, NAMES, WHO, Audience

OPTIONS = ("audience", "limit")
_ANSWERS = {"yes": True, "no": False}


def add_audience_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the five questions about who gets the release."""
    takes(
        parser,
        "--audience WHO[,signed=yes|no][,holds=...][,passes-on=yes|no][,tables=yes|no]",
        "who gets the release ({who}), whether they have signed not to recognise anybody (yes), what they hold "
        "about the persons ({holds}), whether they may pass it on (no) or print tables (no); sets the limits that "
        "the gate asks for, and makes it as strict as --strict",
        who=", ".join(WHO),
        holds=", ".join(HOLDS),
    )
    several(
        parser,
        "--limit NAME=VALUE:REASON",
        "another limit than follows from --audience ({names}), with the reason, which is kept",
        names=", ".join(NAMES),
    )


def audience_said(args: argparse.Namespace) -> Audience | None:
    """Return what --audience and --limit say, None for neither. Raises BadSetting."""
    if args.audience is None:
        if args.limit:
            raise BadSetting("--limit changes what follows from --audience; give it, too.")
        return None
    who, *answers = (part.strip() for part in args.audience.split(","))
    said: dict[str, str] = {}
    for answer in answers:
        name, _, word = (part.strip() for part in answer.partition("="))
        if name not in ("signed", "holds", "passes-on", "tables") or (name != "holds" and word not in _ANSWERS):
            raise BadSetting(
                "“{answer}” after --audience is no answer; write signed=, passes-on= or tables= with yes or no, or "
                "holds= with {known}.",
                answer=answer[:40],
                known=", ".join(HOLDS),
            )
        said[name] = word
    return Audience(
        who,
        signed=_ANSWERS[said.get("signed", "yes")],
        holds=said.get("holds", HOLDS[0]),
        passes_on=_ANSWERS[said.get("passes-on", "no")],
        tables=_ANSWERS[said.get("tables", "no")],
        changed=dict(map(_limit, args.limit)),
    )


def _limit(text: str) -> tuple[str, tuple[float, str]]:
    name, sign, rest = text.partition("=")
    value, colon, why = rest.partition(":")
    if not sign or not colon:
        raise BadSetting(
            "“{text}” after --limit says no limit; write NAME=VALUE:REASON, such as k=3:pilot study.",
            text=text[:80],
        )
    return name.strip(), (_share(value, text), why.strip())


def aim_said(text: str, audience: Audience | None) -> Aim:
    """Return the aim that the text after --make-safe says, what it leaves out from the audience. Raises BadSetting."""
    found: dict[str, float] = {}
    said: dict[str, float] = {}
    if audience is not None:
        found = {"k": audience.limits.k, "unique": audience.limits.unique}
    for part in filter(None, map(str.strip, text.split(","))):
        name, sign, value = part.partition("=")
        if name.strip() not in ("k", "unique") or not sign:
            raise BadSetting(
                "“{part}” after --make-safe is no aim; write k=5, unique=1% or both with a comma.", part=part[:40]
            )
        if name.strip() in said:
            raise BadSetting("{name} is given after --make-safe twice; give it once.", name=name.strip())
        said[name.strip()] = _share(value, part)
    return _aim({**found, **said})


def _aim(found: Mapping[str, float]) -> Aim:
    if found.get("k", 1) % 1:
        raise BadSetting("The aim k is a whole number of records, such as k=5.")
    usual = Aim()
    return Aim(int(found.get("k", usual.k)), found.get("unique", usual.unique))


def _share(text: str, whole: str) -> float:
    try:
        plain = text.strip()
        return float(plain[:-1]) / 100 if plain.endswith("%") else float(plain)
    except ValueError:
        raise BadSetting("“{text}” holds no number; write k=5 or unique=1%.", text=whole[:80]) from None
