"""The page Ask: questions to a release, as its recipients would ask them."""
