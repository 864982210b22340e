"""The lines of the gate that are about files, machine and register; `core.gate` has those about table and plan."""

from __future__ import annotations

from splu_desktop.core.errors import SpluError
from splu_desktop.core.gate import Light, Line
from splu_desktop.core.progress import Progress
from splu_desktop.files import partial as unfinished
from splu_desktop.files.earlier import Cost, Earlier, sentence
from splu_desktop.files.fingerprint import file_sha256
from splu_desktop.files.machine import free_memory, need, size_text
from splu_desktop.files.order import Order, check_target, stamp
from splu_desktop.files.register import Reading


def register_lines(reading: Reading, earlier: tuple[Earlier, ...], fall: tuple[Cost, ...]) -> list[Line]:
    """Return what the register says: whether it is sound, and whether the same records were released before."""
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


def source_lines(order: Order, progress: Progress) -> list[Line]:
    """Return whether the source file is the one that was opened. Raises Cancelled."""
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


def destination_lines(order: Order) -> list[Line]:
    """Return whether the destination can be written, and whether room, memory and time suffice."""
    try:
        check_target(order)
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
