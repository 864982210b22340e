"""Readers of foreign files in a process of their own: whatever they do there, the program lives on.

`parent` is the program's side and its door, `isolated`; `child` is the reader's. Nothing is imported here, since the
child must be there in a moment and the program's side brings half of the program along.
"""
