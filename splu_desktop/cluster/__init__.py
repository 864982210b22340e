"""A publish carried out by the machines of a Spark cluster: the same plan, gate, draws and release, no new mechanism.

This room alone knows Spark, and needs it only where a cluster is asked for. docs/scale.md says how it works and what it
costs.
"""
