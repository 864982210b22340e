"""Every fault a user can meet, one class each, with a sentence that says what happened and what to do now.

``str(error)`` is that sentence. The command line prints it after ``splu:`` and exits with status 2, the window
shows it in a message; neither ever shows a traceback. Sentences name files, columns and settings. A value of the
table is named only where the user can't act without it, and such sentences are never logged.
"""

from __future__ import annotations

import errno
import re
import traceback

from splu_desktop.core.messages import no_column, say

# Words of the C library's loader, of Python and of NumPy.
_NO_MEMORY = (
    r"(?i)cannot allocate memory|failed to map segment|can't start new thread|out of memory|not enough memory"
    r"|cannot create shared object descriptor|cannot enable executable stack"
)


class SpluError(Exception):
    """A fault the user can mend. ``str()`` is one complete sentence, made of a template and its values as by `say`."""

    def __init__(self, sentence: str = "", /, **values: object) -> None:
        super().__init__(say(sentence, **values))


def place_of(fault: BaseException) -> str:
    """Return where in this program an unforeseen fault arose, as ``KIND in FILE:LINE``.

    That is all that may be shown of it: its text can hold a value of the table.
    """
    frames = [f for f in traceback.extract_tb(fault.__traceback__) if "splu_desktop" in f.filename]
    where = f"{frames[-1].filename.rpartition('splu_desktop')[2].lstrip('/')}:{frames[-1].lineno}" if frames else "?"
    return f"{type(fault).__name__} in {where}"


def out_of_memory(fault: BaseException | None) -> bool:
    """Return whether a fault says that there is too little memory, in whichever way: a library that can't be loaded
    for want of it and a thread that can't be started do not raise MemoryError. Looks at the causes, too.
    """
    while fault is not None:
        if isinstance(fault, MemoryError) or (isinstance(fault, OSError) and fault.errno == errno.ENOMEM):
            return True
        if isinstance(fault, (ImportError, RuntimeError, SystemError, OSError)) and re.search(_NO_MEMORY, str(fault)):
            return True
        fault = fault.__cause__ or fault.__context__
    return False


class BadSetting(SpluError):
    """A number or choice is outside what the mechanism allows."""


class UnknownColumn(SpluError):
    """A column was named that the table does not have."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(no_column(name, known))


class EmptyTable(SpluError):
    """The table has no records or no columns."""


class BadQuestion(SpluError):
    """A condition of a query can't be understood or names a value the release does not have."""


class FileFault(SpluError):
    """A file can't be read or written as asked. Subclasses live beside the readers and writers."""
