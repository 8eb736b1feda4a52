"""What tools/torture is made of: an account of what must be in the file, programs that change it, and what happens to them."""
