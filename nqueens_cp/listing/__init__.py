"""All solutions as NumPy arrays and in files: written, read back, checked."""
