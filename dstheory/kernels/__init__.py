"""Arrays in, arrays out: what the classes of this package compute with."""
