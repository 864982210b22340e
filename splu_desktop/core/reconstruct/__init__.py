"""From published counts back to true ones: the numerics behind the estimators of `core.estimate`."""
