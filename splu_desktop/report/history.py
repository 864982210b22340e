"""What the register of releases knows of a release: its plan, what was acknowledged, other releases of the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from splu_desktop.core.checks.gate import Light, table_lines
from splu_desktop.core.draw.draw import named
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import table_after
from splu_desktop.core.messages import say
from splu_desktop.core.plan import PLAN_VERSION, Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Table
from splu_desktop.files.draws import draws_as_dicts, upgraded
from splu_desktop.files.importer import Imported
from splu_desktop.files.publish.entry import unlocked
from splu_desktop.files.register.book import Entry, Reading, Register
from splu_desktop.files.register.earlier import EarlierRelease, costs, find_earlier, sentence
from splu_desktop.files.register.fingerprint import fingerprints, table_fingerprint
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.report import model
from splu_desktop.report.original import Background


def entry_of(reading: Reading, opened: OpenRelease) -> Entry | None:
    """Return the register's entry of a release, None where the release was not made here."""
    return next((entry for entry in reading.releases if entry.release == opened.facts.get("id")), None)


def typed_in(entry: Entry | None, *, internal: bool) -> dict[str, str]:
    """Return operator, purpose and recipient as they were typed when the release was published.

    Where no operator was typed the register holds the name of the account, which is for the internal edition alone: an
    account's name belongs in nothing that is handed out.
    """
    body = {} if entry is None else entry.body
    names = ["purpose", "recipient"]
    if internal or body.get("operator_typed", False):
        names.append("operator")
    return {name: str(body.get(name) or "") for name in names}


def typed_then(entry: Entry | None, fields: model.Fields, *, internal: bool) -> model.Fields:
    """Return the fields, those left empty as they were typed when the release was published."""
    typed = typed_in(entry, internal=internal)
    return replace(fields, **{name: text for name, text in typed.items() if not getattr(fields, name)})


def background(
    opened: OpenRelease,
    imported: Imported,
    *,
    plan: Plan | None = None,
    register: Register | None = None,
    alternatives: tuple[model.Alternative, ...] = (),
    progress: Progress = SILENT,
) -> Background:
    """Return all that the internal edition needs besides the release.

    Parameters
    ----------
    imported : the source, read as for publishing.
    plan : the plan it was published with; None takes the register's, else what the release shows.
    register : None for the user's own.
    alternatives : of a comparison (`report.alternatives`).

    Raises
    ------
    RegisterFault : the register can't be read. Cancelled.
    """
    register = register or Register()
    reading = register.read()
    entry = entry_of(reading, opened)
    if plan is None and entry is not None:
        plan = _plan(entry, opened, imported.table, register, progress)
    earlier: tuple[model.Earlier, ...] | None = None
    before = ""
    prints = None
    if plan is not None and reading.entries:
        key = register.key()
        prints = fingerprints(imported.table, plan, key, file_sha256=imported.source.sha256, progress=progress)
        found = find_earlier(reading, prints, imported.table, plan, key, register.folder, progress=progress)
        earlier = tuple(
            model.Earlier(
                time=each.entry.time,
                release=each.entry.release,
                purpose=str(each.entry.body.get("purpose") or ""),
                recipient=str(each.entry.body.get("recipient") or ""),
                relation=_relation(each),
            )
            for each in found
            if each.entry.release != opened.facts.get("id")
        )
        known = () if entry is None else tuple(each for each in found if each.entry.number < entry.number)
        before = sentence(known, costs(plan, known), whole=reading.whole) if known else ""
    published = None if entry is None else (entry.body.get("source") or {}).get("table")
    here = None
    if published is not None:
        here = table_fingerprint(imported.table, register.key(), progress=progress) if prints is None else prints.table
    acknowledged = None if entry is None else tuple(_acknowledged(entry.body, imported.table, plan, before, progress))
    return Background(
        imported=imported,
        plan=plan,
        acknowledged=acknowledged,
        earlier=earlier,
        alternatives=alternatives,
        altered=here != published,
    )


def _relation(other: EarlierRelease) -> str:
    """Return how a release is known to hold the same records, and which columns it and this one betray together."""
    if not other.undone:
        return other.how
    return say(
        "{how}; whoever holds both reads the true values of {columns}, re-drawn in one alone",
        how=say(other.how),
        columns=named(other.undone),
    )


def _plan(entry: Entry, opened: OpenRelease, table: Table, register: Register, progress: Progress) -> Plan | None:
    """Return the plan of a release; None where the register does not hold all of it, or locked by another source."""
    if entry.body.get("recipe_locked"):
        try:
            return Plan.from_dict(unlocked(entry.body, table, register.key(), progress=progress))
        except (BadSetting, KeyError, TypeError, ValueError):
            return None
    try:
        # The register writes no tolerances: which value has which is in the release itself.
        drawn = opened.published.draws
        recipe = upgraded(entry.body["recipe"]) | {"version": PLAN_VERSION, "draws": draws_as_dicts(drawn)}
        stored = Plan.from_dict(recipe)
        source = table_after(table, stored.generalisations)
        completed = {
            name: draw.completed(source[name].labels) if name in source else draw for name, draw in drawn.items()
        }
        return replace(stored, draws=completed)
    except (BadSetting, KeyError, TypeError, AttributeError):
        return None  # written by another version; the release itself then says what it can


def _acknowledged(
    body: Mapping[str, Any], table: Table, plan: Plan | None, before: str, progress: Progress
) -> Iterator[model.Acknowledged]:
    """Give the amber lines of the gate. The register keeps their names and the words, the table the rest.

    before : what was said of earlier releases.
    """
    accepted = body.get("accepted", {})
    lines = () if plan is None else table_lines(table, plan, progress=progress)
    for name in body.get("warned", ()):
        said: list[tuple[str | None, str]] = [
            (line.column, line.sentence) for line in lines if line.name == name and line.light is Light.AMBER
        ]
        for column, found in said or [(None, before if name == "earlier-release" else "")]:
            yield model.Acknowledged(name, column, found, name in accepted, str(accepted.get(name, "")))
