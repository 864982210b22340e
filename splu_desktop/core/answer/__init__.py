"""Answers to whoever reads a release."""
