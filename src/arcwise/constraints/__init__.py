"""What graphs must and must not have."""
