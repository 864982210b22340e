"""The window."""

import os
import sys

# All of Qt's types at once, on the window's thread: by default PySide makes each when it is first asked for, and where
# a worker imports pyqtgraph, which asks for all, while the window hears events, one start of a hundred crashed.
os.environ["PYSIDE6_OPTION_LAZY"] = "0"
# Whatever another program of the user's asks for.
os.environ["PYQTGRAPH_QT_LIB"], os.environ["QT_STYLE_OVERRIDE"] = "PySide6", "Fusion"

from PySide6 import QtCore as _  # noqa: E402, F401 # it makes what is looked for below

# PySide reads the source of every module that is imported, to see whether it could ask for features of its own, and
# Python keeps what was read: 36 MB of libraries' texts, and a fifth of the time that imports take. None here asks.
if (_features := sys.modules.get("shibokensupport.feature")) is not None:
    _features._mod_uses_pyside = lambda _: False  # type: ignore[attr-defined]
