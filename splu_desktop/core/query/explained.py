"""What the unchanged columns of one release say about pairs of its re-drawn ones, computed once and kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from splu_desktop.core.query.engine import Engine, kept
from splu_desktop.core.reconstruct import strata as reconstruct_strata
from splu_desktop.core.reconstruct.explained import D_RANGE, Design, Indices, together
from splu_desktop.core.reconstruct.strata import Strata, ValueClasses
from splu_desktop.core.reconstruct.weights import weights_by_value
from splu_desktop.core.table import Flags, pieces, tallied
from splu_desktop.core.transition.two_numbers import Floats
from splu_desktop.frozen import dataclass

_COMPARED = 20_000  # records by which the two regressions are compared; their order is random
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class Fit:
    """Chances (U, K) of the classes of one re-drawn column in each stratum."""

    classes: ValueClasses
    p: Floats

    def of(self, flags: Flags) -> Floats:
        """Return (U,) chances of a set of values."""
        return np.asarray(
            self.p @ np.bincount(self.classes.of_value, self.classes.share * flags, minlength=self.p.shape[1])
        )


class Explaining:
    """How two SAs go together because both go with the NSAs. Not for use by two threads at once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._designs: dict[str, Design | None] = {}
        self._betas: dict[str, Floats] = {}
        self._strata: dict[tuple[str, str], tuple[Strata, dict[str, Fit]] | None] = {}

    def together(self, base: str, other: str, flags: Flags, records: Indices | None) -> Floats | float:
        """Return (m,) how much more often than by chance each value of an SA goes with values of another in P.

        records : P's among the first `TOLD_BY` of the table, None for all.
        """
        design = self._design()
        if design is None:
            return 1.0
        found = self._by_strata(base, other)
        if found is not None:
            strata, fits = found
            d = reconstruct_strata.meeting(strata.among(records), fits[base].p, fits[other].of(flags))
            return d[fits[base].classes.of_value]
        counts = self._engine.transition(base).counts, self._engine.transition(other).counts
        n = self._engine.published.n
        beta, more = self._explained(base), self._explained(other)[:, flags].sum(axis=1)
        return together(design, beta, counts[0] / n, more, float(counts[1][flags].sum()) / n, records)

    def pairs(self, base: str, other: str) -> Floats:
        """Return (m_other, m_base) counts of pairs in the whole table as the NSAs explain them."""
        across, down = self._engine.transition(base).counts, self._engine.transition(other).counts
        n = self._engine.published.n
        alone = np.outer(down / n, across)
        design = self._design()
        if design is None:
            return alone
        found = self._by_strata(base, other)
        if found is None:
            more = n * design.covariance(self._explained(other), self._explained(base))
            return np.maximum(alone + more, 0.02 * alone)
        strata, fits = found
        both = (fits[other].p * strata.counts[:, None]).T @ fits[base].p
        usual = np.outer(strata.counts @ fits[other].p, strata.counts @ fits[base].p) / strata.counts.sum()
        d = np.clip(both / np.maximum(usual, _LEAST), *D_RANGE)
        return np.asarray(alone * d[np.ix_(fits[other].classes.of_value, fits[base].classes.of_value)])

    def _design(self) -> Design | None:
        return kept(self._designs, "", lambda: Design.of(self._engine.published))

    # --- by strata

    def _by_strata(self, base: str, other: str) -> tuple[Strata, dict[str, Fit]] | None:
        """Return the strata for two SAs and both fits, None where the linear regression on all NSAs says more."""
        first, second = sorted((base, other))
        return kept(self._strata, (first, second), lambda: self._stratified((first, second)))

    def _stratified(self, names: tuple[str, str]) -> tuple[Strata, dict[str, Fit]] | None:
        design = self._design()
        assert design is not None
        classes = {sa: ValueClasses.of(self._engine.transition(sa).counts) for sa in names}
        codes = {sa: classes[sa].of_value[self._engine.codes(sa, slice(design.places.shape[1]))] for sa in names}
        telling = sum(reconstruct_strata.telling(design.places, codes[sa], classes[sa].number) for sa in names)
        strata = Strata.of(design.places, np.asarray(telling), sum(one.number for one in classes.values()))
        if strata is None:
            return None
        fits: dict[str, Fit] = {}
        gained = 0.0
        for sa in names:
            through, k = self._engine.transition(sa), classes[sa].number
            way = reconstruct_strata.carried(through, classes[sa])
            keys = strata.place * k + codes[sa]
            y = np.bincount(keys, minlength=len(strata.counts) * k).reshape(-1, k).astype(np.float64)
            fits[sa] = Fit(classes[sa], reconstruct_strata.fitted(strata, y, way, through.a))
            shown = np.eye(k)[codes[sa][:_COMPARED]]
            linear = self._linear(design, sa, classes[sa])
            gained += reconstruct_strata.likely(shown, fits[sa].p[strata.place[:_COMPARED]], way)
            gained -= reconstruct_strata.likely(shown, linear, way)
        return (strata, fits) if gained > 0 else None

    # --- by linear regression

    def _linear(self, design: Design, sa: str, classes: ValueClasses) -> Floats:
        """Return (L, K) chances of the classes as the linear regression has them, for the first records."""
        shares = np.bincount(classes.of_value, self._engine.transition(sa).counts) / self._engine.published.n
        explained = self._explained(sa)
        beta = np.stack([explained[:, classes.of_value == at].sum(axis=1) for at in range(classes.number)], axis=1)
        p = np.zeros((min(_COMPARED, design.places.shape[1]), classes.number))
        for row in design.places[:, :_COMPARED]:
            p += beta[row]
        p = np.maximum(p + shares - design.mean @ beta, D_RANGE[0] * shares)
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def _explained(self, sa: str) -> Floats:
        """Return (D, m) the regression of an SA's values on the NSAs."""
        design, through = self._design(), self._engine.transition(sa)
        assert design is not None
        return kept(self._betas, sa, lambda: design.fitted(through, weights_by_value(through), self._crossed(sa)))

    def _crossed(self, sa: str) -> Callable[[str, Indices], Floats]:
        def crossed(name: str, groups: Indices) -> Floats:
            m = self._engine.published.table[sa].m
            cross = self._engine.cross(name, sa)
            if cross is None:
                column, codes = self._engine.published.table[name].codes, self._engine.codes(sa)
                keys = (groups[column[part]] * m + codes[part] for part in pieces(len(codes)))
                return tallied((int(groups.max()) + 1) * m, keys).reshape(-1, m).astype(np.float64)
            found = np.zeros((int(groups.max()) + 1, m))
            np.add.at(found, groups, cross)
            return found

        return crossed
