"""Which fusion? Our own comparison of fixed and learned fusions."""
