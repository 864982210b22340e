"""Random pre-partitioning (Clifton, Hanson, Merrill, Merrill, Zahraa, PSD 2020): every part is published by itself."""
