"""The lines of the gate about files, machine and register; `core.checks.gate` has those about table and plan."""

from __future__ import annotations

from splu_desktop.core.checks.gate import Light, Line
from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import counted, say
from splu_desktop.core.progress import Progress
from splu_desktop.files.disk import partial as unfinished
from splu_desktop.files.disk.in_blocks import file_sha256
from splu_desktop.files.disk.machine import need, size_text
from splu_desktop.files.disk.stamp import stamp
from splu_desktop.files.isolation.memory import available
from splu_desktop.files.publish.order import Order, check_target
from splu_desktop.files.register.book import Reading
from splu_desktop.files.register.earlier import (
    Cost,
    EarlierRelease,
    foreign_sentence,
    in_short,
    not_understood,
    sentence,
)


def register_lines(reading: Reading, earlier: tuple[EarlierRelease, ...], fall: tuple[Cost, ...]) -> list[Line]:
    """Return what the register says: whether it is sound, and whether the same records were released before."""
    lines = []
    if reading.faults:
        text = say(
            "The register of releases is damaged: {fault} The list of releases shows which entries.",
            fault=reading.faults[0],
        )
        lines.append(Line("register", Light.AMBER, text, "publish"))
    foreign = not_understood(reading)
    if foreign:
        lines.append(Line("register", Light.AMBER, foreign_sentence(foreign), "publish"))
    if earlier:
        whole = sentence(earlier, fall, whole=reading.whole)
        lines.append(Line("earlier-release", Light.AMBER, whole, "publish", short=in_short(earlier)))
    elif not foreign:
        none = "No release of the same records is in the register."
        if not reading.whole:
            none = "No release of the same records is in what is left of the register."
        lines.append(Line("earlier-release", Light.GREEN, none, "publish"))
    return lines


def source_lines(order: Order, progress: Progress) -> list[Line]:
    """Return whether the source file is the one that was opened. Raises Cancelled."""
    if order.source is None or order.source_sha256 is None:
        return []
    try:
        untouched = order.source_stamp is not None and stamp(order.source) == order.source_stamp
        same = untouched or file_sha256(order.source, progress) == order.source_sha256
    except OSError:
        text = say(
            "The source file “{source}” is no longer there; the release is made of the table as it was opened.",
            source=order.source,
        )
        return [Line("source", Light.AMBER, text, "import")]
    if same:
        return [Line("source", Light.GREEN, "The source file is as it was when it was opened.", "import")]
    text = say("The source file “{source}” has changed since it was opened; open it again.", source=order.source)
    return [Line("source", Light.RED, text, "import")]


def destination_lines(order: Order) -> list[Line]:
    """Return whether the destination can be written, and whether room, memory and time suffice."""
    try:
        check_target(order)
    except SpluError as fault:
        return [Line("destination", Light.RED, str(fault), "publish")]
    lines = [Line("destination", Light.GREEN, say("“{target}” can be written.", target=order.target), "publish")]
    if any(name not in order.plan.roles for name in order.table.names):
        return lines
    wanted = need(order.table, order.plan, order.formats, packed=order.packed, most=order.storage.memory)
    free = unfinished.free_space(order.target.parent)
    needed = size_text(wanted.disk)
    if free is None:
        enough = say("About {needed} are needed at the destination.", needed=needed)
        lines.append(Line("room", Light.GREEN, enough, "publish"))
    elif free >= wanted.disk:
        enough = say(
            "About {needed} are needed at the destination, {free} are free.", needed=needed, free=size_text(free)
        )
        lines.append(Line("room", Light.GREEN, enough, "publish"))
    else:
        short = say(
            "About {needed} are needed at the destination, and only {free} are free; make room or choose another "
            "destination.",
            needed=needed,
            free=size_text(free),
        )
        lines.append(Line("room", Light.RED, short, "publish"))
    memory = available()
    needed = size_text(wanted.memory)
    if memory is None or memory >= wanted.memory:
        lines.append(Line("memory", Light.GREEN, say("About {needed} of memory are needed.", needed=needed), "publish"))
    else:
        text = say(
            "About {needed} of memory are needed, and {free} are free: close other programs, or expect a slow run.",
            needed=needed,
            free=size_text(memory),
        )
        lines.append(Line("memory", Light.AMBER, text, "publish"))
    seconds = max(1, round(wanted.seconds))
    took = counted(seconds, "1 second", "{n} seconds")
    if seconds >= 120:
        took = say("{n} minutes", n=round(seconds / 60))
    lines.append(Line("time", Light.GREEN, say("It will take about {took}.", took=took), "publish"))
    return lines
