"""Our own draws, and the papers' form of them."""
