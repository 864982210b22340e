"""What the custodian asks of a release."""

from __future__ import annotations

from dataclasses import dataclass

from splu_desktop.core.errors import BadSetting

NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Thresholds:
    """What the custodian asks of the release (mechanism.md section 1).

    Attributes
    ----------
    epsilon : relative error, in (0, 1].
    t_e : tolerated probability of an error of epsilon or more in a large count, in (0, 1).
    alpha : the largest "small" count, from 1 to 50.
    t_p : least probability wanted of an error above epsilon in a small count, in [0, 1]; None where not asked.
    """

    epsilon: float = 0.3
    t_e: float = 0.05
    alpha: int = 3
    t_p: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.epsilon <= 1:
            words = "The relative error epsilon must lie above 0 and at most at 1, not at {epsilon:g}."
            raise BadSetting(words, epsilon=self.epsilon)
        if not 0 < self.t_e < 1:
            raise BadSetting("The tolerated probability T_E must lie between 0 and 1, not at {t_e:g}.", t_e=self.t_e)
        if not (isinstance(self.alpha, int) and 1 <= self.alpha <= 50):
            words = "The largest small count alpha must be a whole number from 1 to 50, not {alpha}."
            raise BadSetting(words, alpha=self.alpha)
        if self.t_p is not None and not 0 <= self.t_p <= 1:
            raise BadSetting("The wanted probability T_P must lie between 0 and 1, not at {t_p:g}.", t_p=self.t_p)
