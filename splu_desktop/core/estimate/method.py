"""What an estimator is: a name, words for whoever chooses it, and a function of the figures that a question leads to.

The engine answers questions in four ways (one SA or several, by two numbers or by the whole matrix). Each of them is a
`Case`: it offers the estimates that theory has for it, and an estimator takes one or makes another of them. So a new
estimator is one file with one function, and works in all four.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.frozen import dataclass

Floats = NDArray[np.float64]
_Cut = TypeVar("_Cut", float, Floats)


class Case(Protocol):
    """Questions to be answered; every method gives (Q,) estimates of their counts."""

    def unbiased(self) -> Floats:
        """Return what is right on average over releases."""

    def shrunk(self) -> Floats:
        """Return the unbiased estimates pulled towards independence."""

    def pooled(self) -> Floats:
        """Return the unbiased estimates pulled towards what each condition says by itself."""

    def likeliest(self) -> Floats:
        """Return the maximum of the likelihood."""

    def as_printed(self) -> Floats:
        """Return the journal's estimate with its printed transition."""


class _Register(type):
    def __iter__(cls) -> Iterator[Method]:
        return iter(tuple(_KNOWN.values()))


@dataclass(frozen=True, eq=False)
class Method(metaclass=_Register):
    """An estimator. Iterating over the class gives all that are registered.

    Attributes
    ----------
    value : what the command line and files call it.
    words : what it does, for whoever chooses one.
    estimate : from the case to (Q,) estimates.
    bounded : whether an estimate is cut to what is possible, 0 to N_P.
    within : whether it is also cut to its interval.
    straight : whether intervals are those of `query.straight`, which the recipient's kit has as well.
    """

    value: str
    words: str
    estimate: Callable[[Case], Floats]
    bounded: bool = True
    within: bool = False
    straight: bool = False

    POOLED: ClassVar[Method]
    SHRUNK: ClassVar[Method]
    UNBIASED: ClassVar[Method]
    BAYES: ClassVar[Method]
    AS_PUBLISHED: ClassVar[Method]

    @classmethod
    def named(cls, name: str) -> Method:
        """Return the estimator of this name. Raises BadSetting where there is none."""
        if name not in _KNOWN:
            raise BadSetting(
                "There is no estimator “{name}”; choose among {known}.", name=name, known=", ".join(_KNOWN)
            )
        return _KNOWN[name]

    def made(self, estimate: _Cut, low: _Cut, high: _Cut, top: _Cut) -> _Cut:
        """Return an estimate, cut to what this method promises: [0, `top`], and its interval [`low`, `high`].

        Elementwise for arrays.
        """
        if self.bounded:
            estimate = np.minimum(np.maximum(estimate, 0.0), top)
        return np.minimum(np.maximum(estimate, low), high) if self.within else estimate


_KNOWN: dict[str, Method] = {}


def registered(method: Method) -> Method:
    """Make an estimator known by its name."""
    _KNOWN[method.value] = method
    return method
