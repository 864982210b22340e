"""What a release promises about its published counts, exactly: T_P, T_f, signal, repeated releases.

Source: mechanism.md section 3. The published count of a value with true count f is f' ~ Binomial(gamma f, 1/gamma):
mean f, variance f (1 - 1/gamma). The counts of k releases of the same records with fresh draws add up to
S ~ Binomial(k gamma f, 1/gamma), and S/k is what whoever averages them sees; all functions here take `releases` = k.
(Where gamma does not divide N, fewer than gamma groups hold one record more. That leaves the mean as it is and adds
less than 1/gamma to the variance.)

Small counts: T_P = min over f in 1..alpha of Pr[|f' - f| > epsilon f] (journal Lemma 2, Theorem 4). The window
ceil((1 - epsilon) f)..floor((1 + epsilon) f) is kf -+ h of S with h = floor(epsilon k f), a whole number found on
exact rationals: in binary floating point (1 - 0.4) * 45 rounds the wrong way.

Large counts: T_f = the least f0 with Pr[|f' - f| >= epsilon f] <= T_E for every f >= f0. (Journal Theorem 3, Lemma 1
and arXiv Lemma 4 divide the variance twice; their T_f is here as "as published" only.) |S - kf| >= epsilon k f means
|S - kf| >= c with c = ceil(epsilon k f). While c stands still the failure probability grows with f (proof:
docs/decisions/large-count-guarantee.md), so in each tooth of the saw the largest f is the worst, and only tooth ends
are computed. Chernoff's or Chebyshev's bound, whichever is lower, says where the scan may end.

Both tails are regularised incomplete beta functions (scipy.special.betainc, relative error about 1e-12), or, where few
and SciPy is not needed otherwise, computed on whole numbers. Where one lies within TIE of a threshold, whole numbers
decide.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.rationals import as_fraction

Number = float | str | Fraction
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TIE = 1e-9  # relative distance to a threshold below which floating point is not asked
EXACT_TRIALS = 100_000  # trials up to which ties are decided on whole numbers (a second at most)
_FEW = 2_000_000  # trials times half-widths, all together, up to which whole numbers take some milliseconds at most
MOST_GAMMA = 100_000  # beyond, k gamma f could leave the whole numbers that floating point holds
MOST_TEETH = 2_000_000  # teeth of the saw to look at before a setting is refused (about two seconds)

# The T_E values of the window's plot and of `splu guarantee --curves`, in 0.001..0.5.
T_E_GRID: Floats = np.array([float(f"{t:.4g}") for t in np.geomspace(0.001, 0.5, 150)])
T_E_GRID.flags.writeable = False


def checked_epsilon(epsilon: Number) -> Fraction:
    """Return epsilon as the rational that was meant. Raises BadSetting unless 0 < epsilon <= 1."""
    exact = as_fraction(epsilon)
    if not 0 < exact <= 1:
        raise BadSetting(
            "The relative error epsilon must lie above 0 and at most at 1, not at {exact:g}.", exact=float(exact)
        )
    return exact


def checked_probability(t_e: Number) -> Fraction:
    """Return T_E as the rational that was meant. Raises BadSetting unless 0 < T_E < 1."""
    exact = as_fraction(t_e)
    if not 0 < exact < 1:
        raise BadSetting(
            "The tolerated probability T_E must lie between 0 and 1, not at {exact:g}.", exact=float(exact)
        )
    return exact


def _check_whole(gamma: int | Ints, releases: int = 1, alpha: int = 1) -> None:
    least, greatest = (gamma, gamma) if isinstance(gamma, int) else (int(np.min(gamma)), int(np.max(gamma)))
    if least < 2:
        raise BadSetting(
            "The group size gamma is {least}; it must be 2 or more, since a group of one hides nothing.",
            least=least,
        )
    if releases < 1:
        raise BadSetting("The number of releases must be 1 or more, not {releases}.", releases=releases)
    if alpha < 1:
        raise BadSetting("The largest small count alpha must be a whole number from 1, not {alpha}.", alpha=alpha)
    for name, number, most in (  # no table comes near these
        (say("group size gamma"), greatest, MOST_GAMMA),
        (say("number of releases"), releases, 10_000),
        (say("largest small count alpha"), alpha, 100_000),
    ):
        if number > most:
            raise BadSetting("The {name} can be at most {most}, not {number}.", name=name, most=most, number=number)


def floor_times(whole: Ints, factor: Fraction) -> Ints:
    """Return floor(whole * factor) for whole >= 0, exactly; in Python's integers where 64 bits do not hold it."""
    top = int(whole.max(initial=0))
    if max(top * factor.numerator, factor.denominator) < 2**63:
        return whole * factor.numerator // factor.denominator
    exact = [int(x) * factor.numerator // factor.denominator for x in whole.tolist()]
    if max(exact, default=0) >= 2**53:
        raise BadSetting("These settings lead to counts beyond 10^15; choose a larger epsilon.")
    return np.array(exact, np.int64)


def miss(gamma: int | Ints, centre: Ints, half: Ints) -> Floats:
    """Return Pr[|S - centre| > half] for S ~ Binomial(gamma centre, 1/gamma), elementwise; centre >= 1, half >= 0."""
    # To import SciPy takes longer than a release's few guarantees take without it; once it is there, it is quicker.
    few = isinstance(gamma, int) and gamma * float(np.sum(centre * (half + 1.0))) <= _FEW
    if few and "scipy.special" not in sys.modules:
        return _miss_on_whole_numbers(int(np.max(gamma)), centre, half)
    return _miss_by_beta(gamma, centre, half)


def _miss_on_whole_numbers(gamma: int, centre: Ints, half: Ints) -> Floats:
    centres, halves = np.broadcast_arrays(centre, half)
    pairs = zip(centres.ravel().tolist(), halves.ravel().tolist(), strict=True)
    exact = [float(exact_miss(gamma, one, arm)) for one, arm in pairs]
    return np.array(exact, np.float64).reshape(centres.shape)


def _miss_by_beta(gamma: int | Ints, centre: Ints, half: Ints) -> Floats:
    from scipy.special import betainc  # longer to load than a release takes without it

    mean = centre.astype(np.float64)
    trials = gamma * mean
    below = mean - half - 1  # the largest S that misses below, the smallest that misses above
    above = mean + half + 1
    low = np.where(below < 0, 0.0, betainc(trials - below, np.maximum(below, 0) + 1, 1 - 1 / gamma))
    high = np.where(above > trials, 0.0, betainc(above, np.maximum(trials - above, 0) + 1, 1 / gamma))
    return np.asarray(low + high, np.float64)


def exact_miss(gamma: int, centre: int, half: int) -> Fraction:
    """Return Pr[|S - centre| > half] for S ~ Binomial(gamma centre, 1/gamma) as a fraction, from whole numbers."""
    trials = gamma * centre
    k, top = max(centre - half, 0), min(centre + half, trials)
    weight = math.comb(trials, k) * (gamma - 1) ** (trials - k)
    inside = weight
    while k < top:  # C(n, k+1) (gamma-1)^(n-k-1) from C(n, k) (gamma-1)^(n-k); both divisions come out whole
        weight = weight * (trials - k) // ((k + 1) * (gamma - 1))
        inside += weight
        k += 1
    return 1 - Fraction(inside, gamma**trials)


def _exceeds(gamma: int, centre: int, half: int, threshold: Fraction) -> bool:
    """Decide a near-tie: whether the miss probability is above the threshold. Yes where too large to decide exactly."""
    return gamma * centre > EXACT_TRIALS or exact_miss(gamma, centre, half) > threshold


def small_count_curve(gamma: int, epsilon: Number, alpha: int, releases: int = 1) -> Floats:
    """Return Pr[|f' - f| > epsilon f] for f = 1..alpha, shape (alpha,): the sawtooth behind T_P.

    Journal Lemma 2. With k = `releases`, f' is the mean of k published counts. Raises BadSetting.
    """
    _check_whole(gamma, releases, alpha)
    counts = np.arange(1, alpha + 1, dtype=np.int64)
    return miss_probability(gamma, epsilon, counts, releases)


def miss_probability(gamma: int | Ints, epsilon: Number, counts: ArrayLike, releases: int = 1) -> Floats:
    """Return Pr[|f' - f| > epsilon f], the probability of an error above epsilon, for counts f >= 1, elementwise.

    An array of gammas is broadcast against the counts.
    """
    _check_whole(gamma, releases)
    f = np.asarray(counts, np.int64)
    half = floor_times(f, checked_epsilon(epsilon) * releases)
    return miss(gamma, f * releases, half)


def failure_probability(gamma: int, epsilon: Number, counts: ArrayLike, releases: int = 1) -> Floats:
    """Return Pr[|f' - f| >= epsilon f], what T_E bounds (journal Theorem 3), for any counts f >= 1, elementwise."""
    _check_whole(gamma, releases)
    f = np.asarray(counts, np.int64)
    return miss(gamma, f * releases, _last_inside(f, checked_epsilon(epsilon) * releases))


def _last_inside(f: Ints, slope: Fraction) -> Ints:
    """Return c - 1 for c = ceil(slope f): the largest deviation of S that is still below epsilon k f."""
    whole = floor_times(f, slope)
    # floor(slope f) is slope f itself just where the denominator divides f (the fraction is in lowest terms).
    on_edge = f % slope.denominator == 0 if slope.denominator < 2**63 else np.zeros(f.shape, bool)
    return np.where(on_edge, whole - 1, whole)


def t_p(gamma: int, epsilon: Number, alpha: int, releases: int = 1) -> float:
    """Return T_P, the least probability of an error above epsilon in any count from 1 to alpha (journal Theorem 4)."""
    return float(small_count_curve(gamma, epsilon, alpha, releases).min())


def t_p_reaches(gamma: int, epsilon: Number, alpha: int, wanted: Number, releases: int = 1) -> bool:
    """Return whether T_P >= wanted, ties decided on whole numbers (0.5 at gamma 2, epsilon 0.3, alpha 3 is a tie)."""
    goal = as_fraction(wanted)
    curve = small_count_curve(gamma, epsilon, alpha, releases)
    level = float(goal)
    if curve.min() < level * (1 - TIE):
        return False
    slope = checked_epsilon(epsilon) * releases
    for f in (np.flatnonzero(curve <= level * (1 + TIE)) + 1).tolist():
        centre = f * releases
        if gamma * centre > EXACT_TRIALS or exact_miss(gamma, centre, math.floor(slope * f)) < goal:
            return False
    return True


def _closing(gamma: int, epsilon: Fraction, t_e: float, releases: int) -> int:
    """Return an F such that Pr[|f' - f| >= epsilon f] <= T_E for every f > F, by bounds alone.

    Chernoff: Pr[S >= (1 + e) kf] <= exp(-kf u), Pr[S <= (1 - e) kf] <= exp(-kf v), u and v gamma times the relative
    entropy of (1 +- e)/gamma from 1/gamma. Chebyshev: (1 - 1/gamma)/(e^2 kf), lower where T_E is large.
    """
    e = float(epsilon)
    if e < 1e-9:
        raise BadSetting("An epsilon of {e:g} asks for counts beyond any table; choose a larger epsilon.", e=e)
    up = _times_log1p(1 + e, e) + _times_log1p(gamma - 1 - e, -e / (gamma - 1))
    down = _times_log1p(1 - e, -e) + _times_log1p(gamma - 1 + e, e / (gamma - 1))
    chernoff = (math.log(2) - math.log(t_e)) / min(up, down) / releases
    chebyshev = (1 - 1 / gamma) / (e * e * releases) / t_e
    return math.ceil(min(chernoff, chebyshev) * (1 + 1e-6)) + 1  # wider than the bounds, never narrower


def _times_log1p(factor: float, x: float) -> float:
    """Return factor ln(1 + x), 0 where the factor is."""
    return factor * math.log1p(x) if factor else 0.0


def _teeth(gamma: int, epsilon: Fraction, t_e: float, releases: int) -> tuple[Ints, Ints, Floats]:
    """Return the last count f of every tooth up to the closing bound, its half-width c - 1 and failure probability."""
    slope = epsilon * releases
    end = _closing(gamma, epsilon, t_e, releases)
    teeth = min(end, math.ceil(slope * end))
    if teeth > MOST_TEETH:
        raise BadSetting(
            "With epsilon {epsilon:g} and T_E {t_e:g} only counts above {end:.0e} could be promised; "
            "choose a larger epsilon or T_E.",
            epsilon=float(epsilon),
            t_e=t_e,
            end=end,
        )
    number = np.arange(1, teeth + 1, dtype=np.int64)
    if slope >= 1:  # every count is a tooth of its own
        f, half = number, _last_inside(number, slope)
    else:  # tooth c holds the counts with ceil(slope f) = c, the last of them floor(c / slope)
        f, half = floor_times(number, 1 / slope), number - 1
    return f, half, miss(gamma, f * releases, half)


def t_f_exact(gamma: int, epsilon: Number, t_e_grid: Sequence[Number] | Floats, releases: int = 1) -> Ints:
    """Return the exact T_f for every T_E of the grid, shape (len(t_e_grid),).

    T_f = the least f0 >= 1 such that Pr[|f' - f| >= epsilon f] <= T_E for every f >= f0; 1 where no count fails.
    Each T_E is the decimal that was meant: 0.05 (float or text) is 1/20.
    Raises BadSetting where epsilon or T_E is outside its range or the answer is astronomically large.
    """
    _check_whole(gamma, releases)
    fraction = checked_epsilon(epsilon)
    asked, grid = _grid(t_e_grid)
    f, half, q = _teeth(gamma, fraction, float(grid.min()), releases)
    falling = -np.maximum.accumulate(q[::-1])[::-1]  # minus the worst from each tooth on: rises with the tooth
    surely = np.searchsorted(falling, -grid * (1 + TIE), side="left")  # one past the last tooth that surely fails
    maybe = np.searchsorted(falling, -grid * (1 - TIE), side="left")
    for i in np.flatnonzero(maybe > surely).tolist():
        threshold = as_fraction(asked[i])
        for j in range(int(maybe[i]) - 1, int(surely[i]) - 1, -1):
            near = q[j] > grid[i] * (1 - TIE)
            if near and _exceeds(gamma, int(f[j]) * releases, int(half[j]), threshold):
                surely[i] = j + 1
                break
    return np.where(surely > 0, f[surely - 1] + 1, 1)


def _grid(t_e_grid: Sequence[Number] | Floats) -> tuple[Sequence[Number], Floats]:
    asked: Sequence[Number] = t_e_grid.tolist() if isinstance(t_e_grid, np.ndarray) else t_e_grid
    grid = np.array([float(t) for t in asked])
    if not ((grid > 0) & (grid < 1)).all():
        raise BadSetting("Every tolerated probability T_E must lie between 0 and 1.")
    return asked, grid


def t_f(gamma: int, epsilon: Number, t_e: Number, releases: int = 1) -> int:
    """Return the exact T_f for one T_E; see `t_f_exact`."""
    return int(t_f_exact(gamma, epsilon, [checked_probability(t_e)], releases)[0])


def t_f_chebyshev(gamma: int, epsilon: Number, t_e: Number, releases: int = 1) -> int:
    """Return the least whole f with (1 - 1/gamma)/(epsilon^2 k f) <= T_E: a bound on T_f that needs no computing."""
    _check_whole(gamma, releases)
    return math.ceil(_chebyshev_factor(gamma, epsilon, releases) / checked_probability(t_e))


def _chebyshev_factor(gamma: int, epsilon: Number, releases: int) -> Fraction:
    return Fraction(gamma - 1, gamma * releases) / checked_epsilon(epsilon) ** 2


def t_f_as_published(gamma: int, epsilon: Number, t_e: Number) -> float:
    """Return (1/(gamma epsilon^2 T_E))^(1/2), the papers' T_f. Not valid: for comparison only, never a promise."""
    _check_whole(gamma)
    return math.sqrt(1 / (gamma * checked_epsilon(epsilon) ** 2 * checked_probability(t_e)))


def t_f_curve(
    gamma: int, epsilon: Number, t_e_grid: Sequence[Number] | Floats = T_E_GRID, releases: int = 1
) -> tuple[Ints, Ints, Floats]:
    """Return T_f against T_E: exact, by Chebyshev, and as published (not valid); each of shape (len(t_e_grid),)."""
    asked, grid = _grid(t_e_grid)
    exact = t_f_exact(gamma, epsilon, grid, releases)
    factor = _chebyshev_factor(gamma, epsilon, releases)
    real = float(factor) / grid
    chebyshev = np.ceil(real).astype(np.int64)
    for i in np.flatnonzero(np.abs(real - np.rint(real)) <= TIE * real).tolist():
        chebyshev[i] = math.ceil(factor / as_fraction(asked[i]))
    published = 1 / (float(checked_epsilon(epsilon)) * np.sqrt(gamma * grid))
    return exact, chebyshev, published


def expected_relative_error(gamma: int | Ints, counts: ArrayLike, releases: int = 1) -> Floats:
    """Return E|f' - f| / f for counts f >= 1, elementwise: 2 (1 - 1/gamma) Pr[S = kf].

    De Moivre's mean absolute deviation of a binomial, 2 (1 - p) np Pr[S = np] where np is a whole number. Since kf is
    the mean, all powers in Pr[S = kf] cancel against Stirling's and only his remainders d stay:
    Pr[S = kf] = exp(d(n) - d(kf) - d(n - kf)) / sqrt(2 pi kf (1 - 1/gamma)), n = k gamma f.
    """
    _check_whole(gamma, releases)
    mean = np.asarray(counts, np.float64) * releases
    left = 1 - 1 / gamma
    remainder = _stirling(gamma * mean) - _stirling(mean) - _stirling((gamma - 1) * mean)
    return np.asarray(np.sqrt(2 * left / (np.pi * mean)) * np.exp(remainder), np.float64)


def _stirling(x: Floats) -> Floats:
    """Return ln x! - ln(sqrt(2 pi x) (x/e)^x) for x >= 1; the series' next term is below 1e-14 from 16 on."""
    from scipy.special import gammaln  # longer to load than a release takes without it

    small = np.minimum(x, 16.0)
    direct = gammaln(small + 1) - (small + 0.5) * np.log(small) + small - 0.5 * math.log(2 * math.pi)
    y = 1 / (x * x)
    series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x
    return np.where(x < 16, direct, series)


def signal(counts: ArrayLike, n: int, gamma: int | Ints) -> Floats:
    """Return what is left of each value's link to the NSAs, 1 - (1/a - 1) f/(N - f) with a = r/N, r = floor(N/gamma).

    That is (a - b_s)/a (mechanism.md section 4), 1 for a rare value and 0 at the eligibility limit f = r; beyond it
    (ineligible) negative. Computed as N (r - f)/(r (N - f)), which is the same and exactly 0 at the limit.

    Parameters
    ----------
    counts : true or published counts f of the values, in records, f < N.
    n : number of records N, at least gamma.
    """
    _check_whole(gamma)
    groups = n // gamma
    f = np.asarray(counts, np.float64)
    return np.asarray(n * (groups - f) / (groups * (n - f)), np.float64)
