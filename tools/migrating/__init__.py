"""What tools/migrate-source consists of."""
