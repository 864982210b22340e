"""Files made to break their readers, and the law that none does."""
