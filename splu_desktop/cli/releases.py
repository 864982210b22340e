"""`splu releases`: the register of releases, and whether it is sound."""

from __future__ import annotations

import argparse
from typing import Any

from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.output import add_json, print_json, print_rows, tell, told
from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import counted, say
from splu_desktop.files.draws import draws_in_words
from splu_desktop.files.publish.publishing import tidy
from splu_desktop.files.register.book import Register
from splu_desktop.files.register.shelf import Place, Shelved, shelf


class DamagedRegister(SpluError):
    """The register's chain does not hold."""


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "releases",
        help=say("list the register of releases and check it"),
        description=say(
            "List what was released from this computer by this user, and check that the register is unchanged."
        ),
    )
    takes(
        parser,
        "--acknowledge WORDS",
        "enter that the register's damage is known: what happened to it, in words; needs --operator",
    )
    takes(parser, "--operator", "who acknowledges it", default="")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the register. Raises DamagedRegister after that where its chain does not hold."""
    register = Register()
    tidy(register)
    if args.acknowledge is not None:
        register.acknowledge(args.operator, args.acknowledge)
    reading = register.read()
    releases = shelf(register, reading).releases[::-1]
    if args.json:
        print_json(
            {
                "folder": str(register.folder),
                "sound": not reading.faults,
                "faults": list(reading.faults),
                "acknowledged": list(reading.acknowledged),
                "releases": [
                    {
                        "number": each.entry.number,
                        "time": each.entry.time,
                        "id": each.entry.release,
                        "withdrawn": each.place is Place.WITHDRAWN,
                        **{key: value for key, value in each.entry.body.items() if key not in ("source", "partial")},
                    }
                    for each in releases
                ],
            }
        )
    elif releases:
        print_rows(
            releases,
            (say("entry"), "r", lambda each: str(each.entry.number)),
            (say("made (UTC)"), "l", lambda each: each.entry.time[:16].replace("T", " ")),
            (say("source"), "l", lambda each: each.source or "-"),
            (say("re-drawn"), "l", lambda each: _draws(each.entry.body)),
            (say("recipient"), "l", lambda each: str(each.entry.body.get("recipient") or "-")),
            (say("release"), "l", _where),
        )
    elif reading.whole:  # what is gone may have been a release
        tell("Nothing was released yet.")
    if reading.faults:
        first = told(reading.faults[0])[:-1]
        if len(reading.faults) > 1:
            first = told(say("{fault} ({n} more)", fault=first, n=str(len(reading.faults) - 1)))
        raise DamagedRegister(
            "{fault}; the register is “{path}”, and this is said until somebody enters what happened: splu releases "
            "--acknowledge WORDS --operator NAME.",
            fault=first,
            path=str(register.folder / "register.jsonl"),
        )
    if not args.json and reading.acknowledged:
        tell("The register was damaged, and somebody acknowledged it; the other entries are sound:")
        for fault in reading.acknowledged:
            tell(fault, "  ")
    elif not args.json:
        tell(
            counted(
                len(reading.entries),
                "The register is sound: one entry, which is sealed.",
                "The register is sound: {n} entries, each sealed and chained to the one before.",
            )
        )


def _draws(body: Any) -> str:
    return ", ".join(f"{name}: {told(words)}" for name, words in draws_in_words(body).items())


def _where(each: Shelved) -> str:
    path = str(each.entry.body.get("destination", ""))
    gone = say("{path} (no longer there)", path=path)
    return {Place.THERE: path, Place.GONE: gone, Place.WITHDRAWN: say("withdrawn")}[each.place]
