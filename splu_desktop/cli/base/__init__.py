"""What several commands share: options, opening, output, endings."""
