"""The register of releases: what left the house, whether it is still as it was, and handing the same out again."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QWidget

from splu_desktop.core.messages import isolated
from splu_desktop.files.draws import draws_in_words
from splu_desktop.files.publish.publishing import tidy
from splu_desktop.files.register.book import Register
from splu_desktop.files.register.shelf import Fall, Place, Shelf, Shelved, changed, falls, shelf
from splu_desktop.gui.base.models import ROW, Field, RowsModel, SortFilter, TableView
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.widgets import Banner, Dialog, WholeLines, button, label, last_row, line_edit, margins, put
from splu_desktop.gui.base.words import beside, filled, joined, number, percent, reported, size, t, told
from splu_desktop.gui.publish.handover_dialog import HandOverDialog
from splu_desktop.report.content.closing import GATE

_LOOKS = {Place.THERE: "answerable", Place.GONE: "warning", Place.WITHDRAWN: "quiet"}
_PICTURES = {Place.THERE: "circle-check", Place.GONE: "triangle-alert", Place.WITHDRAWN: "circle"}


class RegisterDialog(Dialog):
    """Releases above, what one of them is below, and what can be done with it.

    Parameters
    ----------
    chosen : id of the release to show first; None for the newest.

    Signals
    -------
    open_release (Path) : the user wants to ask a release for counts.
    """

    open_release = Signal(Path)

    def __init__(self, tasks: Tasks, chosen: str | None = None, parent: QWidget | None = None) -> None:
        intro = t(
            "Every release is remembered here, without any data. To give the same records to one more person, hand out"
            " the release there is: a new one would protect less, since the draws of both can be averaged."
        )
        super().__init__(t("Releases made from this computer"), (900, 600), parent, intro)
        self._tasks, self._chosen = tasks, chosen
        self._checked: dict[str, str | None] = {}
        column, self.banner = self.parts, Banner()
        column.addWidget(self.banner)
        self.search = line_edit(t("Find a release"), t("Find by source, recipient, purpose or date"))
        column.addWidget(self.search)
        self.model = RowsModel(self._fields(), self)
        self._sorted = SortFilter(self)
        self._sorted.setSourceModel(self.model)
        self.search.textChanged.connect(self._sorted.look_for)
        self.table = TableView(t("Releases"))
        self.table.setModel(self._sorted)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_chosen())
        column.addWidget(self.table, 1)
        self.details = label("", wrap=True, selectable=True)
        self.details.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.details.setAccessibleName(t("Details of the release"))
        area = WholeLines()
        area.setWidget(self.details)
        area.setAccessibleName(t("Details of the release"))
        acts = self._build_acts()
        put(column, (area, 1), acts)
        last_row(self, acts)
        self._offer()
        self.load()

    def _fields(self) -> list[Field[Shelved]]:
        return [
            Field(t("Entry"), lambda r: number(r.entry.number), lambda r: r.entry.number, right=True),
            Field(t("Made"), lambda r: _when(r.entry.time), lambda r: r.entry.time),
            Field(
                t("State"),
                self._state,
                colour=lambda r: "fault" if r.faults else _LOOKS[r.place],
                picture=lambda r: "circle-alert" if r.faults else _PICTURES[r.place],
            ),
            Field(t("Source"), lambda r: r.source or "–"),
            Field(t("Sensitive columns"), lambda r: ", ".join(map(isolated, draws_in_words(r.entry.body)))),
            Field(t("Recipient"), lambda r: str(r.entry.body.get("recipient") or "–")),
            Field(t("Purpose"), lambda r: str(r.entry.body.get("purpose") or "–")),
        ]

    def _build_acts(self) -> QHBoxLayout:
        row = margins(QHBoxLayout(), spacing=8)
        self.again = button(
            t("&Hand out again…"),
            self.hand_out,
            look="primary",
            picture="package-check",
            hint=t("Pack the very files that were released into a new ZIP; nothing is drawn anew"),
        )
        self.folder = button(t("Open the &folder"), self.open_folder, picture="folder-open")
        self.ask = button(t("&Ask it for counts"), self._ask)
        self.check = button(
            t("&Check its files"),
            self.check_files,
            hint=t("Compare every file with the fingerprint that the register has of it"),
        )
        for part in (self.again, self.folder, self.ask, self.check):
            row.addWidget(part)
        row.addStretch(1)
        return row

    # -- what the user does --------------------------------------------------------------------------------------

    def load(self) -> None:
        """Read the register in the worker."""

        def work(progress: object) -> Shelf:
            register = Register()
            tidy(register)
            return shelf(register)

        job = self._tasks.run("register", work)
        job.done.connect(self._show)
        job.failed.connect(lambda text: self.banner.say("fault", text))

    def chosen(self) -> Shelved | None:
        """Return the release whose row is selected."""
        rows = self.table.selectionModel().selectedRows()
        return rows[0].data(ROW) if rows else None

    def choose(self, release: str) -> None:
        """Select a release by its id."""
        for row in range(self._sorted.rowCount()):
            if self._sorted.index(row, 0).data(ROW).entry.release == release:
                self.table.select_rows([row])
                self.table.scrollTo(self._sorted.index(row, 0))
                return

    def check_files(self) -> None:
        """Compare the release's files with what the register has of them, in the worker."""
        found = self.chosen()
        if found is None:
            return
        self.check.setEnabled(False)
        job = self._tasks.run("register-check", lambda progress: changed(found, progress))
        job.done.connect(partial(self._have_checked, found))
        job.failed.connect(lambda text: self.banner.say("fault", text))

    def hand_out(self) -> HandOverDialog | None:
        """Offer to pack the very same files for one more recipient."""
        found = self.chosen()
        if found is None:
            return None
        dialog = HandOverDialog(found.path, self._tasks, self)
        dialog.open()
        return dialog

    def acknowledge(self) -> AcknowledgeDialog:
        """Ask who knows of the damage and what happened, and enter it."""
        dialog = AcknowledgeDialog(self)
        dialog.given.connect(self._enter_acknowledgement)
        dialog.open()
        return dialog

    def _enter_acknowledgement(self, who: str, why: str) -> None:
        job = self._tasks.run("register-acknowledge", lambda progress: Register().acknowledge(who, why))
        job.done.connect(lambda _: self.load())
        job.failed.connect(lambda text: self.banner.say("fault", text))

    def open_folder(self) -> None:
        """Show the release in the system's file manager."""
        found = self.chosen()
        if found is not None:
            at = found.path
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(at if at.is_dir() else at.parent)))

    def _ask(self) -> None:
        found = self.chosen()
        if found is not None:
            self.open_release.emit(found.path)
            self.accept()

    # -- what comes back -----------------------------------------------------------------------------------------

    def _show(self, found: Shelf) -> None:
        self.model.show(found.releases)
        self.table.fit_columns(filling=6, least=100)
        if found.faults:
            more = len(found.faults) - 1
            text = told(found.faults[0])
            if more:
                text = t("{fault} There are {n} further faults.", fault=text, n=number(more))
            self.banner.say(
                "fault",
                t(
                    "{fault} Somebody or something else than this program wrote to the register; what it says of "
                    "these entries can't be relied on.",
                    fault=text,
                ),
                t("Acknowledge…"),
                self.acknowledge,
            )
        elif found.acknowledged:
            self.banner.say(
                "note",
                t(
                    "The register was damaged, and somebody acknowledged it: {faults}",
                    faults=" ".join(told(fault) for fault in found.acknowledged[:3]),
                ),
            )
        elif not found.releases:
            self.banner.say("note", t("Nothing was released from this computer yet."))
        else:
            self.banner.hide()
        if found.releases:
            self.table.select_rows([0])
            if self._chosen is not None:
                self.choose(self._chosen)
        self._show_chosen()

    def _have_checked(self, found: Shelved, difference: str | None) -> None:
        self._checked[found.entry.release] = difference
        if difference is None:
            text = t("“{name}” is to the byte what was released.", name=found.path.name)
            self.banner.say("done", text)
        else:
            text = t("“{name}” was changed: {how} Don't hand it out; look for an unchanged copy.")
            self.banner.say("fault", filled(text, name=found.path.name, how=told(difference)))
        self._offer()

    def _state(self, found: Shelved) -> str:
        if found.faults:
            return t("entry was changed")
        return {
            Place.THERE: t("there"),
            Place.GONE: t("no longer there"),
            Place.WITHDRAWN: t("never appeared"),
        }[found.place]

    def _show_chosen(self) -> None:
        found = self.chosen()
        self.details.setText("\n".join(self._told(found)) if found is not None else "")
        self._offer()

    def _offer(self) -> None:
        found = self.chosen()
        there = found is not None and found.place is Place.THERE
        damaged = found is not None and self._checked.get(found.entry.release) is not None
        folder = there and found is not None and found.path.is_dir()
        self.again.setEnabled(folder and not damaged)
        self.folder.setEnabled(there)
        self.ask.setEnabled(folder and not damaged)
        self.check.setEnabled(there)

    def _told(self, found: Shelved) -> list[str]:
        body = found.entry.body
        lines = [told(str(fault)) for fault in found.faults]
        lines.append(
            t(
                "{n} records of “{source}”, released by {operator}; {path}",
                n=number(_whole(body.get("records"))),
                source=found.source or "–",
                operator=str(body.get("operator") or "–"),
                path=found.path,
            )
        )
        lines += _ways(found)
        if found.place is Place.GONE:
            lines.append(t("It is no longer where it was put. Look for the copy that was handed out."))
        if found.again:
            lines.append(t("{n} earlier releases hold the same records, or some of them.", n=number(found.again)))
        lines += [self._fall(fall) for fall in falls(found.entry)]
        accepted = body.get("accepted")
        if isinstance(accepted, dict) and accepted:
            named = ((reported(GATE.get(name, str(name))), words) for name, words in accepted.items())
            said = joined((f"{name} ({words})" if words else name for name, words in named), ",")
            lines.append(t("Accepted at publishing: {lines}", lines=said))
        outputs = body.get("outputs")
        first, *others = outputs if isinstance(outputs, list) and outputs else [{}]
        if first:
            lines.append(
                t(
                    "{name}, {size}, SHA-256 {sha}",
                    name=first.get("name"),
                    size=size(_whole(first.get("bytes"))),
                    sha=first.get("sha256"),
                )
            )
        if others:
            lines.append(t("With it: {files}", files=beside(str(output.get("name")) for output in others)))
        return lines

    def _fall(self, fall: Fall) -> str:
        first, *further = fall.t_p.items()
        rest = ", ".join(t("{share} with {k} releases", share=_down(t_p), k=number(k)) for k, t_p in further)
        said = t(
            "Small counts of “{column}” (up to {alpha}) are wrong by more than {epsilon} with a probability of at least"
            " {share} from one release alone; {rest} of the same records."
        )
        if not further:
            said = t(
                "Small counts of “{column}” (up to {alpha}) are wrong by more than {epsilon} with a probability of at"
                " least {share} from one release alone; nothing is promised of several of the same records."
            )
        if not any(fall.t_p.values()):
            said = t("Nothing is promised of small counts of “{column}” (up to {alpha}).")
        return filled(
            said,
            column=fall.column,
            alpha=number(fall.alpha),
            epsilon=percent(fall.epsilon),
            share=_down(first[1]),
            rest=rest,
        )


class AcknowledgeDialog(Dialog):
    """Who knows of the register's damage, and what happened, in words.

    Signals
    -------
    given (str, str) : name and words.
    """

    given = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        intro = t(
            "Your name and your words are entered in the register and stay there. The damaged places stay as they are;"
            " they are no longer reported as new."
        )
        super().__init__(t("Acknowledge the damage"), (520, 220), parent, intro)
        form = QFormLayout()
        self.who, self.why = line_edit(t("Your name")), line_edit(t("What happened"))
        form.addRow(t("&Your name"), self.who)
        form.addRow(t("&What happened"), self.why)
        put(self.parts, form, 1)
        self.enter = last_row(self, self.parts, t("Enter it"))
        for field in (self.who, self.why):
            field.textChanged.connect(lambda _: self._offer())
        self._offer()

    def accept(self) -> None:
        """Give name and words to whoever asked."""
        self.given.emit(self.who.text(), self.why.text())
        super().accept()

    def _offer(self) -> None:
        self.enter.setEnabled(bool(self.who.text().strip() and self.why.text().strip()))


def _down(share: float) -> str:
    """Return a least probability: rounded down, since it is promised."""
    return percent(math.floor(100 * share + 1e-9) / 100, 0)


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _ways(found: Shelved) -> list[str]:
    return [joined((isolated(name), told(words)), ":") for name, words in draws_in_words(found.entry.body).items()]


def _when(time: str) -> str:
    moment = QDateTime.fromString(time, Qt.DateFormat.ISODate).toLocalTime()
    return QLocale().toString(moment, QLocale.FormatType.ShortFormat) if moment.isValid() else time
