"""Publishing: a release appears whole or not at all, and is remembered."""
