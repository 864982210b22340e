"""The register of releases: its chain, its entries, and how the same records are recognised."""
