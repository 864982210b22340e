"""What the likelihood of a logistic model, mixed through T, answers on a real table: how far from the original's.

    python benchmarks/likelihood.py FOLDER        (of diabetes130.csv.gz)

The likelihood is maximised over the counts that the draw gives on average, so that what is printed is no noise: the gap
of its coefficients to the original's, in its own standard errors, and those errors over the errors of the program's
equations (`core.analyse.regression`), which have no such gap.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from splu_desktop.core.table import Table
from splu_desktop.files.importer import read

Floats = NDArray[np.float64]
OUTCOMES = (("readmitted", "<30"), ("readmitted", ">30"), ("insulin", "Up"), ("diag_1", "428"), ("A1Cresult", ">8"))
COVARIATES = ("number_diagnoses", "time_in_hospital", "num_medications", "number_inpatient", "num_procedures")
GAMMAS = (2, 3, 5)


def mixed(x: Floats, shown: Floats, come: float, keep: float) -> tuple[Floats, Floats]:
    """Return coefficients and information of P(shown) = come + (keep - come) logistic(x b), by Fisher's scoring.

    Parameters
    ----------
    x : (n, k) with a column of ones first.
    shown : (n,) how often, on average, a record shows the outcome.
    """
    b = np.zeros(x.shape[1])
    b[0] = -2.0
    for _ in range(200):
        mean = 1 / (1 + np.exp(-x @ b))
        q, slope = come + (keep - come) * mean, (keep - come) * mean * (1 - mean)
        information = (x * (slope**2 / (q * (1 - q)))[:, None]).T @ x
        step = np.linalg.solve(information, x.T @ ((shown - q) * slope / (q * (1 - q))))
        b += step * min(1.0, 1 / np.abs(step).max())
        if np.abs(step).max() < 1e-10:
            return b, information
    raise ArithmeticError("the likelihood has no maximum here")


def compared(table: Table, column: str, value: str, gamma: int) -> str:
    """Return a line of what the likelihood answers for one outcome, drawn in plain groups."""
    n, of = table.n, table[column]
    y = (of.codes == of.code_of(value)).astype(np.float64)
    numbers = [np.asarray(table[name].values, np.float64)[table[name].codes] for name in COVARIATES]
    x = np.column_stack([np.ones(n), *((each - each.mean()) / each.std() for each in numbers)])
    keep, f = 1 / gamma, float(y.sum())
    come = (1 - keep) * f / (n - f)
    shown = come + (keep - come) * y
    own, _ = mixed(x, y, 0.0, 1.0)
    found, information = mixed(x, shown, come, keep)
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    mean = 1 / (1 + np.exp(-x @ own))
    bread = np.linalg.inv((x * (mean * (1 - mean))[:, None]).T @ x)
    spread = (x * (shown * (1 - shown) / (keep - come) ** 2)[:, None]).T @ x
    ours = np.sqrt(np.diag(bread @ spread @ bread))
    gaps = " ".join(f"{gap:+.2f}" for gap in (found - own) / errors)
    return (
        f"{column}={value} gamma {gamma}: gap in standard errors {gaps}; errors over ours {np.round(errors / ours, 2)}"
    )


def main() -> None:
    """Print a line for each outcome and group size that its share allows."""
    table = read(Path(sys.argv[1]) / "diabetes130.csv.gz").table
    for column, value in OUTCOMES:
        most = int(table[column].counts()[table[column].code_of(value)])
        for gamma in GAMMAS:
            if most * gamma <= table.n:
                print(compared(table, column, value, gamma), flush=True)


if __name__ == "__main__":
    main()
