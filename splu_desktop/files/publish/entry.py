"""What the register remembers of a release: choices, keyed fingerprints and hashes, no value of a record."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from splu_desktop import __version__
from splu_desktop.core.checks.gate import Gate
from splu_desktop.core.checks.selfcheck import Check
from splu_desktop.core.draw import draw_from
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.table import Table
from splu_desktop.files.publish.order import Examination, Order
from splu_desktop.files.register.book import SKETCHES, Register
from splu_desktop.files.register.earlier import least_stated
from splu_desktop.files.register.fingerprint import Fingerprints, Sketch, secret_of
from splu_desktop.files.register.likeness import Likeness
from splu_desktop.files.release.facts import STATED, draws_of, facts_text


def keep_sketches(register: Register, prints: Fingerprints) -> None:
    """Keep what the entry refers to by its hash. Raises RegisterFault."""
    for sketch in _sketches(prints):
        register.keep(SKETCHES, f"{sketch.facts()['sha256']}.bin", sketch.as_bytes())


def _sketches(prints: Fingerprints) -> list[Sketch | Likeness]:
    parts = (*prints.identifiers.values(), prints.rows, prints.likeness)
    return [part for part in parts if part is not None]


def _without_values(recipe: dict[str, Any]) -> dict[str, Any]:
    """Return a plan as plain data that names no value of a record, only columns and what was chosen for them.

    Of tolerances it is kept how many values have which; of a generalisation its way and the settings that are stated
    without looking at the records (`files.release.facts.STATED`); of a kept identifier that there was a reason.
    """
    draws = {name: draw_from(stored).recorded() for name, stored in recipe["draws"].items()}
    generalisations = {
        name: [{"how": step["how"], **{key: step[key] for key in STATED if key in step}} for step in steps]
        for name, steps in recipe["generalisations"].items()
    }
    return {**recipe, "generalisations": generalisations, "draws": draws}


def _locked(recipe: dict[str, Any], secret: bytes) -> str:
    text = json.dumps(recipe).encode("ascii")
    nonce = secrets.token_bytes(16)
    return (nonce + _veiled(text, nonce, secret)).hex()


def _veiled(text: bytes, nonce: bytes, secret: bytes) -> bytes:
    stream = hashlib.shake_256(nonce + secret).digest(len(text))
    return bytes(a ^ b for a, b in zip(text, stream, strict=True))


def unlocked(body: Mapping[str, Any], table: Table, key: bytes, *, progress: Progress = SILENT) -> dict[str, Any]:
    """Return the whole recipe of a registered release, values of its groups and tolerances included.

    They are in the register only under a key that follows from the source itself (`fingerprint.secret_of`). Raises
    KeyError, TypeError or ValueError where this is not the source, or where nothing was locked away.

    table : the source as read. key : the register's.
    """
    raw = bytes.fromhex(body["recipe_locked"])
    text = _veiled(raw[16:], raw[:16], secret_of(table, key, progress=progress))
    return dict(json.loads(text.decode("ascii")))


def entry_body(
    order: Order,
    facts: dict[str, Any],
    checks: tuple[Check, ...],
    gate: Gate,
    examination: Examination,
    partial: Path,
    packed_sha256: str | None,
) -> dict[str, Any]:
    """Return what the register remembers of a release: choices, keyed fingerprints and hashes, no value of a record."""
    prints = examination.prints
    assert prints is not None
    whole = order.plan.as_dict()
    recipe = _without_values(whole)
    outputs = [{key: entry[key] for key in ("name", "bytes", "sha256")} for entry in facts["files"]]
    if order.packed:
        outputs.append({"name": order.target.name, "bytes": partial.stat().st_size, "sha256": packed_sha256})
    before = {cost.column: cost.releases for cost in examination.costs}
    return {
        "operator": order.operator or _user(),
        "operator_typed": bool(order.operator),
        "purpose": order.purpose,
        "recipient": order.recipient,
        "destination": str(order.target.absolute()),
        "partial": str(partial.absolute().parent),
        "software": __version__,
        "records": facts["records"],
        "draws": {name: draw.recorded() for name, draw in draws_of(facts).items()},
        "recipe": recipe,
        **({"recipe_locked": _locked(whole, prints.secret)} if recipe != whole else {}),
        "recipe_sha256": hashlib.sha256(json.dumps(recipe, sort_keys=True).encode("utf-8")).hexdigest(),
        "source": {
            "name": None if order.source is None else order.source.name.encode("utf-8", "replace").decode("utf-8"),
            "file": prints.file,
            "table": prints.table,
            "columns": dict(prints.columns),
            "identifiers": {name: sketch.facts() for name, sketch in prints.identifiers.items()},
            "rows": None if prints.rows is None else prints.rows.facts(),
            "likeness": None if prints.likeness is None else prints.likeness.facts(),
            "nsas": list(prints.nsas),
        },
        "facts_sha256": hashlib.sha256(facts_text(facts).encode("utf-8")).hexdigest(),
        "outputs": outputs,
        "encrypted": order.password is not None,
        "guarantees": {
            name: {
                **stated,
                "releases": before.get(name, 0) + 1,
                "t_p_of_all": next(
                    (min(cost.t_p[-1], least_stated(stated)) for cost in examination.costs if cost.column == name), None
                ),
            }
            for name, stated in facts["guarantees"].items()
        },
        "earlier": [other.entry.release for other in examination.earlier],
        "warned": sorted({line.name for line in gate.amber}),
        "accepted": {name: words for name, words in gate.accepted.items() if name in {x.name for x in gate.amber}},
        "checks": len(checks),
    }


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that no account has
        return f"user {os.getuid()}" if hasattr(os, "getuid") else ""
