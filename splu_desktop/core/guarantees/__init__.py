"""What is promised, exactly: small and large counts, several releases, three readers, and ways out."""
