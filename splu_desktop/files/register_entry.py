"""What the register remembers of a release: choices, keyed fingerprints and hashes, no value of a record."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from splu_desktop import __version__
from splu_desktop.core.gate import Gate
from splu_desktop.core.selfcheck import Check
from splu_desktop.core.tolerant_guarantees import promises_as_dict
from splu_desktop.files.earlier import SKETCHES
from splu_desktop.files.fingerprint import Fingerprints, Sketch
from splu_desktop.files.order import Examination, Order
from splu_desktop.files.register import Register
from splu_desktop.files.release_facts import facts_text, guarantees_of


def keep_sketches(register: Register, prints: Fingerprints) -> None:
    """Keep what the entry refers to by its hash. Raises RegisterFault."""
    for sketch in _sketches(prints):
        register.keep(SKETCHES, f"{sketch.facts()['sha256']}.bin", sketch.as_bytes())


def _sketches(prints: Fingerprints) -> list[Sketch]:
    return [*prints.identifiers.values(), *([prints.rows] if prints.rows is not None else [])]


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
    recipe = order.plan.as_dict()
    for grouping in recipe.get("groupings", {}).values():
        # The register names no value of a record: how many values have which tolerance is enough.
        grouping["tolerances"] = dict(sorted(Counter(grouping["tolerances"].values()).items()))
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
        "gammas": dict(order.plan.gammas),
        "groupings": recipe.get("groupings", {}),
        "recipe": recipe,
        "recipe_sha256": hashlib.sha256(json.dumps(recipe, sort_keys=True).encode("utf-8")).hexdigest(),
        "source": {
            "name": None if order.source is None else order.source.name.encode("utf-8", "replace").decode("utf-8"),
            "file": prints.file,
            "table": prints.table,
            "columns": dict(prints.columns),
            "identifiers": {name: sketch.facts() for name, sketch in prints.identifiers.items()},
            "rows": None if prints.rows is None else prints.rows.facts(),
            "nsas": list(prints.nsas),
        },
        "facts_sha256": hashlib.sha256(facts_text(facts).encode("utf-8")).hexdigest(),
        "outputs": outputs,
        "encrypted": order.password is not None,
        "guarantees": {
            name: {
                **guarantees_of(gamma, order.plan.thresholds),
                "releases": before.get(name, 0) + 1,
                "t_p_of_all": next((cost.t_p[-1] for cost in examination.costs if cost.column == name), None),
            }
            for name, gamma in order.plan.gammas.items()
        }
        | {
            name: promises_as_dict(grouping, order.plan.thresholds) | {"releases": before.get(name, 0) + 1}
            for name, grouping in order.plan.groupings.items()
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
