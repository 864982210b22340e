"""How decoy groups are formed: sizes, caps, fakes, the search for them and the law of what they show."""
