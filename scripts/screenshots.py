"""Draws every page of the window on the sample hospital, offscreen, to be looked at.

    .venv/bin/python scripts/screenshots.py FOLDER [--looks light-2x960x540,dark-1x1366x768] [--language en|de|fr]

Walks the whole way: empty pages, import, classify, plan, publish, query, report, and the stale and error states. With
--walk FILE it goes a first-time user's way on that table instead, from the file to the saved PDF, with each dialog.
Every state is drawn in every look: a scheme, how many pixels of the screen a pixel of the window has, and the window's
size. Unasked, that is light and dark on 1366 x 768 at 100 and 125 % and on 1920 x 1080 at 200 %.
Nothing but FOLDER is written to; settings and the release go to a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

sys.path.insert(0, str(Path(__file__).absolute().parent.parent))
_SIZES = ("1x1366x768", "1.25x1092x614", "2x960x540")


def main() -> None:
    """Draw the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--looks", default=",".join(f"{scheme}-{size}" for scheme in ("light", "dark") for size in _SIZES)
    )
    parser.add_argument("--walk", type=Path, help="a table to walk from file to plan")
    parser.add_argument("--language", choices=("en", "de", "fr"), default="en")
    parser.add_argument("--only", default="", help="draw the pictures whose name holds this")
    args = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    args.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["HOME"] = scratch
        os.environ["XDG_CONFIG_HOME"] = f"{scratch}/config"
        os.environ["SPLU_DATA_DIR"] = f"{scratch}/data"
        from splu_desktop.gui.base import languages

        languages.choose(args.language)
        walk = _Walk(args.folder, args.looks.split(","), args.only, args.language, Path(scratch))
        walk.first_walk(args.walk) if args.walk else walk.run()


class _Walk:
    def __init__(self, folder: Path, looks: list[str], only: str, language: str, scratch: Path) -> None:
        from PySide6.QtWidgets import QApplication

        from splu_desktop.gui.shell import app

        self.application = QApplication(["splu-desktop"])
        app.prepare(self.application)
        self.window = app.make_window()
        self.window.resize(1366, 768)
        self.window.show()
        self.folder, self.looks, self.only, self.language, self.scratch = folder, looks, only, language, scratch

    def wait(self, until: Callable[[], bool], seconds: float = 900) -> None:
        end = time.monotonic() + seconds
        while not until():
            self.application.processEvents()
            time.sleep(0.005)
            if time.monotonic() > end:
                raise SystemExit("waited too long")
        for _ in range(5):
            self.application.processEvents()

    def idle(self) -> None:
        self.wait(lambda: not self.window.tasks.busy())

    def shot(self, name: str, widget: QWidget | None = None) -> None:
        from PySide6.QtWidgets import QScrollArea, QTextEdit

        from splu_desktop.gui.base import appearance, theme

        if self.only not in name:
            return
        top = widget or self.window
        self.looks.reverse()  # to dress the window anew takes longest: the scheme it has comes first
        for look in self.looks:
            scheme, scale, *size = re.split(r"-|x", look)
            if theme.colours() is not appearance.SCHEMES[scheme]:
                theme.apply(self.application, appearance.SCHEMES[scheme])
            self.window.resize(*map(int, size))
            # A long text is laid out bit by bit, and looks too wide until it is.
            texts = [text for text in top.findChildren(QTextEdit) if text.isVisible()]
            self.wait(lambda: not any(text.horizontalScrollBar().maximum() for text in texts), 20)  # noqa: B023
            self.draw(top, f"{name}-{self.language}-{look}", float(scale))
            bars = [area.verticalScrollBar() for area in top.findChildren(QScrollArea) if area.isVisible()]
            if any(bar.maximum() for bar in bars):
                for bar in bars:
                    bar.setValue(bar.maximum())
                self.draw(top, f"{name}-below-{self.language}-{look}", float(scale))
                for bar in bars:
                    bar.setValue(0)

    def draw(self, top: QWidget, name: str, scale: float) -> None:
        from PySide6.QtGui import QPixmap

        picture = QPixmap(top.size() * scale)
        picture.setDevicePixelRatio(scale)
        top.render(picture)
        picture.save(str(self.folder / f"{name}.png"))

    def first_walk(self, path: Path) -> None:
        from splu_desktop.core.query.condition import Condition
        from splu_desktop.core.roles.suggest import Role
        from splu_desktop.gui.base.reason_dialog import ReasonDialog
        from splu_desktop.gui.base.session import Step

        window = self.window
        self.shot("walk-0-start")
        (self.scratch / "letter.csv").write_bytes(b"%PDF-1.7 a letter")
        window.import_page.open_file(self.scratch / "letter.csv")
        self.idle()
        self.shot("walk-0-refused")
        window.import_page.open_file(path)
        self.application.processEvents()
        self.shot("walk-1-busy")
        self.idle()
        self.shot("walk-1-import")
        for at in range(1, window.import_page.tabs.count()):
            window.import_page.tabs.setCurrentIndex(at)
            self.idle()
            self.shot(f"walk-1-import-{at}")
        reading = window.import_page.change_reading()
        if reading is not None:
            self.idle()
            self.shot("walk-1-change", reading)
            reading.reject()
        window.import_page.tabs.setCurrentIndex(0)
        window.import_page.act()
        self.idle()
        self.shot("walk-2-classify")
        page = window.classify_page
        if window.session.choices is not None and not window.session.choices.sensitive:
            # As a user would where none is suggested: the last column of few values that is not published so far.
            few = [row for row in page.model.rows if 2 <= row.fact.distinct <= 50 and row.fact.largest_gamma > 1]
            few.sort(key=lambda row: row.role is Role.DROPPED)
            window.session.set_roles({few[-1].fact.name: Role.SA}, "chosen")
            self.idle()
            self.shot("walk-2-chosen")
        audience = page.ask_audience()
        if audience is not None:
            self.shot("walk-2-audience", audience)
            audience.accept()
            self.idle()
        named = [row.fact.name for row in page.model.rows if row.role is Role.IDENTIFIER]
        if named:
            page.show_column(named[0])
            page.set_selected(Role.NSA)
            self.shot("walk-2-reason", window.findChild(ReasonDialog))
            window.findChild(ReasonDialog).reject()
        safe = page.make_it_safe()
        if safe is not None:
            self.idle()
            self.shot("walk-2-safe", safe)
            safe.accept()
            self.idle()
            self.shot("walk-2-safe-taken")
        rows = [
            row.fact.name for row in page.model.rows if page.risk.shown and row.fact.name in page.risk.shown.columns
        ]
        measured = [name for name in rows if window.session.fact(name).measurement]
        for name in (measured or rows)[:1]:
            page.table.select_rows([[row.fact.name for row in page.model.rows].index(name)])
            self.idle()
            self.shot("walk-3-column")
            dialog = page.group_values()
            if dialog is not None:
                self.idle()
                self.shot("walk-4-groups", dialog)
                dialog.accept()
            self.idle()
            self.shot("walk-5-grouped")
        page.act()
        self.idle()
        for at, name in enumerate(("read", "promises", "values", "tradeoff", "tolerances")):
            if window.plan_page.tabs.isTabVisible(at):
                window.plan_page.tabs.setCurrentIndex(at)
                self.idle()
                self.shot(f"walk-{6 + at}-{name}")
        window.plan_page.tabs.setCurrentIndex(0)
        for name, opened in (
            ("tolerances", window.plan_page.open_tolerances),
            ("beside", window.plan_page.open_beside),
        ):
            dialog = opened()
            if dialog is not None:
                if name == "beside":
                    dialog.run()
                self.idle()
                self.shot(f"walk-11-{name}", dialog)
                dialog.reject()
        must = window.plan_page.open_must()
        must.look()
        self.idle()
        self.shot("walk-11-must", must)
        must.reject()
        if window.plan_page.which.isVisible():
            together = window.plan_page.open_together()
            self.idle()
            self.shot("walk-12-together", together)
            together.reject()
        window.plan_page.act()
        page = window.publish_page
        (self.scratch / "there" / "already").mkdir(parents=True)
        page.set_target(self.scratch / "there")
        self.idle()
        self.shot("walk-13-barred")
        page.set_target(self.scratch / "release")
        self.idle()
        self.shot("walk-13-publish")
        trial = page.try_sample()
        if trial is not None:
            self.idle()
            self.shot("walk-13-trial", trial)
            trial.reject()
        page.gate.accept_all()
        self.shot("walk-14-accepted")
        page.act()
        self.application.processEvents()
        page.cancel()
        self.idle()
        self.shot("walk-14-cancelled")
        if page.session.release is None:
            page.act()
            self.idle()
        self.shot("walk-15-published")
        handing = page.hand_over()
        if handing is not None:
            self.shot("walk-16-hand-over", handing)
            handing.reject()
        shelf = page.show_releases()
        self.idle()
        self.shot("walk-17-releases", shelf)
        shelf.reject()
        window.show_step(Step.QUERY)
        query, release = window.query_page, window.session.release
        common: tuple[Condition, ...] = ()
        if release is not None:
            column = release.published.table[release.published.sensitive[0]]
            common = (Condition(column.name, (str(column.labels[column.counts().argmax()]),)),)
        for at in range(query.tabs.count()):
            query.tabs.setCurrentIndex(at)
            self.shot(f"walk-{18 + at}-query-start")
            if query.tab() is query.one:
                query.one.builder.set_conditions(common)
            if query.tab() is query.analyses:
                query.analyses.form.first.put(common)
            if query.primary.isEnabled():
                query.act()
            self.idle()
            self.shot(f"walk-{18 + at}-query")
        self.answers()
        window.show_step(Step.REPORT)
        self.idle()
        self.shot("walk-23-report")
        window.report_page.form.internal.setChecked(True)
        self.idle()
        self.shot("walk-23-internal")
        window.report_page.form.external.setChecked(True)
        self.idle()
        window.report_page.save(self.folder / f"walk-report-{self.language}.pdf")
        self.idle()
        self.shot("walk-24-saved")
        chosen = window.session.choices
        published = [name for name, role in chosen.roles.items() if role is Role.NSA] if chosen is not None else []
        window.session.set_roles({published[0]: Role.DROPPED}, "left out")
        for step in (Step.PUBLISH, Step.QUERY, Step.REPORT):
            window.show_step(step)
            self.idle()
            self.shot(f"walk-25-stale-{step.name.lower()}")
        window.tasks.shutdown()
        window.close()

    def answers(self) -> None:
        """Ask each way what has an answer: a sensitive value alone and with another, and a file of such questions."""
        from splu_desktop.core.query.condition import Condition

        query = self.window.query_page
        asker = query.one.asker
        assert asker is not None
        table, released = asker.published.table, asker.published
        sa, nsa = released.sensitive[0], released.nsas[0]
        often, seldom = (str(table[sa].labels[at]) for at in table[sa].counts().argsort()[[-1, 0]])
        other = Condition(nsa, (str(table[nsa].labels[table[nsa].counts().argmax()]),))
        query.tabs.setCurrentWidget(query.one)
        for question in (
            (Condition(sa, (often,)),),
            (Condition(sa, (seldom,)), other),
            (Condition(sa, (often,)), other),
        ):
            query.one.builder.set_conditions(question)
            query.one.ask()
            self.idle()
        self.shot("walk-18-answers")
        query.tabs.setCurrentWidget(query.crosstab)
        query.crosstab.bars_button.click()
        self.idle()
        self.shot("walk-19-bars")
        query.tabs.setCurrentWidget(query.many)
        asked = self.scratch / "questions.csv"
        asked.write_text(
            f'"{sa}","{nsa}"\n"{often}",\n"{often}","{other.values[0]}"\n"no such value",\n', encoding="utf-8"
        )
        query.many.open_file(asked)
        self.idle()
        query.many.answer_all()
        self.idle()
        self.shot("walk-21-answered")

    def run(self) -> None:
        from PySide6.QtCore import Qt

        from splu_desktop.core.analyse.analysis import AnalysisKind
        from splu_desktop.core.query.condition import Condition
        from splu_desktop.core.roles.suggest import Role
        from splu_desktop.gui.base.session import Step

        window = self.window
        for step in Step:
            window.show_step(step)
            self.shot(f"0-empty-{step.name.lower()}")
        window.show_step(Step.IMPORT)
        window.import_page.open_file(Path(self.scratch / "no such file.csv"))
        self.idle()
        self.shot("1-import-fault")
        window.import_page.open_sample()
        self.shot("1-import-busy")
        self.idle()
        self.shot("1-import")
        window.import_page.tabs.setCurrentIndex(1)
        self.shot("1-import-how")
        reading = window.import_page.change_reading()
        if reading is not None:
            self.idle()
            self.shot("1-import-reading", reading)
            reading.reject()
        window.import_page.act()
        self.shot("2-classify")
        window.classify_page.table.select_rows([5, 6])
        self.shot("2-classify-selected")
        window.session.set_roles({"Length of stay": Role.SA}, "a measurement")
        self.idle()
        self.shot("2-classify-barred")
        window.session.undo_stack.undo()
        window.classify_page.table.select_rows([3])
        self.idle()
        self.shot("2-classify-one")
        dialog = window.classify_page.group_values()
        if dialog is not None:
            self.idle()
            dialog.way.setCurrentIndex(1)
            self.idle()
            self.shot("2-classify-group", dialog)
            dialog.reject()
        window.classify_page.act()
        self.idle()
        self.shot("3-plan")
        window.plan_page.gamma.slider.setValue(7)
        self.idle()
        window.plan_page.tabs.setCurrentWidget(window.plan_page.values)
        window.plan_page.small.plot.point_at(2)
        window.plan_page.published_curve.setChecked(True)
        self.shot("3-plan-values")
        if window.plan_page.tabs.count() > 2:
            window.plan_page.tabs.setCurrentWidget(window.plan_page.trade_off)
            self.shot("3-plan-tradeoff")
        window.plan_page.published_curve.setChecked(False)
        window.plan_page.act()
        self.idle()
        self.shot("4-publish")
        page = window.publish_page
        page.set_target(self.scratch / "sample-release")
        self.idle()
        page.gate.accept_all()
        self.shot("4-publish-ready")
        page.publish()
        self.wait(lambda: (page.busy is not None and page.busy.bar.value() > 100) or not window.tasks.busy())
        self.shot("4-publish-busy")
        self.idle()
        self.shot("4-publish-done")
        window.show_step(Step.QUERY)
        self.shot("5-query-start")
        query = window.query_page
        for question in (
            (Condition("Diagnosis", ("HIV disease",)), Condition("Sex", ("female",))),
            (Condition("Ward", ("Cardiology",)),),
            (Condition("Diagnosis", ("Heart failure",)), Condition("Ward", ("Cardiology",))),
        ):
            query.one.builder.set_conditions(question)
            query.one.ask()
            self.idle()
        self.shot("5-query")
        query.tabs.setCurrentWidget(query.crosstab)
        self.shot("5-crosstab-start")
        query.crosstab.count()
        self.idle()
        self.shot("5-crosstab")
        query.crosstab.bars_button.click()
        self.shot("5-crosstab-bars")
        query.tabs.setCurrentWidget(query.analyses)
        self.idle()
        self.shot("5-analyses-start")
        form = query.analyses.form
        form.first.put((Condition("Diagnosis", ("Heart failure",)),))
        for kind in (AnalysisKind.TREND, AnalysisKind.ODDS_RATIO, AnalysisKind.LOGIT):
            form.kind.setCurrentIndex(form.kind.findData(kind))
            form.second.put((Condition("Ward", ("Cardiology",)),))
            for at in range(form.columns.count()):
                if form.columns.item(at).text() in ("Age", "Sex"):
                    form.columns.item(at).setCheckState(Qt.CheckState.Checked)
            query.analyses.calculate()
            self.idle()
            self.shot(f"5-analyses-{kind.value}")
        query.tabs.setCurrentWidget(query.many)
        self.shot("5-many-questions")
        window.show_step(Step.REPORT)
        self.idle()
        self.shot("6-report")
        window.show_step(Step.CLASSIFY)
        window.classify_page.set_role("Ward", Role.DROPPED)
        self.idle()
        self.shot("7-stale-classify")
        window.show_step(Step.QUERY)
        self.shot("7-stale-query")
        window.show_step(Step.PUBLISH)
        self.idle()
        self.shot("7-stale-publish")
        window.close()


if __name__ == "__main__":
    main()
