"""Arrays in, arrays out: the numerical kernels behind the classes of this package."""
