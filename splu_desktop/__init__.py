"""SPLU Desktop: hand out a sensitive table with small counts protected and large counts answered."""

__version__ = "0.3.0.dev0"
