"""What systems did: figures of every draw, their median and range, as plain data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from splu_desktop.compare.base.questions import Answers
from splu_desktop.compare.base.source import Ints, TrueTable
from splu_desktop.compare.base.system import System
from splu_desktop.compare.base.workload import band_names
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.thresholds import Thresholds

CURVE, SMALL_COUNTS, CERTAINTY = "curve", "equal small counts", "equal certainty"


@dataclass(frozen=True)
class Achieved:
    """What one draw of one setting did. Shares lie in 0..1; None where a figure does not exist.

    Attributes
    ----------
    errors : by band of true counts, mean of |estimate - truth| / truth, estimates cut to 0..N.
    covered : share of 95 % intervals that hold the truth.
    small_wrong : share of counts up to alpha that are answered wrong by more than epsilon.
    large_right : share of large counts answered to within epsilon.
    row : how often who finds a person's row, and knows the shares in the whole table, is right about the value.
    classifier : how often a classifier learnt from the answers is, by the person's unchanged columns.
    best_reader : how often the best of guessing, row, classifier, and both together is.
    insider : how sure of the value who knows all other records is on average, at least.
    lost : records not published.
    seconds : to publish, to answer, to read.
    metrics : the papers' own measures.
    """

    errors: tuple[float | None, ...]
    covered: float | None
    small_wrong: float | None
    large_right: float | None
    row: float | None
    classifier: float
    best_reader: float
    insider: float
    lost: int
    seconds: float
    metrics: dict[str, float] = field(default_factory=dict)

    @property
    def protection(self) -> float:
        """How often the best reader is wrong: the picture's axis."""
        return 1 - self.best_reader


FIGURES = tuple(each.name for each in fields(Achieved) if each.name not in ("errors", "metrics"))


@dataclass(frozen=True, eq=False)
class SystemTried:
    """One system with one setting.

    Attributes
    ----------
    system : with its parameters.
    line : of its own curve, or as strong as the plan for small counts or in certainty.
    impossible : why the table can't be published so, or that it took too long; "" where it could.
    draws : figures of each draw, () where it could not.
    t_p, t_f : of counts of the whole table; no T_f where no count is told within epsilon.
    epsilon : the least for which a record's part is differentially private; infinite where none is.
    own : answers to the custodian's own questions, None where there are none.
    """

    system: System
    line: str
    impossible: str = ""
    draws: tuple[Achieved, ...] = ()
    t_p: float | None = None
    t_f: int | None = None
    epsilon: float = math.inf
    own: Answers | None = None

    def spread(self, name: str) -> tuple[float, float, float] | None:
        """Return a figure's least, median and largest over the draws; None where it does not exist."""
        found = [value for each in self.draws if (value := getattr(each, name)) is not None]
        return (float(min(found)), float(np.median(found)), float(max(found))) if found else None

    @property
    def achieved(self) -> Achieved:
        """The medians over the draws, at least one."""
        middle = {name: None if (s := self.spread(name)) is None else s[1] for name in FIGURES}
        by_band = zip(*(each.errors for each in self.draws), strict=True)
        errors = tuple(
            float(np.median(some)) if (some := [value for value in band if value is not None]) else None
            for band in by_band
        )
        return Achieved(errors=errors, metrics=self.draws[0].metrics, **middle)  # type: ignore[arg-type]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        system = self.system
        return {
            "system": system.name,
            "title": str(system.title),
            "line": self.line,
            "parameters": dict(system.parameters),
            "setting": str(system.setting),
            "impossible": str(self.impossible),
            "draws": len(self.draws),
            "achieved": _plain(asdict(self.achieved)) if self.draws else None,
            "low": {name: s[0] for name in FIGURES if (s := self.spread(name)) is not None},
            "high": {name: s[2] for name in FIGURES if (s := self.spread(name)) is not None},
            "t_p": self.t_p,
            "t_f": self.t_f,
            "epsilon": _number(self.epsilon),
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """All systems on one table.

    Attributes
    ----------
    source : the table; its `meeting` is what differential privacy's noise covers.
    asked : questions in each band of true counts.
    small : questions with a count up to alpha, large : with a large one.
    thresholds : epsilon and alpha that answers are judged by.
    guess : how often who only knows the most frequent value is right.
    classifier : how often naive Bayes learnt from the original is.
    tested : records that the readers were tried on.
    tried : in the order of the register, the plan first.
    own : the custodian's questions, () for none, with own_truth (Q,).
    seconds : in all.
    """

    source: TrueTable
    asked: tuple[int, ...]
    small: int
    large: int
    thresholds: Thresholds
    guess: float
    classifier: float
    tested: int
    tried: tuple[SystemTried, ...]
    own: tuple[tuple[Condition, ...], ...]
    own_truth: Ints
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, without any value of a record: the custodian's questions by their conditions."""
        return {
            "sensitive": self.source.sensitive.name,
            "unchanged": list(self.source.names),
            "records": self.source.n,
            "values": self.source.m,
            "bands": [str(name) for name in band_names()],
            "asked": list(self.asked),
            "sensitivity": self.source.meeting,
            "small": self.small,
            "large": self.large,
            "epsilon": self.thresholds.epsilon,
            "alpha": self.thresholds.alpha,
            "guess": self.guess,
            "classifier": self.classifier,
            "tested": self.tested,
            "tried": [each.as_dict() for each in self.tried],
            "own": [
                {
                    "conditions": [str(condition) for condition in conditions],
                    "truth": int(truth),
                    "answers": [None if each.own is None else _one(each.own, at) for each in self.tried],
                }
                for at, (conditions, truth) in enumerate(zip(self.own, self.own_truth, strict=True))
            ],
            "seconds": self.seconds,
        }


def _one(answers: Answers, at: int) -> dict[str, float | None]:
    return {name: _number(float(getattr(answers, name)[at])) for name in ("estimate", "low", "high")}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    # "certainty" is what a report reads (report.alternatives).
    metrics = {name: _number(value) for name, value in data["metrics"].items()}
    return data | {"certainty": data["best_reader"], "metrics": metrics}
