"""All figures, in the papers' order."""

from __future__ import annotations

from benchmarks.papers import arxiv, inferential, journal, others
from benchmarks.papers.figure import Figure

FIGURES: tuple[Figure, ...] = (*journal.FIGURES, *arxiv.FIGURES, *inferential.FIGURES, *others.FIGURES)
