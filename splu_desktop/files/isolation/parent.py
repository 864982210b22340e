"""The program's side: starts a reader's process, follows it, stops it, and takes over what it found.

Request and result lie in anonymous files, in memory where the system has such, which only the two processes can see and
which are gone with them; the arrays of a result are used where they lie. The child tells how far it is on a pipe.
"""

from __future__ import annotations

import json
import mmap
import os
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from splu_desktop.core.errors import FileFault, SpluError
from splu_desktop.core.progress import Progress
from splu_desktop.files.isolation import faults, limits, memory, wire
from splu_desktop.files.isolation.wire import Plain

SWITCH = "--read-for-parent"  # how the frozen program is told to be a reader, see packaging/launch.py
_ROOT = Path(__file__).parents[3]
_LOOK = 0.05  # seconds between two looks whether to stop
_LONGEST_STAGE = 80
_FAULTS: dict[str, type[SpluError]] = {
    kind.__name__: kind
    for kind in vars(faults).values()
    if isinstance(kind, type) and issubclass(kind, FileFault) and kind is not FileFault
}


class BrokeOff(FileFault):
    """The process that read a file ended without a result."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "“{path}” can't be read: its reading broke off, because it is damaged or takes far more memory or time "
            "than a table of its size should; open it in its own program, save it anew or as CSV, and import that.",
            path=path.name,
        )


def isolate(work: str, path: Path, progress: Progress, *, size: int, **given: Plain) -> Plain:
    """Do a piece of `files.importer.child` in a process of its own, and return what it gives.

    work : its name.
    path : the file.
    progress : may raise Cancelled, which ends the process.
    size : bytes of the file once unpacked, by which its time and memory are limited.
    given : plain data for the work.

    Raises FileFault with what the reader said, BrokeOff where it ended without a word; Cancelled.
    """
    most, seconds = limits.allowance(size, memory.available())
    request = {"work": work, "path": str(path), "memory": most, "seconds": seconds, "given": given}
    try:
        with _anonymous() as asked, _anonymous() as reply:
            wire.write(request, asked)
            asked.seek(0)
            _run(asked, reply, progress, most, seconds)
            answer = _answer(reply, path)
    except (OSError, RuntimeError) as fault:  # no room for another process, its files or the thread that listens
        raise faults.TooLarge(path) from fault
    if not isinstance(answer, dict):
        raise BrokeOff(path)
    if "found" in answer:
        return answer["found"]
    # A crafted file may have taken the child over, so it picks among known faults and names no class.
    kind = _FAULTS.get(str(answer.get("fault")))
    if kind is None:
        raise BrokeOff(path)
    # Not by its __init__, which makes the sentence of what only the child had.
    raised = kind.__new__(kind)
    raised.args = (answer.get("says"),)
    raised.__dict__.update({name: value for name, value in answer.get("facts", {}).items() if isinstance(name, str)})
    raise raised


def _anonymous() -> IO[bytes]:
    """Return a file without a name, for this user alone."""
    if hasattr(os, "memfd_create"):
        try:
            return os.fdopen(os.memfd_create("table"), "w+b")
        except OSError:  # forbidden by whoever runs the machine
            pass
    return tempfile.TemporaryFile()


def _command() -> list[str]:
    if getattr(sys, "frozen", False):
        console = Path(sys.executable).with_name("splu.exe")  # a program of the desktop may have no standard files
        return [str(console) if console.exists() else sys.executable, SWITCH]
    # -P: nothing in the working folder passes for a module.
    return [sys.executable, "-P", "-X", "utf8", "-m", "splu_desktop.files.importer.child"]


def _run(asked: IO[bytes], reply: IO[bytes], progress: Progress, most: int, seconds: int) -> None:
    """Run the process to its end. Raises Cancelled, and then it is gone."""
    env = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
    env["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # its own takes a GB at once, and counts as used up
    env["RUST_BACKTRACE"] = "0"  # where memory runs out while one is written, its lock is waited for and never let go
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    if getattr(sys, "frozen", False):  # libraries of its own, which launch.py hides from other programs
        env["LD_LIBRARY_PATH"] = str(getattr(sys, "_MEIPASS", ""))
    process = subprocess.Popen(  # noqa: S603  (this program itself, and no word of a file)
        _command(),
        stdin=asked,
        stdout=reply,
        stderr=subprocess.PIPE,
        bufsize=0,
        env={**os.environ, **env},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    job = limits.enter_job(process, most, seconds)
    listener = None
    inbox: queue.SimpleQueue[tuple[str, float] | None] = queue.SimpleQueue()
    try:
        listener = threading.Thread(target=_listen, args=(process.stderr, inbox), name="splu-reader")
        listener.start()
        stage, done = "Reading", 0.0
        while True:
            try:
                news = inbox.get(timeout=_LOOK)
            except queue.Empty:
                # Said again, since a silent child must hear of a cancel, too.
                news = (stage, done)
            if news is None:
                break
            stage, done = news
            progress.report(stage, done)
        process.wait()
    finally:
        # Also after an end of its own: nothing outlives a cancel or a fault here.
        process.kill()
        process.wait()
        limits.close_job(job)
        if listener is not None and listener.ident is not None:
            listener.join()
        assert process.stderr is not None
        process.stderr.close()


def _listen(pipe: Any, inbox: queue.SimpleQueue[tuple[str, float] | None]) -> None:
    """Hand on what a child says of its progress, and None at its end."""
    rest = b""
    while block := pipe.read(4096):
        # A line that never ends must not fill the memory.
        *lines, rest = (rest[-4096:] + block).split(b"\n")
        for line in lines:
            try:
                stage, done = json.loads(line)
                if isinstance(stage, str) and len(stage) <= _LONGEST_STAGE and stage.isprintable():
                    inbox.put((stage, min(max(float(done), 0.0), 1.0)))
            except (ValueError, TypeError, RecursionError):
                continue  # not of our making
    inbox.put(None)


def _answer(reply: IO[bytes], path: Path) -> Plain:
    size = os.fstat(reply.fileno()).st_size
    if not size:
        raise BrokeOff(path)
    # The mapping lives as long as an array that lies in it.
    data = mmap.mmap(reply.fileno(), size, access=mmap.ACCESS_COPY)
    try:
        return wire.read(memoryview(data))
    except wire.BadMessage:
        raise BrokeOff(path) from None
