"""Every method at equal protection: its parameter searched until it is as strong as the plan.

By T_P of small counts, from the law of its counts, and by the certainty of who finds a person, from one draw. Both grow
weaker or stronger all along a method's span, so bisection finds the weakest setting that reaches what is asked.
"""

from __future__ import annotations

from collections.abc import Callable

from splu_desktop.compare.base.laws import t_p
from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.base.system import Impossible, System
from splu_desktop.core.thresholds import Thresholds

_STEPS = 7  # bisections; each takes a draw where certainty is asked for
_CLOSE = 0.002  # of a probability that counts as equal


def at_equal_t_p(system: type[System], source: TrueTable, thresholds: Thresholds, wanted: float) -> System | None:
    """Return the weakest setting with T_P of at least `wanted`; None where no setting has it, or all have."""
    return weakest(system, lambda each: t_p(each, source, thresholds) >= wanted - _CLOSE, 3 * _STEPS)


def at_equal_certainty(system: type[System], right: Callable[[System], float], wanted: float) -> System | None:
    """Return the weakest setting whose best reader is right in at most `wanted`; None where none is, or all are."""
    return weakest(system, lambda each: right(each) <= wanted + _CLOSE, _STEPS)


def weakest(system: type[System], strong: Callable[[System], bool], steps: int) -> System | None:
    """Return the weakest setting along a span that is strong enough; None where none is, or the weakest."""
    if system.span is None:
        return None

    def setting(part: float) -> System:
        low, high = system.span or (0.0, 0.0)
        value = low * (high / low) ** part  # in equal ratios, both above 0
        return system(round(value) if system.whole else value)  # type: ignore[call-arg]

    def holds(part: float) -> bool:
        try:
            return strong(setting(part))
        except (Impossible, OverflowError):
            return True  # asks more than the table allows

    if holds(0.0) or not holds(1.0):
        return None
    low, high = 0.0, 1.0
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    found = setting(high)
    try:
        return found if strong(found) else None
    except (Impossible, OverflowError):
        return None
