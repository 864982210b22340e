"""What unchanged columns, other columns and other readers give away: uniqueness, giveaways, persons, attacks."""
