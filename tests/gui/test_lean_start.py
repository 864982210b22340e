"""A window that opens brings along only what its first page needs: the rest would make every start seconds longer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_LATER = {
    "numpy",
    "pandas",
    "scipy",
    "pyqtgraph",
    "openpyxl",
    "fpdf",
    "fontTools",
    "PIL",
    "pyreadstat",
    "pyzipper",
    "rustpy_xlsxwriter",
}
_SHOW = """
import sys
from PySide6.QtWidgets import QApplication
from splu_desktop.gui.shell import app
application = QApplication(["splu-desktop"])
app.prepare(application)
window = app.make_window()
window.show()
application.processEvents()
window.close()
import linecache
print(*sorted({name.partition(".")[0] for name in sys.modules}), *(f"source:{name}" for name in linecache.cache))
"""


def test_the_empty_window_has_imported_no_large_library() -> None:
    told = subprocess.run([sys.executable, "-c", _SHOW], capture_output=True, text=True, check=True)
    loaded = set(told.stdout.split())
    assert {"PySide6", "splu_desktop"} <= loaded, told.stderr
    assert not loaded & _LATER, loaded & _LATER
    # PySide reads the source of each module that is imported, and it stays in memory.
    assert not [name for name in loaded if name.startswith("source:") and "splu_desktop" in name]


def test_the_large_libraries_are_still_what_the_pages_need(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_text("a,b\n1,x\n2,y\n", encoding="utf-8")
    # Guards the test above against names that nothing imports any more.
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\nimport splu_desktop.report.render.pdf, splu_desktop.gui.base.plots\n"
            "import splu_desktop.files.register.fingerprint\n"
            "import pathlib, splu_desktop.files.importer, splu_desktop.core.risk.attack\n"
            "splu_desktop.files.importer.read(pathlib.Path(sys.argv[1]))\n"
            "print(*sorted({name.partition('.')[0] for name in sys.modules}))",
            str(source),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    # pandas is imported inside functions alone.
    assert {"scipy", "pyqtgraph", "fpdf"} <= set(told.stdout.split())


_READY = """
import sys
from PySide6.QtWidgets import QApplication
application = QApplication(["splu-desktop"])
from splu_desktop.core.progress import SILENT
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.importing import ahead
from splu_desktop.gui.shell.page_stack import _kind
_kind(Step.IMPORT), _kind(Step.CLASSIFY), ahead.load_ahead(SILENT)
for name in ahead._in_pieces("pyqtgraph"):
    if "pyqtgraph.Point" in sys.modules:  # in the midst of it somebody asks for it
        import pyqtgraph
        assert pyqtgraph.PlotWidget and pyqtgraph.mkPen("k"), dir(pyqtgraph)
turns, others = ahead._turns(), ahead._turns()  # the start's and an opened file's: one makes what both have listed
next(turns), next(others)
print(sum(1 for turn in turns))
list(others)
known = set(sys.modules)
for step in Step:
    _kind(step)
print(*sorted(name for name in set(sys.modules) - known if not name.startswith("splu_desktop.gui.")))
"""


def test_a_page_that_opens_imports_nothing_but_its_own_parts() -> None:
    """The window stands still meanwhile; what else a page needs was imported in a worker, or turn by turn."""
    told = subprocess.run([sys.executable, "-c", _READY], capture_output=True, text=True, check=True)
    turns, late = told.stdout.splitlines()
    assert int(turns) > 10
    assert not late.split(), "name these in splu_desktop/gui/importing/ahead.py"


_PIECES = """
import sys
from PySide6.QtWidgets import QApplication
application = QApplication(["splu-desktop"])
from splu_desktop.gui.importing import ahead
print(sum(1 for _ in ahead._in_pieces("pyqtgraph")))
whole = sys.modules["pyqtgraph"]
import pyqtgraph
assert pyqtgraph is whole
del sys.modules["pyqtgraph"]
import pyqtgraph
print(*sorted(set(vars(pyqtgraph)) - set(vars(whole))))
"""


def test_a_package_in_pieces_is_the_package() -> None:
    told = subprocess.run([sys.executable, "-c", _PIECES], capture_output=True, text=True, check=True)
    turns, missing = told.stdout.split("\n")[:2]
    assert int(turns) > 1
    assert not missing.split()
