"""What a process may use of memory and time, and that none leaves an image of its memory behind when it crashes."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from typing import Any

_SECONDS = 6.0  # of CPU time that any file may take, starting the process included
_SECONDS_PER_BYTE = 0.25e-6  # and per byte, once unpacked: some ten times what the slowest reader takes
_LEAST = 640 << 20  # bytes of memory that any file may take
_PER_BYTE = 20  # and per byte, once unpacked: some twice what the hungriest reader takes
_JOB = "qqIPPIPII6QPPPP"  # of a Windows job's limits, as C lays them out
_CRASH_BOXES = 0x0001 | 0x0002 | 0x8000  # Windows' names: FAILCRITICALERRORS, NOGPFAULTERRORBOX, NOOPENFILEERRORBOX


def no_crash_dumps() -> None:
    """Keep the system from writing this process's memory, and so the source's values, to disk if it crashes."""
    if sys.platform == "win32":
        ctypes.windll.kernel32.SetErrorMode(_CRASH_BOXES)
        return
    import resource  # of POSIX alone

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def modest_libraries() -> None:
    """Keep libraries from threads and memory they don't need, unless the user's environment says otherwise.

    Called before they are there. Linear algebra has one thread: for matrices of a few hundred rows its own wait for
    each other, spinning, far longer than they compute: a report takes four times the processor time, a first question
    three times. Arrow asks the system for memory: its own way takes a GB of addresses at once, wherever a limit on them
    leaves as much, and nothing to others.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")


def allowance(size: int, free: int | None) -> tuple[int, int]:
    """Return bytes of memory and seconds of CPU time for the reading of a file.

    size : bytes of the file once unpacked.
    free : bytes of memory that are free, None where not known.
    """
    memory = _LEAST + _PER_BYTE * float(size)
    if free is not None:
        memory = min(memory, max(0.9 * free, _LEAST / 4))
    return int(memory), int(_SECONDS + _SECONDS_PER_BYTE * size)


def limit_self(memory: int, seconds: int) -> None:
    """Hold this process to so much memory, CPU time, and half as much of the memory for its result.

    On Windows the parent does that by a job, see `job`.
    """
    no_crash_dumps()
    if sys.platform == "win32":
        return
    import resource  # of POSIX alone

    # Linux counts what is really used as data; addresses alone are used up by threads and mapped libraries.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    for what, most in ((kind, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_FSIZE, memory // 2)):
        hard = resource.getrlimit(what)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(what, (soft, hard))
        except (ValueError, OSError):  # a system that knows no such limit
            continue


def enter_job(process: Any, memory: int, seconds: int) -> Any:
    """Put a process into a Windows job with these limits, which ends with its handle; returns that, None elsewhere."""
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        handle = kernel.CreateJobObjectW(None, None)
        # PROCESS_TIME, PROCESS_MEMORY, DIE_ON_UNHANDLED_EXCEPTION, KILL_ON_JOB_CLOSE
        flags = 0x0002 | 0x0100 | 0x0400 | 0x2000
        # JOBOBJECT_EXTENDED_LIMIT_INFORMATION: limits of time, flags, six more, six counts, memory of each process
        # and of all, and what was used of it. Its number is 9.
        limits = struct.pack(_JOB, seconds * 10_000_000, 0, flags, *[0] * 12, memory, 0, 0, 0)
        kernel.SetInformationJobObject(ctypes.c_void_p(handle), 9, limits, len(limits))
        kernel.AssignProcessToJobObject(ctypes.c_void_p(handle), ctypes.c_void_p(int(process._handle)))
        return handle
    return None


def close_job(handle: Any) -> None:
    """Let go of a job; a process still in it ends."""
    if handle and sys.platform == "win32":
        ctypes.windll.kernel32.CloseHandle(ctypes.c_void_p(handle))
