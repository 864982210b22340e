"""Beyond single counts: shares, ratios, means, trends, regressions, and the transitions that all of them rest on."""
