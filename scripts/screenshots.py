"""Draws every page of the window offscreen, to be looked at.

    .venv/bin/python scripts/screenshots.py FOLDER [--walk FILE] [--looks light-100,dark-200] [--language en|de|fr]

Goes the whole way on the sample hospital, or on the table of --walk: empty pages, Open, Questions, Proposal with
Columns and Expert, Publish, Ask, Report, and states that are out of date or wrong. Every state is drawn in every look:
a scheme, and one of the sizes that a screen of 1366 x 768 has at 100 to 200 %, or 1920 x 1080 at 200 % ("hd"), or
960 x 540 ("540").
What is cut, overlaps or scrolls sideways is found by tests/gui/test_shell.py; these are for the eye.
Nothing but FOLDER is written to; settings and the release go to a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))
SIZES = {
    "100": (1366, 698),
    "125": (1092, 558),
    "150": (911, 442),
    "200": (683, 314),
    "hd": (960, 510),
    "540": (960, 470),
}
SCHEMES = ("light", "dark", "contrast")
LOOKS = "light-100,light-125,light-150,light-200,light-hd,dark-100,dark-150,contrast-100"


def main() -> None:
    """Draw the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--looks", type=_read_looks, default=LOOKS)
    parser.add_argument("--walk", type=Path, help="a table to go the whole way on; the sample hospital otherwise")
    parser.add_argument("--language", choices=("en", "de", "fr"), default="en")
    parser.add_argument("--only", default="", help="draw the pictures whose name holds this")
    args = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    args.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["HOME"] = scratch
        os.environ["XDG_CONFIG_HOME"] = f"{scratch}/config"
        os.environ["SPLU_DATA_DIR"] = f"{scratch}/data"
        from splu_desktop.core.resources import sample_path
        from splu_desktop.gui.shell import languages

        languages.choose(args.language)
        walk = _Walk(args.folder, args.looks, args.only, Path(scratch))
        walk.run(args.walk or sample_path())


def _read_looks(text: str) -> list[str]:
    looks = [look if "-" in look else f"light-{look}" for look in text.split(",")]
    for look in looks:
        scheme, _, size = look.partition("-")
        if scheme not in SCHEMES or size not in SIZES:
            schemes, sizes = "|".join(SCHEMES), "|".join(SIZES)
            raise argparse.ArgumentTypeError(f"“{look}” is no look; write size or scheme-size, {schemes} and {sizes}")
    return looks


class _Walk:
    def __init__(self, folder: Path, looks: list[str], only: str, scratch: Path) -> None:
        from PySide6.QtWidgets import QApplication

        from splu_desktop.gui.shell import app

        self.application = QApplication(["splu-desktop"])
        app.prepare(self.application)
        self.window = app.make_window()
        self.window.resize(*SIZES["100"])
        self.window.show()
        self.folder, self.looks, self.only, self.scratch = folder, looks, only, scratch
        self.number, self.scheme = 0, ""

    def rest(self, until: Callable[[], bool] = lambda: True, seconds: float = 900) -> None:
        """Wait until no work is under way."""
        end = time.monotonic() + seconds
        while self.window.work.busy() or not until():
            self.application.processEvents()
            time.sleep(0.005)
            if time.monotonic() > end:
                raise SystemExit("waited too long")
        for _ in range(10):
            self.application.processEvents()

    def draw(self, name: str, what: QWidget | None = None) -> None:
        """Draw the window, or a dialog, in every look."""
        from splu_desktop.gui.base import theme

        self.number += 1
        schemes = dict(zip(SCHEMES, (theme.LIGHT, theme.DARK, theme.CONTRAST), strict=True))
        for look in self.looks:
            scheme, _, size = look.partition("-")
            file = f"{self.number:02}-{name}-{look}.png"
            if self.only not in file:
                continue
            if scheme != self.scheme:
                theme.apply(self.application, schemes[scheme])
                self.scheme = scheme
            self.window.resize(*SIZES[size])
            self.rest()
            (what or self.window).grab().save(str(self.folder / file))
            sys.stdout.write(f"{file}\n")
        self.window.resize(*SIZES["100"])
        self.rest()

    def run(self, table: Path) -> None:
        """Go the whole way."""
        from splu_desktop.gui.base.session import RAIL, Step

        window, session = self.window, self.window.session
        for step in RAIL:
            window.show_step(step)
            self.draw(f"empty-{step.value}")
        missing = self.scratch / "gone.csv"
        missing.write_text("")
        window.open_path(missing)
        self.rest()
        self.draw("open-error")
        window.open_path(table)
        self.draw_busy("open-busy")
        self.draw("open")
        self._dialog("open-how", window.page(Step.OPEN).show_how)
        self._dialog("open-change", window.page(Step.OPEN).change_reading)
        window.page(Step.OPEN).do_primary()
        self.draw("questions")
        window.page(Step.QUESTIONS).do_primary()
        self.draw_busy("questions-busy")
        self.rest()
        for step in (Step.PROPOSAL, Step.COLUMNS, Step.EXPERT):
            window.show_step(step)
            self.draw(step.value)
        expert = window.page(Step.EXPERT)
        for at in range(1, expert.list.count()):
            expert.list.setCurrentRow(at)
            self.draw(f"expert-{at}")
        answers = session.answers
        other = "a visit" if answers.row_word == "a stay" else "a stay"
        session.answer(replace(answers, row_word=other), "what a row is")
        window.show_step(Step.PROPOSAL)
        self.draw("proposal-stale")
        session.undo()
        self._publish()
        window.show_step(Step.ASK)
        self.draw(Step.ASK.value)
        ask = window.page(Step.ASK)
        for at in range(1, ask.tabs.count()):
            ask.tabs.setCurrentIndex(at)
            self.rest(lambda: not any(each.rest.isActive() for each in ask.each if hasattr(each, "rest")))
            self.draw(f"ask-{at}")
        ask.tabs.setCurrentIndex(0)
        window.show_step(Step.REPORT)
        self.draw(Step.REPORT.value)
        self._pages()
        plan = session.plan
        if plan is not None and session.release is not None:
            session.change_plan(plan.with_gamma(plan.gamma + 1), "strength")
            for step in (Step.PUBLISH, Step.ASK, Step.REPORT):
                window.show_step(step)
                self.draw(f"{step.value}-stale")
        window.close()

    def draw_busy(self, name: str) -> None:
        """Draw the window at once, while work is under way."""
        self.application.processEvents()
        self.number += 1
        self.window.grab().save(str(self.folder / f"{self.number:02}-{name}-{self.scheme}-100.png"))
        self.rest()

    def _dialog(self, name: str, show: Callable[[], QWidget | None]) -> None:
        dialog = show()
        self.rest()
        if dialog is not None:
            self.number += 1
            dialog.grab().save(str(self.folder / f"{self.number:02}-{name}.png"))
            dialog.close()
        self.rest()

    def _pages(self) -> None:
        """Draw the pages of both editions of the report, as they print."""
        from splu_desktop.gui.base.session import Step

        report = self.window.page(Step.REPORT)
        for edition, card in (("own", report.own), ("recipient", report.theirs)):
            card.radio.setChecked(True)
            self.rest()
            for at, page in enumerate(report.pages.pages, 1):
                page.save(str(self.folder / f"report-{edition}-{at}.png"))

    def _publish(self) -> None:
        """Draw Publish as it comes, carry its repairs out, accept what is left, and publish."""
        from splu_desktop.gui.base.session import Step

        window, session = self.window, self.window.session
        window.show_step(Step.PUBLISH)
        self.draw("publish")
        for _ in range(6):
            verdict, plan = session.verdict, session.plan
            repair = next((line.repair for line in verdict.open if line.repair), None) if verdict else None
            if repair is None or plan is None:
                break
            session.change_plan(repair.apply(plan), str(repair.words))
            self.rest()
        for line in session.verdict.open if session.verdict else ():
            session.accept(line.name, "the contract allows it")
        self.draw("publish-ready")
        window.page(Step.PUBLISH).do_primary()
        self.rest()
        self.draw("published")


if __name__ == "__main__":
    main()
