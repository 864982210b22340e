"""No name or value that others wrote is taken for HTML, for an access key or for a formula, on any page."""

from __future__ import annotations

import ast
import csv
import html
import re
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import openpyxl
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

from splu_desktop.cli import main
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.disk.inert import inert, restored
from splu_desktop.gui.base.models import TableView
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.base.widgets import copy_text
from splu_desktop.gui.base.words import as_html, caption, plain
from splu_desktop.gui.shell.main_window import MainWindow

Idle = Callable[[MainWindow], None]
GUI = Path(__file__).parents[2] / "splu_desktop" / "gui"
PICTURE = '<img src="file:///hostile.png">'
HOSTILE = "hostile."  # in every path and address that somebody might follow
_READ = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")
NAMES = (
    f"{PICTURE}ward", "<b>sex</b> &amp; more", "Q & A", "=1+1;=2", "\u202eשם <i>", "two\nlines<br>",
    "x" * 9_990 + "<s>", "../../../../hostile.path", "file:///hostile.url", "\x1b[31mred\x07\x9b",
    "C:\\hostile.path\\x", '<a href="file://hostile.h/s">tell</a>', "\\\\hostile.h\\share",
)  # fmt: skip
SENSITIVE = f"<h1>{PICTURE}illness"
VALUES = (
    "שלום 7",
    f"{PICTURE}A", "<b>B</b>", "C & D", "=cmd|' /C calc'!A0", "e;=1", "+f", "../../../../hostile.path", "\u202eשם",
    "<script src='hostile.js'>", "\x1b]0;hostile.\x07", "y" * 10_000, "%n%s {0} {name} %1",
    '<a href="file://hostile.h/s">go</a>', "\\\\hostile.h\\share",
)  # fmt: skip


def _interprets(text: str) -> bool:
    """Return whether Qt takes a text of ours for HTML and it holds what is not ours, unescaped."""
    foreign = any(mark in text for mark in ("<img", "<a ", "<b>", "<h1>", "<i>", "<s>", "<br>"))
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
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    for widget in [top, *top.findChildren(QWidget)]:
        texts = [widget.text()] if isinstance(widget, QLabel | QAbstractButton) else []
        texts += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.windowTitle()]
        view = widget.view() if isinstance(widget, QComboBox) else widget
        if isinstance(view, QAbstractItemView) and view.model() is not None:
            model = view.model()
            rows = range(min(model.rowCount(), 25))
            columns = range(min(model.columnCount(), 25) if isinstance(view, QTableView) else 1)
            cells = [model.index(row, at) for row in rows for at in columns]
            texts += [str(cell.data(role) or "") for cell in cells for role in _READ]
            if isinstance(view, QTableView):
                texts += [str(model.headerData(at, across, role) or "") for at in columns for role in _READ]
                texts += [str(model.headerData(at, down, role) or "") for at in rows for role in _READ]
        texts = [re.sub("<[^>]*>", "", html.unescape(text)) if text.startswith("<span") else text for text in texts]
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


def _written(path: Path, rows: list[list[str]]) -> None:
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        return
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "=1+1 <img src='x'> & \u202e<b>"
    for y, row in enumerate(rows, 1):
        for x, text in enumerate(row, 1):
            sheet.cell(y, x).value = text
            sheet.cell(y, x).data_type = "s"  # no formula of ours
    book.save(path)


class _Tags(HTMLParser):
    """What a browser would follow, run or show as more than text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, object]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        read = {"title", "alt", "aria-label"}
        if tag == "script" or any(name[:2] == "on" or (HOSTILE in str(to) and name not in read) for name, to in attrs):
            self.found.append((tag, attrs))


def _runs(path: Path) -> list[object]:
    """Return what of an export does more than to be read."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [cell for row in csv.reader(file) for cell in row if inert(restored(cell)) != cell]
    if path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
        return [cell.value for cell in cells if cell.data_type == "f" or cell.hyperlink]
    if path.suffix == ".html":
        return [*_Tags(path.read_text(encoding="utf-8")).found]
    return [] if path.suffix in (".json", ".jsonld", ".py", ".R", ".txt", ".cff", ".do", ".sps", ".pdf") else [path]


class _Followed:
    """Notes every file, folder, program or address that is asked for by a hostile name, while it listens."""

    def __init__(self) -> None:
        self.found: list[tuple[str, object]] = []
        self.listens = True
        sys.addaudithook(self._hear)  # stays for good: there is no way to take one out

    def _hear(self, event: str, given: tuple[object, ...]) -> None:
        if self.listens and event.startswith(("open", "os.", "shutil.", "glob.", "subprocess.", "socket.", "urllib.")):
            self.found.extend((event, one) for one in given if HOSTILE in str(one))


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_no_page_interprets_or_follows_what_others_wrote(
    window: MainWindow,
    idle: Idle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ending: str,
) -> None:
    """From Import to Report, exports and all, with a table of which every text is hostile."""
    asked: list[str] = []
    real = QTextBrowser.loadResource

    def load(self: QTextBrowser, kind: int, url: QUrl) -> object:
        asked.append(url.toString())
        return real(self, kind, url)

    monkeypatch.setattr(QTextBrowser, "loadResource", load)
    path = tmp_path / f"<b>A & B<img src='x'>=1+1\u202e.{ending}"
    values = [text for text in VALUES if ending == "csv" or not _CONTROL.search(text)]
    # A workbook holds no control characters; the CSV tries these, and the little that was not tried there.
    given = [text for text in NAMES if bool(_CONTROL.search(text)) == (ending == "csv")]
    many = len(values)
    rows = [[values[(i // (at + 1)) % many] for at in range(len(given))] for i in range(360)]
    _written(path, [[*given, SENSITIVE], *([*row, f"{values[i % many]} {i % 12}"] for i, row in enumerate(rows))])
    out = tmp_path / "out"
    out.mkdir()
    followed = _Followed()
    wrong: list[tuple[str, str]] = []

    def look(top: QWidget | None = None) -> None:
        idle(window)
        wrong.extend((*_shown(top or window), *_turned(top or window)))
        wrong.extend(("plot", text) for text in _plots(top or window) if 'hostile.png"' in text and "<img" in text)

    window.import_page.open_file(path)
    look()
    assert window.session.source is not None, window.import_page.banner.text.text()
    names = window.session.source.imported.table.names
    sensitive = names[-1]
    window.session.set_roles({**dict.fromkeys(names, Role.NSA), sensitive: Role.SA}, "roles")
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
    window.publish_page.set_target(out / "release")
    idle(window)
    window.publish_page.gate.accept_all()  # "two lines" and the like may be identifiers: their reason is a choice
    idle(window)
    window.publish_page.gate.accept_all()
    window.publish_page.primary.click()
    look()
    assert (out / "release").is_dir(), window.publish_page.banner.text.text()
    window.show_step(Step.QUERY)
    look()
    page = window.query_page
    for tabs in page.findChildren(QWidget):
        if not shiboken6.isValid(tabs):  # went when another tab was shown
            continue
        if hasattr(tabs, "setCurrentIndex") and hasattr(tabs, "count") and hasattr(tabs, "tabText"):
            for at in range(tabs.count()):
                tabs.setCurrentIndex(at)
                look()
    released = page.one.asker.published.table
    of = released[sensitive]
    page.tabs.setCurrentWidget(page.one)
    for name in names[:-1]:
        both = (Condition(name, (str(released[name].labels[0]),)), Condition(sensitive, (str(of.labels[-1]),)))
        page.one.builder.set_conditions(both)
        page.act()
        idle(window)
    look()
    assert len(page.one.asked_model.rows) == len(names) - 1, page.banner.text.text()[:300]
    page.tabs.setCurrentWidget(page.crosstab)
    page.crosstab.setup.first.column.setCurrentIndex(page.crosstab.setup.first.column.findData(names[0]))
    page.act()
    look()
    page.tabs.setCurrentWidget(page.many)
    page.many.save_template(out / "form.csv")
    idle(window)
    page.many.open_file(out / "form.csv")
    idle(window)
    page.act()
    look()
    for kind in ("csv", "xlsx"):
        page.crosstab.export(out / f"cross.{kind}")
        idle(window)
        page.many.save(out / f"answers.{kind}")
        idle(window)
    window.show_step(Step.REPORT)
    look()
    window.report_page.form.internal.setChecked(True)  # it names file and sheet
    look()
    for kind in ("html", "xlsx"):
        window.report_page.save(out / f"report.{kind}")
        idle(window)
    for dialog in window.findChildren(QDialog):
        wrong.extend((*_shown(dialog), *_turned(dialog)))
    followed.listens = False
    made = {file.relative_to(out).parts[0] for file in out.rglob("*")}
    stems = {"cross.csv", "cross.xlsx", "answers.csv", "answers.xlsx", "report.html", "report.xlsx"}
    assert made == {"release", "form.csv", *stems}
    assert "=1+1" in (out / "report.html").read_text(encoding="utf-8"), "the source's name stands there"
    assert {file: runs for file in out.rglob("*") if file.is_file() and (runs := _runs(file))} == {}
    assert wrong == []
    assert not [url for url in asked if "hostile" in url]
    assert followed.found == []
    capsys.readouterr()
    for words in (["query", str(out / "release"), f"{sensitive}={of.labels[-1]}"], ["verify", str(out / "release")]):
        main(words)
        said = "".join(capsys.readouterr())
        assert not _CONTROL.search(said.replace("\n", "")), said


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
        "setToolTip": {"words.py"}, "setStatusTip": set(), "setWhatsThis": set(), "showText": {"words.py"},
        "setHtml": {"help_panel.py", "page.py"}, "setMarkdown": {"guide.py"}, "insertHtml": set(),
        "setLabel": {"plots.py"}, "setTitle": {"recent_files.py", "languages.py", "export.py"},
        "AutoText": {"controls.py"}, "RichText": set(), "clipboard": {"widgets.py"},
        "setInformativeText": {"main_window.py"}, "setDetailedText": set(),
    }  # fmt: skip
    found = {
        (node.attr, path.name)
        for path in GUI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in doors
    }
    assert not [(name, file) for name, file in sorted(found) if file not in doors[name]]
