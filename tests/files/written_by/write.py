"""Writes what a version of the program writes: a release with its register, a recipe, a project saved by the window.

    PYTHONPATH=CHECKOUT_OF_THAT_VERSION python tests/files/written_by/write.py FOLDER

Goes by the command line and the window alone, which stay while what is behind them moves. Whoever releases a version
runs it once and keeps FOLDER here under that version's number; tests/files/test_written_by.py reads each.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("source.csv")


def _splu(*words: str) -> None:
    from splu_desktop.cli.main import main

    if status := main(list(words)):
        raise SystemExit(f"splu {' '.join(words)} ended with {status}")


def _window(*rooms: str) -> Any:
    """Return a module of the window, which was moved into rooms after 0.1.0."""
    for room in rooms:
        try:
            return importlib.import_module(f"splu_desktop.gui.{room}")
        except ModuleNotFoundError:
            continue
    raise SystemExit(f"the window of this version has none of {rooms}")


def _project(target: Path) -> None:
    from PySide6.QtWidgets import QApplication

    from splu_desktop.core.plan import Role

    app = _window("shell.app", "app")
    application = QApplication(["splu-desktop"])
    app.prepare(application)
    window = app.make_window()
    window.show()

    def idle() -> None:
        end = time.monotonic() + 120
        while window.tasks.busy() and time.monotonic() < end:
            application.processEvents()
            time.sleep(0.005)

    window.import_page.open_file(SOURCE)
    idle()
    window.import_page.act()
    idle()
    window.session.set_roles({"diagnosis": Role.SA, "outcome": Role.NSA, "note": Role.DROPPED}, "choices")
    idle()
    window.plan_page.gamma.slider.setValue(4)
    idle()
    if not window.keeper.save(target):
        raise SystemExit("the project was not saved")
    window.ask_before_closing = False
    window.close()


def main() -> None:
    """Write."""
    os.environ["QT_QPA_PLATFORM"], os.environ["PYQTGRAPH_QT_LIB"] = "offscreen", "PySide6"
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    os.environ["SPLU_DATA_DIR"] = str(folder / "data")
    os.environ["XDG_CONFIG_HOME"] = str(folder / "config")
    roles = ["--sa", "diagnosis:3", "--nsa", "age,ward,sex,outcome", "--drop", "note"]
    options = [*roles, "--generalise", "age:width=10", "--epsilon", "0.25", "--t-e", "0.1", "--alpha", "4"]
    _splu("plan", str(SOURCE), *options, "--save-recipe", str(folder / "recipe.toml"))
    _splu("inspect", str(SOURCE), "--save-import-recipe", str(folder / "import.toml"))
    told = ["--operator", "the custodian", "--purpose", "a study", "--recipient", "a researcher"]
    _splu("publish", str(SOURCE), *options, *told, "--out", str(folder / "release"))
    shutil.copytree(folder / "data/register", folder / "register", ignore=shutil.ignore_patterns("*lock"))
    shutil.rmtree(folder / "data")
    _project(folder / "project.splu")
    for name in ("data", "config"):
        shutil.rmtree(folder / name, ignore_errors=True)


if __name__ == "__main__":
    main()
