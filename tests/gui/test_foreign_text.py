"""No name or value that others wrote is taken for HTML, for an access key or for a formula, on any page."""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDialog,
    QLabel,
    QTableView,
    QTextBrowser,
    QTextEdit,
    QWidget,
)

from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.disk.inert import inert
from splu_desktop.gui.base.models import TableView
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.words import as_html, caption, copy_text, plain
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]
GUI = Path(__file__).parents[2] / "splu_desktop" / "gui"
PICTURE = '<img src="file:///hostile.png">'
NAMES = (
    f"{PICTURE}ward", "<b>sex</b> &amp; more", "Q & A", "=1+1;=2", "\u202eשם <i>", "two\nlines<br>", "x" * 300 + "<s>"
)  # fmt: skip
SENSITIVE = f"<h1>{PICTURE}illness"
VALUES = ("שלום 7", f"{PICTURE}A", "<b>B</b>", "C & D", "=cmd|' /C calc'!A0", "e;=1", "+f")


def _interprets(text: str) -> bool:
    """Return whether Qt takes a text of ours for HTML and it holds what is not ours, unescaped."""
    foreign = any(mark in text for mark in ("<img", "<b>", "<h1>", "<i>", "<s>", "<br>"))
    return (foreign and not text.startswith("<span style='white-space: pre-wrap'>&") and "<img src=" in text) or (
        foreign and not text.startswith("<span style='white-space: pre-wrap'>")
    )  # fmt: skip


def _shown(top: QWidget) -> Iterator[tuple[str, str]]:
    """Yield what Qt would take for HTML, and where, among all widgets below."""
    for widget in [top, *top.findChildren(QWidget)]:
        kind = f"{type(widget).__name__} {widget.accessibleName()[:30]}"
        for text in (widget.toolTip(), widget.statusTip(), widget.whatsThis()):
            if _interprets(text):
                yield f"tip of {kind}", text
        if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText and _interprets(widget.text()):
            yield kind, widget.text()
        if isinstance(widget, QTextEdit) and '<img src="file:///hostile' in widget.toHtml():
            yield kind, widget.toHtml()
        if isinstance(widget, QAbstractButton) and "Q & A" in widget.text():
            yield f"access key of {kind}", widget.text()
        view = widget.view() if isinstance(widget, QComboBox) else widget
        if isinstance(view, QAbstractItemView) and view.model() is not None:
            model, tip = view.model(), Qt.ItemDataRole.ToolTipRole
            rows, columns = (
                min(model.rowCount(), 25),
                (min(model.columnCount(), 25) if isinstance(view, QTableView) else 1),
            )
            found = [model.index(row, at).data(tip) for row in range(rows) for at in range(columns)]
            if isinstance(view, QTableView):
                found += [model.headerData(at, Qt.Orientation.Horizontal, tip) for at in range(columns)]
                found += [model.headerData(at, Qt.Orientation.Vertical, tip) for at in range(rows)]
            for text in found:
                if isinstance(text, str) and _interprets(text):
                    yield f"tip in {kind}", text


def _turned(top: QWidget) -> Iterator[tuple[str, str]]:
    """Yield texts in which what is written from right to left turns round what stands beside it."""
    for widget in [top, *top.findChildren(QWidget)]:
        texts = [widget.text()] if isinstance(widget, QLabel | QAbstractButton) else []
        if isinstance(widget, QTableView) and widget.model() is not None:
            model = widget.model()
            rows, columns = range(min(model.rowCount(), 25)), range(min(model.columnCount(), 25))
            texts += [str(model.index(row, at).data() or "") for row in rows for at in columns]
        for line in "\n".join(texts).split("\n"):
            bare = re.sub("\u2068[^\u2069]*\u2069", "", line)
            if "ש" in bare and re.search(r"[,;·|:]|\.\.", bare):
                yield f"{type(widget).__name__} {widget.accessibleName()[:30]} is turned", line


def _plots(top: QWidget) -> Iterator[str]:
    for widget in top.findChildren(QWidget):
        if hasattr(widget, "getPlotItem"):
            for side in ("left", "bottom"):
                yield widget.getPlotItem().getAxis(side).label.toHtml()


def test_the_walk_itself_sees_what_is_wrong(qtbot: object, qapp: object) -> None:
    label = QLabel(PICTURE)
    label.setToolTip(f"{PICTURE}x")
    assert [where.split()[0] for where, _ in _shown(label)] == ["tip", "QLabel"]
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setToolTip(plain(f"{PICTURE}x"))
    assert list(_shown(label)) == []
    label.deleteLater()


def test_no_page_interprets_what_others_wrote(
    window: MainWindow, idle: Idle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = QTextBrowser.loadResource

    def load(self: QTextBrowser, kind: int, url: QUrl) -> object:
        asked.append(url.toString())
        return real(self, kind, url)

    monkeypatch.setattr(QTextBrowser, "loadResource", load)
    path = tmp_path / "<b>A & B<img src='x'>.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow((*NAMES, SENSITIVE))
        rows.writerows(
            [VALUES[(i // (at + 1)) % len(VALUES)] for at in range(len(NAMES))] + [f"{VALUES[i % 7]} {i % 14}"]
            for i in range(600)
        )
    wrong: list[tuple[str, str]] = []

    def look(top: QWidget | None = None) -> None:
        idle(window)
        wrong.extend(_shown(top or window))
        wrong.extend(_turned(top or window))
        wrong.extend(("plot", text) for text in _plots(top or window) if 'hostile.png"' in text and "<img" in text)

    window.import_page.open_file(path)
    look()
    assert window.session.source is not None, window.import_page.banner.text.text()
    names = window.session.source.imported.table.names
    assert names == tuple(name.replace("\n", " ") for name in (*NAMES, SENSITIVE))
    window.session.set_roles({**dict.fromkeys(names, Role.NSA), SENSITIVE: Role.SA}, "roles")
    for step in (Step.CLASSIFY, Step.PLAN, Step.PUBLISH):
        window.show_step(step)
        look()
        if step is Step.CLASSIFY:
            page = window.pages[step]
            for view in page.findChildren(TableView):
                for row in range(view.model().rowCount() if view.model() else 0):
                    view.selectRow(row)
                    look()
        if step is Step.PLAN:
            window.plan_page.gamma.slider.setValue(3)
            look()
    window.publish_page.set_target(tmp_path / "release")
    idle(window)
    window.publish_page.gate.accept_all()
    window.publish_page.primary.click()
    look()
    assert (tmp_path / "release").is_dir(), window.publish_page.banner.text.text()
    window.show_step(Step.QUERY)
    look()
    page = window.pages[Step.QUERY]
    for tabs in page.findChildren(QWidget):
        if not shiboken6.isValid(tabs):  # went when another tab was shown
            continue
        if hasattr(tabs, "setCurrentIndex") and hasattr(tabs, "count") and hasattr(tabs, "tabText"):
            for at in range(tabs.count()):
                tabs.setCurrentIndex(at)
                look()
    window.show_step(Step.REPORT)
    look()
    for dialog in window.findChildren(QDialog):
        wrong.extend(_shown(dialog))
    assert wrong == []
    assert not [url for url in asked if "hostile" in url]


def test_what_is_copied_does_not_run(qtbot: object, qapp: object) -> None:
    for text in ("=1+1", "name\t+cmd\n-5\t@x", "a;=2"):
        copy_text(text)
        assert QGuiApplication.clipboard().text() == inert(text) != text
    copy_text("-5\t3,1")
    assert QGuiApplication.clipboard().text() == "-5\t3,1"


@pytest.mark.parametrize("text", [PICTURE, "<30", "a < b & c > d", "&lt;", "two\n  <lines>", "<!-- -->", "\u202e<x>"])
def test_the_door_shows_texts_to_the_letter(text: str, qtbot: object, qapp: object) -> None:
    shown = QTextEdit()
    for made in (plain(text), as_html(text)):
        if made != text or "<" in made:
            shown.setHtml(made)
            wanted = text if made.startswith("<span") else " ".join(text.split())
            assert shown.toPlainText() == wanted
    assert caption(text).count("&") == 2 * text.count("&")
    shown.deleteLater()


def test_there_is_no_other_door() -> None:
    """Whoever gives a tooltip, copies a text or shows HTML by himself is found here."""
    doors = {
        "setToolTip": {"words.py"}, "setStatusTip": set(), "setWhatsThis": set(), "showText": set(),
        "setHtml": {"help_panel.py", "page.py"}, "setMarkdown": {"guide.py"}, "insertHtml": set(),
        "setLabel": {"plots.py"}, "setTitle": {"recent_files.py", "languages.py", "export.py"},
        "AutoText": {"controls.py"}, "RichText": set(), "clipboard": {"words.py", "handover_dialog.py"},
        "setInformativeText": {"main_window.py"}, "setDetailedText": set(),
    }  # fmt: skip
    found = {
        (node.attr, path.name)
        for path in GUI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in doors
    }
    assert not [(name, file) for name, file in sorted(found) if file not in doors[name]]
