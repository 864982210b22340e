"""What a system is: a way to publish a table, what it promises, and how counts are answered from what it published.

A system is a frozen value with its parameters: one file, and one line in the register (`compare.systems`). Its
docstring gives formula and source.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from splu_desktop.compare.base.questions import Answers, CountingQuestions
from splu_desktop.compare.base.source import Floats, Ints, TrueTable
from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.progress import Progress
from splu_desktop.frozen import dataclass

Points = tuple[Any, ...]  # a parameter each, or a tuple of all
GAMMAS: Points = (2, 3, 5, 10)


class Impossible(SpluError):
    """A system can't be carried out on a table; the sentence says why."""


@dataclass(frozen=True, eq=False)
class Microdata:
    """A published table as its user takes it for the true one, record by record.

    Attributes
    ----------
    codes : for each unchanged column (N',) codes over the source's labels.
    sensitive : (N',) codes over the source's values.
    """

    codes: tuple[NDArray[np.integer], ...]
    sensitive: NDArray[np.integer]


class Sanitised(ABC):
    """What a system published of a source, with the figures that only who holds the source can give.

    Attributes
    ----------
    source : the true table.
    lost : records that are not in what was published.
    """

    source: TrueTable
    lost: int = 0

    @abstractmethod
    def answer(self, questions: CountingQuestions) -> Answers:
        """Return the answers of a reader of what was published, with the system's own estimator."""

    @property
    def uniques(self) -> int | None:
        """How many records stand out by what is published of the unchanged columns; None where no rows are."""
        return self.source.uniques

    def row(self, records: Ints) -> Floats | None:
        """Return (K, m) how likely a reader of a person's row alone holds each value, for K records of the source.

        From the row (or its group) and the shares in the whole table, which every release tells. None without rows.
        """
        return None

    @abstractmethod
    def insider(self, records: Ints, questions: CountingQuestions) -> Floats:
        """Return (K,) how sure of the true value is who knows all other records and reads what was published.

        questions : what was answered, of systems that publish no rows.
        """

    def sole_bearers(self, records: Ints, questions: CountingQuestions) -> float:
        """Return how sure that reader is on average of K records that alone have their value.

        Of all publications that could have come, where the system tells; else of this one.
        """
        return float(self.insider(records, questions).mean())

    def remarks(self, questions: CountingQuestions) -> tuple[str, ...]:
        """Return what is to be said of this outcome beside its figures, as sentences."""
        return ()

    def microdata(self, chance: np.random.Generator) -> Microdata | None:
        """Return the published table as records of the source's columns; None where the system gives no records."""
        return None


class System(ABC):
    """A way to publish a table, with its parameters: a frozen dataclass, whose fields are these.

    Attributes
    ----------
    name : what files and the command line call it.
    title : what people call it.
    words : what it does, in the custodian's words.
    first : whether a custodian would weigh it first; the others stand behind "more".
    points : the parameters that are compared, from weak to strong; () as the only one where there are none.
    setting_said, promise_said : the parameters as people write them, such as "gamma 5", and what is promised, with
        parameters in braces.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    words: ClassVar[str]
    first: ClassVar[bool] = False
    points: ClassVar[Points] = ((),)
    setting_said: ClassVar[str] = say("no setting")
    promise_said: ClassVar[str] = ""

    @classmethod
    def curve(cls) -> list[Self]:
        """Return the system with the parameters that are compared."""
        return [cls(*(point if isinstance(point, tuple) else (point,))) for point in cls.points]

    @property
    def parameters(self) -> Mapping[str, object]:
        """Parameter -> its setting."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    @property
    def told(self) -> dict[str, object]:
        """What stands in its sentences for each name in braces."""
        found = self.parameters.items()
        return {name: Figure(f"{each:.3g}") if isinstance(each, float) else each for name, each in found}

    @property
    def setting(self) -> str:
        """The parameters as people write them."""
        return say(self.setting_said, **self.told)

    @property
    def promise(self) -> str:
        """What is promised, in one sentence."""
        return say(self.promise_said, **self.told)

    @abstractmethod
    def publish(self, source: TrueTable, chance: np.random.Generator, progress: Progress) -> Sanitised:
        """Publish the table. Raises Impossible with the reason where this table can't be; Cancelled.

        chance : where all randomness comes from. Nothing that a comparison makes is ever handed out.
        """


@dataclass(frozen=True)
class ByGamma(System):
    """A system that one slider sets, as it sets ours."""

    gamma: int

    points = GAMMAS
    setting_said = say("gamma {gamma}")
