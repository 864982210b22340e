"""Publishing, the whole way: gate, run, check, files, register, in this order and all or nothing.

The release appears by one rename, after it is checked and after its entry is safe in the register. Whatever happens
before leaves nothing; a run that dies between entry and rename is withdrawn from the register by the next one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from splu_desktop.core import sanitise
from splu_desktop.core.checks.gate import Gate, Light, Line, answer_lines, persons_told, table_lines
from splu_desktop.core.checks.selfcheck import Check, check_release
from splu_desktop.core.draw import by_person
from splu_desktop.core.errors import SpluError
from splu_desktop.core.generalise import table_after
from splu_desktop.core.messages import counted, say
from splu_desktop.core.plan import steps_as_dicts
from splu_desktop.core.progress import SILENT, Cancelled, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.randomness import SystemRandomness
from splu_desktop.files.disk import partial as unfinished
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.in_blocks import file_sha256
from splu_desktop.files.disk.machine import need
from splu_desktop.files.disk.room import THREADS, check_room
from splu_desktop.files.disk.stamp import stamp
from splu_desktop.files.disk.whole import CannotWrite, whole_file, whole_folder
from splu_desktop.files.language import language
from splu_desktop.files.publish.entry import entry_body, keep_sketches
from splu_desktop.files.publish.gate_lines import destination_lines, register_lines, source_lines
from splu_desktop.files.publish.order import Examination, Order, check_target
from splu_desktop.files.register.book import RELEASE, WITHDRAWN, Entry, Reading, Register, RegisterFault
from splu_desktop.files.register.earlier import Cost, EarlierRelease, costs, find_earlier
from splu_desktop.files.register.fingerprint import Fingerprints, fingerprints
from splu_desktop.files.release.folder import check_formats, fill_folder, final
from splu_desktop.files.release.handover import check_packed, check_password, names_of, pack
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.files.tables.table_writers import WRITERS
from splu_desktop.frozen import dataclass

__all__ = [
    "Examination",
    "GateShut",
    "Order",
    "Outcome",
    "SelfCheckFailed",
    "SourceChanged",
    "examine",
    "publish",
    "stamp",
    "tidy",
]


class GateShut(SpluError):
    """A line of the gate is red, or amber and not acknowledged."""


class SelfCheckFailed(SpluError):
    """The release does not look as it must, so it is withheld."""

    def __init__(self, check: Check) -> None:
        super().__init__(
            "The release was withheld, since a check of it failed: {sentence} Nothing was written.",
            sentence=check.sentence,
        )
        self.check = check


class SourceChanged(SpluError):
    """The source file is not the one that was opened."""


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


def examine(order: Order, *, register: Register | None = None, progress: Progress = SILENT) -> Examination:
    """Look at everything that decides whether a release may go ahead. Writes nothing but the register's key.

    Raises Cancelled; MemoryError where there is no room for the work.
    """
    register = register or Register()
    check_room(THREADS + need(order.table, order.plan, order.formats, packed=order.packed).memory)
    earlier: tuple[EarlierRelease, ...] = ()
    fall: tuple[Cost, ...] = ()
    prints: Fingerprints | None = None
    seen: Reading | None = None
    about_register: list[Line] = []
    if order.table.n == 0:
        return Examination(Gate(table_lines(order.table, order.plan)), (), (), None)
    progress.report("Recognising the source", 0.0)

    def remembered(own: Progress) -> tuple[bytes, Reading, Fingerprints]:
        with register.held(own):
            register.check_writable()
            key, reading = register.key(), register.read()
        found = fingerprints(
            order.table, order.plan, key, file_sha256=order.source_sha256, progress=own, storage=order.storage
        )
        return key, reading, found

    with (
        in_background(lambda own: source_lines(order, own), progress) as about_source,
        in_background(remembered, progress, "Recognising the source") as recognised,
    ):

        def unique() -> int | None:
            with contextlib.suppress(RegisterFault):  # told below
                found = recognised()[2]
                if found.rows is not None and not set(found.nsas) & set(order.plan.generalisations):
                    return found.rows.size
            return None

        lines = [*table_lines(order.table, order.plan, unique=unique, progress=progress)]
        if not Gate(tuple(lines)).red:
            lines += answer_lines(table_after(order.table, order.plan.generalisations), order.plan, progress)
        try:
            key, reading, prints = recognised()
            earlier = find_earlier(reading, prints, order.table, order.plan, key, register.folder, progress=progress)
            fall = _costs(order, earlier, lines)
            seen = reading
            about_register = register_lines(reading, earlier, fall)
        except RegisterFault as fault:
            about_register = [Line("register", Light.RED, str(fault), "publish")]
        lines += about_source()
    lines += about_register
    progress.report("Recognising the source", 1.0)
    lines += destination_lines(order)
    return Examination(Gate(tuple(lines)), earlier, fall, prints, seen)


def _costs(order: Order, earlier: tuple[EarlierRelease, ...], lines: Iterable[Line]) -> tuple[Cost, ...]:
    """Return what one release more costs, by the draws as this table leaves them: README and report state no others."""
    plan = order.plan
    if earlier:
        table = table_after(order.table, plan.generalisations)
        plan = replace(plan, draws={**plan.draws, **sanitise.redrawable(table, plan.draws, plan.thresholds)})
    return costs(plan, earlier, {line.column for line in lines if line.name == "public-figures"})


def _looked_up_again(
    order: Order, before: Examination, gate: Gate, register: Register, progress: Progress
) -> tuple[Examination, Gate]:
    """Return what the register says now, while it is held: another release may have been entered since.

    Raises RegisterFault where it is no longer the register that was examined.
    """
    reading = register.read(since=before.seen)
    if reading == before.seen:
        return before, gate
    assert before.prints is not None
    earlier = find_earlier(
        reading, before.prints, order.table, order.plan, reading.key, register.folder, progress=progress
    )
    fall = _costs(order, earlier, gate.lines)
    others = [line for line in gate.lines if line.name not in ("register", "earlier-release")]
    now = Gate((*others, *register_lines(reading, earlier, fall)), gate.accepted)
    return Examination(now, earlier, fall, before.prints, reading), now


def publish(
    order: Order,
    *,
    accepted: Mapping[str, str] | None = None,
    strict: bool = True,
    examination: Examination | None = None,
    register: Register | None = None,
    progress: Progress = SILENT,
) -> Outcome:
    """Publish, whole or not at all.

    Parameters
    ----------
    order : what and where.
    accepted : name of an amber line -> the custodian's words; they go into the register.
    strict : whether an amber line that was not accepted keeps the release back; red ones always do, and so do those
        that are accepted in words alone: thresholds that the custodian asked for and that are missed, and columns that
        tell what is sensitive of most records.
    examination : what `examine` gave for the same order; made anew where None.
    register : None for the user's own.

    Raises
    ------
    GateShut, SelfCheckFailed, SourceChanged, CannotWrite, RegisterFault, BadSetting, ...: SpluError in any case;
    Cancelled. Nothing is left behind then.
    """
    register = register or Register()
    check_formats(order.formats)
    language(order.spoken)
    check_password(order.password)
    tidy(register, progress)
    examination = examination or examine(order, register=register, progress=progress)
    gate = Gate(examination.gate.lines, dict(accepted or {}))
    pass_gate(gate, order, strict)
    assert examination.prints is not None  # a gate without red lines has them
    # Shifted here, so that what is checked is what was drawn; the register knows the source by its true dates.
    table = by_person.shifted(order.table, order.plan.persons, SystemRandomness())
    prepared = sanitise.prepare(table, order.plan)
    published = sanitise.run(table, order.plan, progress=progress, storage=order.storage)
    gate = replace(gate, lines=tuple(persons_told(line, published) for line in gate.lines))
    # The check is NumPy's work and the writing Python's, so that they go side by side; the release waits for both.
    with in_background(lambda own: check_release(prepared, order.plan, published, progress=own), progress) as checks:
        return _write(order, final(published, progress), checks, gate, examination, register, progress, strict)


def tidy(register: Register | None = None, progress: Progress = SILENT) -> int:
    """Clear away what dead runs left, and withdraw their releases; returns how many pieces were removed.

    Called before each release; programs call it when they start, too.
    """
    register = register or Register()
    cleared = 0
    with contextlib.suppress(RegisterFault):
        for entry in register.read(progress=progress).releases:
            partial = entry.body.get("partial")
            target = Path(str(entry.body.get("destination", "")))
            if isinstance(partial, str) and unfinished.is_dead(Path(partial), target):
                register.append(WITHDRAWN, entry.release, {"reason": "the run ended before the release appeared"})
                cleared += unfinished.clear_leftovers(Path(partial).parent)
    return cleared + unfinished.clear_all_leftovers()


def pass_gate(gate: Gate, order: Order, strict: bool) -> None:
    """Raise what keeps a release back, GateShut where nothing says more."""
    if gate.red:
        line = gate.red[0]
        if line.name == "eligible":
            sanitise.check(order.table, order.plan)  # raises the fault itself, which says more to programs
        if line.name == "destination":
            check_target(order)
        raise GateShut(line.sentence)
    # Whoever says who gets the release wants the limits to hold that follow.
    waiting = gate.waiting if strict or order.plan.audience is not None else gate.wordless
    if waiting:
        line = waiting[0]
        more = len({other.name for other in waiting}) - 1
        words = "=WORDS" if line.in_words else ""
        others = counted(more, " (1 more line waits)", " ({n} more lines wait)") if more else ""
        raise GateShut(
            "{sentence} Accept this with --accept {name} to publish all the same{others}.",
            sentence=line.sentence,
            name=line.name + words,
            others=others,
        )


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
    strict: bool,
) -> Outcome:
    facts: dict[str, Any] = {}
    entries: list[Entry] = []
    entering: list[Path] = []  # where it grew, once its entry may be on disk
    made: list[int] = []  # the inode of what is to appear
    checks: tuple[Check, ...] = ()
    prints = examination.prints
    assert prints is not None

    def enter(partial: Path) -> None:
        nonlocal gate
        progress.report("Finishing", 0.5)
        _check_source(order, progress)
        packed_sha256 = file_sha256(partial, progress) if order.packed else None
        made.append(partial.stat().st_ino)
        # Looking up, counting and adding are one: of two releases at a time the second sees the first.
        with register.held(progress):
            now, gate = _looked_up_again(order, examination, gate, register, progress)
            pass_gate(gate, order, strict)
            keep_sketches(register, prints)
            body = entry_body(order, facts, checks, gate, now, partial, packed_sha256)
            progress.report("Finishing", 0.9)  # from here on it is done: what follows is the entry and the rename
            entering.append(partial.parent)
            entries.append(register.append(RELEASE, facts["id"], body))

    try:
        with _destination(order, enter) as (folder, done):
            facts.update(
                fill_folder(
                    published,
                    folder,
                    formats=order.formats,
                    bom=order.bom,
                    generalisations=steps_as_dicts(order.plan.generalisations),
                    spoken=order.spoken,
                    progress=progress,
                )
            )
            # `fill_folder` has read every table back, or raised.
            files = (
                Check("files", True, say("“{file}” reads as it was written.", file=entry["name"]))
                for entry in facts["files"]
                if entry["format"] in WRITERS
            )
            checks = (*checking(), *files)
            _withhold(checks)
            done(facts, progress)
    except BaseException:
        # Entered, perhaps by a call that failed when the line was on disk already, and then the system refused the
        # rename, or somebody else's file stood there suddenly.
        appeared = made and order.target.exists() and order.target.stat().st_ino == made[0]
        if entering and not appeared:
            try:
                if any(entry.release == facts["id"] for entry in register.read().releases):
                    register.append(WITHDRAWN, facts["id"], {"reason": "the destination could not be written"})
            except RegisterFault:
                with contextlib.suppress(OSError):  # an empty sign, by which `tidy` withdraws it once that can be done
                    entering[0].mkdir(mode=0o700)
                raise
        raise
    with contextlib.suppress(Cancelled):  # too late: the release is there, and must be told of
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


def _check_source(order: Order, progress: Progress) -> None:
    """Raise SourceChanged where the file was written to while the release was made; a removed one is no harm."""
    now = stamp(order.source)
    if order.source is None or order.source_sha256 is None or now is None or now == order.source_stamp:
        return
    with contextlib.suppress(OSError):
        if file_sha256(order.source, progress) == order.source_sha256:
            return
    raise SourceChanged(
        "The source file “{source}” changed while the release was made; open it again, nothing was written.",
        source=order.source,
    )
