"""Risk of a release, counted in persons where a column names them."""
