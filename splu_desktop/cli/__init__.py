"""The command line `splu`: everything the window does, without Qt, from the same code."""

import gc
import sys

from splu_desktop.core.errors import out_of_memory
from splu_desktop.core.messages import say
from splu_desktop.files.isolation.limits import modest_libraries

modest_libraries()  # before NumPy is loaded, which then looks how many threads it may start
gc.set_threshold(100_000)  # what a start makes stays: to look for garbage in it so often as usual takes a tenth of it
try:
    from splu_desktop.cli.main import main
except KeyboardInterrupt:  # before there is anybody to heed it (cli/base/endings.py)
    raise SystemExit(130) from None
except (ImportError, MemoryError, OSError, RuntimeError, SystemError) as fault:
    if not out_of_memory(fault):
        raise
    sys.stderr.write(f"splu: {say('There is not enough memory for this table; try on a larger computer.')}\n")
    raise SystemExit(2) from None

__all__ = ["main"]
