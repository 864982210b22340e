"""The facts of a release as sections of named lines, and those as HTML or plain text."""

from __future__ import annotations

import html
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, Qt

from splu_desktop.core import sentences
from splu_desktop.core.errors import SpluError
from splu_desktop.core.guarantees import t_f, t_p
from splu_desktop.core.roles import Role
from splu_desktop.gui.roles_view import role_name
from splu_desktop.gui.session import Release
from splu_desktop.gui.words import number, percent, size

translate = QCoreApplication.translate


@dataclass(frozen=True)
class Section:
    """A heading with lines of (name, value); a line without a name is a sentence."""

    title: str
    lines: tuple[tuple[str, str], ...]


def sections(release: Release) -> list[Section]:
    """Return the report of a release: from the release itself, and from the source where it was made here."""
    parts = [_release(release), _promises(release), _columns(release)]
    if release.made_from is not None:
        parts += _source(release)
    parts.append(_files(release))
    parts.append(_limits())
    return parts


def _release(release: Release) -> Section:
    facts = release.facts
    software = facts["software"]
    made = QLocale().toString(
        QDateTime.fromString(str(facts["created"]), Qt.DateFormat.ISODate).toLocalTime(), "d MMMM yyyy HH:mm"
    )
    gammas = ", ".join(f"{name}: {gamma}" for name, gamma in release.published.gammas.items())
    return Section(
        translate("report", "Release"),
        (
            (translate("report", "Folder"), str(release.folder)),
            (translate("report", "Made"), made),
            (translate("report", "Records"), number(release.published.n)),
            (translate("report", "Mechanism"), str(facts["mechanism"])),
            (translate("report", "Group size gamma"), gammas),
            (translate("report", "Software"), f"{software['name']} {software['version']}"),
        ),
    )


def _promises(release: Release) -> Section:
    asked = release.published.thresholds
    lines: list[tuple[str, str]] = []
    for name, gamma in release.published.gammas.items():
        try:
            lines.append(("", sentences.small_count_promise(gamma, asked.epsilon, asked.alpha, column=name)))
            lines.append(("", sentences.large_count_promise(gamma, asked.epsilon, asked.t_e, column=name)))
            figures = translate("report", "T_P {t_p} (epsilon {epsilon}, alpha {alpha}); T_f {t_f} (T_E {t_e})").format(
                t_p=percent(t_p(gamma, asked.epsilon, asked.alpha)),
                epsilon=percent(asked.epsilon),
                alpha=number(asked.alpha),
                t_f=number(t_f(gamma, asked.epsilon, asked.t_e)),
                t_e=percent(asked.t_e),
            )
            lines.append((name, figures))
        except SpluError as fault:
            lines.append((name, str(fault)))
    return Section(translate("report", "What is promised"), tuple(lines))


def _columns(release: Release) -> Section:
    lines = []
    for column in release.published.table.columns:
        role = Role.SA if release.published.is_sensitive(column.name) else Role.NSA
        text = translate("report", "{role}; {kind}, {n} values").format(
            role=role_name(role), kind=column.kind.value, n=number(column.m)
        )
        lines.append((column.name, text))
    return Section(translate("report", "Columns published"), tuple(lines))


def _source(release: Release) -> list[Section]:
    assert release.made_from is not None
    source, choices = release.made_from
    file = source.imported.source
    lines = [
        (translate("report", "File"), file.name),
        (translate("report", "Size"), size(file.size)),
        (translate("report", "Records"), number(source.imported.table.n)),
        (translate("report", "SHA-256"), file.sha256),
        (translate("report", "Problems on import"), number(len(source.imported.problems))),
    ]
    left = [
        (name, f"{role_name(role)}; {source.suggestions[name].reason}")
        for name, role in choices.roles.items()
        if not role.published
    ]
    parts = [Section(translate("report", "Source (for your own records; not in the release)"), tuple(lines))]
    if left:
        parts.append(Section(translate("report", "Columns not published"), tuple(left)))
    return parts


def _files(release: Release) -> Section:
    lines = [
        (str(entry["name"]), f"{size(int(entry['bytes']))}; SHA-256 {entry['sha256']}")
        for entry in release.facts["files"]
    ]
    return Section(translate("report", "Files"), tuple(lines))


def _limits() -> Section:
    return Section(
        translate("report", "Limits of the promise"),
        (
            (
                "",
                translate(
                    "report",
                    "The promise is about counts of sensitive values. The other columns are published as they are, so"
                    " rare combinations of them stay recognisable.",
                ),
            ),
            (
                "",
                translate(
                    "report",
                    "What large counts teach about everyone is disclosed on purpose. That a person is in the table is"
                    " not hidden.",
                ),
            ),
        ),
    )


def as_html(
    title: str, parts: list[Section], *, ink: str = "#1b252f", quiet: str = "#52606d", line: str = "#d3dae1"
) -> str:
    """Return a report as one HTML page without scripts or links."""
    out = [f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{html.escape(title)}</title></head>"]
    out.append(f"<body style='color:{ink}; font-family: sans-serif'><h2>{html.escape(title)}</h2>")
    for part in parts:
        out.append(f"<h3 style='margin-top:16px'>{html.escape(part.title)}</h3>")
        rows = []
        for name, value in part.lines:
            if name:
                rows.append(
                    f"<tr><td width='30%' style='color:{quiet}; padding:3px 24px 3px 0; border-bottom:1px solid {line}'"
                    f" valign='top'>{html.escape(name)}</td><td style='padding:3px 0;"
                    f" border-bottom:1px solid {line}'>{html.escape(value)}</td></tr>"
                )
            else:
                rows.append(f"<tr><td colspan='2' style='padding:3px 0'>{html.escape(value)}</td></tr>")
        out.append(f"<table cellspacing='0' width='100%'>{''.join(rows)}</table>")
    return "".join(out) + "</body></html>"


def as_text(title: str, parts: list[Section]) -> str:
    """Return a report as plain text."""
    lines = [title, "=" * len(title)]
    for part in parts:
        lines += ["", part.title, "-" * len(part.title)]
        lines += [f"{name}: {value}" if name else value for name, value in part.lines]
    return "\n".join(lines) + "\n"
