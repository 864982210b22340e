"""Tables of any size on a cluster of computers."""
