"""`splu releases`: the register of releases, and whether it is sound."""

from __future__ import annotations

import argparse
from typing import Any

from splu_desktop.cli.base.help import add_command
from splu_desktop.cli.base.output import print_json, print_rows, tell
from splu_desktop.core.messages import say
from splu_desktop.files.publish.publishing import tidy
from splu_desktop.files.register.ledger import Entry, Register


def add(commands: Any) -> None:
    """Add the command to the parser."""
    add_command(commands, "releases", "list the register of releases and check it", run)


def run(args: argparse.Namespace) -> int:
    """Print the register. Returns 3 where its chain does not hold."""
    register = Register()
    # A run that died after its entry left no release, and the entry must not be listed as one.
    tidy(register)
    reading = register.read()
    entries, faults = reading.handed_out[::-1], reading.faults
    if args.json:
        state = {"folder": str(register.folder), "sound": not faults, "faults": list(map(str, faults))}
        print_json({**state, "releases": list(map(_as_dict, entries))})
        return 3 if faults else 0
    if entries:
        print_rows(
            entries,
            (say("entry"), "r", lambda each: str(each.number)),
            (say("made (UTC)"), "l", lambda each: each.time[:16].replace("T", " ")),
            (say("recipient"), "l", lambda each: _of(each, "recipient")),
            (say("purpose"), "l", lambda each: _of(each, "purpose")),
            (say("delete by"), "l", lambda each: each.body.get("audience", {}).get("until") or "-"),
            (say("release"), "l", lambda each: _of(each, "destination")),
        )
    elif not faults:
        tell("Nothing was released yet.")
    for line in faults or [say("The register is sound; entries sealed and chained: {n}.", n=len(reading.entries))]:
        tell(line)
    return 3 if faults else 0


def _as_dict(entry: Entry) -> dict[str, Any]:
    # By its marks, who holds the key could test whether somebody was in the table.
    shown = {key: value for key, value in entry.body.items() if key not in ("marks", "partial")}
    return {"number": entry.number, "time": entry.time, "id": entry.release, "kind": entry.kind, **shown}


def _of(entry: Entry, name: str) -> str:
    return str(entry.body.get(name) or "-")
