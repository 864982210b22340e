"""Who learns from a release how a re-drawn column goes with the others (`core.risk.attack`).

- **Naive Bayes** (`_plain`), as anybody would program it: for each NSA the published counts of (label, value) are
  undone by the inverse of T, x = C G, no count below half a record, numbers in ten or five intervals of about equally
  many records, columns of many labels taken or left; logarithms added up, and taken at their word.
- **Smoothed naive Bayes** (`_tables`): x pulled towards independence as far as the noise asks for it (the shrinkage of
  mechanism.md section 4), made positive by the mean of a normal cut off at 0, and fitted to both margins: sums over the
  labels and over the values are known.
- **Repeated naive Bayes** (`_again`): taught again by what its own beliefs and the shown values say of each record,
  eight times (expectation and maximisation), which undoes nearly all of the draw where many columns tell the value.
- **A few columns** (`_chosen`), each by its own intervals, instead of all by common ones, where they explain far more.
- **Weighted naive Bayes** (`_weights`): columns that say the same would be counted twice, so each gets a weight of its
  own, by the likelihood of what is *shown*, sum over records of log sum_v q(v | x) T[v, u] (Patrini et al. 2017's
  forward correction), which is largest, on average, at the truth.
- **Regression** (`_regression`): every cell of every table, and of the pairs and threes of columns that explain what is
  left, may move away from there (ridge penalty), by the same likelihood.

But for the plain one, a record's own shown value never teaches what is believed of it (folds), so it may be used once
more for reading the row: P(v | x, u) is proportional to q(v | x) T[v, u]. Last, factors on the log-odds make each
learner but the plain one as sure as the release justifies, again by that likelihood, and of these the one that explains
the shown values best is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, count

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_ndtr

from splu_desktop.core.progress import Progress, ProgressPart
from splu_desktop.core.risk.channel import FEW, LEAST, Channel
from splu_desktop.core.table import Codes, Column, Table, unique
from splu_desktop.frozen import dataclass

_STAGE = "Attacking the release"
_TESTED = 50_000  # records judged at most: shares are known to 0.2 percentage points
_MOST_BELIEFS = 2_000_000  # numbers: records judged times values
_LABELS, _BINS = 200, (200, 32, 10, 5)  # of an NSA: labels kept, intervals tried
FOLDS = 6
_TOGETHER, _COARSE = {2: 20, 3: 6}, 12  # pairs and threes of columns taken up, and labels of each column
_TOLD = 4.0  # of one taken up
_WIDE = 60  # columns among which threes are looked for, those that gain most in pairs
_TRIED = 50_000_000  # numbers that one look at all of them touches: some tenths of a second
_RIDGE = 20.0
_WORK = 6_000_000  # numbers that one round of learning may touch: some tenths of a second
_ROUNDS = 30
_STIFF = 4.0  # how little the factors of single values differ from the common one
_HALF, _INTERVALS, _WIDEST = 0.5, (10, 5), (10, 50)  # of plain naive Bayes: records of a cell at least, see `_plain`
_AGAIN, _PULLED = 8, 1.0  # rounds of teaching again; records of each label that say nothing
_CHOSEN, _GAIN = 12, 2.0  # columns that are chosen at most; of log-likelihood that one more explains
_LEAD = 10.0  # of log-likelihood, asked of each column that is chosen and of repeating
_KEPT, _MIXED, _EACH = 0.97, 40, 30  # of beliefs at first, by measurement; rounds; records for each chance
_COMPARED = 150_000  # numbers: records that decide between tables, times values
_STEEP = 20.0  # largest log-odds that one label gives
ANY = 20_130_906  # a fixed seed, of what no release depends on

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
_Weights = Sequence[tuple[Singles, Singles]]


@dataclass(frozen=True, eq=False)
class _Feature:
    names: tuple[str, ...]  # of one column, or of several
    codes: Codes
    width: int

    @property
    def name(self) -> str:
        return " ".join(self.names)


_Cells = tuple[Sequence[_Feature], Sequence[Sequence[Singles]]]  # columns, and the tables of each fold


@dataclass(frozen=True, eq=False)
class _Group:
    """Columns that may tell together what none of them tells."""

    parts: tuple[_Feature, ...]

    @property
    def joined(self) -> _Feature:
        codes, width = np.zeros_like(self.parts[0].codes), 1
        for part in self.parts:
            codes, width = codes * np.int32(part.width) + part.codes, width * part.width
        return _Feature(tuple(name for part in self.parts for name in part.names), codes, width)


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned of the tested records.

    Attributes
    ----------
    best : the learner that explains what is shown best.
    beliefs : of each learner, (K, M), each record's from the folds without it.
    plain, intervals, labels : (K, M) beliefs of plain naive Bayes, taught by all records, and what it took: see Attack.
    """

    best: str
    beliefs: dict[str, Floats]
    plain: Floats
    intervals: int
    labels: int | None
    tested: Ints
    columns: tuple[str, ...]


def learn(
    table: Table, nsas: Sequence[str], codes: Codes, channel: Channel, part: float, progress: Progress
) -> Learned:
    """Return what the learners learn, doing a part of the most work."""
    n, prior, work = table.n, np.maximum(channel.prior, LEAST), int(_WORK * part)
    # A column may be left with few intervals and not with many, each of which few records are in.
    tries = {
        tuple((each.name, each.width) for each in tried): tried
        for bins in _BINS
        if (tried := _features(table, nsas, bins))
    }
    target, matrix = channel.classes[codes], channel.matrix
    names = tuple(name for name in nsas if any(name == each.name for tried in tries.values() for each in tried))
    tested = np.linspace(0, n - 1, min(n, int(_TESTED * part), _MOST_BELIEFS // len(prior))).astype(np.int64)
    if not tries or n < 2 * FOLDS or len(prior) < 2:
        beliefs = np.tile(prior, (len(tested), 1))
        return Learned(
            "smoothed-naive-bayes", {"smoothed-naive-bayes": beliefs}, beliefs, _INTERVALS[0], None, tested, names
        )
    likely = np.asarray(matrix[:, target].T)  # (N, M) chance of what is shown
    folds = _folded(table, target, channel)
    base, shown = np.log(prior).astype(np.float32), likely[tested]

    def tempered(cells: _Cells, weights: _Weights, records: Ints = tested) -> Floats:
        score = _scored(*cells, weights, base, records, folds)
        return _tempered(score, likely[records], prior / prior.sum(), channel.alike)

    def taught(features: Sequence[_Feature], fold: int) -> list[Singles]:
        return [_tables(feature, target, folds != fold, channel, prior) for feature in features]

    few = tested[:: -(-tested.size * len(prior) // _COMPARED)]
    every: list[_Cells] = []
    features: Sequence[_Feature]
    for at, features in enumerate(tries.values()):
        tables = []
        for fold in range(FOLDS):
            progress.report(_STAGE, (at + fold / FOLDS) / len(tries) / 3)
            tables.append(taught(features, fold))
        every.append((features, tables))

    def explained(cells: _Cells) -> float:
        return likelihood(tempered(cells, _alone(cells, base), few), likely[few])

    most_told, all_columns = max(((explained(cells), cells) for cells in every), key=lambda each: each[0])
    whole, some = all_columns[0], _some(n, len(all_columns[0]) * len(prior), work)
    groups = _groups(whole, tempered(all_columns, _alone(all_columns, base), some), likely[some], some, channel.alike)
    joined = [group.joined for group in groups]
    every.append((joined, [taught(joined, fold) for fold in range(FOLDS)]))
    chosen, learned = _chosen(every, base, likely, folds, work)
    parts = {most: (chosen[:most], [each[:most] for each in learned]) for most in (1, len(chosen)) if chosen}
    rated: list[tuple[float, str, _Cells]] = []
    rivals: list[tuple[int, float, _Cells]] = [(0, most_told, all_columns)]
    rivals += [(most, explained(each), each) for most, each in parts.items()]
    for less, told, cells in rivals:
        again = _again(cells, base, likely, folds, work)
        # What could be chosen explains more by chance alone.
        rated.append((told - _LEAD * channel.alike * less, "smoothed-naive-bayes", cells))
        rated.append((explained(again) - _LEAD * channel.alike * (less + 1), "repeated-naive-bayes", again))
    _, name, cells = max(rated, key=lambda each: each[0])
    features = cells[0]
    some = _some(n, (len(features) + _TOGETHER[2]) * len(prior), work)
    weights = _weighted(*cells, base, likely, some, folds, channel.alike)
    found = {name: tempered(cells, _alone(cells, base)), "weighted-naive-bayes": tempered(cells, weights)}
    progress.report(_STAGE, 0.5)
    if cells is not all_columns:  # what all columns leave unexplained is known
        groups = _groups(whole, softmax(_scored(*cells, weights, base, some, folds)), likely[some], some, channel.alike)
    if groups:
        beside = []
        for fold, known in enumerate(cells[1]):
            beside.append([*known, *_interactions(groups, target, folds != fold, channel, prior)])
        more: _Cells = ([*features, *(group.joined for group in groups)], beside)
        other = _weighted(*more, base, likely, some, folds, channel.alike)
        beliefs = tempered(more, other)
        if likelihood(beliefs, shown) > likelihood(found["weighted-naive-bayes"], shown):
            found["weighted-naive-bayes"], cells, weights = beliefs, more, other
    last = ProgressPart(progress, 2 / 3, 1 / 3)
    score = _regression(*cells, weights, base, likely, tested, folds, work, channel, last)
    found["regression"] = _tempered(score, shown, prior / prior.sum(), channel.alike)
    best = max(found, key=lambda name: likelihood(found[name], shown))
    if name == "repeated-naive-bayes" and len(features) > 1 and n >= _EACH * channel.alike * len(prior) ** 2:
        found[best] = _confused(found[best], shown, prior / prior.sum())
    progress.report(_STAGE, 1.0)
    return Learned(best, found, *_plain(table, nsas, target, tested, channel), tested, names)


def _folded(table: Table, target: Ints, channel: Channel) -> Ints:
    """Return (N,) the fold of each record, which others teach about; all of a person's are in one.

    Who is whose is not published. Of records that show one value and agree in the columns that persons keep, nothing
    but their other columns says which are one person's, so as many of them as come and go together are taken for one.
    Cut at random, seven of eight of a person's records taught what the eighth shows: of 500 persons whom six columns
    name a learner believed 99 % of its guesses, and 41 % were right.
    """
    if channel.alike == 1:
        return np.arange(table.n) % FOLDS
    names = sorted(channel.constancy, key=lambda name: (name in channel.kept_by, channel.constancy[name]))
    keys: list[Ints | Codes] = [*(table[name].codes for name in names), target]
    order = np.lexsort(keys)
    kept: list[Ints | Codes] = [target, *(table[name].codes for name in channel.kept_by)]
    new = np.r_[True, np.any([codes[order][1:] != codes[order][:-1] for codes in kept], axis=0)]
    start = np.maximum.accumulate(np.where(new, np.arange(table.n), 0))
    person = start
    # Cut into as many as have that design effect: nothing where columns name persons, who have more records or fewer.
    for most in range(channel.alike, 8 * channel.alike):
        tried = np.cumsum((np.arange(table.n) - start) % most == 0) - 1
        sizes = np.bincount(tried)
        if most > channel.alike and sizes @ sizes > channel.alike * table.n:
            break
        person = tried
    folds = np.empty(table.n, np.int64)
    folds[order] = np.random.default_rng(ANY).permutation(int(person[-1]) + 1)[person] % FOLDS
    return folds


def _weighted(
    features: Sequence[_Feature],
    tables: Sequence[Sequence[Singles]],
    base: Singles,
    likely: Floats,
    some: Ints,
    folds: Ints,
    alike: int,
) -> _Weights:
    """Return for each fold the weights of the columns, and what is added for each value, by some of the other folds."""
    evidence = _evidence(features, tables, some, folds)
    return [_weights(evidence, likely[some], base, folds[some] != fold, alike) for fold in range(len(tables))]


def _evidence(features: Sequence[_Feature], tables: Sequence[Sequence[Singles]], some: Ints, folds: Ints) -> Singles:
    """Return (d, K, M) what each column tells of each record, by the tables of its fold."""
    evidence = np.empty((len(features), len(some), tables[0][0].shape[1]), np.float32)
    for fold, known in enumerate(tables):
        here = np.flatnonzero(folds[some] == fold)
        for j, feature in enumerate(features):
            evidence[j, here] = known[j][feature.codes[some[here]]]
    return evidence


def _alone(cells: _Cells, base: Singles) -> _Weights:
    """Return the weights by which every column counts once."""
    return [(np.ones(len(cells[0]), np.float32), np.zeros_like(base))] * len(cells[1])


def _chosen(every: Sequence[_Cells], base: Singles, likely: Floats, folds: Ints, work: int) -> _Cells:
    """Return the columns, each by its own intervals, that explain what is shown best, taken one after the other.

    A school's or ward's number tells what all its records share where no interval of numbers does; and of few records
    the noise of columns that tell nothing is most of what there is.
    """
    distinct = {
        (each.names, each.width): (at, j) for at, (cells, _) in enumerate(every) for j, each in enumerate(cells)
    }
    features = [every[at][0][j] for at, j in distinct.values()]
    tables = [[every[at][1][fold][j] for at, j in distinct.values()] for fold in range(FOLDS)]
    some = _some(len(likely), len(features) * len(base), work // 4)
    evidence, shown = _evidence(features, tables, some, folds), likely[some]
    score, taken = np.tile(base, (len(some), 1)), list[int]()
    explained, left = likelihood(softmax(score), shown), list(range(len(features)))
    while left and len(taken) < _CHOSEN:
        told = [likelihood(softmax(score + evidence[j]), shown) for j in left]
        best = left[int(np.argmax(told))]
        if max(told) < explained + _GAIN:
            break
        explained = max(told)
        score += evidence[best]
        taken.append(best)
        left = [j for j in left if features[j].names != features[best].names]
    return [features[j] for j in taken], [[each[j] for j in taken] for each in tables]


def _again(cells: _Cells, base: Singles, likely: Floats, folds: Ints, work: int) -> _Cells:
    """Return tables as records teach them whose values are believed by the tables before and by what they show.

    Expectation and maximisation: where many columns tell a value each by itself, they say together who has it far more
    surely than what is shown, and so what each of them tells.
    """
    features, tables = cells
    rows, prior, found = _some(len(likely), len(features) * len(base), work), softmax(base[None])[0], []
    for fold, known in enumerate(tables):
        taught, score = rows[folds[rows] != fold], np.concatenate(known)
        hot, shown = _hot(features, taught), likely[taught]
        across = hot.T.tocsr()
        whole = np.asarray(across.sum(axis=1)).reshape(-1, 1) + _PULLED
        for _ in range(_AGAIN):
            joint = softmax(hot @ score + base) * shown
            joint /= (joint @ np.ones(len(base)))[:, None]
            had = (across @ joint + _PULLED * prior) / whole
            score = np.log(had / np.maximum(joint.mean(axis=0), LEAST)).astype(np.float32)
        found.append(np.split(score, np.cumsum([each.width for each in features])[:-1]))
    return features, found


def _features(table: Table, nsas: Sequence[str], bins: int) -> list[_Feature]:
    return [feature for name in nsas if (feature := _feature(table[name], bins)) is not None]


def _some(n: int, each: int, work: int) -> Ints:
    """Return evenly spread places, so many that `each` numbers for every one of them are `work` numbers."""
    return unique(np.linspace(0, n - 1, max(min(n, work // max(each, 1)), min(n, 2_000))).astype(np.int64))


def _feature(column: Column, bins: int) -> _Feature | None:
    """Return a column as a learner takes it: numbers in intervals, rare labels together; None if nothing is left."""
    counts = column.counts()
    if column.values is not None and column.m > bins:
        # Labels stand in the order of their values: intervals of about equally many records, no value last.
        place = np.where(np.asarray(column.missing), 0, counts)
        part = (np.cumsum(place) - place / 2) / max(int(place.sum()), 1)
        label = np.minimum((part * bins).astype(np.int64), bins - 1)
        label[column.missing] = bins
    else:
        rank = np.empty(column.m, np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(column.m)
        label = np.where((counts >= FEW) & (rank < _LABELS), rank, column.m)
    used, label = np.unique(label, return_inverse=True)
    codes = label.astype(np.int32)[column.codes]
    return _Feature((column.name,), codes, len(used)) if len(used) > 1 else None


def _plain(
    table: Table, nsas: Sequence[str], target: Ints, tested: Ints, channel: Channel
) -> tuple[Floats, int, int | None]:
    """Return (K, M) beliefs of naive Bayes as anybody would program it, its intervals, and labels at most.

    Of those by wider or narrower intervals, and without columns of many labels or with them, the one that explains best
    what the records show, each by what the others teach: whoever programs it tries some. What a record shows itself
    made ten intervals look better than five that are right 3 to 9 points more often, in six of ten releases.
    """
    undone, likely = channel.undone, channel.matrix[:, target[tested]].T
    prior = np.tile(channel.prior, (len(tested), 1))  # where nothing is left to learn from
    found: list[tuple[float, Floats, int, int | None]] = [(-np.inf, prior, _INTERVALS[0], None)]
    for intervals in _INTERVALS:
        every = _features(table, nsas, intervals)
        every.sort(key=lambda feature: feature.width)
        score = np.tile(np.log(np.maximum(channel.prior, LEAST)), (len(tested), 1))
        apart = score.copy()
        for at, feature in enumerate(every):
            label, counts = feature.codes[tested], _counted(feature, target, len(undone)) @ undone
            real = np.maximum(counts, _HALF)
            whole = real.sum(axis=0)
            score += np.log(real / whole)[label]
            # Records of one label that show one value are alike.
            kind, alike = np.unique(label * np.int64(len(undone)) + target[tested], return_inverse=True)
            label, showing = np.divmod(kind, len(undone))
            others = np.maximum(counts[label] - channel.together(feature.name) * undone[showing], _HALF)
            apart += np.log(others / (whole - real[label] + others))[alike]
            wider = every[at + 1].width if at + 1 < len(every) else np.inf
            if any(feature.width <= most < wider for most in _WIDEST) or wider == np.inf:
                labels = None if wider == np.inf else min(most for most in _WIDEST if most >= feature.width)
                found.append((likelihood(softmax(apart), likely), softmax(score), intervals, labels))
    return max(found, key=lambda each: each[0])[1:]


def _counted(feature: _Feature, target: Ints, m: int, taught: NDArray[np.bool_] | slice = slice(None)) -> Floats:
    """Return (labels, m) how many of the records that teach have a label and show a value."""
    keys = feature.codes[taught].astype(np.int64) * m + target[taught]
    return np.bincount(keys, minlength=feature.width * m).reshape(-1, m).astype(np.float64)


def _interactions(
    groups: Sequence[_Group], target: Ints, taught: NDArray[np.bool_], channel: Channel, prior: Floats
) -> list[Singles]:
    """Return for each group of columns (labels, M) what it tells beyond each of them."""
    single = {(part.name, part.width): part for group in groups for part in group.parts}
    alone = {key: _tables(each, target, taught, channel, prior) for key, each in single.items()}

    def beyond(group: _Group) -> Singles:
        score = np.log(prior)[None]
        for part in group.parts:
            score = (score[:, None] + alone[part.name, part.width]).reshape(-1, len(prior))
        return _tables(group.joined, target, taught, channel, prior, softmax(score))

    return [beyond(group) for group in groups]


def _tables(
    feature: _Feature,
    target: Ints,
    taught: NDArray[np.bool_],
    channel: Channel,
    prior: Floats,
    expected: Floats | None = None,
) -> Singles:
    """Return (labels, M) log of the de-noised P(value | label) / expected (labels, M): by default the prior."""
    m, undone = len(prior), channel.inverse
    counts = _counted(feature, target, m, taught)
    whole = counts.sum(axis=1, keepdims=True)
    mu, x = whole * (prior if expected is None else expected), counts @ undone
    var = channel.together(*feature.names) * np.maximum(counts @ undone**2 - np.maximum(x, 0.0), 1e-3 * mu + 1e-6)
    off, spread = (x - mu) ** 2, np.zeros(m)
    for _ in range(10):  # generalised least squares for E[(x - mu)^2] = Var + t mu^2
        weight = mu**2 / (var + spread * mu**2) ** 2
        spread = np.maximum((weight * (off - var)).sum(axis=0) / np.maximum((weight * mu**2).sum(axis=0), LEAST), 0.0)
    true = spread * mu**2
    keep = true / (true + var)
    mean, error = mu + keep * (x - mu), np.sqrt(keep * var) + LEAST * (1.0 + mu)
    z = mean / error  # the mean of a normal above 0
    found = mean + error * np.exp(-(z**2) / 2 - log_ndtr(z)) / np.sqrt(2 * np.pi)
    found = np.maximum(found, 1e-9 * mu + 1e-12)
    for _ in range(20):  # both margins are known
        found *= prior * whole.sum() / found.sum(axis=0)
        found *= whole / np.maximum(found.sum(axis=1, keepdims=True), 1e-300)
    odds = np.log(found / np.maximum(mu, 1e-300), out=np.zeros_like(found), where=(found > 0) & (mu > 0))
    return np.asarray(np.clip(odds, -_STEEP, _STEEP), np.float32)


def _weights(
    evidence: Singles, likely: Floats, base: Singles, taught: NDArray[np.bool_], alike: int
) -> tuple[Singles, Singles]:
    """Return (d,) the weight of each column and (M,) what is added for each value."""
    d, shown = len(evidence), likely[taught]
    # One row a column: both products with it are one pass over memory as it lies.
    tables = np.ascontiguousarray(evidence[:, taught]).reshape(d, -1)

    def loss(at: Floats) -> tuple[float, Floats]:
        score = (at[:d].astype(np.float32) @ tables).reshape(shown.shape) + (base + at[d:])
        lost, gradient = _corrected(score, shown)
        by_column = tables @ gradient.ravel()
        slope = np.concatenate([-by_column, 2 * alike * at[d:] - gradient.sum(axis=0)])
        return lost + alike * float((at[d:] ** 2).sum()), slope

    start = np.concatenate([np.full(d, d**-0.5), np.zeros(len(base))])
    bounds = [(0.0, 5.0)] * d + [(-5.0, 5.0)] * len(base)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _ROUNDS}).x
    return found[:d].astype(np.float32), found[d:].astype(np.float32)


def _corrected(score: Floats | Singles, likely: Floats) -> tuple[float, Singles]:
    """Return -sum log sum_v q(v) T[v, u] and (n, M) the slope of the logarithm by the scores, P(v | u) - q(v)."""
    beliefs = softmax(score)
    joint = beliefs * likely
    seen = np.maximum(joint @ np.ones(joint.shape[1]), 1e-30)[:, None]
    return -float(np.log(seen).sum()), (joint / seen - beliefs).astype(np.float32)


def softmax(score: NDArray[np.floating]) -> Floats:
    # Value by value: NumPy goes over rows of a few numbers each four times as slowly.
    top = score[:, 0].copy()
    for value in score.T[1:]:
        np.maximum(top, value, out=top)
    power = np.exp(score - top[:, None], dtype=np.float64)
    power /= (power @ np.ones(power.shape[1]))[:, None]
    return np.asarray(power)


def _scored(
    features: Sequence[_Feature],
    tables: Sequence[Sequence[Singles]],
    weights: _Weights,
    base: Singles,
    records: Ints,
    folds: Ints,
) -> Singles:
    """Return (K, M) scores of records, each by the tables of its fold."""
    score = np.empty((len(records), len(base)), np.float32)
    for fold, (weight, added) in enumerate(weights):
        at = np.flatnonzero(folds[records] == fold)
        part = np.tile(base + added, (len(at), 1))
        for j, feature in enumerate(features):
            part += weight[j] * tables[fold][j][feature.codes[records[at]]]
        score[at] = part
    return score


def _regression(
    features: Sequence[_Feature],
    tables: Sequence[Sequence[Singles]],
    weights: _Weights,
    base: Singles,
    likely: Floats,
    tested: Ints,
    folds: Ints,
    work: int,
    channel: Channel,
    progress: Progress,
) -> Singles:
    """Return (K, M) scores by tables that the corrected likelihood has moved."""
    score = np.empty((len(tested), len(base)), np.float32)
    some = _some(len(likely), len(features) * len(base), work)
    ridge = _RIDGE * np.repeat([channel.together(*each.names) for each in features], [each.width for each in features])
    for fold, (weight, more) in enumerate(weights):
        rows, test = some[folds[some] != fold], folds[tested] == fold
        start = np.concatenate([weight[j] * table for j, table in enumerate(tables[fold])])
        part = ProgressPart(progress, fold / len(weights), 1 / len(weights))
        moved = _moved(_hot(features, rows), start, base + more, likely[rows], ridge, part)
        score[test] = _hot(features, tested[test]) @ moved + base + more
    return score


def _hot(cells: Sequence[_Feature], rows: Ints) -> sparse.csr_matrix:
    """Return (K, sum of widths) 1 where a record has a label, 0 elsewhere."""
    ends = np.cumsum([cell.width for cell in cells])
    at = np.stack([cell.codes[rows] + (end - cell.width) for cell, end in zip(cells, ends, strict=True)], axis=1)
    starts = np.arange(0, at.size + 1, len(cells))
    return sparse.csr_matrix((np.ones(at.size, np.float32), at.ravel(), starts), shape=(len(rows), int(ends[-1])))


def _moved(
    hot: sparse.csr_matrix, start: Singles, added: Singles, likely: Floats, ridge: Floats, progress: Progress
) -> Singles:
    """Return the tables `start` where the corrected likelihood, less a ridge penalty on the way there, is largest."""
    across, first = hot.T.tocsr(), hot @ start + added
    rounds = count()  # a search along a line may look twenty times

    def loss(flat: Floats) -> tuple[float, Floats]:
        progress.report(_STAGE, min(next(rounds) / _ROUNDS, 1.0))
        lost, gradient = _corrected(first + hot @ flat.reshape(start.shape).astype(np.float32), likely)
        pull = (ridge[:, None] * flat.reshape(start.shape)).ravel()
        slope = pull - np.asarray(across @ gradient, np.float64).ravel()
        return lost + float(flat @ pull) / 2, slope

    found = minimize(loss, np.zeros(start.size), jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}).x
    return np.asarray(start + found.reshape(start.shape), np.float32)


def _groups(features: Sequence[_Feature], beliefs: Floats, likely: Floats, records: Ints, alike: int) -> list[_Group]:
    """Return the pairs and threes of columns that explain most of what the beliefs leave unexplained, by a score test.

    Where not all can be tried on all records, those whose parts gain most are tried first on as many as can be, then
    the best quarter on four times as many, and so on.
    """
    joint = beliefs * likely
    slope = (joint / joint.sum(axis=1, keepdims=True) - beliefs).astype(np.float32)
    told, chosen = np.concatenate([slope, alike * slope**2], axis=1), list[_Group]()
    gains: dict[tuple[int, ...], float] = {}
    for size, most in _TOGETHER.items():
        # As many labels as leave twenty records to a cell, at least three.
        width = int(np.clip((len(records) / 20) ** (1 / size), 3, _COARSE))
        coarse, parts, gains = [_coarse(each, width) for each in features], gains, {}
        told_by = dict.fromkeys(range(len(features)), 0.0)
        for part, gain in parts.items():
            told_by |= {j: max(told_by[j], gain) for j in part}
        columns = sorted(told_by, key=told_by.__getitem__, reverse=True)[: _WIDE if size > 2 else None]
        tried = list(combinations(sorted(columns), size))
        tried.sort(key=lambda group: sum(parts.get(part, 0.0) for part in combinations(group, size - 1)), reverse=True)
        if size > 2:
            tried = tried[: _TRIED // (min(len(records), 2_000) * told.shape[1])]
        few = np.zeros(0, np.int64)
        while tried and len(few) < len(records):
            few = _some(len(records), len(tried) * told.shape[1], _TRIED)
            seen, codes = told[few], [each.codes[records[few]] for each in coarse]
            gains |= {group: _gain([(codes[j], coarse[j].width) for j in group], seen) for group in tried}
            tried = sorted(tried, key=gains.__getitem__, reverse=True)[: max(len(tried) // 4, 1)]
        best = sorted((group for group, gain in gains.items() if gain > _TOLD), key=gains.__getitem__, reverse=True)
        chosen += [_Group(tuple(coarse[j] for j in group)) for group in best[:most]]
    return chosen


def _gain(columns: Sequence[tuple[Codes, int]], seen: Singles) -> float:
    """Return how far the score test of columns taken together exceeds what chance leaves, in its own spread."""
    cell, cells = np.zeros(len(seen), np.int32), 1
    for codes, width in columns:
        cell, cells = cell * np.int32(width) + codes, cells * width
    ones, at = np.ones(len(cell), np.float32), np.arange(len(cell) + 1, dtype=np.int32)
    sums = sparse.csc_matrix((ones, cell, at), shape=(cells, len(cell))) @ seen
    moved, weight = np.split(sums[np.bincount(cell, minlength=cells) >= FEW], 2, axis=1)
    free = max(moved.size, 1)
    return float(((moved**2 / np.maximum(weight, LEAST)).sum() - free) / free**0.5)


def _coarse(feature: _Feature, labels: int) -> _Feature:
    if feature.width <= labels:
        return feature
    counts = np.bincount(feature.codes, minlength=feature.width)
    part = (np.cumsum(counts) - counts / 2) / counts.sum()
    used, label = np.unique(np.minimum((part * labels).astype(np.int64), labels - 1), return_inverse=True)
    return _Feature(feature.names, label.astype(np.int32)[feature.codes], len(used))


def _tempered(score: Singles, likely: Floats, prior: Floats, alike: int) -> Floats:
    """Return (K, M) beliefs as sure as what is shown justifies, which on average are the known shares.

    The log-odds are multiplied by one factor for all values and, as far as the release asks for it, one for each: a
    value near the eligibility limit has little signal left, and its odds come out too small.
    """
    base, stiff = np.log(prior).astype(np.float32), _STIFF * alike
    odds = score - base
    odds -= odds.mean(axis=1, keepdims=True)

    def loss(at: Floats) -> tuple[float, Floats]:
        power = np.exp(at[0] + at[1:])
        lost, gradient = _corrected(base + odds * power.astype(np.float32), likely)
        slope = -np.einsum("nm,nm->m", gradient, odds) * power
        whole = np.concatenate([[slope.sum()], slope + 2 * stiff * at[1:]])
        return lost + stiff * float(at[1:] @ at[1:]), whole

    starts = [np.concatenate([[log], np.zeros(len(prior))]) for log in (-1.5, -0.7, 0.0)]
    first = min(starts, key=lambda at: loss(at)[0])
    bounds = [(-4.0, 2.0)] + [(-2.0, 2.0)] * len(prior)
    found = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 20}).x
    return raked(softmax(base + odds * np.exp(found[0] + found[1:])), prior)


def _confused(beliefs: Floats, likely: Floats, prior: Floats) -> Floats:
    """Return (K, M) beliefs of which a part goes to other values, as far as what is shown asks for it.

    Who is taught by own beliefs takes records of one value for another's and is sure of it: 94 % where 82 were right.
    """
    told = _KEPT * np.eye(len(prior)) + (1 - _KEPT) * prior
    for _ in range(_MIXED):
        mixed = beliefs @ told
        told *= beliefs.T @ (likely / np.maximum((mixed * likely).sum(axis=1, keepdims=True), 1e-30))
        told /= told.sum(axis=1, keepdims=True)
    return raked(beliefs @ told, prior)


def raked(beliefs: Floats, prior: Floats) -> Floats:
    for _ in range(4):
        beliefs = beliefs * (prior / np.maximum(beliefs.mean(axis=0), LEAST))
        beliefs /= beliefs.sum(axis=1, keepdims=True)
    return beliefs


def likelihood(beliefs: Floats, likely: Floats) -> float:
    return float(np.log(np.maximum((beliefs * likely).sum(axis=1), 1e-30)).sum())
