"""How a run is ended from outside: Ctrl+C, a closed terminal, `kill`, a machine that shuts down.

Each stops the work as a cancel does, so that nothing unfinished stays, and gives the exit status that shells know: 128
and the signal's number (130, 129, 143). Only the first counts: the clearing up that it sets off is not to be stopped.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

_NUMBERS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))
_CLOSING = 2  # CTRL_CLOSE_EVENT and what follows it, log-off and shut-down
_GRACE = 4.0  # seconds; Windows ends the process five after it closed the console
_done = threading.Event()
_kept: list[Any] = []  # what the system calls must stay alive
_SOON = 0.01  # seconds
_usual = sys.unraisablehook


class Ended(KeyboardInterrupt):
    """The run was ended from outside.

    status : the exit status to leave with.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.status = 128 + number


def heed_signals() -> None:
    """Turn what ends a run from outside into Ended, on the main thread. What the caller had ignored stays ignored."""
    global _usual
    if threading.current_thread() is not threading.main_thread():
        return
    if sys.unraisablehook is not _drop:
        _usual, sys.unraisablehook = sys.unraisablehook, _drop
    for number in _NUMBERS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    if sys.platform == "win32":
        _heed_console()


def ignore() -> None:
    """Let nothing end the run any more: it is over, and its status stands."""
    _done.set()
    if threading.current_thread() is threading.main_thread():
        for number in _NUMBERS:
            signal.signal(number, signal.SIG_IGN)


def open_standard_files() -> None:
    """Put the null device where a standard stream is closed, lest a file of ours gets its number and its output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with contextlib.suppress(OSError):
                os.open(os.devnull, os.O_RDWR)


def _end(number: int, _frame: FrameType | None) -> None:
    for other in _NUMBERS:
        signal.signal(other, signal.SIG_IGN)
    raise Ended(number)


def _drop(unraisable: Any) -> None:
    """Raise Ended again soon where Python could not: in a callback, as when an import lets go of its lock."""
    if isinstance(unraisable.exc_value, Ended):
        number = unraisable.exc_value.status - 128
        signal.signal(number, _end)
        # Not at once, which would be within this very function.
        threading.Timer(_SOON, _thread.interrupt_main, [number]).start()
    else:
        _usual(unraisable)


def _close(event: int) -> bool:
    """Have the main thread stop, and wait for it: the process dies when this returns. On a thread of the system's."""
    if event < _CLOSING:
        return False  # Ctrl+C and Ctrl+Break are signals
    _thread.interrupt_main(signal.SIGTERM)
    _done.wait(_GRACE)
    return True


def _heed_console() -> None:
    if not _kept and sys.platform == "win32":
        handler = ctypes.WINFUNCTYPE(ctypes.c_bool, ctypes.c_uint)(_close)
        if ctypes.windll.kernel32.SetConsoleCtrlHandler(handler, True):
            _kept.append(handler)
