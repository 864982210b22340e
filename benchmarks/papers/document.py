"""The table of docs/papers.md: written by the command, between two marks."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.papers.figure import Figure, Outcome, verdict

BEGIN = "<!-- begin: written by python -m benchmarks.papers -->"
END = "<!-- end -->"


def section(figure: Figure, outcome: Outcome) -> str:
    """Return what is said of one figure: its verdict, and a table of claims and findings."""
    rows = [
        f"| {claim} | {finding.found} | {'holds' if finding.holds else '**does not hold**'} |"
        for claim, finding in zip(figure.claims, outcome.findings, strict=True)
    ]
    head = f"### {figure.title}: {verdict(outcome.findings)}"
    return "\n".join([head, "", f"`{figure.name}`", "", "| they say | we find | |", "|---|---|---|", *rows])


def sections(text: str) -> dict[str, str]:
    """Return the sections of a document by their figures' names. Raises ValueError where the marks lack."""
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    parts = [f"### {part.strip()}" for part in text[begin:end].split("### ")[1:]]
    return {part.split("`")[1]: part for part in parts}


def with_sections(text: str, found: Mapping[str, str], order: tuple[str, ...]) -> str:
    """Return a document with these sections in the place of its old ones; those not found anew stay."""
    all_of = sections(text) | dict(found)
    body = "\n\n".join(all_of[name] for name in order if name in all_of)
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return f"{text[:begin]}\n\n{body}\n\n{text[end:]}"
