"""Publishing, the whole way: gate, run, check, files, register, in this order and all or nothing.

The release appears by one rename, after it is checked and after its entry is safe in the register. Whatever happens
before leaves nothing; a run that dies between entry and rename is withdrawn from the register by the next one.
"""

from __future__ import annotations

import contextlib
import getpass
import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from splu_desktop import __version__
from splu_desktop.core import sanitise
from splu_desktop.core.errors import SpluError
from splu_desktop.core.gate import Gate, Light, Line, table_lines
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.published import Published
from splu_desktop.core.selfcheck import Check, check_release
from splu_desktop.core.table import Table
from splu_desktop.core.tolerant_guarantees import promises_as_dict
from splu_desktop.files import partial as unfinished
from splu_desktop.files.background import in_background
from splu_desktop.files.earlier import SKETCHES, Cost, Earlier, costs, find_earlier, sentence
from splu_desktop.files.fingerprint import Fingerprints, Sketch, file_sha256, fingerprints
from splu_desktop.files.handover import check_packed, check_password, names_of, pack
from splu_desktop.files.machine import free_memory, need, size_text
from splu_desktop.files.register import RELEASE, WITHDRAWN, Entry, Reading, Register, RegisterFault
from splu_desktop.files.release import OpenRelease, check_formats, fill_folder, final
from splu_desktop.files.release_facts import facts_text, guarantees_of
from splu_desktop.files.table_writers import WRITERS
from splu_desktop.files.whole import CannotWrite, check_new_file, check_new_folder, whole_file, whole_folder


class GateShut(SpluError):
    """A line of the gate is red, or amber and not acknowledged."""


class SelfCheckFailed(SpluError):
    """The release does not look as it must, so it is withheld."""

    def __init__(self, check: Check) -> None:
        super().__init__(f"The release was withheld, since a check of it failed: {check.sentence} Nothing was written.")
        self.check = check


class SourceChanged(SpluError):
    """The source file is not the one that was opened."""


@dataclass(frozen=True, eq=False)
class Order:
    """What is to be published, and how.

    Attributes
    ----------
    table : the source as read, before generalisation.
    plan : roles, group sizes, thresholds and generalisations.
    target : the release folder, or the ZIP if `packed`; must not exist.
    formats : of "csv" (always written), "xlsx", "parquet".
    bom : whether the CSV starts with a byte order mark.
    packed : one ZIP instead of a folder.
    password : of the ZIP; None for one without.
    source, source_sha256 : the source's file and what it hashed to when it was read; None where there is no file.
    source_stamp : what `stamp` said of the file before it was read; spares hashing it again where it says the same.
    operator, purpose, recipient : for the register.
    """

    table: Table
    plan: Plan
    target: Path
    formats: tuple[str, ...] = ("csv",)
    bom: bool = False
    packed: bool = False
    password: str | None = field(default=None, repr=False)
    source: Path | None = None
    source_sha256: str | None = None
    source_stamp: tuple[int, int, int] | None = None
    operator: str = ""
    purpose: str = ""
    recipient: str = ""


@dataclass(frozen=True, eq=False)
class Examination:
    """What was found before publishing.

    Attributes
    ----------
    gate : its lines; `accepted` is empty.
    earlier : releases of the same records, oldest first.
    costs : how T_P falls with one release more, per SA that was released before.
    prints : the source's fingerprints; None where the register can't be used.
    """

    gate: Gate
    earlier: tuple[Earlier, ...]
    costs: tuple[Cost, ...]
    prints: Fingerprints | None


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished release.

    Attributes
    ----------
    opened : the release, as `read_release` would give it.
    checks : the self-check's results, all passed.
    entry : its entry in the register.
    gate : the gate it went through.
    """

    opened: OpenRelease
    checks: tuple[Check, ...]
    entry: Entry
    gate: Gate


def examine(order: Order, *, register: Register | None = None, progress: Progress | None = None) -> Examination:
    """Look at everything that decides whether a release may go ahead. Writes nothing but the register's key.

    Raises Cancelled.
    """
    progress = progress or Silent()
    register = register or Register()
    earlier: tuple[Earlier, ...] = ()
    fall: tuple[Cost, ...] = ()
    prints = None
    about_register: list[Line] = []
    if order.table.n == 0:
        return Examination(Gate(table_lines(order.table, order.plan)), (), (), None)
    with in_background(lambda own: _source_lines(order, own), progress) as source_lines:
        try:
            register.check_writable()
            key, reading = register.key(), register.read()
            prints = fingerprints(order.table, order.plan, key, file_sha256=order.source_sha256, progress=progress)
            earlier = find_earlier(reading, prints, order.table, order.plan, key, register.folder, progress=progress)
            fall = costs(order.plan, earlier)
            about_register = _register_lines(reading, earlier, fall)
        except RegisterFault as fault:
            about_register = [Line("register", Light.RED, str(fault), "publish")]
        unique = None
        if prints is not None and prints.rows is not None and not set(prints.nsas) & set(order.plan.generalisations):
            unique = prints.rows.size
        lines = [*table_lines(order.table, order.plan, unique=unique, progress=progress), *source_lines()]
    lines += about_register
    lines += _destination_lines(order)
    return Examination(Gate(tuple(lines)), earlier, fall, prints)


def _register_lines(reading: Reading, earlier: tuple[Earlier, ...], fall: tuple[Cost, ...]) -> list[Line]:
    lines = []
    if reading.faults:
        text = f"The register of releases is damaged: {reading.faults[0]} See splu releases."
        lines.append(Line("register", Light.AMBER, text, "publish"))
    if earlier:
        lines.append(Line("earlier-release", Light.AMBER, sentence(earlier, fall), "publish"))
    else:
        text = "No release of the same records is in the register."
        lines.append(Line("earlier-release", Light.GREEN, text, "publish"))
    return lines


def publish(
    order: Order,
    *,
    accepted: Mapping[str, str] | None = None,
    strict: bool = True,
    examination: Examination | None = None,
    register: Register | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Publish, whole or not at all.

    Parameters
    ----------
    order : what and where.
    accepted : name of an amber line -> the custodian's words; they go into the register.
    strict : whether an amber line that was not accepted keeps the release back; red ones always do.
    examination : what `examine` gave for the same order; made anew where None.
    register : None for the user's own.

    Raises
    ------
    GateShut, SelfCheckFailed, SourceChanged, CannotWrite, RegisterFault, BadSetting, ...: SpluError in any case;
    Cancelled. Nothing is left behind then.
    """
    progress = progress or Silent()
    register = register or Register()
    check_formats(order.formats)
    check_password(order.password)
    tidy(register)
    examination = examination or examine(order, register=register, progress=progress)
    gate = Gate(examination.gate.lines, dict(accepted or {}))
    _pass(gate, order, strict)
    assert examination.prints is not None  # a gate without red lines has them
    prepared = sanitise.prepare(order.table, order.plan)
    published = sanitise.run(order.table, order.plan, progress=progress)
    # The check is NumPy's work and the writing Python's, so that they go side by side; the release waits for both.
    with in_background(lambda own: check_release(prepared, order.plan, published, progress=own), progress) as checks:
        return _write(order, final(published), checks, gate, examination, register, progress)


def tidy(register: Register | None = None) -> int:
    """Clear away what dead runs left, and withdraw their releases; returns how many pieces were removed.

    Called before each release; programs call it when they start, too.
    """
    register = register or Register()
    with contextlib.suppress(RegisterFault):
        for entry in register.read().releases:
            partial = entry.body.get("partial")
            if isinstance(partial, str) and unfinished.is_dead(Path(partial)):
                register.append(WITHDRAWN, entry.release, {"reason": "the run ended before the release appeared"})
    return unfinished.clear_all_leftovers()


def _pass(gate: Gate, order: Order, strict: bool) -> None:
    if gate.red:
        line = gate.red[0]
        if line.name == "eligible":
            sanitise.check(order.table, order.plan)  # raises the fault itself, which says more to programs
        if line.name == "destination":
            _check_target(order)
        raise GateShut(line.sentence)
    if strict and gate.waiting:
        line = gate.waiting[0]
        more = len({other.name for other in gate.waiting}) - 1
        others = f" ({more} more {'line waits' if more == 1 else 'lines wait'})" if more else ""
        raise GateShut(f"{line.sentence} Accept this with --accept {line.name} to publish all the same{others}.")


def _withhold(checks: tuple[Check, ...]) -> None:
    for check in checks:
        if not check.passed:
            raise SelfCheckFailed(check)


def _write(
    order: Order,
    published: Published,
    checking: Callable[[], tuple[Check, ...]],
    gate: Gate,
    examination: Examination,
    register: Register,
    progress: Progress,
) -> Outcome:
    facts: dict[str, Any] = {}
    entries: list[Entry] = []
    made: list[int] = []  # the inode of what is to appear
    checks: tuple[Check, ...] = ()
    prints = examination.prints
    assert prints is not None

    def enter(partial: Path) -> None:
        progress.report("Finishing", 0.5)
        _check_source(order)
        _keep_sketches(register, prints)
        body = _body(order, facts, checks, gate, examination, partial)
        entries.append(register.append(RELEASE, facts["id"], body))
        made.append(partial.stat().st_ino)

    try:
        with _destination(order, enter) as (folder, done):
            facts.update(
                fill_folder(
                    published,
                    folder,
                    formats=order.formats,
                    bom=order.bom,
                    generalisations=_steps(order.plan),
                    progress=progress,
                )
            )
            # `fill_folder` has read every table back, or raised.
            files = (
                Check("files", True, f"“{entry['name']}” reads as it was written.")
                for entry in facts["files"]
                if entry["format"] in WRITERS
            )
            checks = (*checking(), *files)
            _withhold(checks)
            done(facts, progress)
    except BaseException:
        # Entered, and then the system refused the rename, or somebody else's file stood there suddenly.
        if entries and not (made and order.target.exists() and order.target.stat().st_ino == made[0]):
            register.append(WITHDRAWN, facts["id"], {"reason": "the destination could not be written"})
        raise
    progress.report("Finishing", 1.0)
    return Outcome(OpenRelease(order.target, facts, published), checks, entries[0], gate)


@contextlib.contextmanager
def _destination(order: Order, enter: Any) -> Iterator[tuple[Path, Any]]:
    """Give the folder to fill and what to call when it is full; `enter` is called right before the release appears."""
    if not order.packed:
        with whole_folder(order.target, before=enter) as folder:
            yield folder, lambda facts, progress: None
        return
    with whole_file(order.target, before=enter) as archive:

        def done(facts: dict[str, Any], progress: Progress) -> None:
            pack(
                folder,
                archive,
                name=order.target.stem,
                files=names_of(facts),
                password=order.password,
                progress=progress,
            )
            check_packed(archive, facts, password=order.password, progress=progress)

        try:
            with unfinished.partial_beside(order.target) as folder:
                folder.mkdir()
                yield folder, done
        except OSError as fault:
            raise CannotWrite.refused(order.target, fault) from None


def _source_lines(order: Order, progress: Progress) -> list[Line]:
    if order.source is None or order.source_sha256 is None:
        return []
    try:
        untouched = order.source_stamp is not None and stamp(order.source) == order.source_stamp
        same = untouched or file_sha256(order.source, progress) == order.source_sha256
    except OSError:
        text = (
            f"The source file “{order.source}” is no longer there; the release is made of the table as it was opened."
        )
        return [Line("source", Light.AMBER, text, "import")]
    if same:
        return [Line("source", Light.GREEN, "The source file is as it was when it was opened.", "import")]
    text = f"The source file “{order.source}” has changed since it was opened; open it again."
    return [Line("source", Light.RED, text, "import")]


def stamp(source: Path | None) -> tuple[int, int, int] | None:
    """Return size, time of change and number of a file, None where there is none."""
    if source is None:
        return None
    try:
        found = source.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def _check_source(order: Order) -> None:
    """Raise SourceChanged where the file was written to while the release was made; a removed one is no harm."""
    now = stamp(order.source)
    if order.source is None or order.source_sha256 is None or now is None or now == order.source_stamp:
        return
    with contextlib.suppress(OSError):
        if file_sha256(order.source) == order.source_sha256:
            return
    raise SourceChanged(
        f"The source file “{order.source}” changed while the release was made; open it again, nothing was written."
    )


def _check_target(order: Order) -> None:
    if order.packed:
        check_new_file(order.target)
    else:
        check_new_folder(order.target)


def _destination_lines(order: Order) -> list[Line]:
    try:
        _check_target(order)
    except SpluError as fault:
        return [Line("destination", Light.RED, str(fault), "publish")]
    lines = [Line("destination", Light.GREEN, f"“{order.target}” can be written.", "publish")]
    if any(name not in order.plan.roles for name in order.table.names):
        return lines
    wanted = need(order.table, order.plan, order.formats, packed=order.packed)
    free = unfinished.free_space(order.target.parent)
    text = f"About {size_text(wanted.disk)} are needed at the destination"
    if free is None:
        lines.append(Line("room", Light.GREEN, f"{text}.", "publish"))
    elif free >= wanted.disk:
        lines.append(Line("room", Light.GREEN, f"{text}, {size_text(free)} are free.", "publish"))
    else:
        short = f"{text}, and only {size_text(free)} are free; make room or choose another destination."
        lines.append(Line("room", Light.RED, short, "publish"))
    memory = free_memory()
    text = f"About {size_text(wanted.memory)} of memory are needed"
    if memory is None or memory >= wanted.memory:
        lines.append(Line("memory", Light.GREEN, f"{text}.", "publish"))
    else:
        text += f", and {size_text(memory)} are free: close other programs, or expect a slow run."
        lines.append(Line("memory", Light.AMBER, text, "publish"))
    seconds = max(1, round(wanted.seconds))
    took = f"{seconds} second{'s' if seconds > 1 else ''}" if seconds < 120 else f"{round(seconds / 60)} minutes"
    lines.append(Line("time", Light.GREEN, f"It will take about {took}.", "publish"))
    return lines


def _keep_sketches(register: Register, prints: Fingerprints) -> None:
    for sketch in _sketches(prints):
        register.keep(SKETCHES, f"{sketch.facts()['sha256']}.bin", sketch.as_bytes())


def _sketches(prints: Fingerprints) -> list[Sketch]:
    return [*prints.identifiers.values(), *([prints.rows] if prints.rows is not None else [])]


def _body(
    order: Order,
    facts: dict[str, Any],
    checks: tuple[Check, ...],
    gate: Gate,
    examination: Examination,
    partial: Path,
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
        outputs.append({"name": order.target.name, "bytes": partial.stat().st_size, "sha256": file_sha256(partial)})
    before = {cost.column: cost.releases for cost in examination.costs}
    return {
        "operator": order.operator or _user(),
        "purpose": order.purpose,
        "recipient": order.recipient,
        "destination": str(order.target.absolute()),
        "partial": str(partial.absolute()),
        "software": __version__,
        "records": facts["records"],
        "gammas": dict(order.plan.gammas),
        "groupings": recipe.get("groupings", {}),
        "recipe": recipe,
        "recipe_sha256": hashlib.sha256(json.dumps(recipe, sort_keys=True).encode("utf-8")).hexdigest(),
        "source": {
            "name": None if order.source is None else order.source.name,
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


def _steps(plan: Plan) -> dict[str, list[dict[str, Any]]]:
    return {name: [step.as_dict() for step in steps] for name, steps in plan.generalisations.items()}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that no account has
        return f"user {os.getuid()}" if hasattr(os, "getuid") else ""
