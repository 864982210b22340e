"""Odds ratios of the kit beside those of R packages for randomised response, from the T that the release tells."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from splu_desktop.files.release.reading import OpenRelease
from tests.files.releases import KIT, released, ward_plan, ward_table
from tests.optional import R_LIBRARY, needs

# T of a class is a I + (1 - a) 1 g: a column for each true value, as misclass of simex wants it.
_SIMEX = """
set.seed(1)
column <- "{drawn}"
shown <- r$table[[column]] == "yes"
share <- ave(as.numeric(shown), r$class)
draw_anew <- function(data, power) {{
  x <- data[[column]]
  for (class in unique(r$class)) {{
    own <- r$class == class
    g <- c(1 - share[own][1], share[own][1])
    matrix <- r$keep[r$block_of[[column]]] * diag(2) + (1 - r$keep[r$block_of[[column]]]) * cbind(g, g)
    dimnames(matrix) <- list(levels(x), levels(x))
    x[own] <- simex::misclass(data.frame(x = x[own]), list(x = matrix), power)$x
  }}
  setNames(data.frame(factor(x, levels = levels(data[[column]]))), column)
}}
data <- data.frame(dx = r$table$dx == "yes", smoker = r$table$smoker == "yes")
data[[column]] <- factor(as.numeric(data[[column]]))
naive <- glm(dx ~ smoker, family = binomial, data = data, x = TRUE, y = TRUE)
fit <- simex::mcsimex(naive, column, "draw_anew", B = 15, asymptotic = FALSE)
theirs <- fit$coefficients[2]
plain <- coef(naive)[2]
"""
_RRLOG = """
shown <- as.numeric(r$table$dx == "yes")
data <- data.frame(dx = shown, sex = as.numeric(r$table$sex == "m"), bmi = r$table$bmi)
known <- c(r$keep[r$block_of[["dx"]]], mean(shown))
theirs <- RRreg::RRlog(dx ~ sex + bmi, data, "UQTknown", known, LR.test = FALSE)$coefficients[2]
plain <- coef(glm(dx ~ sex + bmi, family = binomial, data = data))[2]
"""


def _beside(release: OpenRelease, script: str, regression: str) -> tuple[float, float, float, float]:
    """Return the logarithms of an odds ratio by the kit, its error, by the package, and by what is shown."""
    script = f'source("{KIT / "splu_release.R"}"); r <- load_release("{release.path}")\n{script}'
    script += f'ours <- regress(r, {regression}, family = "logistic")\n'
    script += "cat(coef(ours)[2], sqrt(vcov(ours)[2, 2]), theirs, plain)"
    environment = os.environ | {"R_LIBS": R_LIBRARY}
    ran = subprocess.run(["Rscript", "-"], input=script, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    ours, error, theirs, plain = map(float, ran.stdout.split())
    return ours, error, theirs, plain


@needs("simex")
@pytest.mark.parametrize("drawn", ["smoker", "dx"], ids=["covariate", "outcome"])
def test_mc_simex_finds_the_odds_ratio_of_the_kit(tmp_path: Path, drawn: str) -> None:
    """Strength 1.5: the parabola by which MC-SIMEX goes back to no misclassification bends too little for more."""
    table = ward_table(8_000, 12)
    release = released(table, ward_plan(table, 1.5, blocks=((drawn,),)), tmp_path / "release", 12)
    script = _SIMEX.format(drawn=drawn)
    ours, error, theirs, plain = _beside(release, script, '(dx == "yes") ~ (smoker == "yes")')
    assert abs(theirs - ours) < min(error, abs(plain - ours) / 2)  # it is no likeness of two that correct nothing


@needs("RRreg")
def test_logistic_regression_for_unrelated_questions_finds_the_odds_ratio_of_the_kit(tmp_path: Path) -> None:
    """Drawn in one class, a column is an answer to the unrelated question technique: p = (a, share of yes)."""
    table = ward_table(12_000, 11)
    plan = ward_plan(table, 3, blocks=(("dx",),), classes=())
    release = released(table, plan, tmp_path / "release", 11)
    ours, error, theirs, plain = _beside(release, _RRLOG, '(dx == "yes") ~ (sex == "m") + bmi')
    assert abs(theirs - ours) < min(error / 4, abs(plain - ours) / 2)  # a likelihood of the same model
